import { itemAt, known } from '@isotherm/core/adapter'
import type { ColumnSchema, Schema, TableSchema } from '@isotherm/core'

// How names of a database are written in TypeScript. A name may be anything that SQL accepts between quotes.

const PROPERTY = /^[a-z][A-Za-z0-9]*$/
const TYPE = /^[A-Z][A-Za-z0-9]*$/

/**
 * Characters that an identifier must not contain; letters beyond the first plane are left out, since some tools do not know
 * them.
 */
const SEPARATOR = /(?:[^\p{ID_Continue}]|[\u{10000}-\u{10ffff}]|_)+/u
const CASE_CHANGE = /(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/**
 * Letters and marks that came to Unicode after its version 15, to which some older letters are made upper case: compilers know
 * them later than Node does.
 *
 * Source: https://www.unicode.org/Public/17.0.0/ucd/DerivedAge.txt
 */
const NEW_LETTERS =
  /[\u0897\u1acf-\u1add\u1ae0-\u1aeb]|[\u088f\u0c5c\u0cdc\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2\ua7d4\ua7da-\ua7dc\ua7f1]/gu
const STARTS_IDENTIFIER = /^\p{ID_Start}/u

/** Enough of a name to know it by, in the limits that file systems have. */
const MAX_FILE_NAME = 80

/** The words of `Column_Name`, `columnName` or `COLUMN-NAME`. */
function wordsOf(name: string): string[] {
  return name
    .split(SEPARATOR)
    .flatMap((part) => part.split(CASE_CHANGE))
    .filter((word) => word !== '')
}

function capitalised(word: string): string {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function identifier(text: string, otherwise: string): string {
  const known = text.replace(NEW_LETTERS, '')
  if (known === '') return otherwise
  return STARTS_IDENTIFIER.test(known) ? known : `_${known}`
}

/** `Column_Name` as a property: `columnName`. */
export function camelCase(name: string): string {
  if (PROPERTY.test(name)) return name
  const [first = '', ...rest] = wordsOf(name)
  return identifier(first.toLowerCase() + rest.map(capitalised).join(''), 'unnamed')
}

/** `table_name` as a class: `TableName`. */
export function pascalCase(name: string): string {
  if (TYPE.test(name)) return name
  if (PROPERTY.test(name)) return name.charAt(0).toUpperCase() + name.slice(1)
  return identifier(wordsOf(name).map(capitalised).join(''), 'Unnamed')
}

/** `TableName` as a file or a folder: `table-name`. */
export function kebabCase(name: string): string {
  const joined = wordsOf(name).join('-').toLowerCase().normalize('NFC')
  return joined.slice(0, MAX_FILE_NAME) || 'unnamed'
}

/** The first of `name`, `name2`, `name3` … that is not taken yet; it is taken then. */
export function claim(name: string, taken: Set<string>, join = ''): string {
  let free = name
  for (let count = 2; taken.has(free); count += 1) free = `${name}${join}${count}`
  taken.add(free)
  return free
}

/** The file and the identifier of a table's model. */
export interface ModelName {
  /** The class, or the constant that `defineTable` gives. */
  readonly identifier: string
  /** From the folder of the models, without an extension: `sales/order`. */
  readonly path: string
}

/** Names that the files import or write themselves, and names that a class must not hide in its own file. */
const RESERVED_IDENTIFIERS = new Set(
  [
    'BitReversedId Column DescTimestamp Generated HashKey Index JsonDocument Key ParentKey ShardKey Table UserType UuidV4',
    'ReadonlyMap ReadonlySet',
    'Array ArrayBuffer BigInt Boolean Buffer Date Error Function Infinity Map Math NaN Number Object Promise',
    'Proxy Reflect RegExp Set String Symbol Uint8Array WeakMap WeakSet',
  ].flatMap((names) => names.split(' ')),
)

/** Names that a file cannot have: that of the index file, and those of devices in Windows. */
const RESERVED_FILES = /^(?:index|con|prn|aux|nul|com\d|lpt\d)$/

/** Names that `where` uses besides properties, and names that Drizzle tables have besides columns. */
const RESERVED_PROPERTIES = new Set(
  'AND OR NOT _ $inferSelect $inferInsert getSQL shouldOmitSQLParens enableRLS'.split(' '),
)

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u

export function partsOf(table: string): { readonly namespace?: string; readonly name: string } {
  const dot = table.indexOf('.')
  return dot < 0 ? { name: table } : { namespace: table.slice(0, dot), name: table.slice(dot + 1) }
}

/**
 * The models of all tables, by the tables' names. Tables of a named schema get a folder, and its name only if two clash.
 */
export function modelNames({ tables }: Schema): ReadonlyMap<string, ModelName> {
  const plain = tables.map((table) => modelIdentifier(partsOf(table.name).name))
  const identifiers = new Set<string>()
  const paths = new Set<string>()
  const folders = new Map<string, string>()
  const taken = new Set<string>()
  return new Map(
    tables.map(({ name: table }, at) => {
      const { namespace, name } = partsOf(table)
      const wanted = itemAt(plain, at)
      const clashes = namespace !== undefined && plain.filter((each) => each === wanted).length > 1
      const identifier = clashes ? modelIdentifier(`${pascalCase(namespace)}${pascalCase(name)}`) : wanted
      if (namespace !== undefined && !folders.has(namespace))
        folders.set(namespace, claim(fileName(namespace), taken, '-'))
      const folder = namespace === undefined ? '' : `${known(folders, namespace)}/`
      return [
        table,
        { identifier: claim(identifier, identifiers), path: claim(folder + fileName(name), paths, '-') },
      ]
    }),
  )
}

/** The models of all user types, by the types' names, which avoid the names of the tables' models. */
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

type Properties = ReadonlyMap<string, string>

/**
 * The properties of every table, by their names in the schema: camel case if the schema has the database's own names,
 * otherwise unchanged. An inherited key part has the parent's name.
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

/** The same schema with other properties; the names in the database stay as they are. */
export function renamedSchema(schema: Schema, properties: ReadonlyMap<string, Properties>): Schema {
  const renamer = (table: string) => (property: string) => properties.get(table)?.get(property) ?? property
  return {
    ...schema,
    tables: schema.tables.map((table) => renamedTable(table, schema, renamer)),
    changeStreams: schema.changeStreams.map((stream) => ({
      ...stream,
      watch:
        stream.watch === 'all'
          ? stream.watch
          : stream.watch.map(({ table, columns }) => ({
              table,
              columns: columns === 'all' ? columns : columns.map(renamer(table)),
            })),
    })),
  }
}

type Rename = (property: string) => string

function renamedTable(table: TableSchema, schema: Schema, renamer: (table: string) => Rename): TableSchema {
  const rename = renamer(table.name)
  const ancestors = ancestorsOf(table, schema)
  /** A child may have inherited a shard without the columns that it hashes. */
  const renameHashed: Rename = (property) => {
    const holder = [table, ...ancestors].find(({ columns }) =>
      columns.some((each) => each.property === property),
    )
    return holder ? renamer(holder.name)(property) : property
  }
  return {
    ...table,
    columns: table.columns.map((column) => renamedColumn(column, rename, renameHashed)),
    primaryKey: table.primaryKey.map((part) => ({ ...part, property: rename(part.property) })),
    ...(table.partitionKey && { partitionKey: table.partitionKey.map(rename) }),
    indexes: table.indexes.map((index) => ({
      ...index,
      parts: index.parts.map((part) => ({ ...part, property: rename(part.property) })),
      notNull: index.notNull.map(rename),
      storing: index.storing.map(rename),
      ...(index.shard && { shard: { ...index.shard, of: index.shard.of.map(rename) } }),
    })),
    foreignKeys: table.foreignKeys.map((key) => ({
      ...key,
      columns: key.columns.map(rename),
      references: key.references.map(renamer(key.table)),
    })),
    ...(table.rowDeletion && {
      rowDeletion: { ...table.rowDeletion, property: rename(table.rowDeletion.property) },
    }),
    suppressions: table.suppressions.map((suppression) => ({
      ...suppression,
      ...(suppression.on !== undefined && { on: rename(suppression.on) }),
    })),
  }
}

function renamedColumn(column: ColumnSchema, rename: Rename, renameHashed: Rename): ColumnSchema {
  const { source } = column
  const hashes = source?.kind === 'shard' || source?.kind === 'hash'
  return {
    ...column,
    property: rename(column.property),
    ...(hashes && { source: { ...source, of: source.of.map(renameHashed) } }),
  }
}

/** The parent, its parent and so on. */
export function ancestorsOf(table: TableSchema, { tables }: Schema): readonly TableSchema[] {
  const ancestors: TableSchema[] = []
  for (let next = table.parent?.table; next !== undefined; next = ancestors.at(-1)?.parent?.table) {
    const parent = tables.find(({ name }) => name === next)
    if (!parent || ancestors.includes(parent)) break
    ancestors.push(parent)
  }
  return ancestors
}
