import { generatedName } from '@isotherm/core/engine'
import { constraintName } from '@isotherm/core/adapter'
import { defineSchema, defineTable } from '@isotherm/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const part = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,80}$/)
const parts = fc.array(part, { minLength: 1, maxLength: 5 })

describe('generatedName', () => {
  it('joins its arguments with underscores, and omits the named schema', () => {
    expect(generatedName('Order', 'at')).toBe('Order_at')
    expect(generatedName('sales.Order', 'at', 'seq')).toBe('Order_at_seq')
    expect(generatedName('sales.Order_at', 'shard')).toBe('Order_at_shard')
  })

  it('shortens names of more than 63 characters with a hash, and returns shorter names unchanged', () => {
    expect(generatedName('a'.repeat(60), 'bc')).toBe(`${'a'.repeat(60)}_bc`)
    expect(generatedName('a'.repeat(60), 'bcd')).toMatch(/^a{54}_[0-9a-f]{8}$/)
    fc.assert(
      fc.property(parts, (names) => {
        const name = generatedName(...names)
        expect(name.length).toBe(Math.min(63, names.join('_').length))
        expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/)
        // Equal parts always give the same name, so that a schema can be compared with the database.
        expect(generatedName(...names)).toBe(name)
      }),
    )
  })

  it('returns different names for different parts behind the same long prefix', () => {
    fc.assert(
      fc.property(parts, parts, fc.stringMatching(/^[a-z]{60,80}$/), (one, other, prefix) => {
        fc.pre(one.join('_') !== other.join('_'))
        expect(generatedName(prefix, ...one)).not.toBe(generatedName(prefix, ...other))
      }),
    )
  })
})

describe('constraintName', () => {
  it('includes the named schema in the name', () => {
    expect(constraintName('Order', 'shard', 'range')).toBe('Order_shard_range')
    expect(constraintName('sales.Order', 'shard', 'range')).toBe('sales_Order_shard_range')
  })

  it('shortens long names with a hash, and returns different names for two named schemas', () => {
    const [sales, hr] = ['sales', 'hr'].map((each) => constraintName(`${each}.${'a'.repeat(70)}`, 'range'))
    expect(sales).toMatch(/^sales_a{48}_[0-9a-f]{8}$/)
    expect(hr).not.toBe(sales)
  })
})

describe('defineSchema() with long names', () => {
  it('shortens default names of indexes, index shards, foreign keys and sequences to 63 characters', () => {
    const long = 'aVeryVeryVeryVeryVeryLongNameOfAColumn'
    const Log: object = defineTable(
      'TheLogOfAllThatHappens',
      (t) => ({ id: t.bitReversedId({ from: 'sequence', name: long.repeat(2) }), [long]: t.timestamp() }),
      {
        indexes: [{ on: [long, 'id'], shard: { shards: 4, of: ['id'] } }],
        foreignKeys: [{ columns: [long, 'id'], references: () => Log, on: [long, 'id'] }],
      },
    )
    const {
      tables: [table],
      sequences: [sequence],
    } = defineSchema([Log])
    const [index] = table!.indexes
    const made = [index!.name, index!.shard!.column, table!.foreignKeys[0]!.name, sequence!.name]
    expect(made).toStrictEqual([
      generatedName('TheLogOfAllThatHappens', long, 'id'),
      generatedName(index!.name, 'shard'),
      generatedName('TheLogOfAllThatHappens', long, 'id', 'fk'),
      generatedName('TheLogOfAllThatHappens', long.repeat(2), 'seq'),
    ])
    for (const name of made) expect(name).toMatch(/^TheLogOfAllThatHappens_aVery.{26}_[0-9a-f]{8}$/)
  })
})
