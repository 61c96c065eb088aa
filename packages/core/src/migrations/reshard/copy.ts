import pLimit from 'p-limit'
import { IsothermError } from '../../errors.js'
import type { CompiledTables } from '../../database/compiled-table.js'
import type { Driver } from '../../database/driver.js'
import { RowMapping } from '../../database/dual-writes-mapping.js'
import { mutationsPerRow } from '../../database/mutation-count.js'
import type { TablePair } from './command.js'
import { Control, SETTLE } from './control.js'
import type { CopyRun } from './copy-run.js'
import { emptyTables } from './empty.js'
import { PartRecords, type PartRecord } from './part-records.js'
import { refuseStopped, transactAgain, type ReshardRunOptions } from './run-options.js'
import { partsOf, rangeAfter, scanColumns, scannedKey, type Part } from './scan.js'
import { mutationsPerCommit } from '../../dialects/dialect.js'

/** How much of a commit is left to the rows: the rest is for the records. */
const FOR_ROWS = 0.9

/**
 * Copies the rows of the old tables to the new ones, while both are written. Each batch is a transaction that reads rows,
 * locks them, and writes them together with how far it has come: a batch that is run again does nothing twice, and a row that
 * is changed or deleted meanwhile becomes what it became.
 *
 * Run it again after it was ended, at whatever moment: it goes on where it was.
 *
 * @throws {IsothermError} `UNSUPPORTED` in another phase than `writing`; `CANCELLED` once the signal has ended it.
 */
export async function copyTables(
  driver: Driver,
  tables: CompiledTables,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<void> {
  const [root] = pairs as [TablePair]
  const { signal, settle = SETTLE } = options
  const onOneLane = driver.costs.concurrency < 8
  const run: CopyRun = {
    driver,
    control: new Control(driver, root),
    records: new PartRecords(driver.dialect, root),
    batch: options.batch ?? (onOneLane ? 50 : 200),
    signal,
  }
  await run.control.settled('writing', settle, signal)
  const round = await emptied(run, tables, pairs)
  const concurrency = options.concurrency ?? (onOneLane ? 1 : 8)
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

/** When the new tables were emptied for this copying: what was copied for another one counts for nothing. */
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
  throw control.refusal(undefined, 'was begun anew by another run')
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
  const commit = mutationsPerCommit(mapping.to.dialect, 'A copy of rows')
  const most = Math.floor((commit * FOR_ROWS) / mutationsPerRow(mapping.to.layout))
  let size = Math.max(1, Math.min(run.batch, most))
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
  return error instanceof IsothermError && (error.code === 'DATABASE' || error.code === 'DEADLINE')
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
    // The rows stay locked until the commit: whoever changes or deletes one of them does so before, or after.
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
