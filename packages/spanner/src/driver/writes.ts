import {
  type CallOptions,
  type Capability,
  type CommitOptions,
  CommitsFailed,
  IsothermError,
  type MadeCells,
  type Mutation,
  type RowWrite,
  type RowWrites,
  type SqlDialectRuntime,
  type TableLayout,
  type TransactionContext,
  type Transactions,
  filledIn,
  isPrepared,
  positionsOf,
  updateFound,
  upsertKeepingDefaults,
} from '@isotherm/core/engine'

// What rows become on Spanner: mutations, which are the cheapest, or statements where something has to come back.

/** How many mutations one commit holds. Source: https://cloud.google.com/spanner/quotas#limits-for */
const MUTATIONS_PER_COMMIT = 80_000

/**
 * How many mutations one inserted row is worth: one for each column that gets a value (the database's own included), its
 * key columns once more, and the columns of each of its index entries.
 *
 * Source: https://cloud.google.com/spanner/quotas#note2
 */
export function mutationsPerRow(layout: TableLayout): number {
  const { table, key } = layout
  const columns = layout.columns.filter(({ made }) => made?.by !== 'generated' || made.stored).length
  const entries = table.indexes.reduce(
    (sum, index) => sum + index.parts.length + index.storing.length + key.length + (index.shard ? 1 : 0),
    0,
  )
  return columns + key.length + entries
}

/** The tools with which the driver writes. */
export interface SpannerWrites {
  readonly dialect: SqlDialectRuntime
  readonly lacks: readonly Capability[]
  /** Commits mutations by themselves. */
  commit(mutations: readonly Mutation[], call: CallOptions): Promise<{ readonly commitTimestamp: Date }>
  readonly transaction: Transactions['run']
}

/** One commit that has been made, and the positions of its rows. */
interface Committed {
  readonly positions: readonly number[]
  readonly commitTimestamp: Date
  readonly made: readonly MadeCells[]
}

export function spannerWrites({ dialect, lacks, commit, transaction }: SpannerWrites): RowWrites<Date> {
  /** How rows are written that no mutation can write; undefined where mutations can. */
  const statements = (
    writes: readonly RowWrite[],
    returning: boolean,
  ): ((context: TransactionContext) => Promise<readonly MadeCells[]>) | undefined => {
    const byStatement = (context: TransactionContext) => context.write(writes, { returning })
    // A mutation gives nothing back: values that the database makes come from a statement.
    if (writes.some(({ op, made = [] }) => made.length > 0 && (returning || op === 'upsert')))
      return byStatement
    const isFilledIn = lacks.includes('write-beside-defaults') && writes.some(wouldFillIn)
    // A mutation cannot check the row's values outside its key either.
    if (!isFilledIn && writes.some((write) => write.op === 'update' && write.found))
      return (context) => updateFound(context, writes)
    if (!isFilledIn) return undefined
    return writes[0]!.op === 'upsert'
      ? (context) => upsertKeepingDefaults(context, dialect, writes)
      : byStatement
  }

  const commitOnce = async (
    writes: readonly RowWrite[],
    options: CommitOptions,
  ): Promise<Omit<Committed, 'positions'>> => {
    const { beforeNext: _, inTransaction, returning = true, ...call } = options
    const work = inTransaction
      ? (context: TransactionContext) => inTransaction.write(context, writes)
      : statements(writes, returning)
    if (!work) {
      const { commitTimestamp } = await commit(writes, call)
      return { commitTimestamp, made: [] }
    }
    const { commitTimestamp, value } = await transaction(work, call)
    return { commitTimestamp, made: value }
  }

  return {
    maxRows,
    async commit(writes, options = {}) {
      const parts = commitsOf(writes, options)
      if (parts.length === 1) return { commits: 1, ...(await commitOnce(writes, options)) }
      const done: Committed[] = []
      for (const part of parts) {
        const positions = positionsIn(part)
        try {
          if (done.length > 0) await options.beforeNext?.()
          done.push({ positions, ...(await commitOnce(part, options)) })
        } catch (error) {
          const isUnknown = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
          throw new CommitsFailed(error, {
            committed: done.flatMap((each) => each.positions),
            unknown: isUnknown ? positions : [],
            written: together(done),
            inOrder: true,
          })
        }
      }
      const { commitTimestamp } = done.at(-1)!
      return { commitTimestamp, commits: parts.length, ...together(done) }
    },
  }
}

