import type { ColumnRowDeletion } from '@isotherm/core/tools'
import type { NamedCheck } from '@isotherm/core/tools'
import { foreignKeyColumns, columnsOf, shardChecks, type Layouts } from '@isotherm/core/tools'
import type { DefinedColumn } from '@isotherm/core/tools'
import { indexColumns } from '@isotherm/core/tools'
import { opaqueObjects, sqlColumn, type OpaqueObject, type SqlColumn } from '@isotherm/core/tools'
import { requiredSql } from '@isotherm/core/tools'
import { layoutsByName, namespacesOf } from '@isotherm/core/tools'
import type { SqlDialect } from '@isotherm/core/tools'
import {
  keyFields,
  type IndexLayout,
  type PhysicalColumn,
  type TableLayout,
  itemAt,
  known,
  paired,
  present,
} from '@isotherm/core/engine'
import type { PhysicalForeignKey, PhysicalIndex, PhysicalKeyColumn, PhysicalView } from '@isotherm/core/tools'
import type { LaidOut } from '@isotherm/core/tools'
import type { HashSource, ShardSource } from '@isotherm/core/tools'
import type { ChangeStream, Sequence } from '@isotherm/core/tools'
import type { Interleaving } from '@isotherm/core/tools'

// A schema as a database stores it: columns in place of properties, SQL texts of one dialect. It does not say how a model
// declared it.

export interface LaidColumn extends DefinedColumn {
  /** The column of the model that this one is, or is a part of. */
  readonly of: string
  /** Its bytes are those of a UUID, and not of a text. */
  readonly isUuid?: true
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
  readonly opaqueColumns: readonly SqlColumn[]
  readonly key: readonly PhysicalKeyColumn[]
  readonly parent?: Interleaving
  readonly rowDeletion?: ColumnRowDeletion
  readonly checks: readonly NamedCheck[]
  readonly foreignKeys: readonly PhysicalForeignKey[]
  readonly indexes: readonly PhysicalIndex[]
  /** Without those that it has from its parent. */
  readonly clientKeys: readonly ClientKey[]
}

export interface PhysicalSchema {
  readonly namespaces: readonly string[]
  readonly sequences: readonly Sequence[]
  readonly tables: readonly PhysicalTable[]
  readonly views: readonly PhysicalView[]
  /** With the names of columns where a schema has properties. */
  readonly changeStreams: readonly ChangeStream[]
  readonly opaque: readonly OpaqueObject[]
}

/** Tables that two schemas store in the same way are the same objects. */
export function physicalSchema(
  { schema, layouts }: LaidOut,
  dialect: SqlDialect,
  like?: { readonly laidOut: LaidOut; readonly physical: PhysicalSchema },
): PhysicalSchema {
  const alike = new Map(
    like && paired(like.laidOut.layouts, like.physical.tables).filter(([layout]) => isAlone(layout)),
  )
  const byName = layoutsByName(layouts)
  return {
    namespaces: namespacesOf(schema),
    sequences: schema.sequences,
    tables: layouts.map((layout) => alike.get(layout) ?? physicalTable(layout, byName, dialect)),
    views: schema.views.map(({ name, query, security }) => ({
      name,
      query: requiredSql(query, dialect.name, name, 'its query'),
      security,
    })),
    changeStreams: schema.changeStreams.map((stream) => inColumns(stream, byName)),
    opaque: opaqueObjects(schema, dialect.lexicalSyntax),
  }
}

/** Whether nothing of a table depends on how another one lies. */
function isAlone({ table }: TableLayout): boolean {
  return (
    table.foreignKeys.length === 0 && table.indexes.every(({ interleaveIn }) => interleaveIn === undefined)
  )
}

function physicalTable(layout: TableLayout, layouts: Layouts, dialect: SqlDialect): PhysicalTable {
  const { table, key } = layout
  const { parent, rowDeletion } = table
  return {
    name: table.name,
    columns: laidColumns(layout),
    opaqueColumns: (table.opaqueColumns ?? []).map((column) =>
      sqlColumn(table.name, column, dialect.lexicalSyntax),
    ),
    key: key.map(({ column, order }) => ({ column: column.name, order })),
    ...(parent && { parent }),
    ...(rowDeletion && {
      rowDeletion: { column: nameOf(layout, rowDeletion.property), days: rowDeletion.days },
    }),
    checks: dialect.sql.ddlSyntax.checks(layout),
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
  return keyFields(layout).flatMap(({ column: { name, source, inherited }, physical }) => {
    if ((source?.kind !== 'shard' && source?.kind !== 'hash') || inherited || physical[0].made) return []
    const of = source.of.map((property) => known(layout.byProperty, property).column.name)
    const check = shardChecks(layout).find(({ column }) => column === name)?.name
    return [{ column: name, source: { ...source, of }, ...(check !== undefined && { check }) }]
  })
}

function nameOf(layout: TableLayout, property: string): string {
  return itemAt(columnsOf(layout, [property]), 0).name
}

function laidColumns({ columns, fields, indexes }: TableLayout): LaidColumn[] {
  const owners = new Map<PhysicalColumn, string>()
  const uuids = new Set(
    fields.flatMap(({ column, physical }) => (column.type.kind === 'uuid' ? physical : [])),
  )
  const sharded = new Map(indexes.map(({ shard, index }) => [shard?.physical[0], index.name]))
  for (const { column, physical } of fields)
    for (const each of physical) if (each.name !== column.name) owners.set(each, column.name)
  return columns.map((column) => {
    const { name, type, nullable, made, hidden } = column
    const shards = sharded.get(column)
    return {
      name,
      type,
      nullable,
      ...(made && { made }),
      ...(hidden && { hidden }),
      of: owners.get(column) ?? name,
      ...(type.kind === 'bytes' && uuids.has(column) && { isUuid: true as const }),
      ...(shards !== undefined && { shards }),
    }
  })
}

function physicalIndex(
  layout: TableLayout,
  indexLayout: IndexLayout,
  layouts: Layouts,
  dialect: SqlDialect,
): PhysicalIndex {
  const { index } = indexLayout
  const columns = indexColumns(layouts, layout, indexLayout)
  const asFilter = index.nullFiltered && !dialect.sql.ddlSyntax.alter.hasNullFiltered
  const names = (properties: readonly string[]): string[] =>
    columnsOf(layout, properties).map((column) => column.name)
  const filter = asFilter
    ? columns.flatMap(({ column }) => (column.nullable ? [column.name] : []))
    : names(index.notNull)
  return {
    name: index.name,
    unique: index.unique,
    nullFiltered: index.nullFiltered && !asFilter,
    parts: columns.map(({ column, order, nulls }) => {
      const natural = (dialect.nulls === 'highest') === (order === 'asc') ? 'last' : 'first'
      return { column: column.name, order, ...(nulls && nulls !== natural && { nulls }) }
    }),
    // Their order means nothing.
    storing: names(index.storing).toSorted(),
    notNull: filter.toSorted(),
    // Where rows do not lie in their parent, such an index only begins with the parent's key.
    ...(index.interleaveIn !== undefined &&
      !dialect.sql.ddlSyntax.alter.parentsAreForeignKeys && { interleaveIn: index.interleaveIn }),
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
        columns === 'all'
          ? columns
          : columnsOf(present(layouts.get(table), `table ${table}`), columns).map((column) => column.name),
    })),
    options,
  }
}
