import type { Database, Snapshot as ClientSnapshot, Transaction } from '@google-cloud/spanner'
import {
  COSTS,
  type CallOptions,
  type Cells,
  type CostProfile,
  IsothermError,
  type Kind,
  type Mutation,
  type OptionKinds,
  type ReadOptions,
  type ReadRequest,
  type Reader,
  type ResultSet,
  type SqlDialectRuntime,
  type Statement,
  StatementWrites,
  type TransactionContext,
  type TransactionalDriver,
  type WireType,
  answer,
  argumentMistakes,
  checkOptions,
  numberFrom,
  objectWith,
  refuseAborted,
  shown,
  timeLimit,
  itemAt,
  internals,
  clientLimit,
} from '@isotherm/core/engine'
import { googlesqlRuntime } from '../googlesql/runtime.js'
import { SPANNER_DIALECT, runtimeOf } from './spanner-dialect.js'
import { spannerPostgresqlRuntime } from '../postgresql/runtime.js'
import { delayAfterAbort } from './abort-delay.js'
import { costsOf, lacksOf, reachabilityOf } from './reachability.js'
import {
  causeToRunAgain,
  isEndedByClient,
  outcomeUnknown,
  delayResumption,
  translate,
  translateBatch,
  translateCommit,
} from './errors.js'
import { partitionedDml } from './partitioned-dml.js'
import { spannerPartitions } from './partitions.js'
import {
  CallHandle,
  StatementOrder,
  commitOptions,
  protoMutation,
  readRequest,
  served,
  sqlRequest,
  tagged,
  timestampBounds,
} from './requests.js'
import { collectRows, describedCollector, rowCollector } from './result-stream.js'
import { applySchemaChange, spannerSchemaChanges } from './schema-changes.js'
import { singleUse } from './sessions.js'
import { spannerSnapshot } from './snapshot.js'
import { dialectMismatch, knownDialect, otherDialect, undecidedDriver } from './undecided.js'
import { columnsDecoder, rowDecoder } from './values.js'
import { spannerWrites } from './writes.js'

/** The client's type takes mutations of its own classes only. */
const queueOf = internals<{ setQueuedMutations(mutations: readonly object[]): void }>(
  'Transaction of @google-cloud/spanner',
  ['setQueuedMutations'],
)

export interface SpannerOptions {
  /** How long a call may take when it does not say, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number
  /** How long a schema change, or partitioned DML, may take, in milliseconds. Default: one hour. */
  readonly ddlTimeoutMs?: number
  /** The dialect of the database. Default: the client's; if it does not know, the first call asks the database. */
  readonly dialect?: SqlDialectRuntime
  /** The cost of calls, if the driver's own figures do not fit. */
  readonly costs?: Partial<CostProfile>
}

/**
 * Isotherm on a Cloud Spanner database, through Google's client.
 *
 * @param database a `Database` of `@google-cloud/spanner` 8 or 9
 * @example
 * const db = openDatabase({ driver: spanner(instance.database('logs')), schema })
 */
export function spanner(database: Database, options: SpannerOptions = {}): TransactionalDriver {
  refuseOther(database)
  checkOptions('spanner', SPANNER_OPTIONS, options)
  const dialect = dialectOf(database, options.dialect)
  if (dialect !== undefined) return spannerOf(database, dialect, options)
  const candidates = [
    spannerOf(database, googlesqlRuntime, options),
    spannerOf(database, spannerPostgresqlRuntime, options),
  ] as const
  return undecidedDriver(database, candidates, options.timeoutMs ?? TIMEOUT)
}

const TIMEOUT = 30_000

const SPANNER_OPTIONS: OptionKinds<SpannerOptions> = {
  timeoutMs: numberFrom(0, 'a number of milliseconds'),
  ddlTimeoutMs: numberFrom(0, 'a number of milliseconds'),
  dialect: SPANNER_DIALECT,
  costs: COSTS,
}

const DATABASE = objectWith('a database', 'runTransactionAsync')
const CLIENT = objectWith('a client', 'instance')
const INSTANCE = objectWith('an instance', 'database')

