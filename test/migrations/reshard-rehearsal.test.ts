import { rehearseReshard } from '@isotherm/migrations'
import { defineSchema, defineTable } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

/** Readings of devices, with a column of every kind, and remarks on them. */
function readings(shards: number) {
  const reading = defineTable(
    'Reading',
    (t) => ({
      shard: t.shardKey({ shards, of: ['device'] }),
      at: t.descTimestamp({ default: 'now' }),
      device: t.uuid({ storage: 'bytes' }).key(),
      count: t.int64({ as: 'number' }),
      value: t.float64({ nullable: true }),
      price: t.numeric({ nullable: true }),
      day: t.date({ nullable: true }),
      body: t.json({ nullable: true }),
      raw: t.bytes({ length: 8 }),
      tags: t.array({ kind: 'string', length: 40 }, { nullable: true }),
      isGood: t.bool({ default: true }),
    }),
    { checks: [{ name: 'few', expression: 'count < 10' }], rowDeletion: { property: 'at', days: 30 } },
  )
  const remark = defineTable(
    'Remark',
    (t) => ({
      shard: t.parentKey<bigint>(),
      at: t.parentKey<Date>(),
      device: t.parentKey<string>(),
      id: t.uuidV4(),
      text: t.string(),
    }),
    { interleaveIn: () => reading, onDelete: 'cascade' },
  )
  return defineSchema([reading, remark])
}

for (const dialect of dialects) {
  it(`rehearseReshard() runs every step of a plan with writes and kills in ${dialect.name}`, async () => {
    const emulator = await sharedEmulator()
    const driver = spanner(await emulator.database({ dialect }))
    const reported: string[] = []
    const { steps, rows } = await rehearseReshard(readings(2), readings(8), { table: 'Reading' }, driver, {
      dialect,
      rows: 60,
      kills: 2,
      onStep: ({ step }) => reported.push(step),
    })
    expect(reported).toEqual(
      'create begin copy verify switch verify return verify switch finish drop'.split(' '),
    )
    expect(steps.find(({ step }) => step === 'copy')!.kills).toBe(2)
    expect(steps.every(({ writes }) => writes > 0)).toBe(true)
    expect(Object.keys(rows)).toEqual(['Reading_r8', 'Remark_r8'])
    expect(rows['Reading_r8']).toBeGreaterThan(0)
  })
}
