import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { findingsOf } from '../support/refusal.js'

describe('a static column', () => {
  it('is said of the column, and of no other', () => {
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

  it('is not a key part', () => {
    const Log = defineTable('Log', (t) => ({
      tenant: t.string().key(),
      at: t.timestamp({ static: true }).key(),
    }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'at',
        message: 'is static, and a key part: each row has its own.',
        fix: 'Take static away; a part of the partition key is the same in all its rows anyway.',
      },
    ])
  })

  it.each([
    ['unsaid', {}],
    ['as declared', { primaryKey: ['tenant', 'at'], partitionKey: ['tenant', 'at'] } as const],
  ])('needs more than one row a partition: %s', (_, options) => {
    const Log = defineTable(
      'Log',
      (t) => ({ tenant: t.string().key(), at: t.timestamp(), plan: t.string({ static: true }) }),
      options,
    )
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'plan',
        message: 'is static, and the table has one row a partition.',
        fix: 'Take static away, or add a key part after the partition key.',
      },
    ])
  })
})
