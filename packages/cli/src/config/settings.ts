import { resolve } from 'node:path'
import type { DialectName } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { dialectNames, type ProjectOptions } from '../shared-options.js'
import { suggestion } from '../suggest.js'
import { addressProblem, parseDatabaseName } from './database-name.js'
import type { Config, DatabaseAddress, DrizzleConfig, LintConfig, OpenDatabaseClient } from './config.js'
import type { LoadedConfig } from './load-config.js'

/** What holds for one call of a command: a flag goes before the environment, and that before the file. */
export interface Settings {
  readonly directory: string
  readonly configPath: string | undefined
  readonly dialect: DialectName | undefined
  /** Globs, relative to `schemaDirectory`. */
  readonly schema: readonly string[]
  readonly schemaDirectory: string
  /** The folder of the migrations, as an absolute path. */
  readonly migrations: string
  readonly database: DatabaseAddress | OpenDatabaseClient | undefined
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
  return {
    directory: loaded.directory,
    configPath: loaded.path,
    dialect: dialectFrom(options, environment) ?? config.dialect,
    schema: options.schema ?? listed(config.schema) ?? [defaultSchema],
    schemaDirectory: options.schema ? directory : loaded.directory,
    migrations: options.out
      ? resolve(directory, options.out)
      : resolve(loaded.directory, config.out ?? defaultMigrations),
    database: databaseFrom(options, environment, config),
    historyTable: config.historyTable,
    drizzle: config.drizzle ?? {},
    lint: config.lint ?? {},
  }
}

function listed(schema: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof schema === 'string' ? [schema] : schema
}

/** A flag is checked when it is read, the environment is not. */
function dialectFrom(
  options: ProjectOptions,
  environment: SettingsSources['environment'],
): DialectName | undefined {
  const given = options.dialect ?? nonEmpty(environment['ISOTHERM_DIALECT'])
  if (given === undefined) return undefined
  const dialect = dialectNames.find((name) => name === given)
  if (dialect) return dialect
  throw new CommandError('USAGE', `The dialect ${JSON.stringify(given)} is none.`, {
    fix: suggestion(given, dialectNames),
  })
}

function databaseFrom(
  options: ProjectOptions,
  environment: SettingsSources['environment'],
  config: Partial<Config>,
): Settings['database'] {
  const configured = config.database
  const given = options.database ?? nonEmpty(environment['ISOTHERM_DATABASE']) ?? configured
  const emulatorHost = nonEmpty(environment['SPANNER_EMULATOR_HOST'])
  if (given === undefined || typeof given === 'function') return given
  const address = typeof given === 'string' ? addressOf(given) : given
  return emulatorHost === undefined ? address : { ...address, emulatorHost }
}

function addressOf(name: string): DatabaseAddress {
  const address = parseDatabaseName(name)
  if (address) return address
  throw new CommandError('USAGE', `The database is ${JSON.stringify(name)}, ${addressProblem(name)}`, {
    fix: 'Give all three names, as in projects/shop/instances/main/databases/orders.',
  })
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
