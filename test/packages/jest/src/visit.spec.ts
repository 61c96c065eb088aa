import * as adapter from '@isotherm/drizzle-adapter'
import { cql } from '@isotherm/cassandra'
import { compileDdl, defineSchema, IsothermError, lint } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { diffSchemas } from '@isotherm/migrations'
import { googlesql } from '@isotherm/spanner'
import { engine } from '@isotherm/spanner/cli'
import { connectSpanner } from '@isotherm/spanner/local'
import { Visit } from './visit'

const schema = defineSchema([Visit])

it('compiles the DDL of a model', () => {
  expect(compileDdl(schema, { dialect: googlesql })[0]).toContain('`page` STRING(MAX) NOT NULL')
  expect(compileDdl(schema, { dialect: cql })[0]).toContain('CREATE TABLE "Visit"')
})

it('lints, shards and diffs a schema without a database', () => {
  expect(lint(schema, { dialect: googlesql })).toEqual([])
  expect(shardOf(7n, 8)).toBeLessThan(8n)
  expect(diffSchemas(defineSchema([]), schema, { dialect: googlesql }).changes).toHaveLength(1)
})

it('throws errors that are instances of IsothermError', () => {
  expect(() => compileDdl(schema, { dialect: 'googlesql' as never })).toThrow(IsothermError)
})

it('loads a dialect and the Spanner client on demand', async () => {
  expect(await engine.dialects['googlesql']!.load()).toBe(googlesql)
  const client = await connectSpanner('localhost:1', 'none')
  expect(client.projectId).toBe('none')
})

it('loads the Drizzle adapter', () => {
  expect(typeof adapter.spannerTable).toBe('function')
})
