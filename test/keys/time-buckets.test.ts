import {
  compileDdl,
  defineSchema,
  defineTable,
  openDatabase,
  type BucketSize,
  type Insert,
} from '@isotherm/core'
import { spanner } from '@isotherm/core/spanner'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { inDialect, inPages, strategies } from './support.js'

const sizes: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'year']

const logs = sizes.map((by) =>
  defineTable(`log_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: 4, of: ['userId'] }),
    bucket: t.timeBucket({ by, of: 'at', since: '1960-01-01' }),
    at: t.descTimestamp(),
    userId: t.int64({ name: 'user_id' }).key(),
  })),
)
type Log = (typeof logs)[number]

/** Partitions that end, of rows whose time the client's clock sets. */
const Recent = defineTable(
  'recent',
  (t) => ({
    day: t.timeBucket({ by: 'day', of: 'at' }),
    shard: t.shardKey({ shards: 2, of: ['id'] }),
    at: t.timestamp({ default: 'now', immutable: true }),
    id: t.uuidV4(),
  }),
  { primaryKey: ['shard', 'day', 'id'] },
)

const schema = defineSchema([...logs, Recent])

// Around midnights, new years, a leap day, Mondays and 1970.
const edges = [
  '1960-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00Z',
  '2024-02-29T23:59:59Z',
  '2024-03-01T00:00:00Z',
  '2024-12-29T23:59:59.999Z',
  '2024-12-30T00:00:00Z',
  '2025-01-01T00:00:00Z',
]
const scattered = fc.sample(
  fc.date({ min: new Date(edges[0]!), max: new Date('2026-01-01T00:00:00Z'), noInvalidDate: true }),
  { numRuns: 60, seed: 11 },
)
const times = [...new Set([...edges.map((text) => Date.parse(text)), ...scattered.map(Number)])]
const rows = times.map((time, at) => ({ at: new Date(time), userId: BigInt(at % 7) }))

const newestFirst = (a: { at: Date }, b: { at: Date }): number => b.at.getTime() - a.at.getTime()

/** What the database itself says the period begins with, in UTC. */
const truncated: Readonly<Record<(typeof dialects)[number], (by: BucketSize) => string>> = {
  googlesql: (by) => `TIMESTAMP_TRUNC(\`at\`, ${by === 'week' ? 'ISOWEEK' : by.toUpperCase()}, 'UTC')`,
  'spanner-postgresql': (by) => `date_trunc('${by}', \`at\`, 'UTC')`,
}
/** A day as its first moment. */
const asTime: Readonly<Record<(typeof dialects)[number], (by: BucketSize) => string>> = {
  googlesql: (by) => (by === 'hour' ? '`bucket`' : "TIMESTAMP(`bucket`, 'UTC')"),
  'spanner-postgresql': (by) =>
    by === 'hour' ? '`bucket`' : "(`bucket`::text || 'T00:00:00Z')::timestamptz",
}

for (const dialect of dialects) {
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const db = openDatabase({ driver: spanner(client), schema })

  describe.each(logs.map((log, at) => ({ log, by: sizes[at]! })))(
    `a bucket by $by in ${dialect}`,
    ({ log, by }) => {
      beforeAll(async () => {
        await db.insert(log, rows as Insert<Log>[])
      })

      it('is filled in with the period of the time, as the database reckons it', async () => {
        const [found] = await client.run(
          inDialect(
            dialect,
            `SELECT count(*) AS n FROM \`log_by_${by}\` WHERE ${asTime[dialect](by)} = ${truncated[dialect](by)}`,
          ),
        )
        expect((found[0] as { toJSON(): { n: number } }).toJSON().n).toBe(rows.length)
      })

      it('is needed nowhere: a row is got by its time', async () => {
        const [row] = rows
        const got = await db.get(log, row!)
        expect(got).toMatchObject({ userId: row!.userId })
        expect(got!.at.getTime()).toBe(row!.at.getTime())
      })

      it.each(strategies)('lets rows be read back in order, by %s', async (via) => {
        const all = rows.toSorted(newestFirst)
        const query = db.fanOut(log).orderBy('at', 'desc').via(via)
        expect((await inPages(query, 30)).map(({ at }) => at.getTime())).toStrictEqual(
          all.map(({ at }) => at.getTime()),
        )
        const [gte, lt] = [new Date('1969-12-31T00:00:00Z'), new Date('2025-01-01T00:00:00Z')]
        expect((await query.where({ at: { gte, lt } }).all()).map(({ at }) => at.getTime())).toStrictEqual(
          all.filter(({ at }) => at >= gte && at < lt).map(({ at }) => at.getTime()),
        )
      })

      it('refuses what no walk would find', async () => {
        await expect(
          db.insert(log, [{ at: new Date('1959-12-01T00:00:00Z'), userId: 1n }] as Insert<Log>[]),
        ).rejects.toMatchObject({ code: 'INVALID_VALUE', column: 'bucket' })
        const far = new Date(Date.now() + 3 * 366 * 86_400_000)
        await expect(db.insert(log, [{ at: far, userId: 1n }] as Insert<Log>[])).rejects.toMatchObject({
          code: 'INVALID_VALUE',
          column: 'bucket',
        })
      })
    },
  )

  it(`a bucket of the clock in ${dialect} is that of the time beside it`, async () => {
    const [row] = await db.insert(Recent, [{}])
    expect(row!.day).toBe(row!.at.toISOString().slice(0, 10))
    expect(await db.fanOut(Recent).where({ day: row!.day }).all()).toStrictEqual([row])
  })
}
