import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from '../command-error.js'
import { configProblems } from './check-config.js'
import type { Config } from './config.js'

const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '.json']

export interface LoadedConfig {
  readonly config: Partial<Config>
  /** The file that says it; undefined where there is none. */
  readonly path: string | undefined
  /** What its paths are relative to: its folder, or that of the call. */
  readonly directory: string
}

/**
 * Finds the file of a configuration.
 *
 * @throws {CommandError} for a name that was given and is no file.
 */
export function findConfig(directory: string, given: string | undefined): string | undefined {
  if (given !== undefined) {
    const path = resolve(directory, given)
    if (existsSync(path)) return path
    throw new CommandError('CONFIG', `There is no configuration ${given} in ${directory}.`, {
      fix: 'Give the name of a file after --config or in ISOTHERM_CONFIG, or make one: isotherm init',
    })
  }
  return ENDINGS.map((ending) => join(directory, `isotherm.config${ending}`)).find((path) => existsSync(path))
}

/**
 * Reads a configuration and checks it.
 *
 * @throws {CommandError} naming the file, and every key that is unknown or of a wrong type.
 */
export async function loadConfig(directory: string, path: string | undefined): Promise<LoadedConfig> {
  if (path === undefined) return { config: {}, path, directory }
  const shown = relative(directory, path)
  const config = await readConfig(path, shown)
  const { lintRules } = await import('@isotherm/core')
  const problems = configProblems(config, lintRules)
  if (problems.length > 0) {
    throw new CommandError(
      'CONFIG',
      `${shown} is not right:\n${problems.map((each) => `  - ${each}`).join('\n')}`,
      {
        fix: 'defineConfig shows such mistakes in the editor.',
        details: { problems },
      },
    )
  }
  return { config: config as Config, path, directory: dirname(path) }
}

async function readConfig(path: string, shown: string): Promise<unknown> {
  if (extname(path) === '.json') {
    try {
      return JSON.parse(readFileSync(path, 'utf8'))
    } catch (cause) {
      throw new CommandError('CONFIG', `${shown} is not JSON: ${(cause as Error).message}`, { cause })
    }
  }
  let module: { readonly default?: unknown }
  try {
    module = (await import(pathToFileURL(path).href)) as typeof module
  } catch (cause) {
    throw new CommandError('CONFIG', `${shown} cannot be loaded: ${(cause as Error).message}`, { cause })
  }
  if (!('default' in module)) {
    throw new CommandError('CONFIG', `${shown} has no default export.`, {
      fix: 'Write: export default defineConfig({ … })',
    })
  }
  return module.default
}
