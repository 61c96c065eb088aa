import { IsothermError } from '../errors.js'
import { transactionsOf } from './capabilities.js'
import type { PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { CallOptions, Driver } from './driver.js'
import { insertBoth } from './dual-writes-calls.js'
import type { DualTable } from './dual-writes.js'
import type { PreparedInsert } from './insert-plan.js'
import { insertReturning } from './insert-statements.js'
import { mutationsPerRow } from './mutation-count.js'
import { completed, insertMutations } from './writes.js'
import { mutationsPerCommit } from '../dialects/dialect.js'

// The commits that an insert takes, and what is said where one of them fails.

type Given = Readonly<Record<string, unknown>>

/** The rows of each commit. @throws {IsothermError} `TOO_MANY_MUTATIONS` where one is not enough and no more are allowed. */
export function chunksOf(
  table: CompiledTable,
  rows: readonly Given[],
  { split }: { readonly split?: boolean },
  dual: DualTable | undefined,
): (readonly Given[])[] {
  // Not an array: the plan says so, by name.
  if (!Array.isArray(rows)) return [rows]
  const each = mutationsPerRow(table.layout) + (dual ? mutationsPerRow(dual.follower.layout) : 0)
  const most = mutationsPerCommit(table.dialect, 'An insert of rows')
  const perCommit = Math.max(1, Math.floor(most / each))
  if (rows.length <= perCommit) return rows.length === 0 ? [] : [rows]
  if (!split) {
    throw new IsothermError(
      'TOO_MANY_MUTATIONS',
      `${rows.length} rows of ${table.layout.table.name} are ${rows.length * each} mutations (${each} a row); ` +
        `one commit holds ${most}.`,
      {
        fix: `Write up to ${perCommit} rows at a time, or let insert use several commits: { split: true }.`,
        table: table.layout.table.name,
      },
    )
  }
  const chunks: (readonly Given[])[] = []
  for (let from = 0; from < rows.length; from += perCommit) chunks.push(rows.slice(from, from + perCommit))
  return chunks
}

export async function commitInsert(
  driver: Driver,
  table: CompiledTable,
  prepared: PreparedInsert,
  options: CallOptions & { readonly returning?: boolean },
  dual: DualTable | undefined,
): Promise<void> {
  if (dual) {
    completed(prepared, (await insertBoth(driver, dual, prepared, options)).commitTimestamp)
    return
  }
  if (!prepared.needsReturning || options.returning === false) {
    const { commitTimestamp } = await driver.write(insertMutations(table, prepared, 'insert'), options)
    completed(prepared, commitTimestamp)
    return
  }
  // A mutation gives nothing back: values that the database makes come from a statement.
  const { commitTimestamp } = await transactionsOf(driver)(
    (context) => insertReturning(context, table, prepared, prepared.groups),
    options,
  )
  completed(prepared, commitTimestamp)
}

/** Nobody can look for rows whose keys were made here and went down with the error. */
export function withRows(error: unknown, { rows }: { readonly rows: readonly PlainRow[] }): unknown {
  if (!(error instanceof IsothermError) || error.code !== 'OUTCOME_UNKNOWN') return error
  const { message, cause } = error
  return new IsothermError('OUTCOME_UNKNOWN', message, { rows, cause })
}

export function partlyWritten(
  table: CompiledTable,
  written: readonly PlainRow[],
  total: number,
  cause: unknown,
): IsothermError {
  const unknown = cause instanceof IsothermError && cause.code === 'OUTCOME_UNKNOWN'
  return new IsothermError(
    'PARTLY_WRITTEN',
    `The first ${written.length} of ${total} rows of ${table.layout.table.name} are committed; a later commit failed: ` +
      (cause instanceof Error ? cause.message : String(cause)),
    {
      fix: unknown
        ? `See which of the rows from ${written.length} on are there before you go on: cause.rows has their keys.`
        : `Go on from row ${written.length}; rows has those that are committed.`,
      table: table.layout.table.name,
      rows: written,
      cause,
    },
  )
}
