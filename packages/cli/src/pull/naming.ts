import type { ColumnSchema, Schema, TableSchema } from '@isotherm/core'
import { camelCase, claim, kebabCase, pascalCase } from './words.js'

/** Where a table's model is, and what it is called there. */
export interface ModelName {
  /** The class, or the constant that `defineTable` gives. */
  readonly identifier: string
  /** From the folder of the models, without an extension: `sales/order`. */
  readonly path: string
}

/** What the files import or write themselves, and what a class must not hide from its own file. */
const RESERVED_IDENTIFIERS = new Set(
  [
    'BitReversedId Column DescTimestamp Generated HashKey Index Json Key ParentKey ShardKey Table UserType UuidV4',
    'ReadonlyMap ReadonlySet',
    'Array ArrayBuffer BigInt Boolean Buffer Date Error Function Infinity Map Math NaN Number Object Promise',
    'Proxy Reflect RegExp Set String Symbol Uint8Array WeakMap WeakSet',
  ].flatMap((names) => names.split(' ')),
)

/** Names that a file cannot have: the index's own, and those of devices of Windows. */
const RESERVED_FILES = /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/

/** What `where` uses beside properties, and what tables of Drizzle have beside columns. */
const RESERVED_PROPERTIES = new Set(
  'AND OR NOT _ $inferSelect $inferInsert getSQL shouldOmitSQLParens enableRLS'.split(' '),
)

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

export function partsOf(table: string): { readonly namespace?: string; readonly name: string } {
  const dot = table.indexOf('.')
  return dot < 0 ? { name: table } : { namespace: table.slice(0, dot), name: table.slice(dot + 1) }
}

/** The models of all tables, by the tables' names. Tables of a named schema get a folder, and its name only where two clash. */
export function modelNames({ tables }: Schema): ReadonlyMap<string, ModelName> {
  const plain = tables.map((table) => modelIdentifier(partsOf(table.name).name))
  const identifiers = new Set<string>()
  const paths = new Set<string>()
  const folders = new Map<string, string>()
  const taken = new Set<string>()
  return new Map(
    tables.map(({ name: table }, at) => {
      const { namespace, name } = partsOf(table)
      const wanted = plain[at]!
      const clashes = namespace !== undefined && plain.filter((each) => each === wanted).length > 1
      const identifier = clashes ? modelIdentifier(`${pascalCase(namespace)}${pascalCase(name)}`) : wanted
      if (namespace !== undefined && !folders.has(namespace))
        folders.set(namespace, claim(fileName(namespace), taken, '-'))
      const folder = namespace === undefined ? '' : `${folders.get(namespace)!}/`
      return [
        table,
        { identifier: claim(identifier, identifiers), path: claim(folder + fileName(name), paths, '-') },
      ]
    }),
  )
}

/** The models of all user types, by the types' names: beside those of the tables, whose names they leave alone. */
export function userTypeNames(
  { userTypes = [] }: Schema,
  models: ReadonlyMap<string, ModelName>,
): ReadonlyMap<string, ModelName> {
  const identifiers = new Set([...models.values()].map(({ identifier }) => identifier))
  const paths = new Set([...models.values()].map(({ path }) => path))
  return new Map(
    userTypes.map(({ name }) => [
      name,
      { identifier: claim(modelIdentifier(name), identifiers), path: claim(fileName(name), paths, '-') },
    ]),
  )
}

function modelIdentifier(name: string): string {
  const identifier = pascalCase(name)
  return RESERVED_IDENTIFIERS.has(identifier) ? `${identifier}Model` : identifier
}

function fileName(name: string): string {
  const file = kebabCase(name)
  return RESERVED_FILES.test(file) ? `${file}-table` : file
}

export type Properties = ReadonlyMap<string, string>

/**
 * The properties of every table, by what the schema calls them: camel case where the schema has the database's own names, as
 * it was given otherwise. A key part that is inherited has the parent's name.
 */
export function propertyNames({ tables }: Schema): ReadonlyMap<string, Properties> {
  const all = new Map<string, Properties>()
  // Parents stand before their children.
  for (const table of tables) all.set(table.name, propertiesOf(table, all.get(table.parent?.table ?? '')))
  return all
}

function propertiesOf({ columns }: TableSchema, parent: Properties | undefined): Properties {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { property, inherited } of columns) {
    if (inherited) names.set(property, claim(parent?.get(property) ?? property, taken))
  }
  // Who has the name already keeps it, whichever comes first.
  for (const column of columns.toSorted((a, b) => Number(isRenamed(a)) - Number(isRenamed(b)))) {
    if (!names.has(column.property)) names.set(column.property, claim(propertyOf(column), taken))
  }
  return names
}

function isRenamed(column: ColumnSchema): boolean {
  return propertyOf(column) !== column.property
}

function propertyOf({ property, name }: ColumnSchema): string {
  const kept = property !== name && IDENTIFIER.test(property)
  const wanted = kept ? property : camelCase(name)
  return wanted in Object.prototype || RESERVED_PROPERTIES.has(wanted) ? `${wanted}_` : wanted
}
