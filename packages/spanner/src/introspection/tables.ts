import type { Catalog, CatalogIndex, CatalogKeyPart, CatalogTable } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'
import type { Column, SecondaryIndex, Table } from '@isotherm/core/engine'
import type { IndexShard } from '@isotherm/core/tools'
import { type ColumnContext, columnsOf, opaqueColumnsOf, shardSourceOf } from './columns.js'
import { rowDeletionOf } from './opaque.js'

/** The columns that a key has in place of descending order, each with the column behind it. */
type Mirrors = ReadonlyMap<string, string>

function mirrorsOf(
  { columns, key }: CatalogTable,
  uses: (column: string) => number,
  dialect: IntrospectedDialect,
): Mirrors {
  const mirrors = key.flatMap(({ column: name }, position): [string, string][] => {
    const mirror = columns.find((column) => column.name === name)
    const behind = columns.find((column) => column.name === key[position + 1]?.column)
    const type = behind && dialect.typeOf(behind.type)?.type
    if (!mirror || !behind || !type || uses(name) > 0) return []
    return dialect.isMirror?.(mirror, behind, type) ? [[name, behind.name]] : []
  })
  return new Map(mirrors)
}

/** The parts of a key as a `Schema` has them: the column behind a mirror descends. */
function withoutMirrors(parts: readonly CatalogKeyPart[], mirrors: Mirrors): CatalogKeyPart[] {
  return parts
    .filter(({ column }) => !mirrors.has(column))
    .map((part) => {
      const mirrored = parts.some(({ column }) => mirrors.get(column) === part.column)
      return mirrored ? { ...part, order: 'desc' } : part
    })
}

/** By the name of the index whose leading column it is. */
type IndexShards = ReadonlyMap<string, IndexShard>

/**
 * The generated columns that exist only for one index. They are not properties: recreating the index creates them too.
 */
function indexShardsOf(
  table: CatalogTable,
  columns: readonly Column[],
  uses: (column: string) => number,
  dialect: IntrospectedDialect,
): IndexShards {
  const shards = table.indexes.flatMap((index): [string, IndexShard][] => {
    const first = index.parts[0]
    const column = table.columns.find(({ name }) => name === first?.column)
    if (!first || first.order === 'desc' || index.interleaveIn !== undefined) return []
    if (!column?.generated || column.generated.stored || !column.nullable || uses(column.name) !== 1)
      return []
    const others = columns.filter(({ name }) => name !== column.name)
    const source = shardSourceOf(column.generated.expression, others, dialect)
    if (!source || source.first !== undefined || source.signed) return []
    return [[index.name, { column: column.name, shards: source.shards, of: source.of }]]
  })
  return new Map(shards)
}

function indexOf(
  table: CatalogTable,
  index: CatalogIndex,
  mirrors: Mirrors,
  shard: IndexShard | undefined,
): SecondaryIndex {
  const { name, unique, nullFiltered, interleaveIn } = index
  const inOrder = (names: readonly string[]): string[] =>
    table.columns.flatMap((column) => (names.includes(column.name) ? [column.name] : []))
  return {
    name,
    parts: withoutMirrors(shard ? index.parts.slice(1) : index.parts, mirrors).map(
      ({ column, order, nulls }) => ({ property: column, order, ...(nulls && { nulls }) }),
    ),
    unique,
    nullFiltered,
    notNull: inOrder(index.notNull),
    storing: inOrder(index.storing),
    ...(interleaveIn !== undefined && { interleaveIn }),
    ...(shard && { shard }),
  }
}

/** How many times a column is named outside its table's columns and key: by indexes, foreign keys and change streams. */
function usesOf(catalog: Catalog, table: CatalogTable): (column: string) => number {
  const names = [
    ...table.indexes.flatMap((index) => [
      ...ownParts(catalog, index).map(({ column }) => column),
      ...index.storing,
    ]),
    ...table.foreignKeys.flatMap(({ columns }) => columns),
    ...catalog.tables.flatMap(({ foreignKeys }) =>
      foreignKeys.flatMap((key) => (key.table === table.name ? key.references : [])),
    ),
    ...catalog.changeStreams.flatMap(({ watch }) =>
      watch === 'all'
        ? []
        : watch.flatMap(({ table: watched, columns }) =>
            watched === table.name && columns !== 'all' ? columns : [],
          ),
    ),
  ]
  return (column) => names.filter((name) => name === column).length
}

/** An interleaved index begins with the key of the table that it is interleaved in, including mirrors. */
function ownParts({ tables }: Catalog, { parts, interleaveIn }: CatalogIndex): readonly CatalogKeyPart[] {
  const parent = tables.find(({ name }) => name === interleaveIn)
  return parts.slice(parent?.key.length ?? 0)
}

/** The tables, parents first and otherwise by name. */
export function tablesOf(catalog: Catalog, dialect: IntrospectedDialect): Table[] {
  const context = { dialect, sequences: catalog.sequences.map(({ name }) => name) }
  const tables = new Map<string, Table>()
  const add = (table: CatalogTable): Table => {
    const known = tables.get(table.name)
    if (known) return known
    const parent = catalog.tables.find(({ name }) => name === table.parent?.table)
    const made = tableOf(catalog, table, parent && add(parent), context)
    tables.set(table.name, made)
    return made
  }
  for (const table of catalog.tables) add(table)
  return [...tables.values()]
}

function tableOf(
  catalog: Catalog,
  table: CatalogTable,
  parent: Table | undefined,
  context: ColumnContext,
): Table {
  const { dialect } = context
  const uses = usesOf(catalog, table)
  const mirrors = mirrorsOf(table, uses, dialect)
  const all = columnsOf(table, parent, context)
  const shards = indexShardsOf(table, all, uses, dialect)
  const dropped = new Set([...mirrors.keys(), ...[...shards.values()].map(({ column }) => column)])
  const opaqueColumns = opaqueColumnsOf(table, dialect, (column) => dropped.has(column))
  const rowDeletion = rowDeletionOf(table, dialect)
  return {
    name: table.name,
    columns: all.filter(({ name }) => !dropped.has(name)),
    ...(opaqueColumns.length > 0 && { opaqueColumns }),
    primaryKey: withoutMirrors(table.key, mirrors).map(({ column, order }) => ({ property: column, order })),
    indexes: table.indexes.map((index) => indexOf(table, index, mirrors, shards.get(index.name))),
    ...(table.parent && { parent: table.parent }),
    checks: table.checks.map(({ name, unnamed, clause }) => ({
      name,
      ...(unnamed && { unnamed }),
      expression: { [dialect.lexicalSyntax.name]: clause },
    })),
    foreignKeys: table.foreignKeys,
    ...(rowDeletion && { rowDeletion }),
    suppressions: [],
  }
}
