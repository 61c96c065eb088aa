import pLimit from 'p-limit'
import {
  type DialectRuntime,
  type Driver,
  IsothermError,
  type Mutation,
  type Reader,
  type Wire,
} from '@isotherm/core/engine'
import {
  type CompiledTable,
  type CompiledTables,
  ReshardCopy,
  RowMapping,
  deletedKeys,
  insertMutations,
  reshardControlTables,
} from '@isotherm/core/tools'
import type { TablePair } from './command.js'
import { type Part, WHOLE, partsOf, rangeAfter, scanColumns, scannedKey } from './scan.js'
import { Control, PROPAGATION_WAIT_MS } from './control.js'
import { type ReshardRunOptions, refuseStopped, transactAgain } from './run-options.js'

/** How far one part of a table has been copied. */
interface PartRecord {
  readonly part: bigint
  /** The key of the last row that was; undefined before the first. */
  readonly position: readonly Wire[] | undefined
  readonly rows: bigint
  readonly isDone: boolean
}

/** Records the progress of the copy. */
class PartRecords {
  readonly #table: CompiledTable
  readonly #root: TablePair

  constructor(dialect: DialectRuntime, root: TablePair) {
    this.#table = reshardControlTables(dialect).of(ReshardCopy)
    this.#root = root
  }

