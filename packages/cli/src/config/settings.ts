import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError } from '../command-error.js'
import type { ProjectOptions } from '../definition/command.js'
import { type EngineEntry, entryOf, soleDialect } from '../engines.js'
import { shown, suggestion } from '../text.js'
import { MODULES, portablePath } from './paths.js'
import { type DatabaseSetting, readName, withoutSecrets } from './database.js'
import type { DrizzleConfig, LintConfig, OpenDatabaseClient } from './config.js'
import type { LoadedConfig } from './load-config.js'

/** The settings of one call of a command: a flag overrides the environment, and the environment overrides the file. */
export interface Settings {
  readonly directory: string
  readonly configPath: string | undefined
  /** The engines that the project may use. */
  readonly engines: readonly EngineEntry[]
  readonly dialect: string | undefined
  /** Globs, relative to `schemaDirectory`. */
  readonly schema: readonly string[]
  readonly schemaDirectory: string
  /** The tsconfig.json that was chosen, as an absolute path. */
  readonly tsconfig: string | undefined
  /** The folder of the migrations, as an absolute path. */
  readonly migrations: string
  readonly database: DatabaseSetting | OpenDatabaseClient | undefined
  readonly historyTable: string | undefined
  readonly drizzle: DrizzleConfig
  readonly lint: LintConfig
}

export const defaultSchema = `./src/models/**/${MODULES}`
const defaultMigrations = './migrations'

interface SettingsSources {
  readonly options: ProjectOptions
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly loaded: LoadedConfig
  /** Where the command was called: paths of flags are relative to it. */
  readonly directory: string
}

/** @throws {CommandError} for a flag, or a variable of the environment, that says nothing known. */
export async function settingsFrom({
  options,
  environment,
  loaded,
  directory,
}: SettingsSources): Promise<Settings> {
  const { config, engines } = loaded
  const said = dialectFrom(options, environment, engines) ?? config.dialect ?? soleDialect(config, engines)
  const database = await databaseFrom(options, environment, loaded, said)
  return {
    directory: loaded.directory,
    configPath: loaded.path,
    engines,
    dialect: said ?? (typeof database === 'object' ? database.dialect : undefined),
    schema: options.schema ?? listed(config.schema) ?? [defaultSchema],
    schemaDirectory: options.schema ? directory : loaded.directory,
    migrations: options.out
      ? resolve(directory, portablePath(options.out))
      : resolve(loaded.directory, portablePath(config.out ?? defaultMigrations)),
    tsconfig: tsconfigFrom(options, loaded, directory),
    database,
    historyTable: config.historyTable,
    drizzle: config.drizzle ?? {},
    lint: config.lint ?? {},
  }
}

/** @throws {CommandError} `CONFIG` for a file that does not exist. */
export function tsconfigFrom(
  options: Pick<ProjectOptions, 'tsconfig'>,
  loaded: Pick<LoadedConfig, 'config' | 'directory'>,
  directory: string,
): string | undefined {
  const [file, from] = options.tsconfig
    ? [options.tsconfig, directory]
    : [loaded.config.tsconfig, loaded.directory]
  if (file === undefined) return undefined
  const path = resolve(from, portablePath(file))
  if (existsSync(path)) return path
  throw new CommandError('CONFIG', `There is no ${file} in ${from}.`, {
    fix: 'Give the name of a tsconfig.json after --tsconfig, or as tsconfig in isotherm.config.ts.',
  })
}

function listed(schema: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof schema === 'string' ? [schema] : schema
}

/**
 * The dialect of the flag or else of the environment. The parser does not check it: a configuration may bring dialects along.
 *
 * @throws {CommandError} `USAGE` for an unknown dialect.
 */
export function dialectFrom(
  options: { readonly dialect?: string },
  environment: SettingsSources['environment'],
  engines: readonly EngineEntry[],
): string | undefined {
  const variable = 'ISOTHERM_DIALECT'
  const dialect = nonEmpty(options.dialect ?? environment[variable])
  if (dialect === undefined || entryOf(dialect, engines)) return dialect
  const source = options.dialect === undefined ? variable : '--dialect'
  throw new CommandError('USAGE', `${source} is ${shown(dialect)}, which is not a dialect.`, {
    fix: suggestion(
      dialect,
      engines.flatMap(({ dialects }) => dialects),
    ),
  })
}

async function databaseFrom(
  options: ProjectOptions,
  environment: SettingsSources['environment'],
  { config, engines }: LoadedConfig,
  dialect: string | undefined,
): Promise<Settings['database']> {
  const database = options.database ?? nonEmpty(environment['ISOTHERM_DATABASE']) ?? config.database
  if (database === undefined || typeof database === 'function') return database
  if (typeof database === 'object') {
    // The parts are those of the engine that the configuration is for, whatever dialect this call asks about.
    const engine = entryOf(config.dialect ?? dialect, engines)
    return engine && { engine, address: database }
  }
  const read = await readName(database, dialect, engines)
  if (!('problem' in read)) return read
  const { problem, fix } = read
  throw new CommandError(
    'USAGE',
    `The database is ${shown(withoutSecrets(database))}, ${problem}`,
    fix === undefined ? undefined : { fix },
  )
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
