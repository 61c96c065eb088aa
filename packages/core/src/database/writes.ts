import { IsothermError } from '../errors.js'
import { hashedOutsideKey } from '../dialects/layout.js'
import type { Statement } from '../dialects/statement.js'
import type { Wire } from '../dialects/wire.js'
import { keyWires, wiresOf, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { Mutation, TransactionContext } from './driver.js'
import { completeKey, incompleteKey, unknownProperty } from './fill.js'
import type { PreparedInsert, RowGroup } from './insert-plan.js'

// What a write becomes: mutations (cheapest, seen by nobody before the commit) or DML statements (seen by the
// transaction's own reads, and able to give back what the database made).

export function insertMutations(
  table: CompiledTable,
  prepared: PreparedInsert,
  op: 'insert' | 'upsert',
): Mutation[] {
  return prepared.groups.map((group) => ({
    op,
    table: table.layout.table.name,
    columns: group.columns.map((column) => column.name),
    rows: group.rows,
  }))
}

/** Whether the database makes a value of these rows. */
export function isMade(group: RowGroup): boolean {
  return group.databaseMakes
}

/** Inserts by statement, and completes the prepared rows with what the database made. */
export async function insertReturning(
  context: TransactionContext,
  table: CompiledTable,
  prepared: PreparedInsert,
  groups: readonly RowGroup[],
): Promise<void> {
  const { layout, codec, dialect } = table
  // A pending commit timestamp has no value yet; what would be returned in its place is the year 1.
  const pending = new Set(
    prepared.awaitsCommit.map(({ property }) => layout.byProperty.get(property)!.physical[0]!),
  )
  const returned = codec.columns.filter((column) => !pending.has(column))
  for (const group of groups) {
    const returning = group.databaseMakes ? returned : []
    const types = returning.map((column) => column.type)
    // A row of which the database makes every column still has to name one.
    const columns = group.columns.length > 0 ? group.columns : [layout.key[0]!.column]
    const perStatement = Math.max(1, Math.floor(dialect.maxParameters / columns.length))
    for (let from = 0; from < group.rows.length; from += perStatement) {
      const rows = group.rows.slice(from, from + perStatement)
      const statement = dialect.statements.insert(layout, columns, rows, returning)
      if (returning.length === 0) {
        await context.execute([statement])
        continue
      }
      const answers = await context.returning(statement, types)
      answers.forEach((cells, at) => {
        const row = prepared.rows[group.places[from + at]!]!
        const all = codec.columns.map((column) => cells[returning.indexOf(column)])
        for (const [property, value] of Object.entries(codec.decode(all))) {
          if (value !== undefined) row[property] = value
        }
      })
    }
  }
}

export function upsertStatements(table: CompiledTable, groups: readonly RowGroup[]): Statement[] {
  const { layout, dialect } = table
  return groups.flatMap((group) => {
    const perStatement = Math.max(1, Math.floor(dialect.maxParameters / group.columns.length))
    const statements: Statement[] = []
    for (let from = 0; from < group.rows.length; from += perStatement) {
      statements.push(
        dialect.statements.upsert(layout, group.columns, group.rows.slice(from, from + perStatement)),
      )
    }
    return statements
  })
}

/** One row's key and the changes to it. */
interface PreparedChange {
  readonly key: PlainRow
  readonly changes: readonly { readonly property: string; readonly value: unknown }[]
}

/** @throws {IsothermError} before anything is written. */
export function prepareChange(
  table: CompiledTable,
  given: Readonly<Record<string, unknown>>,
): PreparedChange {
  const { layout } = table
  const key = completeKey(layout, given)
  // Outside the key, but the database finds the row's shard from it.
  for (const property of hashedOutsideKey(layout)) {
    if (given[property] === undefined) throw incompleteKey(layout, property)
    key[property] = given[property] === null ? null : layout.byProperty.get(property)!.accept(given[property])
  }
  const changes: { property: string; value: unknown }[] = []
  for (const [property, value] of Object.entries(given)) {
    if (value === undefined || property in key) continue
    const field = layout.byProperty.get(property)
    if (!field) throw unknownProperty(layout.table.name, property, layout)
    if (field.column.immutable) {
      throw new IsothermError('INVALID_VALUE', `${layout.table.name}.${property} is immutable.`, {
        fix: 'It is set once, at the insert: delete the row and insert it again.',
        table: layout.table.name,
        column: property,
      })
    }
    if (value === null && !field.column.nullable) {
      throw new IsothermError('INVALID_VALUE', `${layout.table.name}.${property} takes no NULL.`, {
        fix: 'Give it a value, or leave it out.',
        table: layout.table.name,
        column: property,
      })
    }
    changes.push({ property, value: value === null ? null : field.accept(value) })
  }
  if (changes.length === 0) {
    throw new IsothermError(
      'INVALID_VALUE',
      `An update of ${layout.table.name} changes nothing but the key.`,
      {
        fix: 'Give the fields to change; a key cannot be changed, only deleted and inserted again.',
        table: layout.table.name,
      },
    )
  }
  return { key, changes }
}

/** The physical columns and stored values of a change, its key first where the mutation needs it. */
export function updateMutation(table: CompiledTable, { key, changes }: PreparedChange): Mutation {
  const { layout } = table
  const columns: string[] = []
  const wires: Wire[] = []
  const values: PlainRow = { ...key }
  for (const { property, value } of changes) values[property] = value
  for (const field of layout.fields) {
    const { property } = field.column
    if (!(property in values)) continue
    wiresOf(field, values[property]).forEach((wire, at) => {
      // A generated key column finds its value from the columns it is computed from.
      if (!field.physical[at]!.written) return
      columns.push(field.physical[at]!.name)
      wires.push(wire)
    })
  }
  return { op: 'update', table: layout.table.name, columns, rows: [wires] }
}

export function updateStatement(table: CompiledTable, { key, changes }: PreparedChange): Statement {
  const { layout, dialect } = table
  const set = changes.flatMap(({ property, value }) => {
    const field = layout.byProperty.get(property)!
    const wires = wiresOf(field, value)
    return field.physical.map((column, at) => ({ column, value: wires[at]! }))
  })
  return dialect.statements.update(layout, set, keyWires(layout, key))
}

export function deleteMutation(table: CompiledTable, keys: readonly PlainRow[]): Mutation {
  const { layout } = table
  return { op: 'delete', table: layout.table.name, keys: keys.map((key) => keyWires(layout, key)) }
}

/** Fills in the commit timestamps of rows that were waiting for the commit. */
export function completed(prepared: PreparedInsert, commitTimestamp: Date): PlainRow[] {
  for (const { place, property } of prepared.awaitsCommit) prepared.rows[place]![property] = commitTimestamp
  return prepared.rows
}

export function refuseUnstableUpsert({ layout }: CompiledTable): void {
  const [outside] = hashedOutsideKey(layout)
  if (outside === undefined) return
  throw new IsothermError(
    'UNSUPPORTED',
    `${layout.table.name} cannot be upserted: its shard hashes ${outside}, which is not in the key.`,
    { fix: 'Use insert or update in a transaction, or hash key columns only.', table: layout.table.name },
  )
}

/** What writes take: one, or many at once. */
export type OneOrMany<T> = T | readonly T[]

export function many<T>(given: OneOrMany<T>): readonly T[] {
  return Array.isArray(given) ? (given as readonly T[]) : [given as T]
}