  /** The records of a table, by the part. */
  async of(reader: Reader, table: string): Promise<ReadonlyMap<bigint, PartRecord>> {
    const { layout, codec } = this.#table
    const ranges = [rangeAfter({ number: 0n, prefix: [this.#root.from, table] }, undefined)]
    const rows = await reader.read({ layout, columns: codec.columns, ranges })
    return new Map(
      rows.map((cells) => {
        const {
          part,
          position,
          rows: copied,
          isDone,
        } = codec.decode(cells) as {
          part: bigint
          position: string | null
          rows: bigint
          isDone: boolean
        }
        const key = position === null ? undefined : (JSON.parse(position) as Wire[])
        return [part, { part, position: key, rows: copied, isDone }]
      }),
    )
  }

  mutation(table: string, { part, position, rows, isDone }: PartRecord): Mutation[] {
    const text = position === undefined ? null : JSON.stringify(position)
    const row = { table: this.#root.from, copied: table, part, position: text, rows, isDone }
    return insertMutations(this.#table, this.#table.insertPlan.prepare([row]), 'upsert')
  }

  /** Deletes all records of the root table. */
  async forgotten(reader: Reader): Promise<Mutation[]> {
    const { layout } = this.#table
    const columns = layout.key.map(({ column }) => column)
    const ranges = [rangeAfter({ number: 0n, prefix: [this.#root.from] }, undefined)]
    const rows = await reader.read({ layout, columns, ranges })
    const keys = rows.map((cells) => scannedKey(this.#table, columns, cells))
    return keys.length === 0 ? [] : [deletedKeys(layout, keys)]
  }
}

/** One run of the copying. */
interface CopyRun {
  readonly driver: Driver
  readonly control: Control
  readonly records: PartRecords
  readonly batch: number
  readonly signal: AbortSignal | undefined
}

const MAX_ATTEMPTS = 10

/**
 * Deletes the rows of the new tables before the copy begins. While the phase was new, some processes wrote both tables and
 * others only the old one: the rows that exist by now may be out of date, and are copied again.
 */
async function emptyTables(run: CopyRun, tables: readonly CompiledTable[]): Promise<void> {
  // Children go before their parents.
  const childrenFirst = tables.toReversed()
  for (let attempt = 1; ; attempt++) {
    try {
      for (const table of childrenFirst) await emptyTable(run, table)
      return
    } catch (error) {
      // Meanwhile another transaction wrote a child of a row that was to be deleted.
      if (attempt === MAX_ATTEMPTS || !(error instanceof IsothermError) || error.code !== 'CONSTRAINT')
        throw error
    }
  }
}

/** Once through the key: rows that are inserted behind the current position are up to date. */
async function emptyTable({ driver, control, batch, signal }: CopyRun, table: CompiledTable): Promise<void> {
  const { layout } = table
  const columns = layout.key.map(({ column }) => column)
  let position: Wire[] | undefined
  for (;;) {
    refuseStopped(signal)
    const ranges = [rangeAfter(WHOLE, position)]
    const keys = await transactAgain(driver, signal, async (context) => {
      // A process that was thought dead must not delete what another process has copied since.
      const { emptiedAt } = await control.require(context, 'writing')
      if (emptiedAt) return []
      const rows = await context.read({ layout, columns, ranges, limit: batch })
      const found = rows.map((cells) => scannedKey(table, columns, cells))
      if (found.length > 0) context.buffer([deletedKeys(layout, found)])
      return found
    })
    if (keys.length < batch) return
    position = keys.at(-1)
  }
}

/** The share of a commit that is for rows: the rest is for the records. */
const FOR_ROWS = 0.9

/**
 * Copies the rows of the old tables to the new ones, while both are written. Each batch is a transaction that reads rows,
 * locks them, and writes them together with the progress: a batch that runs again has no further effect, and a row that is
 * changed or deleted during the copy gets its latest state.
 *
 * After an interruption at any point, run it again: it goes on where it was.
 *
 * @throws {IsothermError} `RESHARD_REFUSED` in another phase than `writing`; `CANCELLED` once the signal has ended it.
 */
export async function copyTables(
  driver: Driver,
  tables: CompiledTables,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<void> {
  const [root] = pairs as [TablePair]
  const { signal, propagationWaitMs = PROPAGATION_WAIT_MS } = options
  const isSequential = driver.costs.concurrency < 8
  const run: CopyRun = {
    driver,
    control: new Control(driver, root),
    records: new PartRecords(driver.dialect, root),
    batch: options.batch ?? (isSequential ? 50 : 200),
    signal,
  }
  await run.control.propagated('writing', propagationWaitMs, signal)
  const round = await emptied(run, tables, pairs)
  const concurrency = options.concurrency ?? (isSequential ? 1 : 8)
  for (const pair of pairs) {
    await copyTable(
      run,
      round,
      new RowMapping(tables.of(pair.from), tables.of(pair.to)),
      concurrency,
      options,
    )
  }
  await transactAgain(driver, signal, async (context) => {
    const row = await run.control.require(context, 'writing')
    refuseOtherRound(run, row.emptiedAt, round)
    if (!row.copiedAt) context.buffer(run.control.mutation({ ...row, copiedAt: new Date() }))
  })
}

/** When the new tables were emptied for this copy: rows that were copied before do not count. */
async function emptied(run: CopyRun, tables: CompiledTables, pairs: readonly TablePair[]): Promise<Date> {
  const { driver, control, records, signal } = run
  const known = (await control.read())?.emptiedAt
  if (known) return known
  await emptyTables(
    run,
    pairs.map(({ to }) => tables.of(to)),
  )
  return transactAgain(driver, signal, async (context) => {
    const row = await control.require(context, 'writing')
    if (row.emptiedAt) return row.emptiedAt
    const emptiedAt = new Date()
    context.buffer([...control.mutation({ ...row, emptiedAt }), ...(await records.forgotten(context))])
    return emptiedAt
  })
}

function refuseOtherRound({ control }: CopyRun, now: Date | null, round: Date): void {
  if (now?.getTime() === round.getTime()) return
  throw control.refusal(undefined, 'was started again by another run')
}

async function copyTable(
  run: CopyRun,
  round: Date,
  mapping: RowMapping,
  concurrency: number,
  { onProgress }: ReshardRunOptions,
): Promise<void> {
  const from = mapping.from.layout.table.name
  const to = mapping.to.layout.table.name
  const parts = partsOf(mapping.from)
  const known = await run.records.of(run.driver, from)
  let done = parts.filter(({ number }) => known.get(number)?.isDone).length
  let rows = [...known.values()].reduce((sum, record) => sum + Number(record.rows), 0)
  const tell = (): void => onProgress?.({ action: 'COPY', from, to, rows, done, parts: parts.length })
  tell()
  const limit = pLimit(concurrency)
  const failed = new AbortController()
  await Promise.all(
    parts.map((part) =>
      limit(async () => {
        const record = known.get(part.number)
        if (record?.isDone || failed.signal.aborted) return
        try {
          for await (const copied of copyPart(run, round, mapping, part, record)) {
            rows += copied
            tell()
            if (failed.signal.aborted) return
          }
        } catch (error) {
          failed.abort()
          throw error
        }
        done++
        tell()
      }),
    ),
  )
}

async function* copyPart(
  run: CopyRun,
  round: Date,
  mapping: RowMapping,
  part: Part,
  known: PartRecord | undefined,
): AsyncGenerator<number, void, undefined> {
  const max = Math.floor(run.driver.writes.maxRows([mapping.to.layout]) * FOR_ROWS)
  let size = Math.max(1, Math.min(run.batch, max))
  let record: PartRecord = known ?? { part: part.number, position: undefined, rows: 0n, isDone: false }
  while (!record.isDone) {
    refuseStopped(run.signal)
    try {
      const next = await copyBatch(run, round, mapping, part, record, size)
      const copied = Number(next.rows - record.rows)
      record = next
      yield copied
    } catch (error) {
      // Rows may be so large that a commit does not hold them, or that they are not read in time.
      if (size === 1 || !mayBeTooLarge(error)) throw error
      size = Math.ceil(size / 4)
    }
  }
}

function mayBeTooLarge(error: unknown): boolean {
  return error instanceof IsothermError && (error.code === 'DATABASE' || error.code === 'TIMEOUT')
}

function copyBatch(
  run: CopyRun,
  round: Date,
  mapping: RowMapping,
  part: Part,
  record: PartRecord,
  size: number,
): Promise<PartRecord> {
  const { driver, control, records, signal } = run
  const { from } = mapping
  const { name } = from.layout.table
  const columns = scanColumns(from)
  const ranges = [rangeAfter(part, record.position)]
  return transactAgain(driver, signal, async (context) => {
    const { emptiedAt } = await control.require(context, 'writing')
    refuseOtherRound(run, emptiedAt, round)
    // The rows stay locked until the commit: a transaction that changes or deletes one of them does so before or after this
    // one.
    const cells = await context.read({ layout: from.layout, columns, ranges, limit: size })
    const last = cells.at(-1)
    const next: PartRecord = {
      part: part.number,
      position: last ? scannedKey(from, columns, last) : record.position,
      rows: record.rows + BigInt(cells.length),
      isDone: cells.length < size,
    }
    context.buffer([
      ...mapping.mutations(
        'upsert',
        cells.map((row) => mapping.fromCells(row)),
      ),
      ...records.mutation(name, next),
    ])
    return next
  })
}
