import { IsothermError } from '../errors.js'
import { type PhysicalColumn, type TableLayout, type Wire, hashedOutsideKey } from '../layout/layout.js'
import {
  type CommitOptions,
  type CounterChange,
  type Driver,
  type Mutation,
  type RowWrite,
  type RowWrites,
  type WriteCallOptions,
  type Written,
  countersOf,
} from '../engine/driver.js'
import { type PlainRow, keyWires, wiresOf } from '../engine/codec.js'
import { CommitsFailed, fillIn } from '../engine/row-writes.js'
import type { CompiledTable } from '../rows/compiled-table.js'
import { asTheyAre, completeKey, incompleteKey, unknownProperty, valueIn } from '../rows/fill.js'
import type { Limits } from '../engine/retries.js'
import type { PreparedInsert, SupplyOptions } from '../rows/insert-plan.js'

type PlainInput = Readonly<Record<string, unknown>>

// Writes outside of transactions, and the errors when they fail.

/** The outcome of a call. */
interface WrittenRows {
  readonly rows: PlainRow[]
  readonly commits: number
  readonly commitTimestamp: Date | undefined
}

/** Fills in, encodes and commits what a call gives. */
export async function writeRows(
  op: RowOperation,
  table: CompiledTable,
  inputs: readonly PlainInput[],
  writes: RowWrites,
  limits: Limits<CommitOptions>,
): Promise<WrittenRows> {
  const prepared = await prepareRows(op, table, inputs, { limits })
  const { rows } = prepared
  // An insert without rows has no commit timestamp to wait for.
  if (rows.length === 0 && op === 'insert') return { rows, commits: 0, commitTimestamp: undefined }
  try {
    const written = await writes.commit(prepared.writes, limits.options)
    completeRows(prepared, written)
    table.skew?.keys('writes', rows)
    return { rows, commits: written.commits, commitTimestamp: written.commitTimestamp }
  } catch (error) {
    throw failed(table, prepared, error)
  }
}

/** Adds to the counters of rows. A repeated addition counts twice, so nothing is sent again. */
export async function incrementRows(
  table: CompiledTable,
  inputs: readonly PlainInput[],
  driver: Driver,
  options: WriteCallOptions,
): Promise<void> {
  const counters = countersOf(driver)
  const { layout } = table
  const rows = inputs.map((row) => completeKey(layout, row))
  const changes = rows.map((key, at): CounterChange => ({
    key: keyWires(layout, key),
    amounts: amountsOf(table, key, inputs[at]!),
  }))
  try {
    await counters.add(layout, changes, options)
    table.skew?.keys('writes', rows)
  } catch (error) {
    throw failed(table, { rows, writes: [], awaitsCommit: [], made: undefined }, error)
  }
}

function amountsOf(
  { layout }: CompiledTable,
  key: PlainRow,
  input: PlainInput,
): ReadonlyMap<PhysicalColumn, bigint> {
  const { name } = layout.table
  const amounts = new Map<PhysicalColumn, bigint>()
  for (const property of Object.keys(input)) {
    if (!layout.byProperty.has(property)) throw unknownProperty(name, property, layout)
  }
  for (const field of layout.fields) {
    const { property } = field.column
    const value = valueIn(input, property)
    if (value === undefined || Object.hasOwn(key, property)) continue
    if (field.column.type.kind !== 'counter') {
      throw new IsothermError('INVALID_VALUE', `${name}.${property} is not a counter.`, {
        fix: 'Give the key, and what to add to counters.',
        table: name,
        column: property,
      })
    }
    if (value === null) {
      throw new IsothermError('INVALID_VALUE', `${name}.${property} would be incremented by NULL.`, {
        fix: 'Give a bigint, or leave it out.',
        table: name,
        column: property,
      })
    }
    amounts.set(field.physical[0], field.accept(value) as bigint)
  }
  if (amounts.size > 0) return amounts
  throw new IsothermError('INVALID_VALUE', `An increment of ${name} names no counter.`, {
    fix: 'Give what to add beside the key: { …, hits: 1n }.',
    table: name,
  })
}

