import { IsothermError } from '../errors.js'
import type { Statement } from '../dialects/statement.js'
import type { Wire } from '../dialects/wire.js'
import { keyFields } from '../dialects/layout.js'
import { keyWires, type PlainRow } from './codec.js'
import { completeKeys, generatedFrom } from './complete.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import type { PreparedInsert, RowGroup } from './insert-plan.js'
import { insertReturning } from './insert-statements.js'
import { sqlOf } from '../dialects/dialect.js'

/** Inserts rows, or changes those that exist, by statement; completes the prepared rows with what the database made. */
export async function upsertByStatement(
  context: TransactionContext,
  table: CompiledTable,
  prepared: PreparedInsert,
): Promise<void> {
  // Without the key that the database makes, a row cannot be one that exists.
  await insertReturning(context, table, prepared, prepared.groups.filter(isMade))
  const statements: Statement[] = []
  for (const group of prepared.groups) {
    if (isMade(group)) continue
    statements.push(
      ...(upsertStatements(table, group) ?? (await knowingWhichExist(context, table, prepared, group))),
    )
  }
  if (statements.length > 0) await context.execute(statements)
}

const UPSERT = 'An upsert by statement'

function rowsPerStatement({ dialect }: CompiledTable, group: RowGroup): number {
  return Math.max(1, Math.floor(sqlOf(dialect, UPSERT).maxParameters / group.columns.length))
}

/** Undefined where the dialect has no statement that does both. */
function upsertStatements(table: CompiledTable, group: RowGroup): Statement[] | undefined {
  const { layout, dialect } = table
  if (wouldEmpty(table, group)) return undefined
  const perStatement = rowsPerStatement(table, group)
  const statements: Statement[] = []
  for (let from = 0; from < group.rows.length; from += perStatement) {
    const rows = group.rows.slice(from, from + perStatement)
    const statement = sqlOf(dialect, UPSERT).statements.upsert(layout, group.columns, rows)
    if (!statement) return undefined
    statements.push(statement)
  }
  return statements
}

/**
 * The emulator sets columns that such a statement leaves out to NULL, though they are to keep their values: where there are
 * any, it is asked which rows exist (https://github.com/GoogleCloudPlatform/cloud-spanner-emulator/issues/303).
 */
function wouldEmpty({ layout }: CompiledTable, group: RowGroup): boolean {
  return layout.columns.some((column) => column.written && !group.columns.includes(column))
}

/** Reads which of the rows exist, in the same transaction: those are changed, the others inserted. */
async function knowingWhichExist(
  context: TransactionContext,
  table: CompiledTable,
  prepared: PreparedInsert,
  group: RowGroup,
): Promise<Statement[]> {
  const { layout, codec, dialect } = table
  const { statements } = sqlOf(dialect, UPSERT)
  const rows = group.places.map((place) => prepared.rows[place]!)
  await completeUnknownKeys(context, table, rows)
  const keys = rows.map((row) => (isUnknown(table, row) ? undefined : keyWires(layout, row)))
  const known = keys.filter((key) => key !== undefined)
  const found = known.length === 0 ? [] : await context.read({ layout, columns: codec.columns, keys: known })
  const existing = new Set(found.map((cells) => JSON.stringify(keyWires(layout, codec.decode(cells)))))
  const keyColumns = new Set(layout.key.map((part) => part.column))
  return group.rows.flatMap((row, at): Statement[] => {
    const key = keys[at]
    const name = JSON.stringify(key ?? at)
    if (key === undefined || !existing.has(name)) {
      // Another row of the same call with this key changes it then.
      existing.add(name)
      return [statements.insert(layout, group.columns, [row], [])]
    }
    const changes = group.columns.flatMap((column, place) =>
      keyColumns.has(column) ? [] : [{ column, value: row[place] as Wire }],
    )
    return changes.length === 0 ? [] : [statements.update(layout, changes, key)]
  })
}

/** Only the database computes a part of some keys: it finds them by the rest, where there is such a row. */
async function completeUnknownKeys(
  context: TransactionContext,
  table: CompiledTable,
  rows: readonly PlainRow[],
): Promise<void> {
  const generated = keyFields(table.layout).filter((field) => field.fill.by === 'database')
  const unknown = rows.filter((row) => isUnknown(table, row))
  if (generated.length === 0 || unknown.length === 0) return
  const obscure = generated.find((field) => generatedFrom(field) === undefined)
  if (obscure) {
    const { property } = obscure.column
    throw new IsothermError(
      'UNSUPPORTED',
      `Rows of ${table.layout.table.name} cannot be upserted in a transaction: the database alone computes ${property}.`,
      {
        fix: 'Upsert them outside of a transaction, or insert and update them.',
        table: table.layout.table.name,
        column: property,
      },
    )
  }
  await completeKeys(context, table, unknown, generated)
}

function isUnknown({ layout }: CompiledTable, row: PlainRow): boolean {
  return keyFields(layout).some(({ column }) => row[column.property] === undefined)
}

/** Whether the database makes a value of these rows. */
function isMade({ made }: RowGroup): boolean {
  return made.length > 0
}