/** @throws {IsothermError} `INVALID_CLIENT` for anything that is not a database, such as a client or an address. */
function refuseOther(database: unknown): void {
  const is = (kind: Kind): boolean => argumentMistakes('database', kind, database).length === 0
  if (is(DATABASE)) return
  const isClient = is(CLIENT) || is(INSTANCE)
  // The options of a client may hold a private key.
  const description = typeof database === 'object' && database !== null ? 'an object' : shown(database)
  throw new IsothermError(
    'INVALID_CLIENT',
    `spanner: was given ${isClient ? 'a client, or an instance' : description}, not a database.`,
    {
      fix: "Give it a database of @google-cloud/spanner: spanner(client.instance('main').database('shop')).",
    },
  )
}

function spannerOf(
  database: Database,
  dialect: SqlDialectRuntime,
  options: SpannerOptions,
): TransactionalDriver {
  const timeoutMs = options.timeoutMs ?? TIMEOUT
  const ddlTimeoutMs = options.ddlTimeoutMs ?? 3_600_000
  const lacks = lacksOf(database, dialect)
  const reach = reachabilityOf(database)
  // Without a listener the client's background errors (a session that could not be released, say) end the process.
  if (database.listenerCount('error') === 0) database.on('error', () => {})

  /** Explains the error of a statement, which may be in another dialect than the database's. */
  const named = (error: unknown, endsAt: number, call: CallOptions, text?: string): Promise<unknown> => {
    const left = endsAt - performance.now()
    return dialectMismatch(database, dialect, queryOnce, { text, left, call }, error)
  }

  const understood = async <T>(answered: Promise<T>, call: CallOptions, text?: string): Promise<T> => {
    const endsAt = performance.now() + (call.timeoutMs ?? timeoutMs)
    try {
      return await answered
    } catch (error) {
      throw await named(error, endsAt, call, text)
    }
  }

  const query = async (
    source: StatementStream,
    statement: Statement,
    types: readonly WireType[],
    call: CallOptions,
  ): Promise<Cells[]> => {
    refuseAborted(call)
    const own = timeLimit(call.timeoutMs, timeoutMs)
    const handle = new CallHandle()
    const stream = source.runStream({ ...sqlRequest(statement, own, dialect, handle), ...served(call) })
    return collectRows(stream, handle, rowCollector(rowDecoder(types), types.length), own, call)
  }

  const read = async (source: ClientSnapshot, request: ReadRequest, call: CallOptions): Promise<Cells[]> => {
    refuseAborted(call)
    const own = timeLimit(call.timeoutMs, timeoutMs)
    const { layout, columns } = request
    const handle = new CallHandle()
    const stream = source.createReadStream(layout.table.name, {
      ...readRequest(request, own, handle),
      ...served(call),
    })
    return collectRows(stream, handle, rowCollector(columnsDecoder(columns), columns.length), own, call)
  }

  const run = async (
    source: StatementStream,
    statement: Statement,
    call: CallOptions,
  ): Promise<ResultSet> => {
    refuseAborted(call)
    const own = timeLimit(call.timeoutMs, timeoutMs)
    const handle = new CallHandle()
    const stream = source.runStream({ ...sqlRequest(statement, own, dialect, handle), ...served(call) })
    const described = describedCollector()
    const rows = await collectRows(stream, handle, described.take, own, call)
    const { columns, rowCount } = described
    return { columns, rows, ...(rowCount !== undefined && { rowCount }) }
  }

  const readerOf = (source: ClientSnapshot, otherwise: CallOptions = {}): Reader => ({
    read: (request, call = otherwise) => read(source, request, call),
    query: (statement, types, call = otherwise) =>
      understood(query(source, statement, types, call), call, statement.text),
    run: (statement, call = otherwise) => understood(run(source, statement, call), call, statement.text),
  })

  const once = <T>(call: ReadOptions, work: (source: ClientSnapshot, call: ReadOptions) => Promise<T>) =>
    singleUse(database, timestampBounds(call.at), call, timeLimit(call.timeoutMs, timeoutMs), work)

  const queryOnce: Reader['query'] = (statement, types, call = {}) =>
    once(call, (source, left) => query(source, statement, types, left))

  return {
    name: 'Cloud Spanner',
    system: 'gcp.spanner',
    dialect,
    client: database,
    costs: { ...costsOf(database), ...options.costs },
    lacks,
    takes: ['at', 'directedReads', 'priority', 'tag'],

    read: (request, call = {}) => once(call, (source, left) => read(source, request, left)),

    query: (statement, types, call = {}) =>
      understood(queryOnce(statement, types, call), call, statement.text),

    run: (statement, call = {}) =>
      understood(
        once(call, (source, left) => run(source, statement, left)),
        call,
        statement.text,
      ),

    snapshot: (call = {}) => spannerSnapshot(database, readerOf, call, timeoutMs),

    queryPartitions: spannerPartitions(database, dialect, timeoutMs),

    writes: spannerWrites({
      dialect,
      lacks,
      commit: (mutations, call) =>
        transact(async (transaction, buffered) => {
          for (const mutation of mutations) buffered.push(mutation)
          queueOf(transaction).setQueuedMutations(mutations.map(protoMutation))
        }, call),
      transaction: inTransaction,
    }),

    atomic: { kind: 'transactions', run: inTransaction },

    async applyDdl(statements, call = {}) {
      if (statements.length === 0) return
      const own = timeLimit(call.timeoutMs, ddlTimeoutMs)
      await understood(applySchemaChange(database, statements, dialect, own, call), {
        ...call,
        timeoutMs: own,
      })
    },

    schemaChanges: spannerSchemaChanges(database, dialect, timeoutMs),

    async executePartitioned(statement, call = {}) {
      const own = timeLimit(call.timeoutMs, ddlTimeoutMs)
      const whole = { ...call, timeoutMs: own }
      if (!lacks.includes('partitioned-dml'))
        return understood(partitionedDml(database, statement, dialect, own, call), whole, statement.text)
      const { value } = await transact(
        (transaction, buffered, order) => callsOf(transaction, buffered, order, whole).execute([statement]),
        whole,
      )
      return itemAt(value, 0)
    },

    async readDdl(call = {}) {
      const [statements] = await translated(
        reach.answer(() => database.getSchema(), timeLimit(call.timeoutMs, timeoutMs), call),
      )
      return statements
    },
  }

  function inTransaction<T>(
    work: (context: TransactionContext) => Promise<T>,
    call: CallOptions = {},
  ): Promise<{ value: T; commitTimestamp: Date }> {
    return transact(async (transaction, buffered, order) => {
      const calls = callsOf(transaction, buffered, order, call)
      const rows = new StatementWrites(calls, dialect)
      const value = await work({ ...calls, write: (...args) => rows.write(...args) })
      rows.refuseHalfWritten()
      return value
    }, call)
  }

  /** @param buffered takes up the mutations of the commit */
  function callsOf(
    transaction: Transaction,
    buffered: Mutation[],
    order: StatementOrder,
    call: CallOptions,
  ): Omit<TransactionContext, 'write'> {
    const queued: object[] = []
    // The tag is the transaction's, not that of each call.
    const { tag: _, ...inside } = call
    return {
      read: (request, call = inside) => order.read(() => read(transaction, request, call)),
      query: (statement, types, call = inside) =>
        order.read(() => query(transaction, statement, types, call)),
      run: (statement, call = inside) => order.write(() => run(transaction, statement, call)),
      returning: (statement, types) => order.write(() => query(transaction, statement, types, inside)),
      async execute(statements, call = inside) {
        refuseAborted(call)
        const limit = timeLimit(call.timeoutMs, timeoutMs)
        const batch = statements.map((statement) => sqlRequest(statement, limit, dialect))
        const options = { gaxOptions: { timeout: clientLimit(limit) }, ...served(call) }
        try {
          const [counts] = await order.write(() =>
            answer(() => transaction.batchUpdate(batch, options), limit, call),
          )
          return counts
        } catch (error) {
          throw translateBatch(error)
        }
      },
      buffer(mutations) {
        for (const mutation of mutations) {
          buffered.push(mutation)
          queued.push(protoMutation(mutation))
        }
        queueOf(transaction).setQueuedMutations(queued)
      },
    }
  }

  async function transact<T>(
    work: (transaction: Transaction, buffered: Mutation[], order: StatementOrder) => Promise<T>,
    call: CallOptions,
  ): Promise<{ value: T; commitTimestamp: Date }> {
    const own = timeLimit(call.timeoutMs, timeoutMs)
    const endsAt = performance.now() + own
    let committing: Transaction | undefined
    // A commit of mutations alone begins the transaction first: until then nothing has been sent that could be committed.
    const isSent = (): boolean => committing?.id !== undefined
    let ended = false
    let current: StatementOrder | undefined
    let isWorking = false
    let aborted = 0
    const attempt = async (transaction: Transaction): Promise<{ value: T; commitTimestamp: Date }> => {
      // The caller has already been answered: running the work again would repeat its side effects.
      if (ended) throw new WorkFailed(new IsothermError('CANCELLED', 'The transaction was given up.'))
      delayResumption(transaction)
      const order = (current = new StatementOrder(transaction))
      const buffered: Mutation[] = []
      try {
        isWorking = true
        const value = await work(transaction, buffered, order).finally(() => (isWorking = false))
        // The caller has been told that the timeout passed or that the work was cancelled: do not commit now.
        if (ended) throw new IsothermError('CANCELLED', 'The transaction was given up before its commit.')
        committing = transaction
        await transaction.commit({ gaxOptions: { timeout: clientLimit(own) }, ...commitOptions(call) })
        return { value, commitTimestamp: transaction.commitTimestamp as Date }
      } catch (error) {
        const begun = order.end()
        // The client runs some transactions again, but only if it sees its own error.
        const theirs = causeToRunAgain(error, committing !== undefined)
        if (theirs !== undefined) {
          committing = undefined
          delayAfterAbort(theirs, aborted++)
          throw theirs
        }
        if (isSent()) throw translateCommit(error, buffered)
        if (committing) throw new WorkFailed(translate(error))
        await begun
        await transaction.rollback().catch(() => {})
        throw new WorkFailed(error)
      }
    }
    try {
      return await reach.answer(
        () => database.runTransactionAsync({ timeout: own, ...tagged(call) }, attempt),
        own,
        call,
      )
    } catch (error) {
      // Not before its end: until then it holds locks.
      if (error instanceof WorkFailed) throw await named(error.error, endsAt, call)
      if (isWorking && current?.isIdle && isTimeout(error)) throw workTimeout(own, error)
      throw isSent() && isEndedByClient(error) ? outcomeUnknown(error) : translate(error)
    } finally {
      ended = true
      void current?.end()
    }
  }
}

