import { defineSchema, type Schema, type ShardKeyOptions } from '@isotherm/core'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { looseTable, type LogTable } from '../../../core/test/support/layout.js'
import { refusal } from '../../../core/test/support/refusal.js'

// CQL computes nothing: a model that says that the database computes a key part is refused, and does not get another one's
// values in silence.

const schemaOf = (columns: LogTable[0]): Schema => defineSchema([looseTable('Log', columns)])
const sharded = (options: Partial<ShardKeyOptions>): Schema =>
  schemaOf((t) => ({
    shard: t.shardKey({ shards: 8, of: ['id'], ...options } as ShardKeyOptions),
    id: t.int64().key(),
  }))
const hashed = (computedBy?: 'database' | 'client'): Schema =>
  schemaOf((t) => ({
    hash: t.hashKey({ of: ['url'], ...(computedBy && { computedBy }) }),
    url: t.string().key(),
  }))

const expression = 'MOD(id, 8)'
const compute = ({ id }: Readonly<Record<string, unknown>>): number => Number((id as bigint) % 8n)
const saved = (schema: Schema): Schema => JSON.parse(JSON.stringify(schema)) as Schema

const DATABASE = {
  message: 'is to be computed by the database, and CQL computes nothing.',
  fix: 'Leave computedBy out: the client computes it then.',
}
const SQL = {
  message: 'is computed by an SQL expression, and CQL has none.',
  fix: 'Give the same as a function as well, compute: (row) => …; or leave the expression out.',
}

describe.each([cql, keyspacesCql])('a key part that is computed, in $name', (dialect) => {
  it.each([
    ['a shard by the database', 'shard', sharded({ computedBy: 'database' }), DATABASE],
    ['a hash by the database', 'hash', hashed('database'), DATABASE],
    ['a shard by SQL alone', 'shard', sharded({ expression }), SQL],
    [
      'a shard by the database, as a function says too',
      'shard',
      sharded({ expression, compute, computedBy: 'database' }),
      DATABASE,
    ],
  ])('is refused: %s', (_, column, schema, { message, fix }) => {
    const refused = {
      code: 'UNSUPPORTED_MODEL',
      table: 'Log',
      column,
      message: `Log.${column} ${message} ${fix}`,
      fix,
    }
    expect(refusal(() => dialect.ddl(schema, []))).toMatchObject(refused)
    expect(refusal(() => dialect.layout(schema.tables[0]!, schema))).toMatchObject(refused)
  })

  it.each([
    ['nobody says by whom', sharded({})],
    ['a hash is nobody’s either', hashed()],
    ['it is the client’s', sharded({ computedBy: 'client' })],
    ['there is a function', sharded({ compute })],
    ['there is a function beside the SQL', sharded({ expression, compute })],
    // No file holds the function that a model has: what is in one says nothing of it.
    ['it comes from a file', saved(sharded({ expression, compute }))],
  ])('is taken where %s', (_, schema) => {
    expect(() => dialect.layout(schema.tables[0]!, schema)).not.toThrow()
    expect(() => dialect.refuseUnsupported(schema, [])).not.toThrow()
  })
})
