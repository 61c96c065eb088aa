import { generatedName } from '@isotherm/core/engine'
import { constraintName } from '@isotherm/core/adapter'
import { defineSchema, defineTable } from '@isotherm/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const part = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,80}$/)
const parts = fc.array(part, { minLength: 1, maxLength: 5 })

describe('generatedName', () => {
  it('joins short names, and leaves a named schema out', () => {
    expect(generatedName('Order', 'at')).toBe('Order_at')
    expect(generatedName('sales.Order', 'at', 'seq')).toBe('Order_at_seq')
    expect(generatedName('sales.Order_at', 'shard')).toBe('Order_at_shard')
  })

  it('has at most 63 characters, and is left as it is up to there', () => {
    expect(generatedName('a'.repeat(60), 'bc')).toBe(`${'a'.repeat(60)}_bc`)
    expect(generatedName('a'.repeat(60), 'bcd')).toMatch(/^a{54}_[0-9a-f]{8}$/)
    fc.assert(
      fc.property(parts, (names) => {
        const name = generatedName(...names)
        expect(name.length).toBe(Math.min(63, names.join('_').length))
        expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/)
        // The same for the same, or a schema could not be compared with the database.
        expect(generatedName(...names)).toBe(name)
      }),
    )
  })

  it('keeps names apart that were cut at the same place', () => {
    fc.assert(
      fc.property(parts, parts, fc.stringMatching(/^[a-z]{60,80}$/), (one, other, prefix) => {
        fc.pre(one.join('_') !== other.join('_'))
        expect(generatedName(prefix, ...one)).not.toBe(generatedName(prefix, ...other))
      }),
    )
  })
})

describe('constraintName', () => {
  it('has the named schema in it', () => {
    expect(constraintName('Order', 'shard', 'range')).toBe('Order_shard_range')
    expect(constraintName('sales.Order', 'shard', 'range')).toBe('sales_Order_shard_range')
  })

  it('is shortened in the same way', () => {
    const [sales, hr] = ['sales', 'hr'].map((each) => constraintName(`${each}.${'a'.repeat(70)}`, 'range'))
    expect(sales).toMatch(/^sales_a{48}_[0-9a-f]{8}$/)
    expect(hr).not.toBe(sales)
  })
})

describe('names that nobody has given', () => {
  it('are cut, so that every dialect takes them', () => {
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
