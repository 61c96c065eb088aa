import { type CallOptions, IsothermError, type ReadOptions } from '@isotherm/core'
import {
  type Reader,
  type ResultSet,
  type Statement,
  type TransactionContext,
  anything,
  checkArgument,
  listOf,
  itemAt,
  paired,
} from '@isotherm/core/adapter'
import type { Executor, QueryOptions } from './executor.js'
import {
  type Prepared,
  type PreparedQuery,
  PreparedReads,
  type ReadsRunner,
  type RunRead,
  type Runner,
  type StatementKind,
  preparedIn,
  queryError,
} from './prepared.js'

/** A query of a builder, or a prepared one without placeholders. */
export type BatchItem<Result = unknown> = { _prepare(): PreparedQuery<Result> } | PreparedQuery<Result>

/** The results of the items, in order. */
export type BatchResults<Items extends readonly BatchItem[]> = {
  -readonly [At in keyof Items]: Items[At] extends PromiseLike<infer Result>
    ? Result
    : Items[At] extends BatchItem<infer Result>
      ? Result
      : never
}

/** @throws {IsothermError} `INVALID_QUERY` for what another database, transaction or set of options was to run. */
type CheckRunner = (runner: Runner | ReadsRunner, where: string) => void

interface Suppliable {
  readonly _supplied?: (check: (runner: Runner | ReadsRunner) => void) => Promise<unknown> | undefined
}

/** One item, as it is run. */
interface Entry {
  readonly kind: StatementKind
  readonly tables: readonly string[]
  /** Present if the item is a single statement. */
  readonly statement: Statement | undefined
  /** Whether it may go together with others like it. */
  readonly isPlainWrite: boolean
  run(run: RunRead): Promise<ResultSet>
  resultOf(result: ResultSet): unknown
}

type Log = (statement: Statement) => void

function entryOf(item: unknown, where: string, check: CheckRunner, log: Log): Entry {
  const once = preparedOnce(item)
  if (once instanceof PreparedReads) {
    const reads: PreparedReads<unknown> = once
    check(reads.runner, where)
    return {
      kind: 'query',
      tables: reads.reads.meta.tables,
      statement: undefined,
      isPlainWrite: false,
      run: (run) =>
        reads.reads.read((statement) => {
          log(statement)
          return run(statement)
        }, undefined),
      resultOf: (result) => reads.resultOf(result),
    }
  }
  const prepared = preparedIn(once, where)
  check(prepared.runner, where)
  refuseSchemaChange(prepared)
  const statement = prepared.statement()
  return {
    kind: prepared.kind,
    tables: prepared.runner.tablesForCache(prepared),
    statement,
    isPlainWrite: prepared.isPlainWrite,
    run: (run) => run(statement),
    resultOf: (result) => prepared.resultOf(result),
  }
}

/** Only once: the numbers that a counter has given are used up by that. */
function preparedOnce(item: unknown): unknown {
  const candidate = item as { readonly _prepare?: () => unknown } | null | undefined
  return typeof candidate?._prepare === 'function' ? candidate._prepare() : candidate
}

/** The statements of a batch. A hole in the list is not a statement, and is refused like any other value. */
export function batchList(queries: unknown): readonly unknown[] {
  checkArgument('db.batch', 'queries', listOf(anything, 'a list of queries'), queries)
  return Array.from(queries as readonly unknown[])
}

/** A statement of a batch, for messages. */
export function inBatch(at: number): string {
  return `Statement ${at} of the batch`
}

/**
 * Runs statements in order. Queries alone are read in parallel, in one snapshot. If there is a write among them, all are
 * one transaction: consecutive writes without `returning` go in one round trip.
 */
export async function runBatch<const Items extends readonly BatchItem[]>(
  executor: Executor,
  options: QueryOptions,
  queries: Items,
  check: CheckRunner,
  log: Log,
): Promise<BatchResults<Items>> {
  const items = batchList(queries)
  // Keys may come from counters of the application's. Nothing else is waited for: a query that is awaited runs.
  const supplied = await Promise.all(
    items.map(async (item, at) =>
      (item as Suppliable | null | undefined)?._supplied?.((runner) => check(runner, inBatch(at))),
    ),
  )
  const entries = items.map((item, at) => entryOf(supplied[at] ?? item, inBatch(at), check, log))
  for (const { statement } of entries) if (statement) log(statement)
  const results = await resultsOf(executor, options, entries)
  return paired(entries, results).map(([entry, result]) => entry.resultOf(result)) as BatchResults<Items>
}

async function resultsOf(
  executor: Executor,
  options: QueryOptions,
  entries: readonly Entry[],
): Promise<readonly ResultSet[]> {
  const [first] = entries
  if (!first) return []
  const writes = entries.filter(({ kind }) => kind === 'dml')
  if (writes.length === 0) {
    const single = entries.length === 1 && first.statement
    return single
      ? [await named(single, executor.read(single, options))]
      : executor.readTogether((reader, call) => readAll(reader, call, entries), options)
  }
  executor.checkWrite(() => 'batch', options)
  const written = writes.flatMap(({ tables }) => tables)
  return executor.write((context, call) => writeAll(context, call, entries), options, written)
}

function readAll(
  reader: Reader,
  call: ReadOptions,
  entries: readonly Entry[],
): Promise<readonly ResultSet[]> {
  return Promise.all(
    entries.map((entry) => entry.run((statement) => named(statement, reader.run(statement, call)))),
  )
}

async function writeAll(
  context: TransactionContext,
  call: CallOptions,
  entries: readonly Entry[],
): Promise<readonly ResultSet[]> {
  const results: ResultSet[] = []
  while (results.length < entries.length) {
    const rest = entries.slice(results.length)
    const others = rest.findIndex(({ isPlainWrite }) => !isPlainWrite)
    const together = others < 0 ? rest : rest.slice(0, others)
    if (together.length > 1) {
      const counts = await executeTogether(context, call, together)
      for (const rowCount of counts) results.push({ columns: [], rows: [], rowCount })
    } else {
      results.push(await itemAt(rest, 0).run((statement) => named(statement, context.run(statement, call))))
    }
  }
  return results
}

async function executeTogether(
  context: TransactionContext,
  call: CallOptions,
  entries: readonly Entry[],
): Promise<readonly number[]> {
  const statements = entries.flatMap(({ statement }) => statement ?? [])
  try {
    return await context.execute(statements, call)
  } catch (error) {
    const index = error instanceof IsothermError ? error.statement : undefined
    const failed = index === undefined ? undefined : statements[index]
    throw failed ? queryError(failed, error) : error
  }
}

/** An error says which statement it is of. */
async function named<T>(statement: Statement, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw queryError(statement, error)
  }
}

function refuseSchemaChange({ kind }: Prepared<unknown>): void {
  if (kind !== 'ddl') return
  throw new IsothermError('UNSUPPORTED_STATEMENT', 'A change of the schema cannot be part of a batch.', {
    fix: 'Run it on db itself, with db.execute.',
  })
}
