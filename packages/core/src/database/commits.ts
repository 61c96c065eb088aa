import { IsothermError } from '../errors.js'
import { transactionsOf } from './capabilities.js'
import type { PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { Commit, Driver, WriteCallOptions } from './driver.js'
import { deleteBoth, updateBoth, upsertBoth } from './dual-writes-calls.js'
import type { DualTable } from './dual-writes.js'
import { completeKey } from './fill.js'
import { chunksOf, commitInsert, partlyWritten, withRows } from './insert-commits.js'
import type { PreparedInsert } from './insert-plan.js'
import {
  dependsOnRow,
  partitionCommits,
  partitionsOf,
  rowsAt,
  runCommits,
  type Outcome,
  type Placed,
} from './partition-commits.js'
import { hasDefaultsBesideKey, updateByStatement } from './update-statements.js'
import { upsertByStatement } from './upsert-statements.js'
import {
  completed,
  deleteMutation,
  insertMutations,
  prepareChange,
  refuseUnstableUpsert,
  updateMutation,
} from './writes.js'

// The commits that a write takes: one, where the engine's commit holds rows wherever they lie; one for each partition, where
// it does not.

type Given = Readonly<Record<string, unknown>>

/** Where rows are written. */
export interface WriteTarget {
  readonly driver: Driver
  readonly table: CompiledTable
  /** The second table of a pair that is kept alike. */
  readonly dual?: DualTable | undefined
}

export interface InsertCallOptions extends WriteCallOptions {
  readonly returning?: boolean
}

export interface InsertedRows {
  readonly rows: PlainRow[]
  readonly commits: number
}

/** @param beforeNext may refuse to go on with another commit */
export async function insertRows(
  { driver, table, dual }: WriteTarget,
  given: readonly Given[],
  options: InsertCallOptions,
  beforeNext: () => Promise<void> | undefined,
): Promise<InsertedRows> {
  // Everything is checked before anything is written.
  refuseCounters(table)
  const supplies = await table.insertPlan.supply(given)
  if ('partition' in table.dialect.commit) {
    const prepared = table.insertPlan.prepare(given, false, supplies)
    const commits = await commitPartitions(
      driver,
      table,
      insertsOf(table, prepared, 'insert', options.check),
      prepared.rows,
      options,
    )
    table.skew?.keys('writes', prepared.rows)
    return { rows: prepared.rows, commits }
  }
  const chunks = chunksOf(table, given, options, dual).map((chunk) =>
    table.insertPlan.prepare(chunk, false, supplies),
  )
  const written: PlainRow[] = []
  for (const [at, prepared] of chunks.entries()) {
    try {
      if (at > 0) await beforeNext()
      await commitInsert(driver, table, prepared, options, dual)
    } catch (caught) {
      const error = withRows(caught, prepared)
      throw at === 0 ? error : partlyWritten(table, written, given.length, error)
    }
    table.skew?.keys('writes', prepared.rows)
    written.push(...prepared.rows)
  }
  return { rows: written, commits: chunks.length }
}

export async function updateRows(
  { driver, table, dual }: WriteTarget,
  changes: readonly Given[],
  options: WriteCallOptions | undefined,
): Promise<Commit> {
  if (dual) return updateBoth(driver, dual, changes, options)
  refuseCounters(table)
  const prepared = changes.map((change) => prepareChange(table, change))
  const keys = prepared.map(({ key }) => key)
  table.skew?.keys('writes', keys)
  if (driver.lacks.includes('update-beside-defaults') && hasDefaultsBesideKey(table.layout)) {
    const { commitTimestamp } = await transactionsOf(driver)(
      (context) => updateByStatement(context, table, prepared),
      options,
    )
    return { commitTimestamp }
  }
  const mutations = prepared.map((change) => updateMutation(table, change))
  if (!('partition' in table.dialect.commit)) return driver.write(mutations, options)
  const placed = mutations.map((mutation, at) => ({ mutation, places: [at] }))
  await commitPartitions(driver, table, placed, keys, options)
  return { commitTimestamp: undefined }
}

export async function upsertRows(
  { driver, table, dual }: WriteTarget,
  given: readonly Given[],
  options: WriteCallOptions | undefined,
): Promise<PlainRow[]> {
  refuseUnstableUpsert(table)
  refuseCounters(table)
  const supplies = await table.insertPlan.supply(given, { partial: true })
  const prepared = table.insertPlan.prepare(given, true, supplies)
  if ('partition' in table.dialect.commit) {
    table.skew?.keys('writes', prepared.rows)
    await commitPartitions(driver, table, insertsOf(table, prepared, 'upsert'), prepared.rows, options)
    return prepared.rows
  }
  chunksOf(table, given, {}, dual)
  table.skew?.keys('writes', prepared.rows)
  try {
    if (dual) return completed(prepared, (await upsertBoth(driver, dual, prepared, options)).commitTimestamp)
    // A mutation gives nothing back: values that the database makes come from statements.
    const { commitTimestamp } = prepared.needsReturning
      ? await transactionsOf(driver)((context) => upsertByStatement(context, table, prepared), options)
      : await driver.write(insertMutations(table, prepared, 'upsert'), options)
    return completed(prepared, commitTimestamp)
  } catch (error) {
    throw withRows(error, prepared)
  }
}

export async function deleteRows(
  { driver, table, dual }: WriteTarget,
  keys: readonly Given[],
  options: WriteCallOptions | undefined,
): Promise<Commit> {
  if (dual) return deleteBoth(driver, dual, keys, options)
  const complete = keys.map((key) => completeKey(table.layout, key))
  table.skew?.keys('writes', complete)
  const mutation = deleteMutation(table, complete)
  if (!('partition' in table.dialect.commit)) return driver.write([mutation], options)
  await commitPartitions(
    driver,
    table,
    [{ mutation, places: complete.map((_, at) => at) }],
    complete,
    options,
  )
  return { commitTimestamp: undefined }
}

/**
 * Commits of one partition each, side by side.
 *
 * @param rows what errors tell of, by place
 * @returns how many there were
 */
async function commitPartitions(
  driver: Driver,
  table: CompiledTable,
  placed: readonly Placed[],
  rows: readonly PlainRow[],
  options: WriteCallOptions = {},
): Promise<number> {
  const { commit } = table.dialect
  const { layout } = table
  const most = 'rows' in commit ? commit.rows : 1
  const check = options.check ?? true
  const commits = partitionCommits(placed, { layout, most, check })
  if (commits.length > 1 && !options.split)
    throw tooManyCommits(table, placed, { rows: rows.length, most, check })
  refuseIncomplete(
    table,
    rows,
    await runCommits(commits, ({ mutations }) => driver.write(mutations, options)),
  )
  return commits.length
}

/** @throws {IsothermError} where not all rows are committed: `PARTLY_WRITTEN`, or the error itself where none is. */
export function refuseIncomplete(
  { layout: { table } }: CompiledTable,
  rows: readonly PlainRow[],
  { written, unknown, failure }: Outcome,
): void {
  if (!failure) return
  const { error } = failure
  const cause = withRows(error, { rows: rowsAt(rows, unknown) })
  if (written.length === 0) throw cause
  throw new IsothermError(
    'PARTLY_WRITTEN',
    `${written.length} of ${rows.length} rows of ${table.name} are committed; another commit failed: ` +
      (error instanceof Error ? error.message : String(error)),
    {
      fix:
        unknown.length > 0
          ? 'rows has those that are committed. See which of cause.rows are there, and write the rest again.'
          : 'rows has those that are committed: write the rest again.',
      table: table.name,
      rows: rowsAt(rows, written),
      cause,
    },
  )
}

/** A counter is what has been added to it: nobody can set one. */
function refuseCounters({ layout: { table, fields } }: CompiledTable): void {
  const counter = fields.find(({ column }) => column.type.kind === 'counter')
  if (!counter) return
  const { property } = counter.column
  throw new IsothermError(
    'UNSUPPORTED',
    `${table.name}.${property} is a counter, which can only be added to.`,
    {
      fix: `Use db.increment with the row's key and what to add: { …, ${property}: 1n }.`,
      table: table.name,
      column: property,
    },
  )
}

function insertsOf(
  table: CompiledTable,
  prepared: PreparedInsert,
  op: 'insert' | 'upsert',
  check?: boolean,
): readonly Placed[] {
  return insertMutations(table, prepared, op).map((mutation, at) => ({
    // Asked for by name, the condition is kept also where the key was made just now.
    mutation: check === true && 'fresh' in mutation ? { ...mutation, fresh: undefined } : mutation,
    places: prepared.groups[at]!.places,
  }))
}

function tooManyCommits(
  { layout }: CompiledTable,
  placed: readonly Placed[],
  { rows, most, check }: { readonly rows: number; readonly most: number; readonly check: boolean },
): IsothermError {
  const { name } = layout.table
  const partitions = partitionsOf(placed, layout)
  const isConditional = placed.some(({ mutation }) => dependsOnRow(mutation, check))
  const several = 'Let the call use several commits, each of which is atomic: { split: true }.'
  const [why, fix] =
    partitions > 1
      ? [`lie in ${partitions} partitions, and a commit is one partition`, several]
      : isConditional
        ? [
            'are written if they are as expected, and a commit under such a condition is one row',
            `${several} Or give check: false, and whatever is there is overwritten.`,
          ]
        : [`lie in one partition, and a commit holds ${most}`, several]
  return new IsothermError('TOO_MANY_MUTATIONS', `${rows} rows of ${name} ${why}.`, { fix, table: name })
}
