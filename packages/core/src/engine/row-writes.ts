import { type TableLayout, type Wire, hashedOutsideKey } from '../layout/layout.js'
import { isErrorOf, markError } from '../copies.js'
import { IsothermError, shown } from '../errors.js'
import type { PlainRow } from './codec.js'
import type { MadeCells, Mutation, RowWrite, Written } from './driver.js'

// Code for written rows that core and engines share.

/** One of several commits failed. The caller knows the rows, and reports the failure in terms of them. */
export class CommitsFailed extends Error {
  override readonly name = 'CommitsFailed'
  /** Places of the rows that are committed, in order. */
  readonly committed: readonly number[]
  /** Indexes of the rows whose outcome is unknown. */
  readonly unknown: readonly number[]
  /** The known results of the committed rows. */
  readonly written: Pick<Written, 'timestamps' | 'made'>
  /** Whether the commits were made one after the other, in the order of the rows. */
  readonly inOrder: boolean

  /** @param cause why the others are not committed: an outcome that is unknown before all else */
  constructor(
    cause: unknown,
    {
      committed,
      unknown,
      written = { made: [] },
      inOrder = false,
    }: Pick<CommitsFailed, 'committed' | 'unknown'> & Partial<Pick<CommitsFailed, 'written' | 'inOrder'>>,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.committed = committed
    this.unknown = unknown
    this.written = written
    this.inOrder = inOrder
    markError(this, 'CommitsFailed')
  }

  /** Engines throw it, which may have a copy of this package of their own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(value, 'CommitsFailed')
  }
}

/** Puts what the database has made into a row, by the columns that it was read from. */
export function fillIn(row: PlainRow, { fields, columns, cells }: Omit<MadeCells, 'position'>): void {
  for (const field of fields) {
    const at = columns.indexOf(field.physical[0])
    const value = field.join ? field.join(cells, at) : cells[at]
    // A NULL in a column that cannot be NULL means that the engine did not return the value.
    row[field.column.property] = value === null && !field.column.nullable ? undefined : value
  }
}

/** How many rows there are in a write. */
export function rowCount(write: Mutation): number {
  return write.op === 'delete' ? write.keys.length : write.rows.length
}

/** The positions of each write's rows. */
export function positionsOf(writes: readonly RowWrite[]): readonly (readonly number[])[] {
  let next = 0
  return writes.map((write) => write.positions ?? Array.from({ length: rowCount(write) }, () => next++))
}

/** Records calls that failed after a part of them was written, since the error may have been caught. */
export class HalfWritten {
  #first: { readonly cause: unknown } | undefined

  note(cause: unknown): void {
    this.#first ??= { cause }
  }

  /** Before the commit. @throws {IsothermError} `CANCELLED` if a call has written only a part of its rows. */
  refuse(): void {
    if (!this.#first) return
    const { cause } = this.#first
    throw new IsothermError(
      'CANCELLED',
      `Nothing was committed: a call had failed after a part of it was written (${(cause as Error).message}).`,
      { fix: 'Rethrow the error, so that the transaction ends, and continue in a new transaction.', cause },
    )
  }
}

/** The key of a row for a message, with times to the nanosecond. */
export function shownKey(key: Readonly<Record<string, unknown>>): string {
  const values = Object.entries(key).map(([property, value]) => [
    property,
    value instanceof Date ? value.toISOString() : value,
  ])
  return shown(Object.fromEntries(values))
}

/** The error of an update. @param key `{ id: 40n }`, as the model has it */
export function missingRow(table: string, key: string, { layout, cause }: RefusedRow = {}): IsothermError {
  return new IsothermError(
    'NOT_FOUND',
    `${table} has no row with ${canUpsert(layout) ? 'the key ' : ''}${key}.`,
    {
      fix: canUpsert(layout) ? 'Insert it; or use upsert for rows that may not be there.' : 'Insert it.',
      table,
      cause,
    },
  )
}

/** The error of an insert. @param key `{ id: 40n }`, as the model has it */
export function existingRow(table: string, key: string, { layout, cause }: RefusedRow = {}): IsothermError {
  return new IsothermError('ALREADY_EXISTS', `${table} has a row with the key ${key} already.`, {
    fix: canUpsert(layout) ? THERE_ALREADY : 'Use update for rows that are there.',
    table,
    cause,
  })
}

/** The known properties of a refused row. */
interface RefusedRow {
  readonly layout?: TableLayout | undefined
  readonly cause?: Error
}

function canUpsert(layout: TableLayout | undefined): boolean {
  return layout === undefined || hashedOutsideKey(layout).length === 0
}

export const THERE_ALREADY = 'Use upsert for rows that may be there.'

/** Deletes the rows with these keys, as they are stored. */
export function deletedKeys(layout: TableLayout, keys: readonly (readonly Wire[])[]): Mutation {
  return { op: 'delete', table: layout.table.name, layout, keys }
}

/** The error for two rows of one call with the same key: their order is undefined. @param first its index, from 0 */
export function sameKey({ table: { name } }: TableLayout, first: number, second: number): IsothermError {
  return new IsothermError('INVALID_VALUE', `Rows ${first} and ${second} of ${name} have the same key.`, {
    fix: 'Merge them into one row, or write them one after the other: within a call they have no order.',
    table: name,
  })
}
