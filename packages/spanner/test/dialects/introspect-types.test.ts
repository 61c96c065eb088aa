import type { SqlDialect } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../../../core/src/database/introspect.js'
import {
  recordedCatalogue,
  recordedTables,
  type RecordedTable,
} from '../../../core/test/support/recorded-catalogue.js'

async function tableOf(table: RecordedTable, dialect: SqlDialect = googlesql) {
  const position = { schema: dialect.name === 'googlesql' ? '' : 'public', ...table }
  const schema = await readSchema(recordedCatalogue({ views: recordedTables([position]) }), dialect)
  return schema.tables[0]!
}

const key = { column_name: 'id', spanner_type: 'INT64' }

describe('readSchema() with unsupported objects', () => {
  it.each([
    ['TOKENLIST', googlesql],
    ['INTERVAL', googlesql],
    ['PROTO<a.b.C>', googlesql],
    ['a.b.C', googlesql],
    ['ENUM<a.b.C>', googlesql],
    ['ARRAY<ARRAY<INT64>>', googlesql],
    ['STRUCT<a INT64>', googlesql],
    ['interval', spannerPostgresql],
    ['spanner.tokenlist', spannerPostgresql],
    ['oid', spannerPostgresql],
    ['bigint[][]', spannerPostgresql],
  ] as const)('throws UNSUPPORTED_OBJECT for a key part of type %s', async (spanner_type, dialect) => {
    await expect(
      tableOf({ columns: [{ column_name: 'x', spanner_type }], key: ['x'] }, dialect),
    ).rejects.toMatchObject({
      code: 'UNSUPPORTED_OBJECT',
      table: 'T',
      column: 'x',
      message: expect.stringContaining(spanner_type),
    })
  })

  it('throws UNSUPPORTED_OBJECT for a search index without DDL, and for a key part with ON UPDATE', async () => {
    const views = recordedTables([{ columns: [key], key: ['id'] }])
    views['indexes']!.push({ table_schema: '', table_name: 'T', index_name: 'ix', index_type: 'SEARCH' })
    await expect(readSchema(recordedCatalogue({ views }), googlesql)).rejects.toMatchObject({
      code: 'UNSUPPORTED_OBJECT',
      message: expect.stringContaining('SEARCH'),
    })
    const updates = recordedTables([{ columns: [{ ...key, on_update_expression: 'x' }], key: ['id'] }])
    await expect(
      readSchema(recordedCatalogue({ views: updates, has: ['columns.on_update_expression'] }), googlesql),
    ).rejects.toMatchObject({ code: 'UNSUPPORTED_OBJECT', column: 'id' })
  })

  it.each(['OLDER_THAN(id, INTERVAL 5 HOUR)', 'NEWER_THAN(id)', 'OLDER_THAN(x, INTERVAL 5 DAY)'])(
    'keeps the row deletion policy %s as an opaque statement',
    async (policy) => {
      const row = { row_deletion_policy_expression: policy }
      const views = recordedTables([{ columns: [key], key: ['id'], row }])
      const has = ['tables.row_deletion_policy_expression']
      const schema = await readSchema(recordedCatalogue({ views, has }), googlesql)
      const create = { googlesql: `ALTER TABLE \`T\` ADD ROW DELETION POLICY (${policy})` }
      expect(schema.opaqueStatements).toEqual([{ create }])
      expect(schema.tables[0]).not.toHaveProperty('rowDeletion')
    },
  )

  it('throws INVALID_CLIENT when the dialect is cql', async () => {
    await expect(readSchema(recordedCatalogue({ views: {} }), cql)).rejects.toMatchObject({
      code: 'INVALID_CLIENT',
    })
  })
})

describe('readSchema() with supported types', () => {
  it.each([
    ['STRING(MAX)', { kind: 'string', length: 'max' }],
    ['STRING(36)', { kind: 'string', length: 36 }],
    ['BYTES(16)', { kind: 'bytes', length: 16 }],
    ['BYTES(MAX)', { kind: 'bytes', length: 'max' }],
    ['ARRAY<STRING(5)>', { kind: 'array', of: { kind: 'string', length: 5 } }],
    ['ARRAY<FLOAT32>(vector_length=>128)', { kind: 'array', of: { kind: 'float32' } }],
    ['NUMERIC', { kind: 'numeric' }],
    ['JSON', { kind: 'json' }],
  ])('reads the type %s in GoogleSQL', async (spanner_type, type) => {
    const { columns } = await tableOf({ columns: [{ column_name: 'x', spanner_type }], key: ['x'] })
    expect(columns[0]!.type).toEqual(type)
  })

  it.each([
    ['character varying', { kind: 'string', length: 'max' }],
    ['character varying(36)', { kind: 'string', length: 36 }],
    ['character varying(5)[]', { kind: 'array', of: { kind: 'string', length: 5 } }],
    ['timestamp with time zone[]', { kind: 'array', of: { kind: 'timestamp' } }],
    ['real[] vector length 128', { kind: 'array', of: { kind: 'float32' } }],
    ['double precision', { kind: 'float64' }],
    ['uuid[]', { kind: 'array', of: { kind: 'uuid', storage: 'native' } }],
  ])('reads the type %s in the PostgreSQL dialect', async (spanner_type, type) => {
    const { columns } = await tableOf(
      { columns: [{ column_name: 'x', spanner_type }], key: ['x'] },
      spannerPostgresql,
    )
    expect(columns[0]!.type).toEqual(type)
  })
})

it.each([
  [googlesql, 'ARRAY<FLOAT32>(vector_length=>128)', 'vector_length=>128'],
  [spannerPostgresql, 'real[] vector length 128', 'vector length 128'],
])(
  'readSchema() notes the length of a vector in $name, which models cannot declare',
  async (dialect, spanner_type, length) => {
    const schema = dialect === googlesql ? '' : 'public'
    const columns = [
      { column_name: 'id', spanner_type: dialect === googlesql ? 'INT64' : 'bigint' },
      { column_name: 'v', spanner_type },
    ]
    const notes: string[] = []
    const reader = recordedCatalogue({ views: recordedTables([{ schema, columns, key: ['id'] }]) })
    await readSchema({ ...reader, note: (note) => notes.push(note) }, dialect)
    expect(notes).toEqual([
      `The column T.v has ${length}, and models have no vector length: a database that is made from them lacks it. ` +
        'To keep the length, declare the column in opaqueColumns of the table; rows are then read without it.',
    ])
  },
)
