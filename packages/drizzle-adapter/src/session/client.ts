import { IsothermError, type Driver, type TransactionalDriver } from '@isotherm/core'
import type { SqlDialect } from '@isotherm/core/adapter'
import { spanner } from '@isotherm/core/spanner'
import type { Database } from '@google-cloud/spanner'
import { DefaultLogger, type DrizzleConfig, type Logger } from 'drizzle-orm'

/** A `Database` of `@google-cloud/spanner` 8 or 9, or a driver of Isotherm's: `spanner(database, { deadline })`. */
export type SpannerClient = Database | Driver

export function loggerOf(logger: boolean | Logger | undefined): Logger | undefined {
  return logger === true ? new DefaultLogger() : logger || undefined
}

/** Whether `drizzle()` was given its options alone, the client among them. */
export function hasClient(
  first: object,
): first is DrizzleConfig<Record<string, unknown>> & { readonly client: SpannerClient } {
  return isObject(first) && 'client' in first && !isDriver(first) && !isDatabase(first)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isDriver(client: object): client is Driver {
  return 'run' in client && 'costs' in client && 'lacks' in client
}

function isDatabase(client: object): client is Database {
  return 'runTransactionAsync' in client
}

const ENTRIES = {
  googlesql: ['GoogleSQL', '@isotherm/drizzle-adapter'],
  'spanner-postgresql': ['the PostgreSQL dialect', '@isotherm/drizzle-adapter/postgresql'],
} as const satisfies Record<SqlDialect, readonly [name: string, entry: string]>

/** @throws {IsothermError} `UNSUPPORTED` for a database of another dialect, and for what is no database, such as its address. */
export function driverOf(client: SpannerClient, dialect: SqlDialect): TransactionalDriver {
  if (!isObject(client) || (!isDriver(client) && !isDatabase(client))) {
    throw new IsothermError('UNSUPPORTED', 'drizzle was not given a database of Cloud Spanner.', {
      fix: "Give it one of @google-cloud/spanner: drizzle(new Spanner().instance('main').database('shop')).",
    })
  }
  const driver = isDriver(client) ? client : spanner(client)
  if (driver.dialect === 'cql') {
    throw new IsothermError('UNSUPPORTED', `${driver.name} has no SQL, which Drizzle writes.`, {
      fix: 'Use openDatabase of @isotherm/core for it.',
    })
  }
  if (driver.dialect === dialect) return driver as TransactionalDriver
  const [name, entry] = ENTRIES[driver.dialect]
  throw new IsothermError(
    'UNSUPPORTED',
    `The database is of ${name}, and this is the entry for ${ENTRIES[dialect][0]}.`,
    { fix: `Import drizzle from '${entry}'.` },
  )
}

export const NO_CLIENT = '$client is not available on drizzle.mock()'

/** Refuses whatever it is asked for. */
export function noDriver(dialect: SqlDialect): TransactionalDriver {
  return new Proxy({ dialect } as TransactionalDriver, {
    get(target, property) {
      if (property in target) return target[property as keyof TransactionalDriver]
      return () => {
        throw new IsothermError('UNSUPPORTED', 'drizzle.mock() has no database to run this on.', {
          fix: 'Use toSQL() to see the statement, or drizzle(database) to run it.',
        })
      }
    },
  })
}
