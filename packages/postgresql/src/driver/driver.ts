import type { PGlite } from '@electric-sql/pglite'
import {
  COSTS,
  type CallOptions,
  type Cells,
  type CommitOptions,
  type CostProfile,
  type Driver,
  IsothermError,
  type MadeCells,
  type Mutation,
  type OptionKinds,
  type ReadOptions,
  type ReadRequest,
  type RowWrite,
  type Statement,
  StatementWrites,
  type TransactionContext,
  type WireType,
  answer,
  argumentMistakes,
  checkOptions,
  numberFrom,
  objectWith,
  refuseAborted,
  shown,
  timeLimit,
} from '@isotherm/core/engine'
import type { Pool } from 'pg'
import { postgresqlRuntime } from '../sql/runtime.js'
import { type Answer, Caller, type Connection, type Connections } from './connection.js'
import { failedStatement, isAborted, translate, translateCommit, translateWrite } from './errors.js'
import { poolConnections } from './pg.js'
import { pgliteConnections } from './pglite.js'
import { readStatement } from './reads.js'
import { type Waited, cellsOf, cellsOfRead, momentOf, readerOf, resultOf, valuesOf } from './reader.js'
import { runInOrder, schemaChangesOf } from './schema-changes.js'
import { heldSnapshot, watchedSnapshot } from './snapshot.js'
import { bufferedStatements } from './writes.js'

export interface PostgresqlOptions {
  /** How long a call may take when it does not say, in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number
  /** How long a schema change may take, in milliseconds. Default: one hour. */
  readonly ddlTimeoutMs?: number
  /** The cost of calls, if the driver's own figures do not fit. */
  readonly costs?: Partial<CostProfile>
}

const OPTIONS: OptionKinds<PostgresqlOptions> = {
  timeoutMs: numberFrom(0, 'a number of milliseconds'),
  ddlTimeoutMs: numberFrom(0, 'a number of milliseconds'),
  costs: COSTS,
}

const POOL = objectWith('a pool', 'connect')
const PGLITE = objectWith('a PGlite', 'exec')

/**
 * Isotherm on PostgreSQL, through a pool of `pg`.
 *
 * @param pool a `Pool` of `pg` 8
 * @throws {IsothermError} `INVALID_CLIENT` for anything else, `INVALID_OPTION` for invalid options.
 * @example
 * const db = openDatabase({ driver: pg(new Pool({ connectionString })), schema })
 */
export function pg(pool: Pool, options: PostgresqlOptions = {}): Driver<Date> {
  if (argumentMistakes('pool', POOL, pool).length > 0 || !('totalCount' in pool)) {
    throw new IsothermError('INVALID_CLIENT', `pg: was given ${kindOf(pool)}, not a pool.`, {
      fix: 'Give it a pool of pg: pg(new Pool({ connectionString })). A client alone has one connection, and cannot be replaced when it fails.',
    })
  }
  checkOptions('pg', OPTIONS, options)
  return driverOf(poolConnections(pool), options)
}

/**
 * Isotherm on PGlite: PostgreSQL in this process, for development and tests.
 *
 * @param database a `PGlite` of `@electric-sql/pglite`
 * @throws {IsothermError} `INVALID_CLIENT` for anything else, `INVALID_OPTION` for invalid options.
 * @example
 * const db = openDatabase({ driver: pglite(new PGlite()), schema })
 */
export function pglite(database: PGlite, options: PostgresqlOptions = {}): Driver<Date> {
  if (argumentMistakes('database', PGLITE, database).length > 0) {
    throw new IsothermError('INVALID_CLIENT', `pglite: was given ${kindOf(database)}, not a PGlite.`, {
      fix: "Give it a PGlite of @electric-sql/pglite: (await startPglite({ folder: 'data' })).client.",
    })
  }
  checkOptions('pglite', OPTIONS, options)
  return driverOf(pgliteConnections(database), options)
}

/** Options of a client may hold a password. */
function kindOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : shown(value)
}

const TIMEOUT = 30_000
const DDL_TIMEOUT = 3_600_000

