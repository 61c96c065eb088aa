import type { Database, Snapshot as ClientSnapshot, Transaction } from '@google-cloud/spanner'
import { IsothermError } from '../../errors.js'
import type {
  CallOptions,
  Cells,
  CostProfile,
  Reader,
  ReadOptions,
  ReadRequest,
  ResultSet,
  TransactionalDriver,
  TransactionContext,
} from '../../database/driver.js'
import type { Statement } from '../../dialects/statement.js'
import type { WireType } from '../../dialects/wire.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import { paceAbort } from './abort-pace.js'
import { answer, refuseAborted, timeLimit } from '../calls.js'
import { costsOf } from './costs.js'
import { causeToRunAgain, outcomeUnknown, translate, translateBatch, translateCommit } from './errors.js'
import { lacksOf } from './lacks.js'
import { partitionedDml } from './partitioned-dml.js'
import { spannerPartitions } from './partitions.js'
import {
  commitOptions,
  protoMutation,
  readRequest,
  served,
  sqlRequest,
  tagged,
  timestampBounds,
} from './requests.js'
import { collectRows, rowTaker } from './result-stream.js'
import { describedTaker } from './result-types.js'
import { paceResumption } from './resumption.js'
import { spannerSchemaChanges } from './schema-changes.js'
import { singleUse } from './single-use.js'
import { spannerSnapshot } from './snapshot.js'
import { CallHandle } from './transport-call.js'
import { columnsDecoder, rowDecoder } from './values.js'

export interface SpannerOptions {
  /** How long a call may take when it does not say, in milliseconds. Default: 30,000. */
  readonly deadline?: number
  /** How long a schema change, or partitioned DML, may take, in milliseconds. Default: one hour. */
  readonly ddlDeadline?: number
  /** The dialect of the database. Default: what the client knows of it, else `googlesql`. */
  readonly dialect?: SqlDialect
  /** What things cost, where the driver's own figures do not fit. */
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
  const deadline = options.deadline ?? 30_000
  const ddlDeadline = options.ddlDeadline ?? 3_600_000
  const dialect = options.dialect ?? dialectOf(database)
  const lacks = lacksOf(database, dialect)
  // Without a listener the client's background errors (a session that could not be released, say) end the process.
  if (database.listenerCount('error') === 0) database.on('error', () => {})

  const query = async (
    source: StatementStream,
    statement: Statement,
    types: readonly WireType[],
    call: CallOptions,
  ): Promise<Cells[]> => {
    refuseAborted(call)
    const own = timeLimit(call.deadline, deadline)
    const handle = new CallHandle()
    const stream = source.runStream({ ...sqlRequest(statement, own, dialect, handle), ...served(call) })
    return collectRows(stream, handle, rowTaker(rowDecoder(types), types.length), own, call)
  }

  const read = async (source: ClientSnapshot, request: ReadRequest, call: CallOptions): Promise<Cells[]> => {
    refuseAborted(call)
    const own = timeLimit(call.deadline, deadline)
    const { layout, columns } = request
    const handle = new CallHandle()
    const stream = source.createReadStream(layout.table.name, {
      ...readRequest(request, own, handle),
      ...served(call),
    })
    return collectRows(stream, handle, rowTaker(columnsDecoder(columns), columns.length), own, call)
  }

  const run = async (
    source: StatementStream,
    statement: Statement,
    call: CallOptions,
  ): Promise<ResultSet> => {
    refuseAborted(call)
    const own = timeLimit(call.deadline, deadline)
    const handle = new CallHandle()
    const stream = source.runStream({ ...sqlRequest(statement, own, dialect, handle), ...served(call) })
    const described = describedTaker()
    const rows = await collectRows(stream, handle, described.take, own, call)
    const { columns, rowCount } = described
    return { columns, rows, ...(rowCount !== undefined && { rowCount }) }
  }

  const readerOf = (source: ClientSnapshot, otherwise: CallOptions = {}): Reader => ({
    read: (request, call = otherwise) => read(source, request, call),
    query: (statement, types, call = otherwise) => query(source, statement, types, call),
    run: (statement, call = otherwise) => run(source, statement, call),
  })

  const once = <T>(call: ReadOptions, work: (source: ClientSnapshot, call: ReadOptions) => Promise<T>) =>
    singleUse(database, timestampBounds(call.at), call, timeLimit(call.deadline, deadline), work)

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
      once(call, (source, left) => query(source, statement, types, left)),

    run: (statement, call = {}) => once(call, (source, left) => run(source, statement, left)),

    snapshot: (call = {}) => spannerSnapshot(database, readerOf, call, deadline),

    partitions: spannerPartitions(database, dialect, deadline),

