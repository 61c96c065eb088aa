import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

describe('defineSchema() with static columns', () => {
  it('sets static: true on a static column, and no property static on other columns', () => {
    const Log = defineTable('Log', (t) => ({
      tenant: t.string().key(),
      plan: t.string({ static: true, nullable: true }),
      at: t.timestamp().key(),
      page: t.string({ static: false }),
    }))
    const [, plan, , page] = defineSchema([Log]).tables[0]!.columns
    expect(plan).toMatchObject({ property: 'plan', static: true })
    expect(page).not.toHaveProperty('static')
  })

  it('rejects a static key part', () => {
    const Log = defineTable('Log', (t) => ({
      tenant: t.string().key(),
      at: t.timestamp({ static: true }).key(),
    }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'at',
        message: 'is both static and a key part.',
        fix: 'Remove static; a part of the partition key is the same in all its rows anyway.',
      },
    ])
  })

  it.each([
    ['the default partition key', {}],
    ['the declared partition key', { primaryKey: ['tenant', 'at'], partitionKey: ['tenant', 'at'] } as const],
  ])('rejects a static column when %s leaves one row in each partition', (_, options) => {
    const Log = defineTable(
      'Log',
      (t) => ({ tenant: t.string().key(), at: t.timestamp(), plan: t.string({ static: true }) }),
      options,
    )
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'plan',
        message: 'is static, but the table has one row per partition.',
        fix: 'Remove static, or add a key part after the partition key.',
      },
    ])
  })
})
