import type { DialectName, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { CommandContext } from '../command.js'
import { findConfig, loadConfig } from '../config/load-config.js'
import { settingsFrom, type Settings } from '../config/settings.js'
import type { ProjectOptions } from '../shared-options.js'
import { registerHooks } from './register-hooks.js'

/** What a command works on: where it was called, and what is configured there. */
export interface Project {
  readonly settings: Settings
}

/**
 * Reads the configuration of the project in which a command was called.
 *
 * @throws {CommandError} for one that is not right.
 */
export async function openProject({
  options,
  environment,
  directory,
}: CommandContext<ProjectOptions>): Promise<Project> {
  const path = findConfig(directory, options.config ?? (environment['ISOTHERM_CONFIG'] || undefined))
  await registerHooks(directory)
  const loaded = await loadConfig(directory, path)
  return { settings: settingsFrom({ options, environment, loaded, directory }) }
}

/** @throws {CommandError} where nothing says which dialect is meant. */
export function dialectOf({ settings }: Project): DialectName {
  if (settings.dialect) return settings.dialect
  throw unsaid(settings, 'which dialect the database has', '--dialect')
}

/** What neither a flag nor the environment nor a file says. */
export function unsaid({ configPath, directory }: Settings, what: string, flag: string): CommandError {
  return configPath === undefined
    ? new CommandError(
        'CONFIG',
        `There is no isotherm.config.ts in ${directory}, and nothing else says ${what}.`,
        {
          fix: `Make one: isotherm init. Or give ${flag}.`,
        },
      )
    : new CommandError('CONFIG', `Nothing says ${what}.`, {
        fix: `Give ${flag}, or set it in ${configPath}.`,
      })
}

/** The schema that the project's models declare, with the exceptions of its configuration. */
export async function schemaOf(project: Project): Promise<Schema> {
  const { loadModels } = await import('./models.js')
  const { schema } = await loadModels(project.settings)
  const { historyTable } = project.settings
  if (historyTable !== undefined && schema.tables.some(({ name }) => sameName(name, historyTable)))
    throw takenHistoryTable(historyTable, 'a table of the models')
  return withExceptions(schema, project)
}

/** Names differ by more than upper and lower case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function takenHistoryTable(table: string, what: string): CommandError {
  return new CommandError('CONFIG', `historyTable is ${JSON.stringify(table)}, which is ${what}.`, {
    fix: 'Give the history of the migrations a name of its own, or leave historyTable out.',
  })
}

/** @throws {CommandError} for an exception of a table that is not there. */
export function withExceptions(schema: Schema, { settings }: Project): Schema {
  const { except = [] } = settings.lint
  if (except.length === 0) return schema
  const stray = except.find(({ table }) => !schema.tables.some(({ name }) => name === table))
  if (stray) {
    throw new CommandError('CONFIG', `lint.except names the table ${stray.table}, which is not there.`, {
      fix: `The tables are ${schema.tables.map(({ name }) => name).join(', ')}.`,
    })
  }
  return {
    ...schema,
    tables: schema.tables.map((table) => ({
      ...table,
      exceptions: [
        ...table.exceptions,
        ...except
          .filter((each) => each.table === table.name)
          .map(({ rule, reason, on }) => ({ rule, reason, ...(on !== undefined && { on }) })),
      ],
    })),
  }
}
