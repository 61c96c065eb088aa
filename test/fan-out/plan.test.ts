import { defineSchema, defineTable, type SqlDialect } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { shopOf, UserAccessLog } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

/** The calls of a pushed-down limit. The order of a mirrored key is not the order of a statement, so there the database sorts. */
const pushedDown: Record<SqlDialect['name'], object[]> = {
  googlesql: [
    {
      kind: 'statement',
      limit: 3,
      statement: {
        text:
          'SELECT `shardId`, `lastAccess`, `userId`, `page` FROM UNNEST(@p1) AS _shard, UNNEST(ARRAY(' +
          'SELECT AS STRUCT `shardId`, `lastAccess`, `userId`, `page` FROM `UserAccessLog`' +
          ' WHERE `shardId` = _shard AND STARTS_WITH(`page`, @p2)' +
          ' ORDER BY `lastAccess` DESC, `userId`, `shardId` LIMIT @p3))' +
          ' ORDER BY `lastAccess` DESC, `userId`, `shardId` LIMIT @p4',
        parameters: [
          {
            name: 'p1',
            type: { kind: 'array', of: { kind: 'int64' } },
            value: Array.from({ length: 64 }, (_, shard) => String(shard)),
          },
          { name: 'p2', type: { kind: 'string', length: 1024 }, value: '/docs' },
          { name: 'p3', type: { kind: 'int64' }, value: '3' },
          { name: 'p4', type: { kind: 'int64' }, value: '3' },
        ],
      },
    },
  ],
  'spanner-postgresql': [
    {
      kind: 'statement',
      limit: 3,
      statement: {
        text:
          'SELECT "shardId", "lastAccess", "userId", "page" FROM "UserAccessLog"' +
          ' WHERE starts_with("page", $1) ORDER BY "lastAccess" DESC, "userId", "shardId" LIMIT $2',
        parameters: [
          { name: 'p1', type: { kind: 'string', length: 1024 }, value: '/docs' },
          { name: 'p2', type: { kind: 'int64' }, value: '3' },
        ],
      },
    },
  ],
}

const oneShard = (parameter: number): string =>
  `(SELECT "shard", "at", "id" FROM "Wide" WHERE "shard" = $${parameter} ORDER BY "at", "id", "shard" LIMIT $1)`

/** One statement over many shards: at most 200 unions and 950 parameters, joined as a tree, since a list is nested too deep. */
const allShards: Record<
  SqlDialect['name'],
  { start: string; end: string; unions: number; parameters: number }
> = {
  googlesql: {
    start:
      'SELECT `shard`, `at`, `id` FROM UNNEST(@p1) AS _shard, UNNEST(ARRAY(SELECT AS STRUCT `shard`, `at`, `id`',
    end: 'LIMIT @p2)) ORDER BY `at`, `id`, `shard` LIMIT @p3',
    unions: 0,
    parameters: 3,
  },
  'spanner-postgresql': {
    start: `SELECT "shard", "at", "id" FROM (((((${oneShard(2)} UNION ALL (${oneShard(3)}`,
    end: 'LIMIT $1))))))) AS shards ORDER BY "at", "id", "shard" LIMIT $52',
    unions: 49,
    parameters: 52,
  },
}

