import { defineSchema, type Schema, type ShardKeyOptions } from '@isotherm/core'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { describe, expect, it } from 'vitest'
import { looseTable, type LogTable } from '../../../core/test/support/layout.js'
import { refusal } from '../../../core/test/support/refusal.js'

// CQL cannot compute key parts: a model whose key part the database computes is rejected, instead of silently getting
// values of the client.

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
  message: 'is computed by the database, but CQL does not compute values.',
  fix: 'Remove computedBy: the client then computes it.',
}
const SQL = {
  message: 'is computed by an SQL expression, which CQL does not support.',
  fix: 'Add the same as a function, compute: (row) => …, or remove the expression.',
}

describe.each([cql, keyspacesCql])('computed key parts in $name', (dialect) => {
  it.each([
    ['a shard that the database computes', 'shard', sharded({ computedBy: 'database' }), DATABASE],
    ['a hash that the database computes', 'hash', hashed('database'), DATABASE],
    ['a shard with only an SQL expression', 'shard', sharded({ expression }), SQL],
    [
      'a shard that the database computes, with a function too',
      'shard',
      sharded({ expression, compute, computedBy: 'database' }),
      DATABASE,
    ],
  ])('ddl() and layout() throw UNSUPPORTED_MODEL for %s', (_, column, schema, { message, fix }) => {
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
    ['a shard without computedBy', sharded({})],
    ['a hash without computedBy', hashed()],
    ['a shard that the client computes', sharded({ computedBy: 'client' })],
    ['a shard with a function', sharded({ compute })],
    ['a shard with a function and an SQL expression', sharded({ expression, compute })],
    // A file does not contain the function of a model, so a schema from a file does not show whether there is a function.
    ['a shard with an SQL expression, read from a file', saved(sharded({ expression, compute }))],
  ])('layout() and refuseUnsupported() accept %s', (_, schema) => {
    expect(() => dialect.layout(schema.tables[0]!, schema)).not.toThrow()
    expect(() => dialect.refuseUnsupported(schema, [])).not.toThrow()
  })
})
