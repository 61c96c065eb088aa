import type { Dialect } from '@isotherm/core'
import type { EngineCommand } from '@isotherm/core/command'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { CommandError, explainBy } from '../command-error.js'
import { type EngineEntry, FROM, entryOf, missingPackage } from '../engines.js'
import { shown } from '../text.js'

/** An engine that is loaded. */
export interface Engine extends EngineEntry {
  readonly command: EngineCommand
}

const loaded = new Map<string, EngineCommand>()

/** @throws an error that says which package is not installed. */
export async function loadEngine(entry: EngineEntry): Promise<Engine> {
  const { module } = entry
  const known = loaded.get(module)
  if (known) return { ...entry, command: known }
  const { engine: command } = (await import(module)) as { readonly engine: EngineCommand }
  loaded.set(module, command)
  explainBy((error) => command.explain?.(error))
  return { ...entry, command }
}

/**
 * The engine that a configuration names: an entry of a package, or a file by its path from the configuration.
 *
 * @throws {CommandError} `CONFIG` for a module that cannot be loaded, or that exports no engine.
 */
export async function namedEngine(name: string, configPath: string): Promise<EngineEntry> {
  const config = pathToFileURL(configPath).href
  const file = /^(?:\.{0,2}\/|file:)/.test(name) ? new URL(name, config) : undefined
  const module = file && existsSync(file) ? file.href : `${FROM}${config}#${name}`
  let exported: { readonly engine?: unknown }
  try {
    exported = (await import(module)) as typeof exported
  } catch (cause) {
    throw new CommandError(
      'CONFIG',
      `engine is ${shown(name)}, which cannot be loaded: ${(cause as Error).message}`,
      {
        fix: 'Name an entry of a package that is installed, or a path from the folder of the configuration: ./engine/cli.js.',
        cause,
      },
    )
  }
  const { engine } = exported
  if (isEngine(engine))
    return { module, dialects: Object.keys(engine.dialects), databases: [engine.address.form] }
  throw new CommandError('CONFIG', `engine is ${shown(name)}, but that module does not export an engine.`, {
    fix: 'Name a module whose export `engine` is an EngineCommand of @isotherm/core/command; in a package it is usually the entry ./cli.',
  })
}

function isEngine(value: unknown): value is EngineCommand {
  if (typeof value !== 'object' || value === null) return false
  const { name, dialects, address, connect } = value as Partial<Record<keyof EngineCommand, unknown>>
  return (
    typeof name === 'string' &&
    typeof connect === 'function' &&
    isObject(address) &&
    typeof address['read'] === 'function' &&
    typeof address['form'] === 'string' &&
    isObject(address['parts']) &&
    isObject(dialects) &&
    Object.keys(dialects).length > 0 &&
    Object.values(dialects).every((dialect) => isObject(dialect) && typeof dialect['load'] === 'function')
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** The engine that has a dialect; undefined for a name that no engine has. */
export async function engineOf(
  dialect: string | undefined,
  entries: readonly EngineEntry[],
): Promise<Engine | undefined> {
  const entry = entryOf(dialect, entries)
  return entry && loadEngine(entry)
}

/** A dialect by its name, which has been checked. */
export async function dialectNamed(name: string, entries: readonly EngineEntry[]): Promise<Dialect> {
  const engine = await engineOf(name, entries)
  return engine!.command.dialects[name]!.load()
}

interface InstalledEngines {
  readonly engines: readonly Engine[]
  /** Engines whose packages a project does not have, each with the error that says so. */
  readonly missing: readonly { readonly entry: EngineEntry; readonly error: unknown }[]
}

/** All that are installed: a project for one engine has the package of that one. */
export async function installedEngines(
  entries: readonly EngineEntry[],
  load: typeof loadEngine = loadEngine,
): Promise<InstalledEngines> {
  const engines: Engine[] = []
  const missing: { readonly entry: EngineEntry; readonly error: unknown }[] = []
  for (const entry of entries) {
    try {
      engines.push(await load(entry))
    } catch (error) {
      if (missingPackage(error) === undefined) throw error
      missing.push({ entry, error })
    }
  }
  return { engines, missing }
}

/**
 * The names of the lint rules of all installed engines: a configuration may be for several.
 *
 * @param named rules that the configuration names: those of an engine need its package
 */
export async function ruleNames(
  named: readonly string[],
  entries: readonly EngineEntry[],
  load: typeof loadEngine = loadEngine,
): Promise<readonly string[]> {
  const { lintRules } = await import('@isotherm/core')
  const { engines, missing } = await installedEngines(entries, load)
  const needed = missing.find(({ entry }) => {
    const prefix = `${entry.module.split('/').at(-2)}/`
    return named.some((rule) => rule.startsWith(prefix))
  })
  if (needed) throw needed.error
  const dialects = await Promise.all(
    engines.flatMap(({ command }) => Object.values(command.dialects).map((dialect) => dialect.load())),
  )
  return [...new Set(dialects.flatMap(lintRules))]
}