    async write(mutations, call = {}) {
      const { commitTimestamp } = await transact(async (transaction) => {
        transaction.setQueuedMutations(mutations.map(protoMutation) as never)
      }, call)
      return { commitTimestamp }
    },

    transaction(work, call = {}) {
      return transact((transaction) => work(contextOf(transaction, call)), call)
    },

    async applyDdl(statements, call = {}) {
      if (statements.length === 0) return
      const change = async (): Promise<void> => {
        const [operation] = await database.updateSchema([...statements])
        await operation.promise()
      }
      await translated(answer(change, timeLimit(call.deadline, ddlDeadline), call))
    },

    schemaChanges: spannerSchemaChanges(database, deadline),

    async executePartitioned(statement, call = {}) {
      const own = timeLimit(call.deadline, ddlDeadline)
      if (!lacks.includes('partitioned-dml')) return partitionedDml(database, statement, dialect, own, call)
      const whole = { ...call, deadline: own }
      const { value } = await transact(
        (transaction) => contextOf(transaction, whole).execute([statement]),
        whole,
      )
      return value[0]!
    },

    async readDdl(call = {}) {
      const [statements] = await translated(
        answer(() => database.getSchema(), timeLimit(call.deadline, deadline), call),
      )
      return statements
    },
  }

  function contextOf(transaction: Transaction, call: CallOptions): TransactionContext {
    const buffered: object[] = []
    // The tag is the transaction's, not that of each call.
    const { tag: _, ...inside } = call
    return {
      ...readerOf(transaction, inside),
      returning: (statement, types) => query(transaction, statement, types, inside),
      async execute(statements, call = inside) {
        refuseAborted(call)
        const limit = timeLimit(call.deadline, deadline)
        const batch = statements.map((statement) => sqlRequest(statement, limit, dialect))
        const options = { gaxOptions: { timeout: limit }, ...served(call) }
        try {
          const [counts] = await answer(() => transaction.batchUpdate(batch as never, options), limit, call)
          return counts
        } catch (error) {
          throw translateBatch(error)
        }
      },
      buffer(mutations) {
        buffered.push(...mutations.map(protoMutation))
        transaction.setQueuedMutations(buffered as never)
      },
    }
  }

  async function transact<T>(
    work: (transaction: Transaction) => Promise<T>,
    call: CallOptions,
  ): Promise<{ value: T; commitTimestamp: Date }> {
    const own = timeLimit(call.deadline, deadline)
    let committing = false
    let ended = false
    let aborted = 0
    const attempt = async (transaction: Transaction): Promise<{ value: T; commitTimestamp: Date }> => {
      handleBegin(transaction)
      paceResumption(transaction)
      try {
        const value = await work(transaction)
        // The caller has been told that the deadline passed or that the work was cancelled: do not commit now.
        if (ended) throw new IsothermError('CANCELLED', 'The transaction was given up before its commit.')
        committing = true
        await transaction.commit({ gaxOptions: { timeout: own }, ...commitOptions(call) })
        return { value, commitTimestamp: transaction.commitTimestamp as Date }
      } catch (error) {
        // The client runs some transactions again, but only if it sees its own error.
        const theirs = causeToRunAgain(error, committing)
        if (theirs !== undefined) {
          committing = false
          paceAbort(theirs, aborted++)
          throw theirs
        }
        if (committing) throw translateCommit(error)
        await transaction.rollback().catch(() => {})
        throw new WorkFailed(error)
      }
    }
    try {
      return await answer(
        () => database.runTransactionAsync({ timeout: own, ...tagged(call) }, attempt),
        own,
        call,
      )
    } catch (error) {
      if (error instanceof WorkFailed) throw error.error
      const lost =
        committing &&
        error instanceof IsothermError &&
        (error.code === 'DEADLINE' || error.code === 'CANCELLED')
      throw lost ? outcomeUnknown(error) : translate(error)
    } finally {
      ended = true
    }
  }
}

/** The client knows a database's dialect once it has asked for it, or has made the database. */
function dialectOf(database: Database): SqlDialect {
  return String(database.databaseDialect) === 'POSTGRESQL' ? 'spanner-postgresql' : 'googlesql'
}

/**
 * When a transaction's first statement fails, the client begins the transaction in the background and looks at the outcome
 * no more: should that fail too, the rejection would end the process. Whoever does wait for it still hears of it.
 */
function handleBegin(transaction: Transaction): void {
  const begin = transaction.begin.bind(transaction) as (...given: unknown[]) => unknown
  transaction.begin = ((...given: unknown[]) => {
    const outcome = begin(...given)
    if (outcome instanceof Promise) outcome.catch(() => {})
    return outcome
  }) as Transaction['begin']
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
