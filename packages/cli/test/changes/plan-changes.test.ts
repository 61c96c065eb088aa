import { defineSchema, defineTable, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import type { ChangeOptions } from '../../src/changes/change-request.js'
import { planChanges } from '../../src/changes/plan-changes.js'
import { silentOutput as output } from '../support/silent-output.js'

const order = (column: string, shards = 8): Schema =>
  defineSchema([
    defineTable('Order', (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      [column]: t.string({ length: 10, nullable: true }),
    })),
  ])

const plan = (to: Schema, options: ChangeOptions = {}) =>
  planChanges({ from: order('note'), to, dialect: 'googlesql', options, output })

describe('changes, where nobody can be asked', () => {
  it('are none between equals', async () => {
    expect(await plan(order('note'))).toEqual({ changes: [], described: [], statements: [] })
  })

  it('drop nothing by themselves', async () => {
    await expect(plan(order('remark'))).rejects.toMatchObject({
      code: 'REFUSED',
      message:
        'These changes drop data, which nothing brings back:\n  - Order: drop the column note, with its data',
      fix: 'If it has another name now, say so: --rename old:new. If it shall go, allow it: --allow-destructive.',
    })
  })

  it('drop nothing by themselves in CQL either, where no other name can be given to it', async () => {
    const person = (column: string): Schema =>
      defineSchema([
        defineTable('person', (t) => ({ id: t.uuidV4(), [column]: t.string({ nullable: true }) })),
      ])
    const asked = { from: person('note'), to: person('remark'), dialect: 'cql', options: {}, output } as const
    await expect(planChanges(asked)).rejects.toMatchObject({
      code: 'REFUSED',
      message:
        'These changes drop data, which nothing brings back:\n  - person: drop the column note, with its data',
      fix:
        "CQL gives them no other names: if one is called otherwise in the models alone, keep its name in the database, as in name: 'note'. " +
        'If it shall go, allow it: --allow-destructive.',
    })
  })

  it.each([{ allowDestructive: true }, { yes: true }])('drop what they may: %o', async (options) => {
    const { statements } = await plan(order('remark'), options)
    expect(statements.map(({ kind }) => kind)).toEqual(['ddl', 'ddl'])
    expect(statements.at(-1)?.sql).toContain('DROP COLUMN `note`')
  })

  it('copy what has another name now, without being asked whether the old one may go', async () => {
    const { statements } = await plan(order('remark'), { rename: ['Order.note:remark'] })
    expect(statements.map(({ kind }) => kind)).toEqual(['ddl', 'partitioned', 'ddl'])
  })

  it('of a key are refused, whatever may be dropped', async () => {
    await expect(plan(order('note', 16), { allowDestructive: true })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('isotherm generate --reshard Order`') as string,
      details: { refusals: [{ kind: 'primary-key', table: 'Order', column: 'shard' }] },
    })
  })

  it('refuse a rename of what is not there', async () => {
    await expect(plan(order('note'), { rename: ['Order.text:note'] })).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringMatching(/^These renames cannot be made:\n {2}- Order\.text: /) as string,
      details: { refusals: [{ kind: 'rename' }] },
    })
  })
})