/** The error if not all rows of a call are committed. */
function failed(table: CompiledTable, prepared: PreparedRows, error: unknown): unknown {
  const { rows } = prepared
  if (!(error instanceof CommitsFailed)) return withRows(error, rows)
  const { committed, unknown, written, inOrder, cause: why } = error
  completeRows(prepared, written)
  const done = committed.map((position) => rows[position]!)
  table.skew?.keys('writes', done)
  const cause = withRows(
    why,
    unknown.map((position) => rows[position]!),
  )
  if (done.length === 0) return cause
  const { name } = table.layout.table
  const isUnknown = unknown.length > 0
  const [message, fix] = inOrder
    ? [
        `The first ${done.length} of ${rows.length} rows of ${name} are committed; a later commit failed:`,
        isUnknown
          ? `Before you continue, check which of the rows from ${done.length} on exist: cause.rows has their keys.`
          : `Continue from row ${done.length}; rows has the committed ones.`,
      ]
    : [
        `${done.length} of ${rows.length} rows of ${name} are committed; another commit failed:`,
        isUnknown
          ? 'rows has the committed rows. Check which of cause.rows exist, and write the rest again.'
          : 'rows has the committed rows: write the rest again.',
      ]
  return new IsothermError('PARTLY_WRITTEN', `${message} ${error.message}`, {
    fix,
    table: name,
    rows: done,
    cause,
  })
}

/** Adds the rows to an error: without them, rows whose keys the client made could not be found again. */
function withRows(error: unknown, rows: readonly PlainRow[]): unknown {
  if (!(error instanceof IsothermError) || error.code !== 'OUTCOME_UNKNOWN') return error
  return Object.assign(error, { rows })
}

// What users give, made into rows as they are stored: filled in, checked and encoded. What becomes of them is the engine's business.

export type RowOperation = RowWrite['op']

/** The rows of one call. */
export interface PreparedRows {
  readonly writes: readonly RowWrite[]
  /** The rows that are returned, and that errors name: rows of an insert or an upsert, keys of an update or a delete. */
  readonly rows: PlainRow[]
  /** Commit timestamps to fill in once they are known. */
  readonly awaitsCommit: PreparedInsert['awaitsCommit']
  /** A field whose value the database makes. */
  readonly made: string | undefined
}

const NONE = { awaitsCommit: [], made: undefined } as const

/**
 * Fills in and encodes what a call gives.
 *
 * @throws {IsothermError} before anything is written.
 */
export async function prepareRows(
  op: RowOperation,
  table: CompiledTable,
  inputs: readonly PlainInput[],
  numbers: Pick<SupplyOptions, 'transaction' | 'limits'> = {},
): Promise<PreparedRows> {
  const { layout, insertPlan } = table
  if (op === 'delete') {
    const rows = inputs.map((key) => completeKey(layout, key))
    const keys = rows.map((key) => keyWires(layout, key))
    const positions = rows.map((_, position) => position)
    return {
      ...NONE,
      rows,
      writes: [{ op, table: layout.table.name, layout, keys, positions, values: rows }],
    }
  }
  refuseCounters(table)
  if (op === 'update') {
    const changes = inputs.map((change, position) => updateOf(table, change, position))
    return { ...NONE, rows: changes.map(({ key }) => key), writes: changes.map(({ write }) => write) }
  }
  const partial = op === 'upsert'
  if (partial) refuseUnstableUpsert(table)
  const supply = insertPlan.supply(inputs, { ...numbers, partial })
  const prepared = insertPlan.prepare(supply ? asTheyAre(inputs) : inputs, partial, supply && (await supply))
  const { rows, awaitsCommit, groups } = prepared
  const made = groups.flatMap((group) => group.made)[0]?.column.property
  return { rows, awaitsCommit, made, writes: insertMutations(table, prepared, op) }
}

export function insertMutations(
  { layout }: CompiledTable,
  { rows, groups }: PreparedInsert,
  op: 'insert' | 'upsert',
): RowWrite[] {
  return groups.map((group) => ({
    op,
    table: layout.table.name,
    layout,
    columns: group.columns.map((column) => column.name),
    rows: group.rows,
    positions: group.positions,
    values: group.positions.map((position) => rows[position]!),
    ...(group.made.length > 0 && { made: group.made }),
    ...(group.fresh && op === 'insert' && { fresh: true as const }),
  }))
}

/** Puts into the rows of a call what the database has made of them. */
export function completeRows(
  { rows, awaitsCommit }: PreparedRows,
  { made, timestamps, commitTimestamp }: Pick<Written, 'made' | 'timestamps'> & Partial<Written>,
): void {
  for (const cells of made) fillIn(rows[cells.position]!, cells)
  for (const { position, property } of awaitsCommit) {
    const at = timestamps ? timestamps[position] : commitTimestamp
    if (at !== undefined) rows[position]![property] = at
  }
}

