import { foreignKeyColumns, columnsOf, shardChecks, type Layouts } from '../dialects/ddl/constraints.js'
import type { ColumnRowDeletion } from '../dialects/ddl/alter-syntax.js'
import type { SpelledCheck } from '../dialects/ddl/clauses.js'
import type { DefinedColumn } from '../dialects/ddl/defined-column.js'
import { indexColumns } from '../dialects/ddl/index-key.js'
import { layoutsByName, namespacesOf } from '../dialects/ddl/statements.js'
import type { Dialect } from '../dialects/dialect.js'
import { keyFields, type IndexLayout, type PhysicalColumn, type TableLayout } from '../dialects/layout.js'
import type { HashSource, Order, ShardSource } from '../model/key.js'
import type { ChangeStream, Schema, Sequence } from '../model/schema.js'
import { sqlFor } from '../model/sql-expression.js'
import { columnOf, type Interleaving, type OnDelete } from '../model/table.js'
import { sameData } from './same-data.js'

// A schema as it lies in a database: columns in place of properties, SQL texts of one dialect. Nothing in it says how a model
// came by them.

export interface PhysicalKeyColumn {
  readonly column: string
  readonly order: Order
}

export interface PhysicalIndexPart extends PhysicalKeyColumn {
  /** Where NULL stands, if not where the dialect's order has it. */
  readonly nulls?: 'first' | 'last'
}

export interface PhysicalIndex {
  readonly name: string
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly parts: readonly PhysicalIndexPart[]
  readonly storing: readonly string[]
  /** Columns whose NULL keeps a row out of the index. */
  readonly notNull: readonly string[]
  readonly interleaveIn?: string
}

export interface PhysicalForeignKey {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  readonly onDelete: OnDelete
  readonly enforced: boolean
}

export interface LaidColumn extends DefinedColumn {
  /** The column of the model that this one is, or is a part of. */
  readonly of: string
  /** The index that begins with it, if it is there for the sake of one. */
  readonly shards?: string
}

/** A key column whose value the client computes: no column tells how, and yet that says where rows lie. */
export interface ClientKey {
  readonly column: string
  /** With the names of columns where a schema has properties. */
  readonly source: ShardSource | HashSource
  /** The check that keeps a shard in its range. */
  readonly check?: string
}

export interface PhysicalTable {
  readonly name: string
  readonly columns: readonly LaidColumn[]
  readonly key: readonly PhysicalKeyColumn[]
  readonly parent?: Interleaving
  readonly rowDeletion?: ColumnRowDeletion
  readonly checks: readonly SpelledCheck[]
  readonly foreignKeys: readonly PhysicalForeignKey[]
  readonly indexes: readonly PhysicalIndex[]
  /** Without those that it has from its parent. */
  readonly clientKeys: readonly ClientKey[]
}

export interface PhysicalView {
  readonly name: string
  readonly query: string
  readonly security: 'invoker' | 'definer'
}

export interface PhysicalSchema {
  readonly namespaces: readonly string[]
  readonly sequences: readonly Sequence[]
  readonly tables: readonly PhysicalTable[]
  readonly views: readonly PhysicalView[]
  /** With the names of columns where a schema has properties. */
  readonly changeStreams: readonly ChangeStream[]
}

/** A schema and where its tables lie. */
export interface LaidOut {
  readonly schema: Schema
  readonly layouts: readonly TableLayout[]
}

/** @param like a schema whose layouts are taken for tables that are the same there, since most are */
export function laidOut(schema: Schema, dialect: Dialect, like?: LaidOut): LaidOut {
  // In CQL how a table lies depends on others, of which it may hold the rows, and on user types.
  const same = dialect.cql ? [] : (like?.layouts ?? [])
  const known = new Map(same.map((layout) => [layout.table.name, layout]))
  const layouts = schema.tables.map((table) => {
    const layout = known.get(table.name)
    return layout && sameData(layout.table, table) ? layout : dialect.layout(table, schema)
  })
  return { schema, layouts }
}

/** The tables of a schema that lie as those of another do are the same objects. */
export function physicalSchema(
  { schema, layouts }: LaidOut,
  dialect: Dialect,
  like?: { readonly laidOut: LaidOut; readonly physical: PhysicalSchema },
): PhysicalSchema {
  const known = new Map(
    like?.laidOut.layouts.flatMap((layout, at) =>
      isAlone(layout) ? [[layout, like.physical.tables[at]!] as const] : [],
    ),
  )
  const byName = layoutsByName(layouts)
  return {
    namespaces: namespacesOf(schema),
    sequences: schema.sequences,
    tables: layouts.map((layout) => known.get(layout) ?? physicalTable(layout, byName, dialect)),
    views: schema.views.map(({ name, query, security }) => ({
      name,
      query: sqlFor(query, dialect.name) ?? '',
      security,
    })),
    changeStreams: schema.changeStreams.map((stream) => inColumns(stream, byName)),
  }
}

