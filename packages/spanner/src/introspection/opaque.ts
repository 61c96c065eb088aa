import type { IsothermError } from '@isotherm/core/engine'
import { type OpaqueStatement, type RowDeletion, foldName } from '@isotherm/core/tools'
import type { Catalog, CatalogIndex, CatalogTable } from './catalog.js'
import { isOpaque, unsupported } from './columns.js'
import type { IntrospectedDialect } from './dialect.js'

// Objects that depend on a column that a schema does not model are kept as text with it, in the database's syntax; except
// keys, by which rows are found and refer to each other.

/**
 * The catalogue without what hangs on opaque columns: that is among its opaque statements.
 *
 * @throws {IsothermError} `UNSUPPORTED_OBJECT` naming the table and the column, where a key has one
 */
export function withOpaque(
  catalog: Catalog,
  dialect: IntrospectedDialect,
  note: (text: string) => void,
): Catalog {
  const opaque = new Map(catalog.tables.map((table) => [table.name, opaqueNames(table, dialect)]))
  const isOpaqueIn = (table: string, column: string): boolean => opaque.get(table)?.has(column) ?? false
  for (const table of catalog.tables) refuseKeys(table, isOpaqueIn, catalog)
  const hangs = ({ name }: CatalogTable, { parts, storing }: CatalogIndex): boolean =>
    [...parts.map(({ column }) => column), ...storing].some((column) => isOpaqueIn(name, column))
  const streams = catalog.changeStreams.filter(
    ({ watch }) =>
      watch !== 'all' &&
      watch.some(
        ({ table, columns }) => columns !== 'all' && columns.some((column) => isOpaqueIn(table, column)),
      ),
  )
  const policies = catalog.tables.filter(
    (table) => table.rowDeletion !== undefined && !rowDeletionOf(table, dialect),
  )
  return {
    ...catalog,
    tables: catalog.tables.map(({ rowDeletion, ...table }) => ({
      ...table,
      indexes: table.indexes.filter((index) => !hangs(table, index)),
      ...(rowDeletion !== undefined && !policies.some(({ name }) => name === table.name) && { rowDeletion }),
    })),
    changeStreams: catalog.changeStreams.filter((stream) => !streams.includes(stream)),
    opaque: [
      ...catalog.opaque,
      ...catalog.tables.flatMap((table) =>
        table.indexes
          .filter((index) => hangs(table, index))
          .map((index) => indexStatement(table, index, note)),
      ),
      ...policies.flatMap(({ name, rowDeletion }) =>
        rowDeletion === null || rowDeletion === undefined ? [] : [dialect.addRowDeletion(name, rowDeletion)],
      ),
      ...streams.map(({ name, statement }) => statementOf(name, 'the change stream', statement)),
    ],
  }
}

const SEARCHED = /\btokenlist$/i

/** Only a search index has a TOKENLIST in it. The emulator writes one as a plain index, without what only search indexes have. */
function indexStatement(
  { name: table, columns }: CatalogTable,
  { name, parts, statement }: CatalogIndex,
  note: (text: string) => void,
): string {
  const text = statementOf(table, `the index ${name}`, statement)
  const searches = parts.some((part) =>
    columns.some((column) => column.name === part.column && SEARCHED.test(column.type)),
  )
  if (!searches || !/^CREATE INDEX\b/i.test(text)) return text
  note(
    `The DDL writes the search index ${name} of ${table} as a plain one: it was read as a search index, and its ` +
      'PARTITION BY, ORDER BY and OPTIONS, if it has any, are missing.',
  )
  return text.replace(/^CREATE INDEX/i, 'CREATE SEARCH INDEX')
}

export function opaqueStatementsOf(
  { opaque }: Catalog,
  { lexicalSyntax: { name } }: IntrospectedDialect,
): OpaqueStatement[] {
  return opaque.map((create) => ({ create: { [name]: create } }))
}

function opaqueNames(table: CatalogTable, dialect: IntrospectedDialect): ReadonlySet<string> {
  return new Set(table.columns.filter((column) => isOpaque(column, dialect)).map(({ name }) => name))
}

function refuseKeys(
  { name: table, key, foreignKeys }: CatalogTable,
  isOpaqueIn: (table: string, column: string) => boolean,
  catalog: Catalog,
): void {
  const part = key.find(({ column }) => isOpaqueIn(table, column))
  if (part) throw notInKey(catalog, table, part.column, 'a key part')
  for (const { name, columns, table: other, references } of foreignKeys) {
    const own = columns.find((column) => isOpaqueIn(table, column))
    const column = own ?? references.find((each) => isOpaqueIn(other, each))
    if (column !== undefined)
      throw notInKey(catalog, own === undefined ? other : table, column, `in the foreign key ${name}`)
  }
}

function notInKey({ tables }: Catalog, table: string, column: string, where: string): IsothermError {
  const found = tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column)
  const why = found?.updates
    ? 'changes with every update of its row (ON UPDATE)'
    : `is of type ${found?.type}, which Isotherm does not model`
  return unsupported(table, column, `${why}, and is ${where}.`)
}

/** Undefined for a policy of another form than a number of days after the time in a modelled column. */
export function rowDeletionOf(
  { columns, rowDeletion }: CatalogTable,
  dialect: IntrospectedDialect,
): RowDeletion | undefined {
  const read = rowDeletion === undefined ? undefined : dialect.rowDeletion(rowDeletion)
  // The policy is kept as it was written, the column perhaps in other letters than its own.
  const folded = read && foldName(read.column, dialect.lexicalSyntax)
  const column = columns.find(({ name }) => foldName(name, dialect.lexicalSyntax) === folded)
  return read && column && !isOpaque(column, dialect) ? { property: column.name, days: read.days } : undefined
}

function statementOf(object: string, what: string, statement: string | undefined): string {
  if (statement !== undefined) return statement
  throw unsupported(object, what, 'has a column that Isotherm does not model, and the DDL lacks it.')
}
