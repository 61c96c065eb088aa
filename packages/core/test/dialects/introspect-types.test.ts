import { describe, expect, it } from 'vitest'
import { readSchema } from '../../src/dialects/introspect.js'
import type { SqlDialect } from '../../src/model/sql-expression.js'
import { recordedCatalogue, recordedTables, type RecordedTable } from '../support/recorded-catalogue.js'

async function tableOf(table: RecordedTable, dialect: SqlDialect = 'googlesql') {
  const place = { schema: dialect === 'googlesql' ? '' : 'public', ...table }
  const schema = await readSchema(recordedCatalogue({ views: recordedTables([place]) }), dialect)
  return schema.tables[0]!
}

const key = { column_name: 'id', spanner_type: 'INT64' }

describe('what no schema has', () => {
  it.each([
    ['TOKENLIST', 'googlesql'],
    ['INTERVAL', 'googlesql'],
    ['PROTO<a.b.C>', 'googlesql'],
    ['a.b.C', 'googlesql'],
    ['ENUM<a.b.C>', 'googlesql'],
    ['ARRAY<ARRAY<INT64>>', 'googlesql'],
    ['STRUCT<a INT64>', 'googlesql'],
    ['interval', 'spanner-postgresql'],
    ['spanner.tokenlist', 'spanner-postgresql'],
    ['oid', 'spanner-postgresql'],
    ['bigint[][]', 'spanner-postgresql'],
  ] as const)('is a column of type %s', async (spanner_type, dialect) => {
    await expect(
      tableOf({ columns: [{ column_name: 'x', spanner_type }], key: ['x'] }, dialect),
    ).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      table: 'T',
      column: 'x',
      message: expect.stringContaining(spanner_type),
    })
  })

  it('is a search index, a column that updates itself, a policy in hours', async () => {
    const views = recordedTables([{ columns: [key], key: ['id'] }])
    views['indexes']!.push({ table_schema: '', table_name: 'T', index_name: 'ix', index_type: 'SEARCH' })
    await expect(readSchema(recordedCatalogue({ views }), 'googlesql')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('SEARCH'),
    })
    const updates = recordedTables([{ columns: [{ ...key, on_update_expression: 'x' }], key: ['id'] }])
    await expect(
      readSchema(recordedCatalogue({ views: updates, has: ['columns.on_update_expression'] }), 'googlesql'),
    ).rejects.toMatchObject({ code: 'UNSUPPORTED', column: 'id' })
    const has = ['tables.row_deletion_policy_expression']
    for (const policy of [
      'OLDER_THAN(id, INTERVAL 5 HOUR)',
      'NEWER_THAN(id)',
      'OLDER_THAN(x, INTERVAL 5 DAY)',
    ]) {
      const aged = recordedTables([
        { columns: [key], key: ['id'], row: { row_deletion_policy_expression: policy } },
      ])
      await expect(readSchema(recordedCatalogue({ views: aged, has }), 'googlesql')).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringContaining(policy),
      })
    }
  })

  it('is a database of another language', async () => {
    await expect(readSchema(recordedCatalogue({ views: {} }), 'cql' as 'googlesql')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
  })
})

describe('types', () => {
  it.each([
    ['STRING(MAX)', { kind: 'string', length: 'max' }],
    ['STRING(36)', { kind: 'string', length: 36 }],
    ['BYTES(16)', { kind: 'bytes', length: 16 }],
    ['BYTES(MAX)', { kind: 'bytes', length: 'max' }],
    ['ARRAY<STRING(5)>', { kind: 'array', of: { kind: 'string', length: 5 } }],
    ['ARRAY<FLOAT32>(vector_length=>128)', { kind: 'array', of: { kind: 'float32' } }],
    ['NUMERIC', { kind: 'numeric' }],
    ['JSON', { kind: 'json' }],
  ])('%s in GoogleSQL', async (spanner_type, type) => {
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
  ])('%s in the PostgreSQL dialect', async (spanner_type, type) => {
    const { columns } = await tableOf(
      { columns: [{ column_name: 'x', spanner_type }], key: ['x'] },
      'spanner-postgresql',
    )
    expect(columns[0]!.type).toEqual(type)
  })
})
