import type { types } from 'cassandra-driver'
import {
  type Cells,
  IsothermError,
  type Mutation,
  type PhysicalColumn,
  type Wire,
  type WriteCallOptions,
  existingRow,
  keyFields,
  missingRow,
  physicalColumns,
  shownKey,
  staticColumns,
} from '@isotherm/core/engine'
import { columnsDecoder } from './values.js'
import type { CqlStatement, CqlStatements } from '../cql/statements.js'
import { expiringColumns } from '../cql/whole-rows.js'
import type { Session } from './execute.js'
import type { SentWrite } from './sending.js'

// The answer to a conditional write: whether it has written, and otherwise what conflicted with it. That is the row for `IF
// NOT EXISTS`, the compared columns for other conditions, and nothing at all if there is no row, whatever static columns
// are beside it.

/** The name of the column that says so. */
const APPLIED = '[applied]'

export function isApplied({ rows }: types.ResultSet): boolean {
  return rows?.[0]?.[APPLIED] === true
}

/** The columns of the row that stood against the write; undefined where the answer does not have all of them. */
export function foundCells(
  { rows, columns }: types.ResultSet,
  requestedColumns: readonly PhysicalColumn[],
  statics: ReadonlySet<string>,
): Cells | undefined {
  if (columns.length === 1 && !requestedColumns.some(({ name }) => statics.has(name)))
    return requestedColumns.map(() => null)
  const returnedNames = new Set(columns.map(({ name }) => name))
  return requestedColumns.every(({ name }) => returnedNames.has(name))
    ? columnsDecoder(requestedColumns)(rows[0]!)
    : undefined
}

/** @param at the index of the row among the mutation's */
export function refused(mutation: Mutation, at: number): IsothermError {
  const { op, table, layout } = mutation
  const key = keyText(mutation, at)
  return op === 'insert' ? existingRow(table, key, { layout }) : missingRow(table, key, { layout })
}

/** `{ id: 40n }`, as the model has it; for an update, also the columns by which the row is found. */
function keyText(mutation: Mutation, at: number): string {
  const layout = mutation.layout!
  const key = keyFields(layout).map((field) => {
    const wires = field.physical.map(({ name }) => wireOf(mutation, at, name))
    return [field.column.property, field.parse(wires)] as const
  })
  const found = new Map(
    mutation.op === 'update' ? mutation.found?.map(({ column, value }) => [column, value]) : [],
  )
  const beside = layout.fields
    .filter(({ physical }) => found.has(physical[0]))
    .map((field) => {
      const wires: Wire[] = field.physical.map((column) => found.get(column) ?? null)
      return [field.column.property, wires.includes(null) ? null : field.parse(wires)] as const
    })
  return shownKey(Object.fromEntries([...key, ...beside]))
}

function wireOf(mutation: Mutation, at: number, name: string): Wire {
  return mutation.op === 'delete'
    ? mutation.keys[at]![mutation.layout!.key.findIndex(({ column }) => column.name === name)]!
    : mutation.rows[at]![mutation.columns.indexOf(name)]!
}

/** The statement of one row, and its mutation. */
interface RowWrite extends SentWrite {
  readonly mutation: Mutation
  readonly at: number
}

/**
 * One commit: rows of one partition, all of them or none; or one row under a condition.
 *
 * @throws {IsothermError} `ALREADY_EXISTS` and `NOT_FOUND` where a row is not as its mutation takes it to be.
 */
export async function commitMutations(
  session: Session,
  statements: CqlStatements,
  mutations: readonly Mutation[],
  options: WriteCallOptions,
): Promise<void> {
  const { ttlSeconds, writeTime, conditional = true } = options
  const clauses = {
    conditional,
    ...(ttlSeconds !== undefined && { ttlSeconds }),
    ...(writeTime !== undefined && { writeTime }),
  }
  const writes: RowWrite[] = mutations.flatMap((mutation) =>
    statements
      .write(mutation, clauses)
      .map((statement, at) => ({ statement, mutation, at, leavesNulls: leavesNulls(mutation, statement) })),
  )
  const first = writes[0]!
  if (first.statement.kind === 'conditional') {
    if (writeTime !== undefined) throw timedCondition(first.mutation)
    return writeChecked(session, statements, first, options)
  }
  await session.call('write', options, (call) =>
    writes.length === 1 ? call.write(first.statement, first.leavesNulls) : call.batch(writes),
  )
}

/**
 * A new row has no old values that its NULLs would have to delete. In a table with other rows, the rest of an expired row
 * may exist: some of its cells may have had a longer time to live than those that show that it exists.
 */
export function leavesNulls({ op, layout }: Mutation, { kind }: CqlStatement): boolean {
  return op === 'insert' && !(kind === 'conditional' && layout?.stored?.as === 'static')
}

async function writeChecked(
  session: Session,
  statements: CqlStatements,
  write: RowWrite,
  options: WriteCallOptions,
): Promise<void> {
  const { statement, leavesNulls: leaves, mutation, at } = write
  const isDone = await session.call('once', options, async (call) => {
    let result = await call.write(statement, leaves)
    if (isApplied(result)) return true
    for (const other of statement.instead ?? []) {
      if (!isFoundByNull(mutation, result)) return false
      result = await call.write(other)
      if (isApplied(result)) return true
    }
    for (const over of insertsOver(statements, write, result, options.ttlSeconds))
      if (isApplied(await call.write(over))) return true
    return false
  })
  if (!isDone) throw refused(mutation, at)
}

/**
 * Inserts over the rest of an expired row, on the condition that a required column is still missing. NULLs are written too,
 * since they replace values of the expired row.
 *
 * @param refusal the values that conflicted with the insert
 */
function insertsOver(
  statements: CqlStatements,
  { mutation, at }: RowWrite,
  refusal: types.ResultSet,
  ttlSeconds: number | undefined,
): CqlStatement[] {
  const layout = mutation.layout!
  const expiring = expiringColumns(layout)
  if (mutation.op !== 'insert' || expiring.length === 0) return []
  const statics = staticColumns(layout)
  const found = foundCells(refusal, expiring, statics) ?? []
  const written = new Map(
    mutation.columns.map((name, position) => [name, mutation.rows[at]![position] ?? null]),
  )
  const cells = physicalColumns(layout)
    .map(({ name }) => [name, written.get(name) ?? null] as const)
    // The static columns of the partition do not belong to the expired row.
    .filter(([name, wire]) => wire !== null || !statics.has(name))
  const whole = { ...mutation, columns: cells.map(([name]) => name), rows: [cells.map(([, wire]) => wire)] }
  return expiring
    .filter((_, position) => found[position] === null)
    .map(({ name }) =>
      statements.writeIf(whole, { [name]: null }, { ...(ttlSeconds !== undefined && { ttlSeconds }) }),
    )
}

/** Whether a row that was not updated is there, and holds NULL in the columns by which it is found. */
function isFoundByNull(mutation: Mutation, { rows, columns }: types.ResultSet): boolean {
  const found = mutation.op === 'update' ? (mutation.found ?? []) : []
  return columns.length > 1 && found.every(({ column }) => rows[0]?.[column.name] === null)
}

function timedCondition({ table }: Mutation): IsothermError {
  return new IsothermError('INVALID_VALUE', `A conditional write of ${table} cannot have a writeTime.`, {
    fix: 'Remove writeTime, or pass { conditional: false }.',
    table,
  })
}
