import type { Database } from '@google-cloud/spanner'
import {
  type CallOptions,
  IsothermError,
  Limits,
  type SqlDialectRuntime,
  type TransactionalDriver,
  answer,
  sameDialect,
  timeLimit,
  withRetries,
  present,
} from '@isotherm/core/engine'
import { googlesqlRuntime } from '../googlesql/runtime.js'
import { spannerPostgresqlRuntime } from '../postgresql/runtime.js'
import { isRefusal } from './errors.js'

// A database has one dialect for its whole life, and its client does not know which until it has loaded the metadata.

/** The reported dialects of databases, and pending requests for them. */
const known = new WeakMap<Database, SqlDialectRuntime>()
const pending = new WeakMap<Database, Promise<SqlDialectRuntime>>()

/** The dialect without a request: from an earlier one, or from the client's metadata. */
export function knownDialect(database: Database): SqlDialectRuntime | undefined {
  switch (String(database.databaseDialect)) {
    case 'POSTGRESQL':
      return spannerPostgresqlRuntime
    case 'GOOGLE_STANDARD_SQL':
      return googlesqlRuntime
    default:
      return known.get(database)
  }
}

/** Both dialects understand it. The client's own question, `getDatabaseDialect()`, wants a permission that few have. */
const QUESTION =
  "SELECT option_value FROM information_schema.database_options WHERE option_name = 'database_dialect'"

type Query = TransactionalDriver['query']

/** Asks the database once, even if several calls ask at the same time. A failure is not kept: the next call asks again. */
function ask(database: Database, query: Query): Promise<SqlDialectRuntime> {
  let question = pending.get(database)
  if (!question) {
    question = answerOf(database, query)
    pending.set(database, question)
    question.catch(() => {}).finally(() => pending.delete(database))
  }
  return question
}

async function answerOf(database: Database, query: Query): Promise<SqlDialectRuntime> {
  const limits = new Limits({})
  const statement = { text: QUESTION, parameters: [] }
  const [row] = await withRetries(
    () => query(statement, [{ kind: 'string', length: 'max' }], limits.options),
    limits,
  )
  const dialect = row?.[0] === 'POSTGRESQL' ? spannerPostgresqlRuntime : googlesqlRuntime
  known.set(database, dialect)
  return dialect
}

/** Databases that refuse the question: a refused statement does not ask them again. */
const refusing = new WeakSet<Database>()

/** A statement that the database refused. */
interface RefusedStatement {
  /** Undefined for several. */
  readonly text?: string | undefined
  /** How long its caller waits: in milliseconds, and until when a signal ends it. */
  readonly left: number
  readonly call: CallOptions
}

/**
 * Explains the error of a statement: if the database refused it because it speaks another dialect than the driver's,
 * returns an error that says so. If the dialect is not known yet, asks the database, in the time that is left to the
 * statement.
 */
export async function dialectMismatch(
  database: Database,
  driverDialect: SqlDialectRuntime,
  query: Query,
  { text, left, call }: RefusedStatement,
  error: unknown,
): Promise<unknown> {
  if (!mayMismatch(error) || text === QUESTION) return error
  let dialect = knownDialect(database)
  if (dialect === undefined && !refusing.has(database)) {
    try {
      dialect = await answer(() => ask(database, query), left, call)
    } catch (failure) {
      if (isRefusal(failure)) refusing.add(database)
    }
  }
  return dialect === undefined || sameDialect(dialect, driverDialect)
    ? error
    : otherDialect(database, dialect, driverDialect, error)
}

/** Whether the error may come from a statement in the wrong dialect: syntax, functions, types, names in another form. */
function mayMismatch(error: unknown): boolean {
  return isRefusal(error) && MAY_MISMATCH.has(error.code)
}

const MAY_MISMATCH: ReadonlySet<string> = new Set(['DATABASE', 'NOT_FOUND', 'CONSTRAINT'])

function fixFor(dialect: SqlDialectRuntime): string {
  const [value, entry] = sameDialect(dialect, googlesqlRuntime)
    ? ['googlesql', '@isotherm/drizzle-adapter']
    : ['spannerPostgresql', '@isotherm/drizzle-adapter/postgresql']
  return `Use spanner(database, { dialect: ${value} }), or remove dialect; with Drizzle, import from '${entry}'.`
}

