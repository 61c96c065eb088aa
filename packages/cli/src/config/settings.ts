import { resolve } from 'node:path'
import type { CqlTarget, DialectName } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { dialectNames, targetNames, type ProjectOptions } from '../shared-options.js'
import { suggestion } from '../suggest.js'
import { isCassandraUrl, meansCassandra, parseCassandraUrl, withoutSecrets } from './cassandra-url.js'
import { addressProblem, parseDatabaseName } from './database-name.js'
import type {
  CassandraAddress,
  Config,
  DatabaseAddress,
  DrizzleConfig,
  LintConfig,
  OpenDatabaseClient,
} from './config.js'
import type { LoadedConfig } from './load-config.js'

/** What holds for one call of a command: a flag goes before the environment, and that before the file. */
export interface Settings {
  readonly directory: string
  readonly configPath: string | undefined
  readonly dialect: DialectName | undefined
  /** Whose CQL; of `cql` alone. */
  readonly target: CqlTarget | undefined
  /** Globs, relative to `schemaDirectory`. */
  readonly schema: readonly string[]
  readonly schemaDirectory: string
  /** The folder of the migrations, as an absolute path. */
  readonly migrations: string
  readonly database: DatabaseAddress | CassandraAddress | OpenDatabaseClient | undefined
  readonly historyTable: string | undefined
  readonly drizzle: DrizzleConfig
  readonly lint: LintConfig
}

export const defaultSchema = './src/models/**/*.{ts,mts,js,mjs}'
export const defaultMigrations = './migrations'

export interface SettingsSources {
  readonly options: ProjectOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly loaded: LoadedConfig
  /** Where the command was called: paths of flags are relative to it. */
  readonly directory: string
}

/** @throws {CommandError} for a flag, or a variable of the environment, that says nothing known. */
export function settingsFrom({ options, environment, loaded, directory }: SettingsSources): Settings {
  const { config } = loaded
  const { database, target: told } = databaseFrom(options, environment, config)
  // A keyspace has one dialect only.
  const implied = isKeyspace(database) ? 'cql' : undefined
  const dialect =
    named(dialects, options.dialect ?? environment['ISOTHERM_DIALECT']) ?? config.dialect ?? implied
  const target = named(targets, options.target ?? environment['ISOTHERM_TARGET']) ?? told ?? config.target
  if (target !== undefined && dialect !== 'cql') {
    throw new CommandError('USAGE', `The target is ${target}, and the dialect is ${dialect ?? 'not said'}.`, {
      fix: "A target is of cql: set dialect: 'cql', or leave the target out.",
    })
  }
  return {
    directory: loaded.directory,
    configPath: loaded.path,
    dialect,
    target,
    schema: options.schema ?? listed(config.schema) ?? [defaultSchema],
    schemaDirectory: options.schema ? directory : loaded.directory,
    migrations: options.out
      ? resolve(directory, options.out)
      : resolve(loaded.directory, config.out ?? defaultMigrations),
    database,
    historyTable: config.historyTable,
    drizzle: config.drizzle ?? {},
    lint: config.lint ?? {},
  }
}

function listed(schema: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof schema === 'string' ? [schema] : schema
}

interface Names<Name extends string> {
  readonly what: string
  readonly names: readonly Name[]
}

const dialects: Names<DialectName> = { what: 'dialect', names: dialectNames }
const targets: Names<CqlTarget> = { what: 'target', names: targetNames }

/** A flag is checked when it is read, the environment is not. */
function named<Name extends string>(
  { what, names }: Names<Name>,
  value: string | undefined,
): Name | undefined {
  const given = nonEmpty(value)
  if (given === undefined) return undefined
  const name = names.find((each) => each === given)
  if (name) return name
  throw new CommandError('USAGE', `The ${what} ${JSON.stringify(given)} is none.`, {
    fix: suggestion(given, names),
  })
}

interface Told {
  readonly database: Settings['database']
  readonly target?: CqlTarget
}

function databaseFrom(
  options: ProjectOptions,
  environment: SettingsSources['environment'],
  config: Partial<Config>,
): Told {
  const given = options.database ?? nonEmpty(environment['ISOTHERM_DATABASE']) ?? config.database
  if (given === undefined || typeof given === 'function') return { database: given }
  if (typeof given === 'string' && isCassandraUrl(given)) return keyspaceOf(given)
  const address = typeof given === 'string' ? addressOf(given) : given
  const emulatorHost = nonEmpty(environment['SPANNER_EMULATOR_HOST'])
  return {
    database: emulatorHost === undefined || isKeyspace(address) ? address : { ...address, emulatorHost },
  }
}

/** Whether it is an address of Cassandra or Keyspaces. */
export function isKeyspace(database: Settings['database']): database is CassandraAddress {
  return typeof database === 'object' && 'keyspace' in database
}

function keyspaceOf(url: string): Told {
  const parsed = parseCassandraUrl(url)
  if (typeof parsed === 'string')
    throw new CommandError('USAGE', `The database is ${JSON.stringify(withoutSecrets(url))}, ${parsed}`)
  const { address, target } = parsed
  return { database: address, ...(target && { target }) }
}

function addressOf(name: string): DatabaseAddress {
  const address = parseDatabaseName(name)
  if (address) return address
  throw new CommandError(
    'USAGE',
    `The database is ${JSON.stringify(withoutSecrets(name))}, ${addressProblem(name)}`,
    meansCassandra(name)
      ? undefined
      : { fix: 'Give all three names, as in projects/shop/instances/main/databases/orders.' },
  )
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
