import { homedir, userInfo } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { accessSync, constants, statSync } from 'node:fs'
import { IsothermError } from '../errors.js'

/**
 * Where this user keeps what can be fetched again: `XDG_CACHE_HOME`, else the system's usual folder in the home folder.
 * Where `HOME` is empty, the user database says which folder that is.
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = environment['XDG_CACHE_HOME'] ?? ''
  if (isAbsolute(named)) return join(named, 'isotherm')
  const home = environment['HOME'] === '' ? userInfo().homedir : homedir()
  return platform === 'darwin'
    ? join(home, 'Library', 'Caches', 'isotherm')
    : join(home, '.cache', 'isotherm')
}

/** An optional peer dependency that is not installed. */
export class PeerMissing extends Error {
  override readonly name = 'PeerMissing'
}

/**
 * Imports an optional peer dependency: `load` holds the `import()` itself, so that bundlers and the type checker see
 * its literal name.
 *
 * @throws PeerMissing where the package is not installed; whatever importing it throws, else.
 */
export async function importPeer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new PeerMissing(`The package ${name} is not installed.`, { cause: error })
  }
}

/** A package that exists while one of its own dependencies is missing must not be reported as missing itself. */
function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  return missing && (error.message.includes(`'${name}'`) || error.message.includes(`"${name}"`))
}

/** Whether this is a file that this process may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Where a program of this name would be, by the PATH, in its order. */
export function onPath(name: string, environment: NodeJS.ProcessEnv): string[] {
  const entries = (environment['PATH'] ?? '').split(delimiter).filter((entry) => entry !== '')
  return entries.map((entry) => join(entry, name))
}

/** Thrown by a launcher that cannot start its engine; the message says why, as a sentence. */
export class LauncherFailed extends Error {
  override readonly name = 'LauncherFailed'
  /** True where trying the next launcher would hide a mistake, such as a setting that names an engine that is away. */
  readonly final: boolean

  constructor(reason: string, details: { readonly final?: boolean; readonly cause?: unknown } = {}) {
    super(reason, details.cause === undefined ? undefined : { cause: details.cause })
    this.final = details.final ?? false
  }
}

export interface EngineLauncher<Name extends string, Engine> {
  readonly name: Name
  readonly start: () => Promise<Engine>
}

interface EngineLaunchers<Name extends string, Engine> {
  /** For messages: `Cloud Spanner emulator`. */
  readonly engine: string
  /** Every launcher, in the order in which they are tried unless `requested` says otherwise. */
  readonly launchers: readonly EngineLauncher<Name, Engine>[]
  readonly requested?: readonly Name[] | undefined
  /** How to get an engine, as a sentence. */
  readonly fix: string
}

/**
 * Starts the engine from the first source that works.
 *
 * @throws IsothermError `ENGINE_UNAVAILABLE`, naming every source and its error; `INVALID_VALUE` for an unknown source.
 * Other {@link IsothermError}s of a source (such as `CANCELLED`) end the search as they are.
 */
export async function startFirst<Name extends string, Engine>(
  options: EngineLaunchers<Name, Engine>,
): Promise<Engine> {
  const { engine, launchers, fix } = options
  const names = launchers.map(({ name }) => name)
  const order = options.requested ?? names
  const chosen = order.flatMap((name) => launchers.find((launcher) => launcher.name === name) ?? [])
  const unknown = order.find((name) => !names.includes(name))
  if (unknown !== undefined || order.length === 0) {
    throw new IsothermError(
      'INVALID_VALUE',
      unknown === undefined ? 'The list of launchers is empty.' : `There is no launcher "${unknown}".`,
      { fix: `Name one or more of: ${names.join(', ')}.` },
    )
  }

  const said = new Map<Name, string>()
  const causes: unknown[] = []
  for (const { name, start } of chosen) {
    try {
      return await start()
    } catch (error) {
      if (error instanceof IsothermError) throw error
      causes.push(error)
      said.set(name, messageOf(error))
      if (error instanceof LauncherFailed && error.final) break
    }
  }
  const lines = [...new Set([...order, ...names])].map((name) => {
    const otherwise = order.includes(name)
      ? 'not tried, because of the error above.'
      : `not asked for (launchers: ${order.join(', ')}).`
    return `  - ${name}: ${said.get(name) ?? otherwise}`
  })
  throw new IsothermError(
    'ENGINE_UNAVAILABLE',
    `No ${engine} is available:\n${lines.join('\n')}\nTo fix it:`,
    {
      fix,
      cause: causes.length === 1 ? causes[0] : new AggregateError(causes),
    },
  )
}

export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