/** @returns `INVALID_OPTION`: the database speaks another dialect than the driver uses. */
export function otherDialect(
  database: Database,
  dialect: SqlDialectRuntime,
  driverDialect: SqlDialectRuntime,
  cause?: unknown,
): IsothermError {
  return new IsothermError(
    'INVALID_OPTION',
    `The database ${database.formattedName_} has the dialect ${dialect.name}, but the driver was given ${driverDialect.name}.`,
    {
      fix: fixFor(dialect),
      cause,
    },
  )
}

/**
 * A driver of a database whose dialect is not known: its first call, whichever it is, asks for the dialect once.
 *
 * @param candidates a driver for each dialect
 * @param timeoutMs of a call that does not say, in milliseconds
 */
export function undecidedDriver(
  database: Database,
  candidates: readonly [TransactionalDriver, ...TransactionalDriver[]],
  timeoutMs: number,
): TransactionalDriver {
  const [first] = candidates
  const decidedNow = (): TransactionalDriver | undefined => {
    const dialect = knownDialect(database)
    return dialect && candidates.find((each) => each.dialect === dialect)
  }

  const decide = async (call: CallOptions = {}): Promise<TransactionalDriver> => {
    const question = ask(database, first.query)
    await answer(() => question, timeLimit(call.timeoutMs, timeoutMs), call)
    return present(decidedNow(), 'dialect of the database')
  }

  const said = (): TransactionalDriver => {
    const driver = decidedNow()
    if (driver) return driver
    throw new IsothermError('INVALID_QUERY', 'The dialect of the database is not known yet.', {
      fix: 'Call await db.ready() first, or pass it: spanner(database, { dialect: googlesql }).',
    })
  }

  /** A call of the driver of the right dialect, in the time that is left for it. */
  const then = async <Call extends CallOptions, T>(
    call: Call | undefined,
    use: (driver: TransactionalDriver, call: Call | undefined) => Promise<T>,
  ): Promise<T> => {
    const driver = decidedNow()
    if (driver) return use(driver, call)
    const limits = new Limits(call ?? {})
    const late = await decide(call)
    return use(late, call && { ...call, ...limits.options })
  }

  const { queryPartitions, schemaChanges } = first
  return {
    name: first.name,
    system: first.system,
    client: database,
    costs: first.costs,
    takes: first.takes,
    get dialect() {
      return said().dialect
    },
    get lacks() {
      return said().lacks
    },
    get undecided() {
      return decidedNow() ? undefined : { candidates, decide }
    },
    read: (request, call) => then(call, (driver, left) => driver.read(request, left)),
    query: (statement, types, call) => then(call, (driver, left) => driver.query(statement, types, left)),
    run: (statement, call) => then(call, (driver, left) => driver.run(statement, left)),
    snapshot: (call) => then(call, (driver, left) => driver.snapshot(left)),
    writes: {
      commit: (writes, call) => then(call, (driver, left) => driver.writes.commit(writes, left)),
      maxRows: (tables) => said().writes.maxRows(tables),
    },
    atomic: {
      kind: 'transactions',
      run: (work, call) => then(call, (driver, left) => driver.atomic.run(work, left)),
    },
    applyDdl: (statements, call) => then(call, (driver, left) => driver.applyDdl(statements, left)),
    readDdl: (call) => then(call, (driver, left) => driver.readDdl(left)),
    executePartitioned: (statement, call) =>
      then(call, (driver, left) => driver.executePartitioned!(statement, left)),
    ...(schemaChanges && {
      schemaChanges: {
        begin: (statements, operationId, call) =>
          then(call, (driver, left) => driver.schemaChanges!.begin(statements, operationId, left)),
        state: schemaChanges.state,
      },
    }),
    ...(queryPartitions && {
      queryPartitions: {
        partition: (request, options) =>
          then(options, (driver, left) => driver.queryPartitions!.partition(request, left ?? options)),
        async *readQueryPartition(request, token, options) {
          const limits = new Limits(options ?? {})
          yield* (await decide(options)).queryPartitions!.readQueryPartition(request, token, limits.options)
        },
        closeQueryPartitions: (token, options) => queryPartitions.closeQueryPartitions(token, options),
      },
    }),
  }
}
