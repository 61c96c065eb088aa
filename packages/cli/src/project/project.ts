import { join } from 'node:path'
import type { Dialect, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { CommandContext, ProjectOptions } from '../definition/command.js'
import { findConfig, loadConfig } from '../config/load-config.js'
import { useTsconfig } from '../modules/register-hooks.js'
import { type Settings, settingsFrom, tsconfigFrom } from '../config/settings.js'
import { shown } from '../text.js'
import { dialectNamed } from '../config/engines.js'

/** The project of a command: its folder and its configuration. */
export interface Project {
  readonly settings: Settings
}

/**
 * Reads the configuration of the project in which a command was called.
 *
 * @throws {CommandError} for an invalid configuration.
 */
export async function openProject({
  options,
  environment,
  directory,
}: CommandContext<ProjectOptions>): Promise<Project> {
  const path = findConfig(directory, options.config ?? (environment['ISOTHERM_CONFIG'] || undefined))
  if (options.tsconfig !== undefined)
    await useTsconfig(tsconfigFrom(options, { config: {}, directory }, directory))
  const loaded = await loadConfig(directory, path)
  const settings = await settingsFrom({ options, environment, loaded, directory })
  if (options.tsconfig === undefined) await useTsconfig(settings.tsconfig)
  return { settings }
}

/** @throws {CommandError} where nothing says which dialect is meant. */
export function dialectOf(project: Project): Promise<Dialect> {
  return dialectNamed(dialectNameOf(project), project.settings.engines)
}

/** @throws {CommandError} where nothing says which dialect is meant. */
export function dialectNameOf({ settings }: Project): string {
  if (settings.dialect) return settings.dialect
  throw unsaid(settings, 'which dialect the database has', {
    flag: '--dialect',
    variable: 'ISOTHERM_DIALECT',
    key: 'dialect',
  })
}

/** Defaults for settings that neither a flag, the environment nor a file gives. */
export function unsaid(
  { configPath, directory }: Settings,
  what: string,
  { flag, variable, key }: { readonly flag: string; readonly variable: string; readonly key: string },
): CommandError {
  const remedies = `give ${flag}, or set ${variable} in the environment or in ${join(directory, '.env')}.`
  return configPath === undefined
    ? new CommandError(
        'CONFIG',
        `There is no isotherm.config.ts in ${directory}, and no flag or environment variable says ${what}.`,
        { fix: `Run isotherm init, or ${remedies}` },
      )
    : new CommandError('CONFIG', `It is not known ${what}.`, {
        fix: `Set ${key} in ${configPath}; or ${remedies}`,
      })
}

/**
 * The schema that the project's models declare, with the suppressions of its configuration.
 *
 * @throws {CommandError} `MODELS` for a schema without declarations.
 */
export async function schemaOf(project: Project): Promise<Schema> {
  const schema = await declaredSchema(project)
  refuseEmpty(schema, project)
  return schema
}

/** The same for a command that compares the schema: an empty schema may be meant to drop everything. */
export async function declaredSchema(project: Project): Promise<Schema> {
  const { loadModels } = await import('./models.js')
  const { schema } = await loadModels(project.settings)
  const { historyTable } = project.settings
  if (historyTable !== undefined && schema.tables.some(({ name }) => sameName(name, historyTable)))
    throw takenHistoryTable(historyTable, 'a table of the models')
  return withSuppressions(schema, project)
}

/** `toSchema` ignores values that are not tables, and a command must not report success for an empty schema. */
export function refuseEmpty(schema: Schema, { settings }: Project): void {
  if (Object.values(schema).some((each) => Array.isArray(each) && each.length > 0)) return
  throw new CommandError(
    'MODELS',
    `The schema of ${settings.schema.join(', ')} is empty: it has no tables.`,
    {
      fix: 'Export models or Drizzle tables, and give them to defineSchema or toSchema if you call one of these.',
    },
  )
}

/** Names differ by more than upper and lower case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function takenHistoryTable(table: string, what: string): CommandError {
  return new CommandError('CONFIG', `historyTable is ${shown(table)}, which is ${what}.`, {
    fix: 'Give the history of the migrations a name of its own, or leave historyTable out.',
  })
}

/** @throws {CommandError} for a suppression of a table that is not there. */
export function withSuppressions(schema: Schema, { settings }: Project): Schema {
  const { suppress = [] } = settings.lint
  if (suppress.length === 0) return schema
  const stray = suppress.find(({ table }) => !schema.tables.some(({ name }) => name === table))
  if (stray) {
    throw new CommandError('CONFIG', `lint.suppress names the table ${stray.table}, which does not exist.`, {
      fix: `The tables are ${schema.tables.map(({ name }) => name).join(', ')}.`,
    })
  }
  return {
    ...schema,
    tables: schema.tables.map((table) => ({
      ...table,
      suppressions: [
        ...table.suppressions,
        ...suppress
          .filter((each) => each.table === table.name)
          .map(({ rule, reason, on }) => ({ rule, reason, ...(on !== undefined && { on }) })),
      ],
    })),
  }
}
