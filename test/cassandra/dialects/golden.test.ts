import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { storedTables, type StoredTable } from '../../../packages/cassandra/src/ddl/ddl.js'
import { cqlType } from '../../../packages/cassandra/src/cql/types.js'
import { cqlGoldens, type CqlGolden } from '../../../packages/cassandra/test/golden/schemas.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { someCases } from '../../support/runs.js'

const ENDS_STATEMENT = /;\s*$/m

/** What Keyspaces alone takes: its statements are Cassandra's but for that. */
const PROPERTIES = /CUSTOM_PROPERTIES = \{.*\}\n {2}AND /

/** As the catalogue has a column. Regular columns and static ones have no place. */
interface CatalogColumn {
  readonly table_name: string
  readonly column_name: string
  readonly type: string
  readonly kind: string
  readonly position: number
  readonly clustering_order: string
}

const CATALOG = `SELECT table_name, column_name, type, kind, position, clustering_order
  FROM system_schema.columns WHERE keyspace_name = ?`

function expectedColumns({ name, columns, key, partition }: StoredTable): CatalogColumn[] {
  return columns.map((column): CatalogColumn => {
    const position = key.findIndex((part) => part.name === column.name)
    const isPartition = position >= 0 && position < partition
    const clusters = position >= partition
    return {
      table_name: name,
      column_name: column.name,
      // The catalogue has quotes only where a name needs them.
      type: cqlType(column.type).replaceAll(/"([a-z][a-z0-9_]*)"/g, '$1'),
      kind: isPartition ? 'partition_key' : clusters ? 'clustering' : column.static ? 'static' : 'regular',
      position: isPartition ? position : clusters ? position - partition : -1,
      clustering_order: clusters ? key[position]!.order : 'none',
    }
  })
}

function sorted(columns: readonly CatalogColumn[]): string[] {
  return columns.map((column) => JSON.stringify(column, Object.keys(column).toSorted())).toSorted()
}

function statementsOf({ ddl }: CqlGolden): string[] {
  return readFileSync(ddl, 'utf8')
    .split(ENDS_STATEMENT)
    .map((each) => each.trim().replace(PROPERTIES, ''))
    .filter(Boolean)
}

// One file for both dialects is applied once.
const files = new Map(cqlGoldens.toReversed().map((golden) => [golden.ddl.href, golden]))

describe('the golden DDL in CQL', () => {
  it.each(someCases([...files.values()], 8))(
    'of $name in $dialect.name is accepted, and the catalogue has its columns, options and indexes',
    async (golden) => {
      const { schema, dialect } = golden
      const cassandra = await sharedCassandra()
      const keyspace = await cassandra.keyspace({ ddl: statementsOf(golden) })
      const client = await cassandra.client(keyspace)
      const stored = storedTables(schema.tables.map((table) => dialect.layout(table, schema)))
      const { rows: columns } = await client.execute(CATALOG, [keyspace])
      expect(sorted(columns as unknown as CatalogColumn[])).toStrictEqual(
        sorted(stored.flatMap(expectedColumns)),
      )
      const { rows: tables } = await client.execute(
        'SELECT table_name, default_time_to_live FROM system_schema.tables WHERE keyspace_name = ?',
        [keyspace],
      )
      expect(
        Object.fromEntries(tables.map((row) => [String(row['table_name']), row['default_time_to_live']])),
      ).toStrictEqual(Object.fromEntries(stored.map(({ name, ttlSeconds = 0 }) => [name, ttlSeconds])))
      const { rows: indexes } = await client.execute(
        'SELECT index_name FROM system_schema.indexes WHERE keyspace_name = ?',
        [keyspace],
      )
      expect(indexes.map((row) => String(row['index_name'])).toSorted()).toStrictEqual(
        schema.tables.flatMap((table) => table.indexes.map((index) => index.name)).toSorted(),
      )
    },
  )
})
