import { defineSchema, defineTable } from '@isotherm/core'
import { generatedExpressions } from '@isotherm/core/adapter'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { expect, it } from 'vitest'

const [table] = defineSchema([
  defineTable('logs', (t) => ({
    shard: t.shardKey({ shards: 4, of: ['source'] }),
    source: t.string({ length: 50, name: 'log_source' }).key(),
    made: t.shardKey({ shards: 4, of: ['source'], computedBy: 'client' }),
    at: t.timestamp({ default: 'now' }),
    upper: t.string({
      nullable: true,
      generated: { 'spanner-postgresql': 'upper(log_source)', googlesql: 'UPPER(x)' },
    }),
  })),
]).tables

it('generatedExpressions() returns the SQL of database-computed shards and of generated columns', () => {
  const expressions = generatedExpressions(table!, spannerPostgresql)
  expect([...expressions.keys()]).toEqual(['shard', 'upper'])
  expect(expressions.get('shard')).toMatch(/spanner\.farm_fingerprint\(.*"log_source"/)
  expect(expressions.get('upper')).toBe('upper(log_source)')
  expect(generatedExpressions(table!, googlesql).get('upper')).toBe('UPPER(x)')
})
