import { storedIndexes, type StoredIndex } from '../../dialects/cql/ddl.js'
import { storedTables, type StoredTable } from '../../dialects/cql/stored-table.js'
import { keyFields, type TableLayout } from '../../dialects/layout.js'
import type { HashSource, ShardSource, TimeBucketSource } from '../../model/key.js'
import type { UserType } from '../../model/schema.js'
import { columnOf } from '../../model/table.js'
import type { LaidOut } from '../physical-schema.js'

/** A key column whose value the client computes: no column tells how, and yet that says where rows lie. */
export interface KeyspaceKey {
  readonly column: string
  /** With the names of columns where a schema has properties. */
  readonly source: ShardSource | HashSource | TimeBucketSource
}

/** A table as a keyspace has it. */
export interface KeyspaceTable extends StoredTable {
  readonly indexes: readonly StoredIndex[]
  readonly clientKeys: readonly KeyspaceKey[]
}

/** What a keyspace holds. */
export interface Keyspace {
  /** Each after those within it. */
  readonly types: readonly UserType[]
  readonly tables: readonly KeyspaceTable[]
}

export function keyspaceOf({ schema, layouts }: LaidOut): Keyspace {
  return {
    types: schema.userTypes ?? [],
    tables: storedTables(layouts).map((table) => ({
      ...table,
      indexes: storedIndexes(table),
      clientKeys: table.layouts.flatMap(clientKeys),
    })),
  }
}

function clientKeys(layout: TableLayout): KeyspaceKey[] {
  const nameOf = (property: string): string => columnOf(layout.table, property)!.name
  return keyFields(layout).flatMap(({ column: { name, source, inherited } }): KeyspaceKey[] => {
    if (!source || inherited) return []
    if (source.kind === 'time-bucket') return [{ column: name, source: { ...source, of: nameOf(source.of) } }]
    if (source.kind !== 'shard' && source.kind !== 'hash') return []
    return [{ column: name, source: { ...source, of: source.of.map(nameOf) } }]
  })
}
