import {
  type Driver,
  IsothermError,
  type SqlDialectRuntime,
  type Telemetry,
  type TransactionalDriver,
} from '@isotherm/core'
import {
  type OptionKinds,
  TELEMETRY,
  anything,
  checkOptions,
  either,
  flag,
  hasSql,
  kind,
  objectWith,
  oneOf,
  sameDialect,
} from '@isotherm/core/adapter'
import { spanner } from '@isotherm/spanner'
import type { Database } from '@google-cloud/spanner'
import { DefaultLogger, type DrizzleConfig, type Logger } from 'drizzle-orm'
import type { TableKind } from '../table-kind/table-kind.js'
import { Session } from './session.js'

/** A `Database` of `@google-cloud/spanner` 8 or 9, or a driver of Isotherm's: `spanner(database, { timeoutMs })`. */
export type SpannerClient = Database | Driver

function loggerOf(logger: boolean | Logger | undefined): Logger | undefined {
  return logger === true ? new DefaultLogger() : logger || undefined
}

/** Whether `drizzle()` was given its options alone, the client among them. */
function hasClient(first: object): first is ConfigWithClient {
  return isObject(first) && has(first, 'client') && !isDriver(first) && !isDatabase(first)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isDriver(client: object): client is Driver {
  return has(client, 'run') && has(client, 'costs') && has(client, 'lacks')
}

function isDatabase(client: object): client is Database {
  return has(client, 'runTransactionAsync')
}

/** A proxy may throw whatever it is asked. */
function has(client: object, name: string): boolean {
  try {
    return name in client
  } catch {
    return false
  }
}

const ENTRIES = {
  googlesql: ['GoogleSQL', '@isotherm/drizzle-adapter'],
  'spanner-postgresql': ['the PostgreSQL dialect', '@isotherm/drizzle-adapter/postgresql'],
} as const satisfies Record<SqlDialectRuntime['name'], readonly [name: string, entry: string]>

/**
 * @throws {IsothermError} `INVALID_CLIENT` for a database of another dialect, and for a value that is not a database, such as
 * its address.
 */
function driverOf(client: SpannerClient, dialect: SqlDialectRuntime): TransactionalDriver {
  if (!isObject(client) || (!isDriver(client) && !isDatabase(client))) {
    throw new IsothermError('INVALID_CLIENT', 'drizzle was not given a database of Cloud Spanner.', {
      fix: "Give it one of @google-cloud/spanner: drizzle(new Spanner().instance('main').database('shop')).",
    })
  }
  // The import of this entry decides which dialect it is.
  const driver = inDialect(isDriver(client) ? client : spanner(client), dialect)
  const speaks = driver.dialect
  if (!hasSql(speaks)) {
    throw new IsothermError('INVALID_CLIENT', `${driver.name} has no SQL, which Drizzle writes.`, {
      fix: 'Use openDatabase of @isotherm/core for it.',
    })
  }
  if (sameDialect(driver.dialect, dialect)) return driver as TransactionalDriver
  const [name, entry] = ENTRIES[speaks.name]
  throw new IsothermError(
    'INVALID_CLIENT',
    `The database is of ${name}, and this is the entry for ${ENTRIES[dialect.name][0]}.`,
    { fix: `Import drizzle from '${entry}'.` },
  )
}

function inDialect(driver: Driver, dialect: SqlDialectRuntime): Driver {
  return driver.undecided?.candidates.find((each) => sameDialect(each.dialect, dialect)) ?? driver
}

export const NO_CLIENT = '$client is not available on drizzle.mock()'

/** Refuses whatever it is asked for. */
function noDriver(dialect: SqlDialectRuntime): TransactionalDriver {
  return new Proxy({ dialect } as TransactionalDriver, {
    get(target, property) {
      if (property in target) return target[property as keyof TransactionalDriver]
      throw new IsothermError('INVALID_CLIENT', 'drizzle.mock() has no database to run this on.', {
        fix: 'Use toSQL() to see the statement, or drizzle(database) to run it.',
      })
    },
  })
}

export type Schema = Record<string, unknown>

/** Drizzle's own options, and those of Isotherm. */
export type SpannerConfig<TSchema extends Schema = Schema> = DrizzleConfig<TSchema> & {
  /**
   * Where spans of fan-outs go: `openTelemetry()` of `@isotherm/core/opentelemetry`. Default: none are made.
   */
  readonly telemetry?: Telemetry
}

/** The argument of `drizzle()` in place of a client: its options, including the client. */
export type ConfigWithClient = SpannerConfig & { readonly client: SpannerClient }

const CONFIG: OptionKinds<SpannerConfig> = {
  logger: either('true, false or a Logger', flag, objectWith('a Logger', 'logQuery')),
  // A module may be given whole.
  schema: kind('an object of tables, such as { users, orders }', (value) => {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  }),
  casing: oneOf('snake_case', 'camelCase'),
  cache: objectWith('a Cache', 'strategy', 'get', 'put', 'onMutate'),
  telemetry: TELEMETRY,
}

const CONFIG_WITH_CLIENT: OptionKinds<ConfigWithClient> = { ...CONFIG, client: anything }

/** An entry of the package, and how it makes a database from a session. */
export interface Entry {
  readonly kind: TableKind
  databaseOf(session: Session, config: SpannerConfig): object
}

/** The result of `drizzle()`, in either form. @throws {IsothermError} `INVALID_CLIENT` for a database of another dialect. */
export function openDatabase(
  entry: Entry,
  first: SpannerClient | ConfigWithClient,
  second?: SpannerConfig,
): unknown {
  const isConfig = hasClient(first)
  if (isConfig) {
    checkOptions('drizzle', CONFIG_WITH_CLIENT, first)
    if (second !== undefined) throw twoConfigs()
  }
  checkOptions('drizzle', CONFIG, second)
  const [client, config] = isConfig ? [first.client, first] : [first, second ?? {}]
  return made(entry, driverOf(client, entry.kind.dialect), config, client)
}

function twoConfigs(): IsothermError {
  return new IsothermError(
    'INVALID_OPTION',
    'drizzle: options were given twice: in the object with the client, and as a second argument.',
    {
      fix: 'Give all in one object, drizzle({ client, schema, logger: true }); or drizzle(client, { schema, logger: true }).',
    },
  )
}

/** The result of `drizzle.mock()`. */
export function mockDatabase(entry: Entry, config: SpannerConfig = {}): unknown {
  checkOptions('drizzle.mock', CONFIG, config)
  return made(entry, noDriver(entry.kind.dialect), config, NO_CLIENT)
}

function made(
  entry: Entry,
  driver: Parameters<typeof Session.of>[0],
  config: SpannerConfig,
  $client: unknown,
): unknown {
  const session = Session.of(driver, {
    logger: loggerOf(config.logger),
    cache: config.cache,
    telemetry: config.telemetry,
    kind: entry.kind,
  })
  return Object.assign(entry.databaseOf(session, config), { $client })
}