/** A call is a few tenths of a millisecond of the server's time; a scan passes a row in a microsecond. */
const POSTGRESQL_COSTS: CostProfile = {
  roundTrip: 0.3,
  call: 0.1,
  statement: 0.1,
  range: 0.02,
  row: 0.004,
  scannedRow: 0.0005,
  statementsScan: false,
  concurrency: 1,
  inFlight: 1,
}

const SERIALIZABLE = 'ISOLATION LEVEL SERIALIZABLE'

/** Milliseconds before a transaction runs again the first time; doubled each time, up to the second figure. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 500

function driverOf(connections: Connections, options: PostgresqlOptions): Driver<Date> {
  const { name, client, concurrency } = connections
  const timeoutMs = options.timeoutMs ?? TIMEOUT
  const ddlTimeoutMs = options.ddlTimeoutMs ?? DDL_TIMEOUT

  /** Waits for work under the timeout and the signal of a call. */
  const waited = async <T>(
    call: CallOptions,
    work: (caller: Caller) => Promise<T>,
    otherwise = timeoutMs,
  ): Promise<T> => {
    refuseAborted(call)
    const caller = new Caller()
    try {
      return await answer(() => work(caller), timeLimit(call.timeoutMs, otherwise), call)
    } catch (error) {
      caller.leave()
      throw translate(error)
    }
  }

  const alone = (statement: Statement, call: CallOptions): Promise<Answer> =>
    waited(call, (caller) => connections.query(statement.text, valuesOf(statement), caller))

  const query = async (
    statement: Statement,
    types: readonly WireType[],
    call: CallOptions = {},
  ): Promise<Cells[]> => cellsOf(await alone(statement, call), types)

  /** @param work is run again from the start where the server has ended the transaction because of another one */
  const transact = async <T>(
    mode: string,
    call: CallOptions,
    work: (connection: Connection) => Promise<T>,
  ): Promise<{ value: T; commitTimestamp: Date }> => {
    let isCommitting = false
    try {
      return await waited(call, async (caller) => {
        for (let aborted = 0; ; aborted++) {
          isCommitting = false
          try {
            return await connections.transaction(
              {
                mode,
                run: async (connection, beginning) => ({
                  value: await work(connection),
                  commitTimestamp: momentOf(beginning),
                }),
                committing() {
                  if (caller.hasLeft)
                    throw new IsothermError('CANCELLED', 'The transaction was given up before its commit.')
                  isCommitting = true
                },
              },
              caller,
            )
          } catch (error) {
            if (caller.hasLeft || !isAborted(error)) throw isCommitting ? translateCommit(error) : error
            const longest = Math.min(FIRST_PAUSE * 2 ** aborted, LONGEST_PAUSE)
            await new Promise((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)))
          }
        }
      })
    } catch (error) {
      throw isCommitting ? translateCommit(error) : error
    }
  }

  /** @param isOurs the work is this driver's: it does not go on after an error, and a statement needs no savepoint */
  const inTransaction = <T>(
    work: (context: TransactionContext) => Promise<T>,
    call: CallOptions = {},
    isOurs = false,
  ): Promise<{ value: T; commitTimestamp: Date }> =>
    transact(SERIALIZABLE, call, async (connection) => {
      const buffered: Mutation[] = []
      const calls = callsOf(connection, buffered, waited, call, isOurs)
      const rows = new StatementWrites(calls, postgresqlRuntime)
      const value = await work({ ...calls, write: (...args) => rows.write(...args) })
      rows.refuseHalfWritten()
      for (const { statement, updates } of bufferedStatements(buffered)) {
        const { rowCount } = await connection.query(statement.text, valuesOf(statement))
        if (updates && rowCount === 0) throw updates()
      }
      return value
    })

  /** A transaction that may take as long as a change of the schema. */
  const withDdlTimeout = async <T>(
    call: CallOptions,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    const whole = { ...call, timeoutMs: call.timeoutMs ?? ddlTimeoutMs }
    const { value } = await transact('ISOLATION LEVEL READ COMMITTED', whole, work)
    return value
  }

  const commit = async (writes: readonly RowWrite[], options: CommitOptions = {}) => {
    const { returning = true, inTransaction: own, beforeNext: _, ...call } = options
    const work = (context: TransactionContext): Promise<readonly MadeCells[]> =>
      own ? own.write(context, writes) : context.write(writes, { returning })
    try {
      const { value: made, commitTimestamp } = await inTransaction(work, call, !own)
      return { commitTimestamp, commits: 1, made }
    } catch (error) {
      throw translateWrite(error, writes)
    }
  }

  return {
    name,
    system: 'postgresql',
    dialect: postgresqlRuntime,
    client,
    costs: { ...POSTGRESQL_COSTS, concurrency, inFlight: concurrency, ...options.costs },
    lacks: ['partitioned-dml', ...(concurrency === 1 ? (['concurrent-transactions'] as const) : [])],
    takes: [],

    read: async (request: ReadRequest, call: ReadOptions = {}) =>
      cellsOfRead(await alone(readStatement(request), call), request),
    query,
    run: async (statement, call = {}) => resultOf(await alone(statement, call)),

    snapshot: (call = {}) =>
      concurrency === 1
        ? watchedSnapshot(connections, waited, call)
        : heldSnapshot(connections, waited, call),

    writes: { commit, maxRows: () => MAX_ROWS },
    atomic: { kind: 'transactions', beginsAtOnce: true, run: (work, call) => inTransaction(work, call) },

    async applyDdl(statements, call = {}) {
      if (statements.length > 0)
        await withDdlTimeout(call, (connection) => runInOrder(connection, statements))
    },
    schemaChanges: schemaChangesOf(withDdlTimeout, (text, values, call) =>
      waited(call, (caller) => connections.query(text, values, caller)),
    ),

    async executePartitioned(statement, call = {}) {
      const { rowCount } = await withDdlTimeout(call, (connection) =>
        connection.query(statement.text, valuesOf(statement)),
      )
      return rowCount ?? 0
    },
  }
}