/** Whether nothing of a table depends on how another one lies. */
function isAlone({ table }: TableLayout): boolean {
  return (
    table.foreignKeys.length === 0 && table.indexes.every(({ interleaveIn }) => interleaveIn === undefined)
  )
}

function physicalTable(layout: TableLayout, layouts: Layouts, dialect: Dialect): PhysicalTable {
  const { table, key } = layout
  const { parent, rowDeletion } = table
  return {
    name: table.name,
    columns: laidColumns(layout),
    key: key.map(({ column, order }) => ({ column: column.name, order })),
    ...(parent && { parent }),
    ...(rowDeletion && {
      rowDeletion: { column: nameOf(layout, rowDeletion.property), days: rowDeletion.days },
    }),
    checks: dialect.sql?.ddlSyntax.checks(layout) ?? [],
    foreignKeys: table.foreignKeys.map((foreignKey) => {
      const { columns, references } = foreignKeyColumns(layouts, layout, foreignKey)
      const { name, table: other, onDelete, enforced = true } = foreignKey
      return { name, columns, table: other, references, onDelete, enforced }
    }),
    indexes: layout.indexes.map((index) => physicalIndex(layout, index, layouts, dialect)),
    clientKeys: clientKeys(layout),
  }
}

function clientKeys(layout: TableLayout): ClientKey[] {
  const checks = shardChecks(layout)
  return keyFields(layout).flatMap(({ column: { name, source, inherited }, physical }) => {
    if ((source?.kind !== 'shard' && source?.kind !== 'hash') || inherited || physical[0]!.made) return []
    const of = source.of.map((property) => columnOf(layout.table, property)!.name)
    const check = checks.find(({ column }) => column === name)?.name
    return [{ column: name, source: { ...source, of }, ...(check !== undefined && { check }) }]
  })
}

function nameOf(layout: TableLayout, property: string): string {
  return columnsOf(layout, [property])[0]!.name
}

function laidColumns({ columns, fields, indexes }: TableLayout): LaidColumn[] {
  const owners = new Map<PhysicalColumn, string>()
  const sharded = new Map(indexes.map(({ shard, index }) => [shard?.physical[0], index.name]))
  for (const { column, physical } of fields) for (const each of physical) owners.set(each, column.name)
  return columns.map((column) => {
    const { name, type, nullable, made, hidden } = column
    return {
      name,
      type,
      nullable,
      ...(made && { made }),
      ...(hidden && { hidden }),
      of: owners.get(column) ?? name,
      ...(sharded.has(column) && { shards: sharded.get(column)! }),
    }
  })
}

function physicalIndex(
  layout: TableLayout,
  indexLayout: IndexLayout,
  layouts: Layouts,
  dialect: Dialect,
): PhysicalIndex {
  const { index } = indexLayout
  const columns = indexColumns(layouts, layout, indexLayout)
  const spelled = index.nullFiltered && !dialect.sql?.ddlSyntax.alter.hasNullFiltered
  const names = (properties: readonly string[]): string[] =>
    columnsOf(layout, properties).map((column) => column.name)
  const filter = spelled
    ? columns.flatMap(({ column }) => (column.nullable ? [column.name] : []))
    : names(index.notNull)
  return {
    name: index.name,
    unique: index.unique,
    nullFiltered: index.nullFiltered && !spelled,
    parts: columns.map(({ column, order, nulls }) => {
      const natural = (dialect.nulls === 'highest') === (order === 'asc') ? 'last' : 'first'
      return { column: column.name, order, ...(nulls && nulls !== natural && { nulls }) }
    }),
    // Their order means nothing.
    storing: names(index.storing).toSorted(),
    notNull: filter.toSorted(),
    ...(index.interleaveIn !== undefined && { interleaveIn: index.interleaveIn }),
  }
}

function inColumns(stream: ChangeStream, layouts: Layouts): ChangeStream {
  const { name, watch, options } = stream
  if (watch === 'all') return { name, watch, options }
  return {
    name,
    watch: watch.map(({ table, columns }) => ({
      table,
      columns:
        columns === 'all' ? columns : columnsOf(layouts.get(table)!, columns).map((column) => column.name),
    })),
    options,
  }
}