function together(done: readonly Committed[]) {
  const timestamps: Date[] = []
  for (const { positions, commitTimestamp } of done)
    for (const position of positions) timestamps[position] = commitTimestamp
  return { timestamps, made: done.flatMap(({ made }) => made) }
}

function positionsIn(writes: readonly RowWrite[]): readonly number[] {
  const positions = new Set(writes.flatMap((write) => write.positions ?? []))
  return [...positions].sort((one, other) => one - other)
}

/**
 * Whether an engine without `write-beside-defaults` would fill in the columns that a mutation leaves out: it refuses the
 * update of a row, and an upsert sets them to their defaults.
 */
function wouldFillIn(write: RowWrite): boolean {
  if (write.op !== 'update' && write.op !== 'upsert') return false
  return isPrepared(write) && filledIn(write.layout!, write.columns).length > 0
}

function maxRows(tables: readonly TableLayout[]): number {
  return Math.max(1, Math.floor(MUTATIONS_PER_COMMIT / mutationsOf(tables)))
}

function mutationsOf(tables: readonly TableLayout[]): number {
  return tables.reduce((sum, table) => sum + mutationsPerRow(table), 0)
}

/** The rows of each commit. @throws {IsothermError} `TOO_MANY_MUTATIONS` where one is not enough and no more are allowed. */
function commitsOf(
  writes: readonly RowWrite[],
  { allowMultipleCommits, inTransaction }: CommitOptions,
): readonly (readonly RowWrite[])[] {
  const rowsOf = new Map<TableLayout, number>()
  for (const write of writes) {
    // How many mutations a change or a delete counts depends on the existing row: the database reports if it is too many.
    const isCounted = allowMultipleCommits || write.op === 'insert' || write.op === 'upsert'
    const { length } = write.op === 'delete' ? write.keys : write.rows
    if (isCounted && write.layout) rowsOf.set(write.layout, (rowsOf.get(write.layout) ?? 0) + length)
  }
  const tables = [...rowsOf.keys(), ...(inTransaction?.beside ?? [])]
  let rows = 0
  for (const count of rowsOf.values()) rows = Math.max(rows, count)
  if (rows === 0) return [writes]
  const perCommit = maxRows(tables)
  if (rows <= perCommit) return [writes]
  const [{ name }, each] = [tables[0]!.table, mutationsOf(tables)]
  if (!allowMultipleCommits) {
    throw new IsothermError(
      'TOO_MANY_MUTATIONS',
      `${rows} rows of ${name} are ${rows * each} mutations (${each} a row); ` +
        `one commit holds ${MUTATIONS_PER_COMMIT}.`,
      {
        fix: `Write up to ${perCommit} rows at a time, or let the call use several commits: { allowMultipleCommits: true }.`,
        table: name,
      },
    )
  }
  const parts: RowWrite[][] = []
  for (const [at, positions] of positionsOf(writes).entries()) {
    for (let from = 0; from < positions.length;) {
      const part = Math.floor(positions[from]! / perCommit)
      let to = from + 1
      while (to < positions.length && Math.floor(positions[to]! / perCommit) === part) to++
      ;(parts[part] ??= []).push(rowsBetween(writes[at]!, positions, from, to))
      from = to
    }
  }
  return parts
}

function rowsBetween(write: RowWrite, positions: readonly number[], from: number, to: number): RowWrite {
  const part = {
    positions: positions.slice(from, to),
    ...(write.values && { values: write.values.slice(from, to) }),
  }
  return write.op === 'delete'
    ? { ...write, ...part, keys: write.keys.slice(from, to) }
    : { ...write, ...part, rows: write.rows.slice(from, to) }
}
