import type { Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { Settings } from '../config/settings.js'
import { declaredWith, drizzleDeclaration } from './drizzle-declarations.js'
import { loadDrizzleAdapter } from './drizzle-adapter.js'

/** What a module exports, and under which name. */
export interface Exported {
  /** The module, relative to the project. */
  readonly file: string
  readonly name: string
  readonly value: unknown
}

type SchemaSettings = Pick<Settings, 'dialect' | 'drizzle' | 'schemaDirectory'>

/**
 * The schema of what modules export: one that is ready, or else that of all models and Drizzle tables.
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
  const exported = modules.flatMap(withTablesInside)
  const schemas = new Set(exported.flatMap(({ value }) => (isSchema(value) ? [value] : [])))
  if (schemas.size > 1) {
    throw new CommandError('MODELS', `${schemas.size} schemas are exported by ${files.join(', ')}.`, {
      fix: 'Export one: a database has one schema. Or name the file that has it, with schema or --schema.',
    })
  }
  const [ready] = schemas
  if (ready) return ready
  const models = new Set(exported.flatMap(({ value }) => (isModel(value) ? [value] : [])))
  const tables = exported.filter(({ value }) => drizzleDeclaration(value))
  if (tables.length > 0) return schemaWithDrizzle(tables, models, settings)
  if (models.size > 0) return defineSchema([...models])
  throw new CommandError('MODELS', `No model is exported by ${files.join(', ')}.`, {
    fix: 'Export classes that have @Table, what defineTable returned, Drizzle tables, or the schema of defineSchema.',
  })
}

/**
 * One schema of tables and models. A model is as good as the table that `toDrizzle` makes of it, which is always the same
 * one: it counts once where both are exported, and other tables may be in it or refer to it.
 */
async function schemaWithDrizzle(
  tables: readonly Exported[],
  models: ReadonlySet<object>,
  { dialect, drizzle, schemaDirectory }: SchemaSettings,
): Promise<Schema> {
  const isMeant = ({ value }: Exported): boolean => {
    const declared = drizzleDeclaration(value)?.dialect
    return declared !== undefined && (dialect === undefined || declared === dialect)
  }
  const stray = tables.find((table) => !isMeant(table))
  if (stray) throw ofAnotherDialect(stray, dialect)
  const [example] = tables
  const ofTables = drizzleDeclaration(example!.value)!.dialect!
  const { toSchema, toDrizzle } = await loadDrizzleAdapter(example!, ofTables, schemaDirectory)
  return toSchema(
    [...tables.map(({ value }) => value), ...[...models].map((model) => toDrizzle(model))],
    drizzle,
  )
}

function ofAnotherDialect({ file, name, value }: Exported, dialect: Settings['dialect']): CommandError {
  const { dialect: own, kind } = drizzleDeclaration(value)!
  const what = `${name}, which ${file} exports, is a ${kind} of Drizzle`
  if (own === undefined) {
    return new CommandError('MODELS', `${what}, and no table of Cloud Spanner.`, {
      fix: `Declare it with spannerTable of @isotherm/drizzle-adapter, or with pgTable for a database of the PostgreSQL dialect. Or name the modules of the right ones: schema, or --schema.`,
    })
  }
  return new CommandError('MODELS', `${what}, and the dialect is ${dialect}.`, {
    fix: `Tables of that dialect are declared with ${declaredWith[dialect!]}. Or set the dialect ${own}.`,
  })
}

/** A module may keep its tables in an object: `export const tables = toDrizzle({ orders: Order })`. */
function withTablesInside({ file, name, value }: Exported): readonly Exported[] {
  const own: Exported = { file, name, value }
  if (typeof value !== 'object' || value === null) return [own]
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return [own]
  const inside = Object.entries(value).map(([key, each]) => ({
    file,
    name: `${name}.${key}`,
    value: each as unknown,
  }))
  return [own, ...inside.filter((each) => drizzleDeclaration(each.value))]
}

function isSchema(value: unknown): value is Schema {
  if (typeof value !== 'object' || value === null) return false
  const { version, tables, sequences, views } = value as Partial<Record<keyof Schema, unknown>>
  return version === 1 && [tables, sequences, views].every(Array.isArray)
}