/** One change of a row, its key first where the engine needs it. @throws {IsothermError} before anything is written. */
function updateOf(
  { layout }: CompiledTable,
  input: PlainInput,
  position: number,
): { readonly key: PlainRow; readonly write: RowWrite } {
  const key = completeKey(layout, input)
  // Outside the key, but the database finds the row's shard from it.
  for (const property of hashedOutsideKey(layout)) {
    const value = valueIn(input, property)
    if (value === undefined) throw incompleteKey(layout, property)
    key[property] = value === null ? null : layout.byProperty.get(property)!.accept(value)
  }
  const values: PlainRow = { ...key }
  let changes = 0
  for (const field of layout.fields) {
    const { property } = field.column
    const value = valueIn(input, property)
    if (value === undefined || Object.hasOwn(key, property)) continue
    if (field.column.immutable) {
      throw new IsothermError('INVALID_VALUE', `${layout.table.name}.${property} is immutable.`, {
        fix: 'It is set only by the insert: delete the row and insert it again.',
        table: layout.table.name,
        column: property,
      })
    }
    if (value === null && !field.column.nullable) {
      throw new IsothermError('INVALID_VALUE', `${layout.table.name}.${property} does not accept NULL.`, {
        fix: 'Give it a value, or leave it out.',
        table: layout.table.name,
        column: property,
      })
    }
    if (field.physical.every((column) => !column.written)) {
      throw new IsothermError(
        'INVALID_VALUE',
        `${layout.table.name}.${property} is generated by the database.`,
        { fix: 'Change the columns that it is generated from.', table: layout.table.name, column: property },
      )
    }
    values[property] = value === null ? null : field.accept(value)
    changes++
  }
  if (changes === 0) {
    throw new IsothermError(
      'INVALID_VALUE',
      `An update of ${layout.table.name} changes nothing but the key.`,
      {
        fix: 'Give the fields to change; a key cannot be changed, only deleted and inserted again.',
        table: layout.table.name,
      },
    )
  }
  const details = { positions: [position], values: [key] }
  return { key, write: { ...updateWrite(layout, values), ...foundBy(layout, key), ...details } }
}

type Change = Extract<Mutation, { readonly op: 'insert' | 'update' | 'upsert' }>

/** The physical columns and stored values of a change. */
function updateWrite(layout: TableLayout, values: PlainRow): Change {
  const columns: string[] = []
  const wires: Wire[] = []
  const outside = hashedOutsideKey(layout)
  for (const field of layout.fields) {
    const { property } = field.column
    if (!(property in values) || outside.includes(property)) continue
    wiresOf(field, values[property]).forEach((wire, at) => {
      // A generated key column finds its value from the columns it is computed from.
      if (!field.physical[at]!.written) return
      columns.push(field.physical[at]!.name)
      wires.push(wire)
    })
  }
  return { op: 'update', table: layout.table.name, layout, columns, rows: [wires] }
}

/** The required values outside the key from which the key follows. */
function foundBy(layout: TableLayout, key: PlainRow): Pick<Change, 'found'> {
  const found = hashedOutsideKey(layout).flatMap((property) => {
    const field = layout.byProperty.get(property)!
    const wires = wiresOf(field, key[property])
    return field.physical.map((column, at) => ({ column, value: wires[at]! }))
  })
  return found.length > 0 ? { found } : {}
}

/** @throws {IsothermError} `UNSUPPORTED_WRITE` for a table where the same key could be two rows. */
export function refuseUnstableUpsert({ layout }: Pick<CompiledTable, 'layout'>): void {
  const [outside] = hashedOutsideKey(layout)
  if (outside === undefined) return
  throw new IsothermError(
    'UNSUPPORTED_WRITE',
    `${layout.table.name} cannot be upserted: its key hashes ${outside}, which is not a part of it.`,
    {
      fix: 'Use insert for new rows and update for those that exist; or hash key columns only.',
      table: layout.table.name,
    },
  )
}

/** A counter is the sum of what was added to it: it cannot be set. */
function refuseCounters({ layout: { table, fields } }: CompiledTable): void {
  const counter = fields.find(({ column }) => column.type.kind === 'counter')
  if (!counter) return
  const { property } = counter.column
  throw new IsothermError(
    'UNSUPPORTED_WRITE',
    `${table.name}.${property} is a counter, which can only be added to.`,
    {
      fix: `Use db.increment with the row's key and what to add: { …, ${property}: 1n }.`,
      table: table.name,
      column: property,
    },
  )
}

/** The rows of a write: one, or many at once. */
export type OneOrMany<T> = T | readonly T[]

export function many<T>(oneOrMany: OneOrMany<T>): readonly T[] {
  return Array.isArray(oneOrMany) ? (oneOrMany as readonly T[]) : [oneOrMany as T]
}
