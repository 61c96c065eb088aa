import type { PreciseDate } from '@google-cloud/precise-date'
import { type Counter, type FanOutQuery, defineSchema, defineTable } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { expect, expectTypeOf, it } from 'vitest'
import { inPages } from '../data/paging.js'
import { byStatement, split } from '../data/by-statement.js'
import { part } from '../part.js'
import { cut, precise } from '../data/precise.js'
import { levelsOf, treeOf } from '../data/levels.js'

const beside = { rows: 'own', onDelete: 'no action' } as const

/** Cassandra numbers nothing. */
let runs = 0n

const numbers: Counter = { next: () => ++runs }

const levels = levelsOf(beside, numbers)

const [Region, Day, Machine, , , , Reading] = levels

const Account = defineTable('Account', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['tenant'] }),
  accountId: t.uuidV4(),
  tenant: t.string({ length: 20, immutable: true }),
}))

const Entry = defineTable(
  'Entry',
  (t) => ({ shard: t.parentKey<bigint>(), accountId: t.parentKey<string>(), line: t.int64().key() }),
  { interleaveIn: () => Account, ...beside },
)

const Job = defineTable('Job', (t) => ({
  queue: t.int64().key(),
  started: t.descTimestamp({ default: 'now' }),
}))

const Attempt = defineTable(
  'Attempt',
  (t) => ({ queue: t.parentKey<bigint>(), started: t.parentKey<Date>(), attempt_no: t.int64().key() }),
  { interleaveIn: () => Job, ...beside },
)

const schema = defineSchema([...levels, Account, Entry, Job, Attempt])

const regionId = '7b9bb4a4-8000-4000-8000-0123456789ab'

