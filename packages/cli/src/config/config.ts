import type { ChangeStreamOptions, Severity } from '@isotherm/core'
import type { DialectName } from '../engines.js'

/**
 * A database by its parts, which are its engine's: `SpannerAddress` of `@isotherm/spanner/cli`, `CassandraAddress` of
 * `@isotherm/cassandra/cli`. They are checked when a command reads them.
 */
export type DatabaseAddress = Readonly<Record<string, unknown>>

/**
 * Your own driver, or a client from which the engine makes one, for credentials of your own. It is called once, by commands
 * that need a database.
 */
export type OpenDatabaseClient = () => object | Promise<object>

/** A finding that is meant to be, and why: for tables whose models cannot say it themselves. */
export interface ConfiguredSuppression {
  readonly table: string
  readonly rule: string
  /** Limits the suppression to one index or one column. */
  readonly on?: string
  readonly reason: string
}

export interface LintConfig {
  /** Another severity for a rule, by its name. */
  readonly severity?: Readonly<Record<string, Severity>>
  /** Like `suppress` in the options of a table. */
  readonly suppress?: readonly ConfiguredSuppression[]
}

/** The options of `toSchema` of `@isotherm/drizzle-adapter` for Drizzle tables. */
export interface DrizzleConfig {
  /** The `casing` that `drizzle()` gets: how columns without a name of their own are named. */
  readonly casing?: 'snake_case' | 'camelCase'
  /** Named schemas that exist though nothing is declared in them. */
  readonly namespaces?: readonly string[]
  /** Change streams, over tables that the configuration imports. */
  readonly changeStreams?: readonly ChangeStreamOptions[]
}

/** What `isotherm.config.ts` says. Paths are relative to that file. */
export interface Config {
  /**
   * The engine, if it is not one that the command knows: a package's entry (`@acme/isotherm-engine/cli`), or a path from
   * the folder of this configuration (`./engine/cli.js`). The module exports an `EngineCommand` of `@isotherm/core/command`
   * as `engine`.
   */
  readonly engine?: string
  /**
   * The dialect of the database, for all of its life. Optional only for an `engine` that has one dialect: default, that
   * one.
   */
  readonly dialect?: DialectName | (string & Record<never, never>)
  /**
   * Where the models are: modules that export classes with `@Table`, results of `defineTable`, Drizzle tables, or one
   * schema of `defineSchema`. Globs, or folders, which mean the modules in them at any depth. Default:
   * `./src/models/**\/*.{ts,mts,cts,tsx,js,mjs,cjs}`.
   */
  readonly schema?: string | readonly string[]
  /**
   * The tsconfig.json by which the models are compiled, and the projects that it references. Default: the nearest one of each
   * file.
   */
  readonly tsconfig?: string
  /** The folder of the migrations. Default: `./migrations`. */
  readonly out?: string
  /**
   * Its name, its parts, or a function that gives a client. Names are of the form that `--database` takes.
   */
  readonly database?: string | DatabaseAddress | OpenDatabaseClient
  /** The table that keeps which statements were applied. Default: that of `migrate` in `@isotherm/migrations`. */
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