/** A commit has no limit: this many rows of a copy are written at once. */
const MAX_ROWS = 5_000

/**
 * The calls of a transaction. A statement that fails would end a transaction of PostgreSQL: each has a savepoint, to which
 * the transaction goes back, so that the work may catch the error and go on.
 */
function callsOf(
  connection: Connection,
  buffered: Mutation[],
  waited: Waited,
  inside: CallOptions,
  isOurs: boolean,
): Omit<TransactionContext, 'write'> {
  const reader = readerOf(connection, waited, inside)
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: the work may have several under way, and savepoints lie in each other. */
  const protectedly = <T>(work: () => Promise<T>): Promise<T> => {
    if (isOurs) return work()
    const mine = last.then(() => withSavepoint(work))
    last = mine.catch(() => {})
    return mine
  }
  const withSavepoint = async <T>(work: () => Promise<T>): Promise<T> => {
    await connection.query('SAVEPOINT isotherm', [])
    try {
      return await work()
    } catch (error) {
      // Where this fails too, the transaction is lost, and its next statement says so.
      await connection.query('ROLLBACK TO SAVEPOINT isotherm', []).catch(() => {})
      throw error
    } finally {
      await connection.query('RELEASE SAVEPOINT isotherm', []).catch(() => {})
    }
  }
  return {
    read: (request, call) => protectedly(() => reader.read(request, call)),
    query: (statement, types, call) => protectedly(() => reader.query(statement, types, call)),
    run: (statement, call) => protectedly(() => reader.run(statement, call)),
    returning: (statement, types) => protectedly(() => reader.query(statement, types)),
    execute: (statements, call = inside) =>
      waited(call, () =>
        protectedly(async () => {
          const counts: number[] = []
          for (const statement of statements) {
            try {
              const { rowCount } = await connection.query(statement.text, valuesOf(statement))
              counts.push(rowCount ?? 0)
            } catch (error) {
              throw failedStatement(error, counts.length)
            }
          }
          return counts
        }),
      ),
    buffer(mutations) {
      for (const mutation of mutations) buffered.push(mutation)
    },
  }
}