export const interleaving = part(['interleaving'], async ({ dialect, traits, database }) => {
  const { pastReads, readStrategies: strategies, timestampDigits } = traits
  const { db } = await database(schema)
  const at = cut(precise('1969-12-31T23:59:59.123456789Z'), timestampDigits)
  const current = <Fields>(query: FanOutQuery<Fields>) =>
    pastReads ? query.timestampBound({ exactStaleness: 0 }) : query

  it('rows in seven levels of interleaved tables inherit key parts with the types of their parents', async () => {
    const rows = await treeOf(db, levels, regionId, at)
    const last = rows[6]
    expect(last).toEqual({
      shard: BigInt(shardOf(regionId, 4, { dialect })),
      regionId,
      at,
      device: 'd',
      runId: rows[3].runId,
      step: -3,
      sampleId: rows[5].sampleId,
      day: '2026-11-21',
      value: 7n,
    })
    expectTypeOf(last).toEqualTypeOf<{
      shard: bigint
      regionId: string
      at: PreciseDate
      device: string
      runId: bigint
      step: number
      sampleId: string
      day: string
      value: bigint | null
    }>()
    for (const [position, model] of levels.entries()) {
      expect(await db.get(model as typeof Reading, rows[position] as never)).toEqual(rows[position])
      expect(
        await db
          .fanOut(model as typeof Reading)
          .where({ regionId })
          .all(),
      ).toEqual([rows[position]])
      const { shards } = db
        .fanOut(model as typeof Reading)
        .where({ regionId })
        .explain()
      expect(shards).toEqual({ of: 4, read: [shardOf(regionId, 4, { dialect })] })
    }
    // The shard follows from the inherited id.
    const { shard: _, ...key } = last
    expect(await db.get(Reading, key)).toEqual(last)
    await db.update(Reading, { ...key, value: 8n })
    await byStatement(
      db,
      traits,
    )(async (tx) => {
      expect(await tx.get(Reading, key)).toEqual({ ...last, value: 8n })
      await tx.update(Reading, { ...key, value: 9n })
      await tx.upsert(Reading, [{ ...last, value: 10n }])
      const [more] = await tx.insert(Reading, [{ ...last, day: '0001-01-01' }])
      expect(await tx.get(Reading, more!)).toEqual(more)
      await tx.delete(Reading, more!)
    })
    expect(await db.get(Reading, key)).toEqual({ ...last, value: 10n })
  })

  it('a child table rejects rows and keys that lack a key part of the parent or have a wrong shard', async () => {
    const [root] = await db.insert(Region, [{}])
    const orphan = { shard: root!.shard, regionId: root!.regionId, at, device: 'd' }
    await expect(db.insert(Day, [{ shard: root!.shard, at } as never])).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      column: 'regionId',
    })
    await expect(
      db.insert(Day, [{ ...orphan, shard: (root!.shard + 1n) % 4n, device: undefined } as never]),
    ).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      column: 'shard',
    })
    await expect(db.get(Day, { regionId: root!.regionId })).rejects.toMatchObject({
      code: 'KEY_INCOMPLETE',
      column: 'at',
    })
  })

  it('interleaved rows are read in key order, including the exact timestamp of an ancestor', async () => {
    const [root] = await db.insert(Region, [{}])
    const { shard } = root!
    const digits = '123456'.slice(0, timestampDigits - 3)
    const times = Array.from({ length: 12 }, (_, position) =>
      precise(`2026-11-21T12:00:00.${digits}${String(position * 83).padStart(3, '0')}Z`),
    )
    const days = times.map((time) => ({ shard, regionId: root!.regionId, at: time }))
    await db.insert(Day, days, split)
    const devices = days.flatMap((day) => ['b', 'a', 'c'].map((device) => ({ ...day, device })))
    await db.insert(Machine, devices, split)
    const query = current(db.fanOut(Machine)).where({ regionId: root!.regionId })
    const wanted = days.toReversed().flatMap((day) => ['a', 'b', 'c'].map((device) => ({ ...day, device })))
    const some = wanted.filter(({ at: time }) => times.slice(2, 8).includes(time))
    for (const strategy of strategies) {
      for (const size of [1, 5]) expect(await inPages(query.strategy(strategy), size)).toEqual(wanted)
      expect(
        await query
          .strategy(strategy)
          .where({ at: { lt: times[8]!, gte: times[2]! } })
          .all(),
      ).toEqual(some)
      expect(await query.strategy(strategy).where({ at: times[5]! }).orderBy('device', 'desc').all()).toEqual(
        ['c', 'b', 'a'].map((device) => ({ ...days[5], device })),
      )
    }
    const found = await db.get(Machine, { regionId: root!.regionId, at: times[7]!, device: 'b' })
    expect(found).toEqual({ ...days[7], device: 'b' })
  })

  it('insert() into a child requires parent key parts that cannot be computed from columns of the child', async () => {
    const [account] = await db.insert(Account, [{ tenant: 'eu' }])
    const { shard, accountId } = account!
    expect(shard).toBe(BigInt(shardOf('eu', 4, { dialect })))
    const [entry] = await db.insert(Entry, [{ shard, accountId, line: 1n }])
    expect(await db.get(Entry, { shard, accountId, line: 1n })).toEqual(entry)
    await expect(db.get(Entry, { accountId, line: 1n })).rejects.toMatchObject({
      code: 'KEY_INCOMPLETE',
      column: 'shard',
    })
    await expect(db.insert(Entry, [{ accountId, line: 2n } as never])).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      column: 'shard',
    })
    const all = db.fanOut(Entry).where({ accountId })
    expect(all.explain().shards?.read).toEqual([0, 1, 2, 3])
    expect(await all.all()).toEqual([entry])

    const [job] = await db.insert(Job, [{ queue: 1n }])
    const [attempt] = await db.insert(Attempt, [{ ...job!, attempt_no: 1n }])
    expect(await db.get(Attempt, attempt!)).toEqual(attempt)
    // The parent's clock has been read already: the child must not read its own.
    await expect(db.insert(Attempt, [{ queue: 1n, attempt_no: 2n } as never])).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      column: 'started',
    })
  })
})
