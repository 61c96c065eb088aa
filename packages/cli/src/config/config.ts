import type { ChangeStreamOptions, CqlTarget, DialectName, Driver, Severity } from '@isotherm/core'

/** A database by its parts. */
export interface DatabaseAddress {
  readonly project: string
  readonly instance: string
  readonly database: string
  /** `host:port` of an emulator. `SPANNER_EMULATOR_HOST` goes before it. */
  readonly emulatorHost?: string
}

/** A keyspace of Cassandra or Keyspaces by its parts. */
export interface CassandraAddress {
  /** `host` or `host:port`, of one node or of several. Keyspaces is found by its region. */
  readonly contactPoints?: readonly string[]
  /** Keyspaces has its region's name. */
  readonly localDataCenter?: string
  readonly keyspace: string
  /** Where a contact point does not say. Default: 9042; 9142 with TLS. */
  readonly port?: number
  /** Default: as the target wants it, which for Keyspaces is yes. */
  readonly tls?: boolean
  /**
   * `sigv4`: with the credentials that AWS's own chain finds. `password`: those of the variables ISOTHERM_CASSANDRA_USER and
   * ISOTHERM_CASSANDRA_PASSWORD, and never of a file. Default: `sigv4` for Keyspaces; a password where the variables are set.
   */
  readonly auth?: 'sigv4' | 'password'
  /** Who signs in with a password. ISOTHERM_CASSANDRA_USER goes before it. */
  readonly user?: string
  /** Of AWS: `eu-west-1`. */
  readonly region?: string
}

/** A `Database` of `@google-cloud/spanner`, whichever version made it. */
export interface VendorDatabase {
  readonly formattedName_: string
  getSchema(...args: never[]): unknown
}

/** A `Client` of `cassandra-driver`, whichever version made it. */
export interface VendorClient {
  readonly keyspace: string
  batch(...args: never[]): unknown
  getReplicas(...args: never[]): unknown
}

/** A client of one's own, for credentials of one's own. It is called once, by commands that need a database. */
export type OpenDatabaseClient = () => OpenedClient | Promise<OpenedClient>

export type OpenedClient = Driver | VendorDatabase | VendorClient

/** A finding that is meant to be, and why: for tables whose models cannot say it themselves. */
export interface ConfiguredException {
  readonly table: string
  readonly rule: string
  /** Limits the exception to one index or one column. */
  readonly on?: string
  readonly reason: string
}

export interface LintConfig {
  /** Another severity for a rule, by its name. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** Like `except` in the options of a table. */
  readonly except?: readonly ConfiguredException[]
}

/** What `toSchema` of `@isotherm/drizzle-adapter` is told of Drizzle tables. */
export interface DrizzleConfig {
  /** The `casing` that `drizzle()` is given: what columns without a name of their own are called. */
  readonly casing?: 'snake_case' | 'camelCase'
  /** Named schemas that are there though nothing is declared in them. */
  readonly namespaces?: readonly string[]
  /** Change streams, over tables that the configuration imports. */
  readonly changeStreams?: readonly ChangeStreamOptions[]
}

/** What `isotherm.config.ts` says. Paths are relative to that file. */
export interface Config {
  /** The dialect of the database, for all of its life. */
  readonly dialect: DialectName
  /** Whose CQL, where the dialect is `cql`. Default: `cassandra`. */
  readonly target?: CqlTarget
  /**
   * Where the models are: modules that export classes with `@Table`, what `defineTable` returned, Drizzle tables, or one
   * schema of `defineSchema`. Default: `./src/models/**\/*.{ts,mts,js,mjs}`.
   */
  readonly schema?: string | readonly string[]
  /** The folder of the migrations. Default: `./migrations`. */
  readonly out?: string
  /**
   * `projects/…/instances/…/databases/…` or `cassandra://host,host/keyspace?dc=…`, the parts of either, or a function that
   * gives a client.
   */
  readonly database?: string | DatabaseAddress | CassandraAddress | OpenDatabaseClient
  /** The table that keeps which statements were applied. Default: that of `migrate` in `@isotherm/core/migrations`. */
  readonly historyTable?: string
  /** For Drizzle tables. */
  readonly drizzle?: DrizzleConfig
  readonly lint?: LintConfig
}

/**
 * Gives a configuration its type; it is checked when a command reads it.
 *
 * @example
 * export default defineConfig({
 *   dialect: 'googlesql',
 *   schema: './src/models/*.ts',
 *   database: 'projects/shop/instances/main/databases/orders',
 * })
 */
export function defineConfig(config: Config): Config {
  return config
}
