import type { Client } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cassandraCapabilities } from '../../../packages/cassandra/src/cql/capabilities.js'
import { effectOf } from '../../../packages/cassandra/src/cql/ddl-effect.js'
import { type StoredTable, cqlDdlSyntax } from '../../../packages/cassandra/src/ddl/ddl.js'
import { sharedCassandra } from '../../support/cassandra.js'

// Statements that change a keyspace, one after another, and unchecked names, which change nothing else.

const syntax = cqlDdlSyntax(cassandraCapabilities)

let client: Client
let keyspace: string

beforeAll(async () => {
  const cassandra = await sharedCassandra()
  keyspace = await cassandra.keyspace()
  client = await cassandra.client(keyspace)
})

afterAll(() => client.shutdown())

async function catalog(columns: string, table: string): Promise<string[]> {
  const { rows } = await client.execute(
    `SELECT ${columns} FROM system_schema.${table} WHERE keyspace_name = ?`,
    [keyspace],
  )
  return rows.map((row) => row.values().flat().join(' ')).toSorted()
}

const orders: StoredTable = {
  name: 'Order',
  layouts: [],
  columns: [
    { name: 'id', type: { kind: 'uuid' } },
    { name: 'line', type: { kind: 'int32' } },
    { name: 'note', type: { kind: 'string', length: 'max' } },
  ],
  key: [
    { name: 'id', order: 'asc' },
    { name: 'line', order: 'desc' },
  ],
  partition: 1,
}

/** Such as end quotes, statements and comments. */
const NAMES = [
  '"',
  '""',
  'a" int, "b',
  'a" text); DROP TABLE "kept"; --',
  'a"; DROP TABLE "kept"; /*',
  "'",
  '$$',
  '--',
  '//',
  '/* */',
  ';',
  'a\nb',
  '\u{1F600} \uFFFD',
  '?',
  ':x',
]

describe('CQL statements of schema changes', () => {
  it('are accepted by Cassandra, and the catalogue shows their effect', async () => {
    const address = { name: 'Address', fields: [{ name: 'street', type: { kind: 'ascii' } }] } as const
    await client.execute(syntax.type(address))
    await client.execute(syntax.table(orders))
    await client.execute(syntax.addTypeField('Address', { name: 'Zip', type: { kind: 'int32' } }))
    expect(await catalog('type_name, field_names, field_types', 'types')).toStrictEqual([
      'Address street Zip ascii int',
    ])

    const home = { name: 'home', type: { kind: 'udt', name: 'Address', frozen: true } } as const
    await client.execute(syntax.addColumn('Order', home))
    await client.execute(syntax.addColumn('Order', { name: 'owner', type: { kind: 'ascii' }, static: true }))
    await client.execute(syntax.dropColumn('Order', 'note'))
    await client.execute(syntax.renameKeyColumn('Order', 'line', 'Line'))
    expect(await catalog('column_name, type, kind', 'columns')).toStrictEqual([
      'Line int clustering',
      'home frozen<"Address"> regular',
      'id uuid partition_key',
      'owner ascii static',
    ])

    for (const statement of syntax.tableOptions('Order', { ttlSeconds: 60 }, { ttlSeconds: undefined }))
      await client.execute(statement)
    expect(await catalog('table_name, default_time_to_live', 'tables')).toStrictEqual(['Order 60'])
    for (const statement of syntax.tableOptions('Order', { ttlSeconds: undefined }, { ttlSeconds: 60 }))
      await client.execute(statement)
    expect(await catalog('table_name, default_time_to_live', 'tables')).toStrictEqual(['Order 0'])

    await client.execute(
      syntax.index('Order', { name: 'By_Line', column: { name: 'Line', type: { kind: 'int32' } } }),
    )
    expect(await catalog('index_name', 'indexes')).toStrictEqual(['By_Line'])
    await client.execute(syntax.dropIndex('By_Line'))
    await client.execute(syntax.dropTable('Order'))
    await client.execute(syntax.dropType('Address'))
    for (const table of ['tables', 'types', 'indexes'])
      expect(await catalog('keyspace_name', table)).toStrictEqual([])
  })

  it('change only the given tables and columns, even if names contain quotes, statements or comments', async () => {
    const columns = NAMES.map((name) => ({ name, type: { kind: 'int32' } }) as const)
    await client.execute(syntax.table({ ...orders, name: 'kept' }))
    await client.execute(
      syntax.table({ ...orders, name: 'hostile', columns: [...orders.columns, ...columns] }),
    )
    await client.execute(syntax.type({ name: 'shape', fields: columns }))
    const added = { name: '"; DROP TABLE kept; -- $$ /*', type: { kind: 'int32' } } as const
    const add = syntax.addColumn('hostile', added)
    await client.execute(add)
    expect(effectOf(add)).toStrictEqual({
      kind: 'columns',
      table: 'hostile',
      columns: [added.name],
      there: true,
    })
    const own = orders.columns.map(({ name }) => name)
    expect(await catalog('table_name, column_name', 'columns')).toStrictEqual(
      [
        ...own.map((name) => `kept ${name}`),
        ...[...own, ...NAMES, added.name].map((name) => `hostile ${name}`),
      ].toSorted(),
    )
    expect(await catalog('field_names', 'types')).toStrictEqual([NAMES.join(' ')])
    await client.execute(syntax.dropColumn('hostile', added.name))
    expect(await catalog('table_name, column_name', 'columns')).not.toContain(`hostile ${added.name}`)
    // Names of tables are plain, or nothing is made.
    for (const name of NAMES)
      await expect(client.execute(syntax.table({ ...orders, name }))).rejects.toThrow(/name/i)
    expect(await catalog('table_name', 'tables')).toStrictEqual(['hostile', 'kept'])
  })
})
