import type { SqlDialect } from '@isotherm/core'
import type { DrizzleConfig } from 'drizzle-orm'
import { driverOf, hasClient, loggerOf, NO_CLIENT, noDriver, type SpannerClient } from './client.js'
import { Session } from './session.js'

export type Schema = Record<string, unknown>

/** What `drizzle()` is given in place of a client: its options, the client among them. */
export type ConfigWithClient = DrizzleConfig<Schema> & { readonly client: SpannerClient }

/** An entry of the package: what it makes of a session. */
export interface Entry {
  readonly dialect: SqlDialect
  databaseOf(session: Session, config: DrizzleConfig<Schema>): object
}

/** What `drizzle()` gives, of either form. @throws {IsothermError} `UNSUPPORTED` for a database of another dialect. */
export function openDatabase(
  entry: Entry,
  first: SpannerClient | ConfigWithClient,
  second: DrizzleConfig<Schema> = {},
): unknown {
  const [client, config] = hasClient(first) ? [first.client, first] : [first, second]
  return made(entry, driverOf(client, entry.dialect), config, client)
}

/** What `drizzle.mock()` gives. */
export function mockDatabase(entry: Entry, config: DrizzleConfig<Schema> = {}): unknown {
  return made(entry, noDriver(entry.dialect), config, NO_CLIENT)
}

function made(
  entry: Entry,
  driver: Parameters<typeof Session.of>[0],
  config: DrizzleConfig<Schema>,
  $client: unknown,
): unknown {
  const session = Session.of(driver, { logger: loggerOf(config.logger), cache: config.cache })
  return Object.assign(entry.databaseOf(session, config), { $client })
}
