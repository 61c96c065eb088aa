import pLimit from 'p-limit'
import { type TableLayout, type Wire, staticColumns, storedTable } from '../layout/layout.js'
import { IsothermError } from '../errors.js'
import type {
  CommitOptions,
  CounterChange,
  CounterWrites,
  Mutation,
  RowWrite,
  RowWrites,
  WriteCallOptions,
} from './driver.js'
import { CommitsFailed, positionsOf, rowCount, sameKey } from './row-writes.js'

interface StaticValue {
  readonly wire: string
  readonly position: number
}

/** Takes note of one row: the key of its partition, and its index among the rows that the caller gave. */
type NoteStatics = (row: readonly Wire[], partition: string, position: number) => void

/**
 * The values that one call writes into the static cells of a partition. If two values are written with the same timestamp,
 * the larger one stays, whichever was meant: so all rows of a partition have to give the same value.
 */
class StaticValues {
  readonly #table: string
  readonly #columns: ReadonlySet<string>
  readonly #values = new Map<string, StaticValue>()

  constructor(layout: TableLayout) {
    this.#table = layout.table.name
    this.#columns = staticColumns(layout)
  }

  /**
   * Checks the rows of one mutation; undefined if the mutation writes no static cell. The returned function throws
   * `INVALID_VALUE` for a value that another row of the partition contradicts.
   */
  of(mutation: Mutation): NoteStatics | undefined {
    if (this.#columns.size === 0 || mutation.op === 'delete') return undefined
    const { columns, op } = mutation
    const written = columns.flatMap((column, at) => (this.#columns.has(column) ? [{ column, at }] : []))
    if (written.length === 0) return undefined
    return (row, partition, position) => {
      for (const { column, at } of written) {
        const wire = row[at]!
        // An insert leaves its NULLs out.
        if (op === 'insert' && wire === null) continue
        const name = JSON.stringify([partition, column])
        const [own, first] = [JSON.stringify(wire), this.#values.get(name)]
        if (first === undefined) this.#values.set(name, { wire: own, position })
        else if (first.wire !== own) throw this.#contradiction(column, first.position, position)
      }
    }
  }

  #contradiction(column: string, first: number, second: number): IsothermError {
    return new IsothermError(
      'INVALID_VALUE',
      `Rows ${first} and ${second} of ${this.#table} give ${column} two values, and their partition has it once.`,
      {
        fix: 'Give it the same value in all rows of a partition, or in one of them; or write them one after the other.',
        table: this.#table,
        column,
      },
    )
  }
}

// For engines whose commit is one partition: which rows go together, and how many commits run in parallel.

/** How many commits of one call wait for their answers at once. */
const IN_FLIGHT = 64

interface PartitionCommit {
  /** The partition of a row that is written under a condition: it takes such writes one after the other. */
  readonly queue?: string
  readonly mutations: readonly Mutation[]
  /** The indexes of its rows in the call. */
  readonly positions: readonly number[]
}

/** The limits of an engine whose commits are one partition each. */
export interface PartitionWrites {
  /** How many rows of one partition a commit takes. */
  readonly maxRows: number
  /** For messages. */
  readonly name: string
  /** Commits rows of one partition; or one row under a condition. */
  commit(mutations: readonly Mutation[], options: WriteCallOptions): Promise<void>
}

/**
 * `Driver.writes` of an engine whose commit is one partition: rows of one partition go together, conditional writes go
 * alone, and several commits run in parallel.
 */
export function partitionWrites({ maxRows, name, commit }: PartitionWrites): RowWrites<undefined> {
  return {
    async commit(writes, options = {}) {
      const { beforeNext, inTransaction, returning: _, ...call } = options
      if (beforeNext || inTransaction) throw withoutTransactions(name)
      const commits = partitionCommits(writes, maxRows, options)
      if (commits.length > 1 && !options.allowMultipleCommits) throw tooManyCommits(writes, maxRows, options)
      await runCommits(commits, ({ mutations }) => commit(mutations, call))
      return { commitTimestamp: undefined, commits: commits.length, made: [] }
    },
    maxRows() {
      throw new IsothermError(
        'UNSUPPORTED_FEATURE',
        `Rows of several partitions are to be written at once, and ${name} cannot.`,
        { fix: 'Use an engine whose commits take rows from anywhere.' },
      )
    },
  }
}

function withoutTransactions(engine: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_FEATURE',
    `Rows of a second table have to be written in one transaction, and ${engine} does not support transactions.`,
    { fix: 'Remove tables from openDatabase, and write each row to both tables in the application.' },
  )
}

/**
 * `Driver.counters` of an engine whose commit of counters is one row.
 *
 * @param add makes one addition; repeating it counts twice
 */
export function partitionCounters(
  add: (layout: TableLayout, change: CounterChange, options: WriteCallOptions) => Promise<void>,
): CounterWrites {
  return {
    async add(layout, changes, options = {}) {
      if (changes.length > 1 && !options.allowMultipleCommits) {
        const { name } = layout.table
        throw new IsothermError(
          'TOO_MANY_MUTATIONS',
          `${changes.length} rows of ${name} would be incremented, but a commit of counters has one row.`,
          {
            fix: 'Let the call use several commits, each of which is atomic: { allowMultipleCommits: true }.',
            table: name,
          },
        )
      }
      const commits = changes.map((change, at) => ({ change, positions: [at] }))
      await runCommits(commits, ({ change }) => add(layout, change, options))
    },
  }
}

/**
 * The commits for some rows: rows of one partition go together, conditional writes go alone.
 *
 * @param max how many rows of one partition a commit takes
 * @throws {IsothermError} `INVALID_VALUE` for two writes of one row, or of one static column of a partition: which of the
 * two stays would be undefined.
 */
export function partitionCommits(
  writes: readonly RowWrite[],
  max: number,
  { conditional }: Pick<CommitOptions, 'conditional'>,
): readonly PartitionCommit[] {
  const commits: OpenCommit[] = []
  const open = new Map<string, OpenCommit>()
  const written = new Map<string, number>()
  const statics = new Map<TableLayout, StaticValues>()
  const positions = positionsOf(writes)
  for (const [number, write] of writes.entries()) {
    const layout = layoutOf(write)
    const mutation = asChecked(write, conditional)
    const keyPositions = positionsOfKey(layout, mutation)
    const partitionPositions = keyPositions.slice(0, layout.partition)
    const clusteringPositions = keyPositions.slice(partitionPositions.length)
    const isAlone = dependsOnRow(mutation, conditional ?? true)
    // Two deletes leave the same, and of two inserts that are checked the database refuses the second.
    const isOnce = mutation.op !== 'delete' && !(mutation.op === 'insert' && isAlone)
    let ofTable = statics.get(layout)
    if (!ofTable) statics.set(layout, (ofTable = new StaticValues(layout)))
    const noteStatics = ofTable.of(mutation)
    const table = storedTable(layout)
    const rows = mutation.op === 'delete' ? mutation.keys : mutation.rows
    rows.forEach((row, at) => {
      const position = positions[number]![at]!
      const partition = textOf(row, partitionPositions)
      if (isOnce) {
        const key = `${layout.table.name}${partition}${textOf(row, clusteringPositions)}`
        refuseTwice(layout, written, key, position)
      }
      noteStatics?.(row, partition, position)
      const name = table + partition
      let commit = isAlone ? undefined : open.get(name)
      if (!commit || commit.positions.length >= max) {
        commit = new OpenCommit(isAlone ? name : undefined)
        commits.push(commit)
        if (!isAlone) open.set(name, commit)
      }
      commit.add(mutation, row, position)
    })
  }
  return commits
}

/** Such an engine knows tables by their layouts only. */
function layoutOf({ table, layout }: RowWrite): TableLayout {
  if (layout) return layout
  throw new IsothermError('UNSUPPORTED_WRITE', `Rows of ${table} cannot be written: its key is unknown.`, {
    fix: 'Give the layout of the table with them.',
    table,
  })
}

/**
 * The mutation to send, without its metadata. With `conditional: true`, the condition is kept even if the call has just made the
 * key.
 */
function asChecked(write: RowWrite, check: boolean | undefined): Mutation {
  const { table } = write
  const layout = layoutOf(write)
  if (write.op === 'delete') return { op: write.op, table, layout, keys: write.keys }
  const { columns, rows, found } = write
  const fresh = write.fresh === true && check !== true
  return { op: write.op, table, layout, columns, rows, ...(fresh && { fresh }), ...(found && { found }) }
}

/** How many partitions the rows are in. */
export function partitionsOf(writes: readonly RowWrite[]): number {
  const partitions = new Set<string>()
  for (const write of writes) {
    const layout = layoutOf(write)
    const partitionPositions = positionsOfKey(layout, write).slice(0, layout.partition)
    const rows = write.op === 'delete' ? write.keys : write.rows
    for (const row of rows) partitions.add(storedTable(layout) + textOf(row, partitionPositions))
  }
  return partitions.size
}

/** Whether each of its rows is written under a condition. */
function dependsOnRow(mutation: Mutation, check: boolean): boolean {
  return check && (mutation.op === 'update' || (mutation.op === 'insert' && mutation.fresh !== true))
}

function tooManyCommits(
  writes: readonly RowWrite[],
  max: number,
  { conditional }: Pick<CommitOptions, 'conditional'>,
): IsothermError {
  const { name } = layoutOf(writes[0]!).table
  const rows = writes.reduce((sum, write) => sum + rowCount(write), 0)
  const partitions = partitionsOf(writes)
  const isConditional = writes.some((write) =>
    dependsOnRow(asChecked(write, conditional), conditional ?? true),
  )
  const several = 'Let the call use several commits, each of which is atomic: { allowMultipleCommits: true }.'
  const [why, fix] =
    partitions > 1
      ? [`lie in ${partitions} partitions, but a commit writes one partition`, several]
      : isConditional
        ? [
            'are written under a condition, and such a commit writes one row',
            `${several} Or give conditional: false, and whatever is there is overwritten.`,
          ]
        : [`lie in one partition, and a commit holds ${max}`, several]
  return new IsothermError('TOO_MANY_MUTATIONS', `${rows} rows of ${name} ${why}.`, { fix, table: name })
}

class OpenCommit implements PartitionCommit {
  readonly queue?: string
  readonly mutations: Mutation[] = []
  readonly positions: number[] = []
  #last: { readonly of: Mutation; readonly rows: (readonly Wire[])[] } | undefined

  constructor(queue: string | undefined) {
    if (queue !== undefined) this.queue = queue
  }

  add(mutation: Mutation, row: readonly Wire[], position: number): void {
    this.positions.push(position)
    if (this.#last?.of === mutation) {
      this.#last.rows.push(row)
      return
    }
    const rows = [row]
    this.#last = { of: mutation, rows }
    this.mutations.push(mutation.op === 'delete' ? { ...mutation, keys: rows } : { ...mutation, rows })
  }
}

function positionsOfKey({ key }: TableLayout, mutation: Mutation): readonly number[] {
  return key.map(({ column }, at) => (mutation.op === 'delete' ? at : mutation.columns.indexOf(column.name)))
}

/** Values of a row as text, to compare keys. */
function textOf(row: readonly Wire[], positions: readonly number[]): string {
  return JSON.stringify(positions.map((position) => row[position]!))
}

/**
 * Of cells that are written with the same timestamp, the one with the larger value stays, whichever was meant to come last.
 */
function refuseTwice(layout: TableLayout, written: Map<string, number>, key: string, position: number): void {
  const first = written.get(key)
  if (first === undefined) {
    written.set(key, position)
    return
  }
  throw sameKey(layout, first, position)
}

/**
 * Runs commits in parallel, and those of one queue one after the other: a partition processes one condition at a time, and
 * lets other conditional writes begin again until their time is up. Once a commit has failed, no other begins; those that
 * have begun are awaited.
 *
 * @throws {CommitsFailed} if one of several has failed; with a single commit, its own error
 */
export async function runCommits<One extends Pick<PartitionCommit, 'positions' | 'queue'>>(
  commits: readonly One[],
  run: (commit: One) => Promise<unknown>,
): Promise<void> {
  const throttle = pLimit(IN_FLIGHT)
  const committed: number[] = []
  const unknown: number[] = []
  const failures: { readonly error: unknown; readonly isUnknown: boolean }[] = []
  const runOne = async (commit: One): Promise<void> => {
    try {
      await run(commit)
      for (const position of commit.positions) committed.push(position)
    } catch (error) {
      const isUnknown = error instanceof IsothermError && error.code === 'OUTCOME_UNKNOWN'
      if (isUnknown) for (const position of commit.positions) unknown.push(position)
      failures.push({ error, isUnknown })
    }
  }
  await Promise.all(
    inQueues(commits).map((queue) =>
      throttle(async () => {
        for (const commit of queue) if (failures.length === 0) await runOne(commit)
      }),
    ),
  )
  const failure = failures.find(({ isUnknown }) => isUnknown) ?? failures[0]
  if (!failure) return
  if (commits.length === 1) throw failure.error
  throw new CommitsFailed(failure.error, {
    committed: committed.sort(inOrder),
    unknown: unknown.sort(inOrder),
  })
}

/** The commits of each queue, which run one after the other; a commit without a queue is alone in its own. */
function inQueues<One extends Pick<PartitionCommit, 'queue'>>(commits: readonly One[]): One[][] {
  const queues = new Map<string | One, One[]>()
  for (const commit of commits) {
    const name = commit.queue ?? commit
    const queue = queues.get(name)
    if (queue) queue.push(commit)
    else queues.set(name, [commit])
  }
  return [...queues.values()]
}

function inOrder(one: number, other: number): number {
  return one - other
}
