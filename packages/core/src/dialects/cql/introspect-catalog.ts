import type { CatalogReader } from '../introspection/catalog-query.js'
import type { WireType } from '../wire.js'

// A keyspace as the catalogue has it.

export interface KeyspaceRow {
  readonly table: string
  /** In seconds; 0: rows stay. */
  readonly timeToLive: number
}

export interface KeyspaceColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly kind: 'partition_key' | 'clustering' | 'static' | 'regular'
  readonly position: number
  readonly order: 'asc' | 'desc' | 'none'
}

export interface KeyspaceType {
  readonly name: string
  readonly fields: readonly string[]
  readonly types: readonly string[]
}

export interface KeyspaceIndex {
  readonly table: string
  readonly name: string
  readonly kind: string
  readonly options: ReadonlyMap<string, string>
}

export interface KeyspaceCatalog {
  readonly tables: readonly KeyspaceRow[]
  readonly columns: readonly KeyspaceColumn[]
  readonly types: readonly KeyspaceType[]
  readonly indexes: readonly KeyspaceIndex[]
  readonly views: readonly string[]
}

const TEXT: WireType = { kind: 'string', length: 'max' }
const INT: WireType = { kind: 'int32' }
const TEXTS: WireType = { kind: 'array', of: TEXT, frozen: true }
const OPTIONS: WireType = { kind: 'map', key: TEXT, of: TEXT, frozen: true }

/** Source: https://cassandra.apache.org/doc/5.0/cassandra/architecture/storage-engine.html and `DESCRIBE KEYSPACE system_schema`. */
export async function readKeyspace(
  reader: Pick<CatalogReader, 'query'>,
  keyspace: string,
): Promise<KeyspaceCatalog> {
  const read = (
    table: string,
    columns: Readonly<Record<string, WireType>>,
  ): ReturnType<CatalogReader['query']> =>
    reader.query(
      {
        text: `SELECT ${Object.keys(columns).join(', ')} FROM system_schema.${table} WHERE keyspace_name = ?`,
        parameters: [{ name: 'keyspace_name', type: TEXT, value: keyspace }],
      },
      Object.values(columns),
    )
  const [tables, columns, types, indexes, views] = await Promise.all([
    read('tables', { table_name: TEXT, default_time_to_live: INT }),
    read('columns', {
      table_name: TEXT,
      column_name: TEXT,
      type: TEXT,
      kind: TEXT,
      position: INT,
      clustering_order: TEXT,
    }),
    read('types', { type_name: TEXT, field_names: TEXTS, field_types: TEXTS }),
    read('indexes', { table_name: TEXT, index_name: TEXT, kind: TEXT, options: OPTIONS }),
    read('views', { view_name: TEXT }),
  ])
  return {
    tables: tables.map(([table, timeToLive]) => ({
      table: String(table),
      timeToLive: Number(timeToLive ?? 0),
    })),
    columns: columns.map(([table, name, type, kind, position, order]) => ({
      table: String(table),
      name: String(name),
      type: String(type),
      kind: kind as KeyspaceColumn['kind'],
      position: Number(position),
      order: (order as string).toLowerCase() as KeyspaceColumn['order'],
    })),
    types: types.map(([name, fields, of]) => ({
      name: String(name),
      fields: fields as string[],
      types: of as string[],
    })),
    indexes: indexes.map(([table, name, kind, options]) => ({
      table: String(table),
      name: String(name),
      kind: String(kind),
      options: options as ReadonlyMap<string, string>,
    })),
    views: views.map(([name]) => String(name)),
  }
}