/**
 * The dialect of a database, where it is known.
 *
 * @throws {IsothermError} `INVALID_OPTION` if the database speaks another dialect than the option says.
 */
function dialectOf(
  database: Database,
  dialectOption: SqlDialectRuntime | undefined,
): SqlDialectRuntime | undefined {
  const known = knownDialect(database)
  const said = dialectOption && runtimeOf(dialectOption)
  if (said === undefined || known === undefined || said === known) return said ?? known
  throw otherDialect(database, known, said)
}

function isTimeout(error: unknown): boolean {
  return error instanceof IsothermError && error.code === 'TIMEOUT'
}

/** Nothing was asked of the database that it had not answered. */
function workTimeout(timeoutMs: number, cause: unknown): IsothermError {
  return new IsothermError(
    'TIMEOUT',
    `The function of the transaction did not end within ${Math.round(timeoutMs)} ms, and was not waiting for the database.`,
    {
      fix: 'Do other work before or after the transaction, or give it a longer timeoutMs: it holds its locks meanwhile.',
      cause,
    },
  )
}

/** Takes an error of the caller's own work past the client, which would read meaning into its `code`. */
class WorkFailed {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

type StatementStream = Pick<ClientSnapshot, 'runStream'>

async function translated<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw translate(error)
  }
}
