import { relative } from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { Settings } from '../config/settings.js'
import { missingPackage } from '../failure.js'
import { schemaOfExports, type Exported } from './exported-schema.js'

export interface LoadedModels {
  readonly schema: Schema
  /** The modules that were read, relative to the project, in order. */
  readonly files: readonly string[]
}

/**
 * The schema of the modules that the configured globs find: see `schemaOfExports`.
 *
 * @throws {CommandError} where there are no modules; where one cannot be loaded; where what they export makes no schema.
 * @throws {SchemaError} where the models make no schema.
 */
export async function loadModels(settings: Settings): Promise<LoadedModels> {
  const { schemaDirectory: directory } = settings
  const { glob } = await import('tinyglobby')
  const patterns = [...settings.schema]
  const found = await glob(patterns, {
    cwd: directory,
    absolute: true,
    ignore: ['**/node_modules/**', '**/*.d.{ts,mts,cts}'],
  })
  const paths = found.toSorted()
  if (paths.length === 0) {
    throw new CommandError('MODELS', `No file in ${directory} matches ${patterns.join(', ')}.`, {
      fix: 'Say where the models are: schema in isotherm.config.ts, or --schema.',
    })
  }
  await importReflectMetadata(directory)
  const files = paths.map((path) => relative(directory, path))
  const exported: Exported[] = []
  for (const path of paths) {
    const file = relative(directory, path)
    const module = await importModule(path, directory)
    for (const [name, value] of Object.entries(module)) exported.push({ file, name, value })
  }
  return { schema: await schemaOfExports(exported, files, settings), files }
}

/** Under legacy decorators types come through it. An application imports it before its models, and so is it done here. */
async function importReflectMetadata(directory: string): Promise<void> {
  let path: string
  try {
    path = createRequire(pathToFileURL(`${directory}/`)).resolve('reflect-metadata')
  } catch {
    return
  }
  await import(pathToFileURL(path).href)
}

async function importModule(path: string, directory: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    // What Isotherm says of a model is clear as it is, and so is that it is missing.
    if (missingPackage(cause) !== undefined) throw cause
    if (cause instanceof Error && 'fix' in cause && 'code' in cause) throw cause
    const what = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError('MODELS', `${placeOf(cause, path, directory)} cannot be loaded: ${what}`, {
      cause,
    })
  }
}

/** The module, or the line of the project's own code at which it threw. */
function placeOf(cause: unknown, path: string, directory: string): string {
  const frames = cause instanceof Error ? (cause.stack ?? '').split('\n') : []
  for (const frame of frames) {
    const [, file, at] = /^ {4}at (?:.*\()?(?:file:\/\/)?(\/[^()]+?):(\d+:\d+)\)?$/.exec(frame) ?? []
    if (file === undefined) continue
    const own = relative(directory, decodeURI(file))
    if (!own.startsWith('..') && !own.includes('node_modules')) return `${own}:${at}`
  }
  return relative(directory, path)
}
