import { refuseHotspots } from '@isotherm/core/tools'
import {
  compileDdl,
  defineSchema,
  defineTable,
  lint,
  type Finding,
  type Schema,
  type ShardFunction,
} from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it, vi } from 'vitest'
import { shardOf } from '../../src/keys/shard.js'

const characters = (text: unknown): number[] =>
  [...String(text)].map((character) => character.codePointAt(0)!)

/** Computes the shard as the guide of Amazon Keyspaces computes a suffix. */
const product: ShardFunction = ({ title }) =>
  Number(characters(title).reduce((all, code) => (all * BigInt(code)) % 200n, 1n))

function schemaOf(compute: ShardFunction, shards = 200): Schema {
  const Post = defineTable('Post', (t) => ({
    shard: t.shardKey({ shards, of: ['title'], compute }),
    title: t.string({ length: 100 }).key(),
  }))
  return defineSchema([Post])
}

function numbers(compute: ShardFunction, shards = 64): Schema {
  const Row = defineTable('Row', (t) => ({
    shard: t.shardKey({ shards, of: ['userId', 'at'], compute }),
    at: t.timestamp().key(),
    userId: t.int64().key(),
  }))
  return defineSchema([Row])
}

const findings = (schema: Schema): Finding[] =>
  lint(schema, { dialect: googlesql }).filter(({ rule }) => rule === 'uneven-shard')

describe('uneven-shard', () => {
  it('reports a compute function that fills few shards, and says how many it fills', () => {
    const [finding, ...more] = findings(schemaOf(product))
    expect(more).toEqual([])
    expect(finding).toMatchObject({
      severity: 'warning',
      table: 'Post',
      column: 'shard',
      message: expect.stringMatching(
        /^compute fills \d{1,2} of 200 shards with 4,\d{3} made-up \w+: an even one fills 19\d\.$/,
      ),
      fix: expect.stringContaining('Leave compute out'),
    })
  })

  it.each<[string, ShardFunction]>([
    ['a constant', () => 7],
    ['the code of the first character', ({ title }) => characters(title)[0]! % 200],
    ['the length of the text', ({ title }) => String(title).length % 200],
  ])('reports a compute function that returns %s', (_, compute) => {
    expect(findings(schemaOf(compute))).toHaveLength(1)
  })

  it('reports a compute function that puts far more values into one shard than into the others', () => {
    const compute: ShardFunction = ({ title }) =>
      shardOf(`${String(title)}?`, 5) < 3 ? 0 : shardOf(String(title), 200)
    expect(findings(schemaOf(compute))[0]?.message).toMatch(
      /^compute puts \d\d % of 4,\d{3} made-up \w+ into one of 200 shards\.$/,
    )
  })

  it.each<[string, ShardFunction]>([
    ['the built-in hash', ({ title }) => shardOf(String(title), 200)],
    [
      'a polynomial hash',
      ({ title }) => characters(title).reduce((all, code) => (all * 31 + code) % 1_000_003, 7) % 200,
    ],
    [
      'a remainder for numeric text and -1 for other text',
      ({ title }) => (/^\d+$/.test(String(title)) ? Number(title) % 200 : -1),
    ],
  ])('accepts a compute function that is %s', (_, compute) => {
    expect(findings(schemaOf(compute))).toEqual([])
  })

  it('accepts remainders of an INT64 and of a timestamp as shards', () => {
    expect(findings(numbers(({ userId }) => (userId as bigint) % 64n))).toEqual([])
    expect(findings(numbers(({ at }) => (at as Date).getTime() % 64))).toEqual([])
  })

  it.each<[string, ShardFunction, string]>([
    [
      'throws',
      () => {
        throw new Error('no such title')
      },
      'compute throws Error: no such title for title: "',
    ],
    ['returns a fraction', () => 0.5, 'compute gives 0.5 for title: "'],
    ['returns a number above the last shard', () => 200, 'compute gives 200 for title: "'],
    ['returns a negative number', () => -1, 'which is not a shard from 0 to 199.'],
    ['returns undefined', () => undefined as unknown as number, 'compute gives undefined for title: "'],
    [
      'is asynchronous',
      (() => Promise.resolve(1)) as unknown as ShardFunction,
      'compute gives [object Promise]',
    ],
  ])('reports a compute function that %s, and quotes the result', (_, compute, message) => {
    expect(findings(schemaOf(compute))).toMatchObject([
      { message: expect.stringContaining(message), severity: 'warning' },
    ])
  })

  it('reports the shard of a parent table once, and not again for its children', () => {
    const Post = defineTable('Post', (t) => ({
      shard: t.shardKey({ shards: 200, of: ['title'], compute: product }),
      id: t.int64().key(),
      title: t.string({ length: 100, immutable: true }),
    }))
    const Line = defineTable(
      'Line',
      (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<bigint>(), no: t.int64().key() }),
      { interleaveIn: () => Post },
    )
    expect(findings(defineSchema([Post, Line])).map(({ table }) => table)).toEqual(['Post'])
  })

  it('returns the same findings in each run of lint', () => {
    expect(findings(schemaOf(product))).toEqual(findings(schemaOf(product)))
  })

  it('calls compute in lint() only, and in refuseHotspots() only when its severity is error', () => {
    const compute = vi.fn<ShardFunction>(product)
    const schema = schemaOf(compute)
    refuseHotspots(schema, { dialect: cql })
    refuseHotspots(schema, { dialect: cql, severity: { 'uneven-shard': 'warning' } })
    compileDdl(schema, { dialect: cql })
    expect(compute).not.toHaveBeenCalled()
    expect(() => refuseHotspots(schema, { dialect: cql, severity: { 'uneven-shard': 'error' } })).toThrow(
      'compute fills',
    )
    expect(compute.mock.calls.length).toBeLessThan(20_000)
  })
})
