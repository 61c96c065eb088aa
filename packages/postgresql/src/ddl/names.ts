import { type PhysicalColumn, type Schema, type TableLayout, generatedName } from '@isotherm/core/engine'
import { inNamespaceOf, unsupportedModel } from '@isotherm/core/tools'

/** A name without its named schema. */
export function plain(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** The sequence of a column that counts by itself, in the named schema of its table. */
export function sequenceOf(table: string, { name }: Pick<PhysicalColumn, 'name'>): string {
  return inNamespaceOf(table, generatedName(table, name, 'seq'))
}

/** The name of the foreign key to a parent. */
export function parentConstraint(table: string): string {
  return generatedName(table, 'parent')
}

/** Source: https://www.postgresql.org/docs/current/limits.html */
const MAX_NAME = 63

/** The index of a primary key, as PostgreSQL itself names it: it cuts the long name of a table. */
function keyIndexOf(table: string): string {
  const ending = '_pkey'
  return inNamespaceOf(table, `${plain(table).slice(0, MAX_NAME - ending.length)}${ending}`)
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for a name that is too long, or that two objects would have. */
export function refuseNames(schema: Schema, layouts: readonly TableLayout[]): void {
  for (const layout of layouts) refuseNamesOfTable(layout)
  for (const { name } of [...schema.sequences, ...schema.views]) refuseName(name, name)
  for (const name of schema.namespaces) refuseName(name, name)
  refuseSameNames(schema, layouts)
}

/** Longer names are cut in silence, and two of them may become one. */
function refuseName(object: string, name: string): void {
  const longest = name.split('.').reduce((max, part) => Math.max(max, Buffer.byteLength(part)), 0)
  if (longest <= MAX_NAME) return
  throw unsupportedModel(
    object,
    `has the name ${name} of ${longest} bytes.`,
    `PostgreSQL truncates names after ${MAX_NAME} bytes: use a shorter one.`,
  )
}

function refuseNamesOfTable({ table, columns }: TableLayout): void {
  const constraints = [...table.checks, ...table.foreignKeys].filter(({ unnamed }) => !unnamed)
  const named = [table, ...columns, ...(table.opaqueColumns ?? []), ...table.indexes, ...constraints]
  for (const { name } of named) refuseName(table.name, name)
}

/**
 * Tables, indexes, sequences and views share the names of a schema, and core has compared those that a model declares. Those that
 * come with a table are made from its name and may be declared, or made from other names, too.
 *
 * Source: https://www.postgresql.org/docs/current/catalog-pg-class.html
 */
function refuseSameNames({ sequences, views }: Schema, layouts: readonly TableLayout[]): void {
  const owners = new Map<string, string>()
  for (const { name } of sequences) owners.set(name, `the sequence ${name}`)
  for (const { name } of views) owners.set(name, `the view ${name}`)
  for (const { table } of layouts) {
    owners.set(table.name, `the table ${table.name}`)
    for (const { name } of table.indexes)
      owners.set(inNamespaceOf(table.name, plain(name)), `the index ${name} of ${table.name}`)
  }
  for (const { table, columns } of layouts) {
    refuseTaken(owners, keyIndexOf(table.name), table.name)
    for (const column of columns) {
      if (column.made?.by !== 'identity') continue
      const name = sequenceOf(table.name, column)
      refuseTaken(owners, name, table.name, column.name)
      owners.set(name, `the sequence of ${table.name}.${column.name}`)
    }
  }
}

/** Refuses the index of a key, or the sequence of a column, whose name is that of something else. */
function refuseTaken(
  owners: ReadonlyMap<string, string>,
  name: string,
  table: string,
  column?: string,
): void {
  const other = owners.get(name)
  if (other === undefined) return
  const own = column === undefined ? 'the index of its key' : 'its sequence'
  throw unsupportedModel(
    table,
    `needs the name ${name} for ${own}, but ${other} has that name.`,
    'Rename one of the two: tables, indexes, sequences and views of PostgreSQL share their names.',
    column,
  )
}
