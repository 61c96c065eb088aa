import { cql } from '@isotherm/cassandra'
import { defineSchema } from '@isotherm/core'
import type { Wire } from '@isotherm/core/engine'
import { describe, expect, it } from 'vitest'
import { looseTable } from '../../../core/test/support/layout.js'
import { cassandraCapabilities, keyspacesCapabilities } from '../../src/cql/capabilities.js'
import { checkKeyLength } from '../../src/driver/key-lengths.js'

const schema = defineSchema([
  looseTable(
    'Log',
    (t) => ({
      site: t.string().key(),
      page: t.bytes().key(),
      name: t.string().key(),
      tags: t.array({ kind: 'string', length: 'max' }, { frozen: true }).key(),
      n: t.varint().key(),
    }),
    { partitionKey: ['site', 'page'] },
  ),
])
const layout = cql.layout(schema.tables[0]!, schema)
const engines = {
  Cassandra: { name: 'Cassandra', has: cassandraCapabilities },
  Keyspaces: { name: 'Keyspaces', has: keyspacesCapabilities },
}
const bytes = (length: number): Wire => Buffer.alloc(length).toString('base64')
const text = (length: number): Wire => 'x'.repeat(length)

describe('checkKeyLength()', () => {
  // Two columns of a partition key have six bytes more in Cassandra; the list has eight beside its text, and the varint one.
  it.each<[keyof typeof engines, string, readonly Wire[], readonly Wire[], number]>([
    ['Cassandra', 'site', [text(65_428), bytes(100)], [text(65_429), bytes(101)], 65_536],
    ['Cassandra', 'page', [text(100), bytes(65_429)], [text(100), bytes(65_430)], 65_536],
    ['Keyspaces', 'site', [text(1_948), bytes(100)], [text(1_949), bytes(100)], 2_049],
  ])(
    'counts the bytes of a partition key in %s, and names the column %s',
    (name, column, short, long, length) => {
      const rest = ['', [], '0']
      expect(() => checkKeyLength(layout, [...short, ...rest], engines[name])).not.toThrow()
      expect(() => checkKeyLength(layout, [...long, ...rest], engines[name])).toThrow(
        expect.objectContaining({
          code: 'INVALID_VALUE',
          table: 'Log',
          column,
          message: expect.stringContaining(
            `Log.${column} makes a partition key of ${length} bytes, and ${name}`,
          ),
        }),
      )
    },
  )

  it.each<[keyof typeof engines, string, readonly Wire[], readonly Wire[], number]>([
    ['Cassandra', 'name', [text(65_530), [], '0'], [text(65_531), [], '0'], 65_536],
    ['Cassandra', 'name', ['é'.repeat(32_765), [], '0'], [`é${'é'.repeat(32_765)}`, [], '0'], 65_537],
    ['Cassandra', 'tags', ['', [text(65_526)], '0'], ['', [text(65_527)], '0'], 65_536],
    ['Keyspaces', 'name', [text(845), [], '0'], [text(846), [], '0'], 851],
    ['Keyspaces', 'n', ['', [], `1${'0'.repeat(2_030)}`], ['', [], `1${'0'.repeat(2_040)}`], 852],
  ])(
    'counts the bytes of a clustering key in %s, and names the column %s',
    (name, column, short, long, length) => {
      const first = ['a', bytes(1)]
      expect(() => checkKeyLength(layout, [...first, ...short], engines[name])).not.toThrow()
      expect(() => checkKeyLength(layout, [...first, ...long], engines[name])).toThrow(
        expect.objectContaining({
          code: 'INVALID_VALUE',
          column,
          message: expect.stringContaining(`makes a clustering key of ${length} bytes`),
        }),
      )
    },
  )
})