for (const dialect of dialects) {
  const { db, withCosts } = await testDatabase(shopOf(dialect), dialect)
  const service = withCosts({
    statementsScan: false,
    roundTrip: 5,
    statement: 2,
    scannedRow: 0.001,
    concurrency: 100,
  })
  const log = db.fanOut(UserAccessLog)

  const since = new Date('2026-11-01T00:00:00Z')
  const until = new Date('2026-11-02T00:00:00Z')

  await db.insert(
    UserAccessLog,
    Array.from({ length: 300 }, (_, id) => ({
      userId: BigInt(id % 30),
      lastAccess: new Date(since.getTime() + id * 1000),
      page: id % 4 === 0 ? null : `/docs/${id % 7}`,
    })),
  )

  describe(`fan-outs in ${dialect.name}`, () => {
    describe('the planner', () => {
      it('reads the first rows in key order by a probe of one shard and then a window of all shards', () => {
        const plan = log.orderBy('lastAccess', 'desc').limit(50).explain()
        expect(plan).toMatchObject({ strategy: 'probe-window', snapshot: true, clientFilter: false })
        const [probe, window] = plan.calls
        expect(probe).toMatchObject({ kind: 'read', shard: expect.any(Number), limit: 3 })
        expect(window).toMatchObject({ kind: 'read', ranges: { length: 64 }, upTo: 'last row' })
        expect(plan.toString()).toContain('read of 64 key ranges up to the last of those, ')
      })

      it('needs no client-side filter for a bound on a key part, except on a mirror column', () => {
        const page = log.orderBy('lastAccess', 'desc').limit(50)
        const implied = page.where({ lastAccess: { lt: until } })
        // A mirror holds microseconds only: its bound does not cover the whole condition.
        expect(implied.explain().clientFilter).toBe(dialect.name !== 'googlesql')
        expect(page.where({ userId: { gt: 1n } }).explain().clientFilter).toBe(true)
      })

      it('merges the rows of all shards in key order when the query has no limit', () => {
        expect(log.orderBy('lastAccess', 'desc').explain().strategy).toBe('merge-shards')
        const plan = log.orderBy('lastAccess', 'desc').limit(50).strategy('merge-shards').explain()
        expect(plan).toMatchObject({ strategy: 'merge-shards', snapshot: true, clientFilter: false })
        expect(plan.calls.length).toBe(64)
        expect(plan.calls[5]).toEqual({
          kind: 'read',
          shard: 5,
          ranges: [{ start: ['5'], startOpen: false, end: ['5'], endOpen: false }],
          // The mirror distinguishes microseconds only: one more row shows where a microsecond ends.
          limit: dialect.name === 'googlesql' ? 6 : 7,
        })
      })

      it('pushes the limit into each shard in GoogleSQL when statements do not scan the table', async () => {
        const query = service
          .fanOut(UserAccessLog)
          .where({ page: { startsWith: '/docs' } })
          .orderBy('lastAccess', 'desc')
        const plan = query.limit(3).explain()
        // A mirrored key does not have the order of an ORDER BY, so the database would have to sort: reads by key cost less.
        expect(plan).toMatchObject(
          dialect.name === 'googlesql'
            ? { strategy: 'push-down', snapshot: false }
            : { strategy: 'merge-shards', snapshot: true },
        )
        expect(query.strategy('push-down').limit(3).explain().calls).toEqual(pushedDown[dialect.name])
        const { rows, next } = await query.limit(3).page()
        expect(rows.map((row) => row.lastAccess.getTime())).toEqual(
          [299, 298, 297].map((second) => since.getTime() + second * 1000),
        )
        const second = await query.limit(3).after(next).page()
        expect(second.rows.map((row) => row.lastAccess.getTime())).toEqual(
          [295, 294, 293].map((each) => since.getTime() + each * 1000),
        )
      })

      it('pushes the limit into at most 200 shards per statement in PostgreSQL', async () => {
        const wide = defineTable('Wide', (t) => ({
          shard: t.shardKey({ shards: 450, of: ['id'] }),
          at: t.timestamp().key(),
          id: t.int64().key(),
        }))
        const other = await testDatabase(defineSchema([wide]), dialect)
        await other.db.insert(
          wide,
          Array.from({ length: 500 }, (_, id) => ({ id: BigInt(id), at: new Date(id * 1000) })),
        )
        const query = other
          .withCosts({ statementsScan: false })
          .fanOut(wide)
          .orderBy('at')
          .strategy('push-down')
        const { calls } = query.limit(4).explain()
        expect(calls.map((call) => ('shards' in call ? call.shards?.length : undefined))).toEqual(
          dialect.name === 'googlesql' ? [undefined] : [200, 200, 50],
        )
        const last = calls.at(-1) as unknown as { statement: { text: string; parameters: unknown[] } }
        const { text, parameters } = last.statement
        const { start, end, unions, parameters: count } = allShards[dialect.name]
        expect(text.slice(0, start.length)).toBe(start)
        expect(text.slice(-end.length)).toBe(end)
        expect(text.split(' UNION ALL ').length - 1).toBe(unions)
        expect(parameters.length).toBe(count)
        const rows = await query.limit(5).all()
        expect(rows.map((row) => row.id)).toEqual([0n, 1n, 2n, 3n, 4n])
        const ids: bigint[] = []
        let cursor: string | undefined
        do {
          const page = await query.limit(350).after(cursor).page()
          ids.push(...page.rows.map((row) => row.id))
          cursor = page.next
        } while (cursor !== undefined)
        expect(ids).toEqual(Array.from({ length: 500 }, (_, id) => BigInt(id)))
      })

      it('reads a key range that is bounded on both sides in one call', async () => {
        const query = log
          .where({ lastAccess: { gte: since, lt: until }, page: '/docs/1' })
          .orderBy('page')
          .limit(5)
        const plan = query.explain()
        expect(plan).toMatchObject({ strategy: 'read-ranges', clientFilter: true, snapshot: false })
        expect(plan.calls).toMatchObject([{ kind: 'read', ranges: { length: 64 } }])
        // The key is descending: a range starts at its upper bound.
        expect(plan.calls[0]).toMatchObject({
          ranges: expect.arrayContaining([
            dialect.name === 'googlesql'
              ? {
                  start: ['0', '2026-11-02T00:00:00.000000000Z'],
                  startOpen: true,
                  end: ['0', '2026-11-01T00:00:00.000000000Z'],
                  endOpen: false,
                }
              : // The mirror: microseconds since 1970, negated. Other times share the bound's microsecond.
                {
                  start: ['0', String(-until.getTime() * 1000)],
                  startOpen: false,
                  end: ['0', String(-since.getTime() * 1000)],
                  endOpen: false,
                },
          ]),
        })
        expect((await query.all()).length).toBe(5)
      })

      it('lets the database sort when the wanted order is not the key order', () => {
        const plan = log.orderBy('page').limit(5).explain()
        expect(plan).toMatchObject({
          strategy: 'push-down',
          reason: expect.stringContaining('the database sorts'),
        })
      })

      it('explains a plan as text and as JSON', () => {
        const plan = log.where({ userId: 7n }).orderBy('lastAccess', 'desc').limit(20).explain()
        expect(plan.toString().split('\n')).toEqual([
          'merge-shards on UserAccessLog: the filter leaves one shard, whose key order is the wanted order',
          `shards    1 of 64`,
          'filter    ["userId","eq","7"], applied on the client',
          'order     lastAccess desc, userId asc, shardId asc',
          'limit     20',
          'calls     1, in one snapshot',
          `  shard ${shardOf(7n, 64)}: read of 1 key range, ${dialect.name === 'googlesql' ? 20 : 21} rows at first`,
          expect.stringMatching(
            /^estimates merge-shards \d+\.\d ms, push-down \d+\.\d ms, for a table of a million rows$/,
          ),
        ])
        expect(JSON.parse(JSON.stringify(plan))).toMatchObject({
          strategy: 'merge-shards',
          shards: { of: 64 },
        })
      })
    })

    describe('a strategy that cannot be used', () => {
      it.each([
        ['probe-window', "needs the key's order"],
        ['bounded-range', 'needs a window that is bounded on both sides'],
        ['back-join', 'needs an index that lacks columns of the rows'],
      ] as const)('%s falls back to merge-shards, because the strategy %s', async (strategy, why) => {
        const query = log.strategy(strategy).orderBy('page', 'desc').limit(7)
        expect(query.explain()).toMatchObject({ strategy: 'merge-shards', reason: `${strategy} ${why}` })
        expect(await query.all()).toEqual(await log.orderBy('page', 'desc').limit(7).all())
      })
    })

    describe('a fan-out', () => {
      it('reads at one timestamp while other calls insert rows', async () => {
        const seen: bigint[] = []
        for await (const row of log.where({ userId: { lt: 1000n } })) {
          if (seen.length === 0) await db.insert(UserAccessLog, [{ userId: 999n, lastAccess: new Date(0) }])
          seen.push(row.userId)
        }
        expect(seen.length).toBe(300)
        expect(seen).not.toContain(999n)
        expect(await log.where({ userId: 999n }).count()).toBe(1)
        await db.delete(UserAccessLog, { userId: 999n, lastAccess: new Date(0) })
      })

      it('reads old rows at a timestamp bound', async () => {
        const before = new Date()
        const [row] = await db.insert(UserAccessLog, [{ userId: 555n }])
        expect(await log.timestampBound({ readTimestamp: before }).where({ userId: 555n }).all()).toEqual([])
        expect(await log.timestampBound({ exactStaleness: 0 }).where({ userId: 555n }).count()).toBe(1)
        expect(
          (
            await log
              .timestampBound({ maxStaleness: 1 })
              .where({ userId: { lt: 30n } })
              .all()
          ).length,
        ).toBe(300)
        await db.delete(UserAccessLog, row!)
      })

      it('reads a table without shards with every strategy', async () => {
        const plain = defineTable('Plain', (t) => ({ id: t.uuidV4(), n: t.int64() }))
        const other = await testDatabase(defineSchema([plain]), dialect)
        await other.db.insert(plain, [{ n: 2n }, { n: 1n }, { n: 3n }])
        for (const strategy of [undefined, 'read-ranges', 'merge-shards', 'push-down'] as const) {
          const query = other.db.fanOut(plain).orderBy('n')
          const rows = await (strategy ? query.strategy(strategy) : query).limit(2).all()
          expect(rows.map((row) => row.n)).toEqual([1n, 2n])
          expect(query.explain().shards).toBeUndefined()
        }
      })

      it('releases its session when the reader stops after the first row', async () => {
        for (let round = 0; round < 110; round++) {
          // The client has fewer than 110 sessions: a leak would block the last rounds.
          for await (const row of log.where({ userId: 7n })) {
            expect(row.userId).toBeTypeOf('bigint')
            break
          }
        }
      })
    })
  })
}
