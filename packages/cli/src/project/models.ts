import type { Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import { missingPackage } from '../engines.js'
import { type Exported, drizzleDeclaration, loadDrizzleAdapter, ofAnotherDialect } from './drizzle.js'
import { type Settings, defaultSchema } from '../config/settings.js'
import { relative } from 'node:path'
import { createRequire } from 'node:module'
import { isModule, schemaGlobs } from '../config/paths.js'
import { importModule } from '../modules/import-module.js'
import { fixOfUnbuiltImport } from './unbuilt-import.js'
import { pathToFileURL } from 'node:url'

type SchemaSettings = Pick<Settings, 'dialect' | 'drizzle' | 'schemaDirectory'>

/**
 * The schema of the modules' exports: an exported schema, or otherwise that of all models and Drizzle tables.
 *
 * @throws {CommandError} `MODELS` for no model and no table, for several schemas, and for tables of another dialect or another
 * database; `NOT_INSTALLED` where Drizzle tables cannot be read.
 * @throws {SchemaError} where they make no schema.
 */
export async function schemaOfExports(
  modules: readonly Exported[],
  files: readonly string[],
  settings: SchemaSettings,
): Promise<Schema> {
  const { defineSchema, isModel } = await import('@isotherm/core')
  const declared = oneSchema(modules, files)
  if (declared) return declared
  const exported = valuesIn(modules, isModel)
  const models = new Set(exported.flatMap(({ value }) => (isModel(value) ? [value] : [])))
  refuseHiddenModels(exported, models, isModel)
  const tables = exported.filter(({ value }) => drizzleDeclaration(value))
  if (tables.length > 0) return schemaWithDrizzle(tables, models, settings)
  if (models.size > 0) return defineSchema([...models])
  const inside = oneSchema(exported, files)
  if (inside) return inside
  throw new CommandError('MODELS', `No model is exported by ${files.join(', ')}.`, {
    fix: 'Export classes that have @Table, what defineTable returned, Drizzle tables, or the schema of defineSchema.',
  })
}

/**
 * One schema of tables and models. A model is equivalent to the table that `toDrizzle` makes of it, which is always the
 * same object: if both are exported it counts once, and other tables may be interleaved in it or refer to it.
 */
async function schemaWithDrizzle(
  tables: readonly Exported[],
  models: ReadonlySet<object>,
  { dialect, drizzle, schemaDirectory }: SchemaSettings,
): Promise<Schema> {
  const isMeant = ({ value }: Exported): boolean => {
    const { dialects = [] } = drizzleDeclaration(value) ?? {}
    return dialects.length > 0 && (dialect === undefined || dialects.includes(dialect))
  }
  const stray = tables.find((table) => !isMeant(table))
  if (stray) throw ofAnotherDialect(stray, dialect)
  const [example] = tables
  const ofTables = drizzleDeclaration(example!.value)!.dialects[0]!
  const { toSchema, toDrizzle } = await loadDrizzleAdapter(example!, ofTables, schemaDirectory)
  return toSchema(
    [...tables.map(({ value }) => value), ...[...models].map((model) => toDrizzle(model))],
    drizzle,
  )
}

/** @throws {CommandError} `MODELS` for several schemas. */
function oneSchema(exported: readonly Exported[], files: readonly string[]): Schema | undefined {
  const schemas = new Set(exported.flatMap(({ value }) => (isSchema(value) ? [value] : [])))
  if (schemas.size > 1) {
    throw new CommandError('MODELS', `${schemas.size} schemas are exported by ${files.join(', ')}.`, {
      fix: 'Export one: a database has one schema. Or name the file that has it, with schema or --schema.',
    })
  }
  return [...schemas][0]
}

/**
 * The exports, and all that they hold in objects and arrays, each once: `export * as orders`, `export default [Order]`,
 * `module.exports = { Order }`, `export const tables = toDrizzle({ orders: Order })`.
 */
function valuesIn(modules: readonly Exported[], isModel: (value: unknown) => boolean): readonly Exported[] {
  const found: Exported[] = []
  const seen = new Set<unknown>()
  const left = [...modules]
  for (let at = 0; at < left.length; at++) {
    const each = left[at]!
    const { file, name, value } = each
    if (seen.has(value)) continue
    seen.add(value)
    if (!isCollection(value) || isModel(value) || isSchema(value)) {
      found.push(each)
      continue
    }
    for (const key of Object.keys(value)) {
      const inner = valueOf(value, key)
      if ((typeof inner !== 'object' && typeof inner !== 'function') || inner === null) continue
      left.push({ file, name: Array.isArray(value) ? `${name}[${key}]` : `${name}.${key}`, value: inner })
    }
  }
  return found
}

/** A getter may throw, as one for a setting that is missing: it holds no model then. */
function valueOf(collection: object, key: string): unknown {
  try {
    return (collection as Readonly<Record<string, unknown>>)[key]
  } catch {
    return undefined
  }
}

/** An array, a plain object, or the namespace of a module. */
function isCollection(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/**
 * A class decorator that returns a new class hides the table of one that ran before it: only the old class has the definition.
 *
 * @throws {CommandError} `MODELS` for a class that extends a model which no module exports.
 */
function refuseHiddenModels(
  exported: readonly Exported[],
  models: ReadonlySet<object>,
  isModel: (value: unknown) => boolean,
): void {
  for (const { file, name, value } of exported) {
    if (typeof value !== 'function' || isModel(value)) continue
    for (let parent: unknown = Object.getPrototypeOf(value); parent; parent = Object.getPrototypeOf(parent)) {
      if (!isModel(parent)) continue
      if (models.has(parent)) break
      throw new CommandError(
        'MODELS',
        `${name} in ${file} is not a model, but extends one that is not exported.`,
        {
          fix: `If a decorator of ${name} returns a new class, put @Table above that decorator. If not, export the class that ${name} extends.`,
        },
      )
    }
  }
}

function isSchema(value: unknown): value is Schema {
  if (typeof value !== 'object' || value === null) return false
  const { version, tables, sequences, views } = value as Partial<Record<keyof Schema, unknown>>
  return version === 1 && [tables, sequences, views].every(Array.isArray)
}

interface LoadedModels {
  readonly schema: Schema
  /** The modules that were read, relative to the project, in order. */
  readonly files: readonly string[]
}

/**
 * The schema of the modules that the configured globs find: see `schemaOfExports`.
 *
 * @throws {CommandError} if there are no modules, if one cannot be loaded, or if their exports do not make a schema.
 * @throws {SchemaError} if the models do not make a schema.
 */
export async function loadModels(settings: Settings): Promise<LoadedModels> {
  const { schemaDirectory: directory } = settings
  const fix = 'Set schema in isotherm.config.ts, or pass --schema.'
  if (settings.schema.some((each) => each.trim() === ''))
    throw new CommandError('MODELS', 'A glob in schema is empty.', { fix })
  const { escapePath, glob } = await import('tinyglobby')
  const globs = settings.schema.flatMap((each) => schemaGlobs(each, directory, escapePath))
  const found = await glob(globs, {
    cwd: directory,
    absolute: true,
    expandDirectories: false,
    ignore: ['**/node_modules/**', '**/*.d.{ts,mts,cts}'],
  })
  const paths = found.toSorted()
  if (paths.length === 0) {
    throw new CommandError('MODELS', `No file in ${directory} matches ${settings.schema.join(', ')}.`, {
      fix,
    })
  }
  const files = paths.map((path) => relative(directory, path))
  const stray = files.find((file) => !isModule(file))
  if (stray !== undefined) {
    throw new CommandError('MODELS', `${stray}, which schema matches, is not a module.`, {
      fix: `Name a folder, or end the glob with the endings of modules, as the default does: ${defaultSchema}`,
    })
  }
  await importReflectMetadata(directory)
  const exported: Exported[] = []
  for (const path of paths) {
    const file = relative(directory, path)
    const module = await importModels(path, directory)
    for (const [name, value] of Object.entries(module)) exported.push({ file, name, value })
  }
  return { schema: await schemaOfExports(exported, files, settings), files }
}

/**
 * Legacy decorators get types through this package. An application imports it before its models, so the command does too.
 */
async function importReflectMetadata(directory: string): Promise<void> {
  let path: string
  try {
    path = createRequire(pathToFileURL(`${directory}/`)).resolve('reflect-metadata')
  } catch {
    return
  }
  await import(pathToFileURL(path).href)
}

async function importModels(path: string, directory: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importModule(path)
  } catch (cause) {
    // Isotherm's error for a model is clear enough, and so is the error for a missing package.
    if (missingPackage(cause) !== undefined) throw cause
    if (cause instanceof Error && 'fix' in cause && 'code' in cause) throw cause
    const what = cause instanceof Error ? cause.message : String(cause)
    const fix = missingExport(what) ?? fixOfUnbuiltImport(what)
    throw new CommandError('MODELS', `${locationOf(cause, path, directory)} cannot be loaded: ${what}`, {
      cause,
      ...(fix !== undefined && { fix }),
    })
  }
}

/** Each file is compiled by itself, so an import that only decorated members name is kept: it may be a type. */
function missingExport(message: string): string | undefined {
  const [, module, name] =
    /requested module '(.+)' does not provide an export named '(.+)'$/.exec(message) ?? []
  if (name === undefined) return undefined
  return `If ${name} is a type, import it as one: import { type ${name} } from '${module}'`
}

/** The module, or the line of the project's own code at which it threw. */
function locationOf(cause: unknown, path: string, directory: string): string {
  const frames = cause instanceof Error ? (cause.stack ?? '').split('\n') : []
  for (const frame of frames) {
    const [, file, at] = /^ {4}at (?:.*\()?(?:file:\/\/)?(\/[^()]+?):(\d+:\d+)\)?$/.exec(frame) ?? []
    if (file === undefined) continue
    const own = relative(directory, decodeURI(file))
    if (!own.startsWith('..') && !own.includes('node_modules')) return `${own}:${at}`
  }
  return relative(directory, path)
}
