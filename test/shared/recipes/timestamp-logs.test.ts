import {
  Column,
  compileDdl,
  defineSchema,
  DescTimestamp,
  HotspotError,
  Key,
  lint,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
} from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { byStatement, split } from '@isotherm/testing/data/by-statement'
import type { Traits } from '@isotherm/testing'
import { engines } from '../../support/engines.js'
import { languageOf } from '../../support/languages.js'
import { precise } from '@isotherm/testing/data/precise'
import { ddl, findings } from './logs-told.js'

// A log by time is the most common hotspot: every entry is written after the last one. There are two solutions.

// Local: the log of each thing is in the row tree of the thing. There are as many partitions for writes as there are things.

@Table('Account')
class Account {
  @UuidV4() accountId!: Generated<string>
  @Column.string({ length: 100 }) name!: string
}

@Table('AccountLog', {
  interleaveIn: () => Account,
  onDelete: 'cascade',
  workload: { childrenPerRow: 100_000, rowBytes: 300 },
})
class AccountLog {
  @ParentKey() accountId!: string
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @UuidV4() entryId!: Generated<string>
  @Column.string({ length: 200 }) action!: string
}

// Global: one log of everything, in shards. The reader restores the total order.

@Table('EventLog', { workload: { writesPerSecond: 20_000, rowBytes: 300, nodes: 30 } })
class EventLog {
  @ShardKey({ shards: 64, of: ['eventId'] }) shard!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @UuidV4() eventId!: Generated<string>
  @Column.string({ length: 200 }) what!: string
}

// The same for readers that follow: commit timestamps grow in the order in which rows can be seen.

@Table('Outbox', { workload: { writesPerSecond: 5_000 } })
class Outbox {
  @ShardKey({ shards: 16, of: ['eventId'] }) shard!: Generated<bigint>
  @Key() @Column.timestamp({ default: 'commit' }) at!: Generated<Date>
  @UuidV4() eventId!: Generated<string>
  @Column.string({ length: 200 }) what!: string
}

const logs = [Account, AccountLog, EventLog]

/** Without commit timestamps, an engine has no log that readers can follow. */
const schemaOn = ({ commitTimestamps }: Pick<Traits, 'commitTimestamps'>) =>
  defineSchema(commitTimestamps ? [...logs, Outbox] : logs)

describe.each(engines)('a timestamp log in $name', async ({ dialect, traits, database }) => {
  const { timestampDigits, readStrategies } = traits
  const schema = schemaOn(traits)
  const options = { dialect }
  const { db } = await database(schema)

  /** A time with these seconds, and the last digits that the engine stores. */
  const second = (at: number, below = '000000000'): Date =>
    precise(`2020-11-21T12:00:${String(at).padStart(2, '0')}.${below.slice(9 - timestampDigits)}Z`)

  it('a log in a row tree or in shards has the expected DDL and no lint error', () => {
    const statements = compileDdl(schema, {
      ...options,
      severity: { 'cassandra/low-cardinality-partition': 'off' },
    })
    for (const text of Object.values(ddl[languageOf(dialect)])) expect(statements).toContain(text)
    expect(lint(schema, options).filter(({ severity }) => severity === 'error')).toEqual([])
  })

  @Table('Hot')
  class Hot {
    @DescTimestamp({ default: 'now' }) at!: Generated<Date>
    @UuidV4() eventId!: Generated<string>
  }
  const hot = defineSchema([Hot])

  it.each(traits.orderedTables ? ['hotspot'] : [])(
    'a log with the time as its first key part is rejected as a %s',
    () => {
      const compile = () => compileDdl(hot, options)
      expect(compile).toThrow(HotspotError)
      expect(compile).toThrow("Swap the order, primaryKey: ['eventId', 'at']")
    },
  )

  it.each(traits.orderedTables ? [] : ['partition'])(
    'a log with the time as its first key part has one %s for each entry, and causes a lint warning',
    () => {
      expect(lint(hot, options)).toMatchObject([
        {
          rule: 'cassandra/time-partition',
          severity: 'warning',
          fix: "Put a time bucket of it, and a shard, into the partition key: primaryKey: ['day', 'shard', 'at'].",
        },
      ])
    },
  )

  describe('a local log under a root row', () => {
    it('is read newest first for one root row, in one read of a key range', async () => {
      const [ada, bob] = await db.insert(Account, [{ name: 'Ada' }, { name: 'Bob' }], split)
      await db.insert(
        AccountLog,
        Array.from({ length: 50 }, (_, at) => ({
          accountId: at % 5 === 0 ? bob!.accountId : ada!.accountId,
          at: second(at),
          action: `action ${at}`,
        })),
        split,
      )
      const log = db.fanOut(AccountLog).where({ accountId: ada!.accountId })
      const plan = log.limit(10).explain()
      expect(plan).toMatchObject({
        calls: [{ kind: 'read', ranges: [{ start: [ada!.accountId], end: [ada!.accountId] }] }],
      })
      expect(plan.shards).toBeUndefined()

      const first = await log.limit(10).page()
      expect(first.rows.map(({ action }) => action)).toEqual(
        [49, 48, 47, 46, 44, 43, 42, 41, 39, 38].map((at) => `action ${at}`),
      )
      // A row that is written now is newer than the page, and does not move the next page.
      await db.insert(AccountLog, [{ accountId: ada!.accountId, action: 'meanwhile' }])
      const next = await log.limit(10).after(first.next).page()
      expect(next.rows.map(({ action }) => action)).toEqual(
        [37, 36, 34, 33, 32, 31, 29, 28, 27, 26].map((at) => `action ${at}`),
      )
      expect((await log.limit(1).page()).rows[0]!.action).toBe('meanwhile')

      const window = log.where({ at: { gte: second(11), lt: second(17) } })
      expect((await window.all()).map(({ action }) => action)).toEqual(
        [16, 14, 13, 12, 11].map((at) => `action ${at}`),
      )
      expect(await window.count()).toBe(5)
      expect(await db.fanOut(AccountLog).where({ accountId: bob!.accountId }).count()).toBe(10)
    })

    it('keeps entries with equal timestamps, and is deleted with its root row', async () => {
      const [root] = await db.insert(Account, [{ name: 'ties' }])
      const { accountId } = root!
      const at = second(7, '123456789')
      const entries = await db.insert(
        AccountLog,
        Array.from({ length: 20 }, (_, number) => ({ accountId, at, action: String(number) })),
      )
      const log = db.fanOut(AccountLog).where({ accountId })
      const wanted = entries.toSorted((a, b) => (a.entryId < b.entryId ? -1 : 1))
      expect(await log.all()).toEqual(wanted)
      const [one, two] = [
        await log.limit(7).page(),
        await log
          .limit(20)
          .after((await log.limit(7).page()).next)
          .page(),
      ]
      expect([...one.rows, ...two.rows]).toEqual(wanted)
      expect(await db.get(AccountLog, { accountId, at, entryId: wanted[3]!.entryId })).toEqual(wanted[3])

      // A thing and its first entry are written in one commit if the engine has transactions.
      const fresh = await byStatement(
        db,
        traits,
      )(async (on) => {
        const [made] = await on.insert(Account, [{ name: 'fresh' }])
        await on.insert(AccountLog, [{ accountId: made!.accountId, action: 'opened' }])
        return made!
      })
      expect(await db.fanOut(AccountLog).where({ accountId: fresh.accountId }).count()).toBe(1)
      await db.delete(Account, [root!, fresh], split)
      expect(await log.count()).toBe(0)
    })
  })

  describe('a global log in shards', () => {
    // 300 events at 12 moments, some apart by their last digit: ties within shards and across them.
    const moments = Array.from({ length: 12 }, (_, at) => second(at % 4, `00000000${at % 3}`))
    const events = Array.from({ length: 300 }, (_, number) => ({
      at: moments[number % moments.length]!,
      eventId: crypto.randomUUID() as string,
      what: `event ${number}`,
    }))
    const text = (event: (typeof events)[0]): string => event.at.toISOString()
    const total = events
      .toSorted((a, b) =>
        text(a) === text(b) ? (a.eventId < b.eventId ? -1 : 1) : text(a) < text(b) ? -1 : 1,
      )
      .map((event) => ({ shard: BigInt(shardOf(event.eventId, 64)), ...event }))

    it('spreads the entries of several writers over the shards', async () => {
      const parts = Array.from({ length: 6 }, (_, writer) => events.filter((_, at) => at % 6 === writer))
      await Promise.all(parts.map((part) => db.insert(EventLog, part, traits.unchecked)))
      expect(await db.fanOut(EventLog).count()).toBe(300)
      expect((await db.fanOut(EventLog).groupBy('shard').count()).length).toBeGreaterThan(55)
    })

    it.each(['the cheapest strategy', ...readStrategies] as const)(
      'is read in one total order, also with equal timestamps, by %s',
      async (strategy) => {
        const log =
          strategy === 'the cheapest strategy' ? db.fanOut(EventLog) : db.fanOut(EventLog).strategy(strategy)
        expect(log.explain().shards?.read).toHaveLength(64)
        expect(await log.orderBy('at', 'asc').all()).toEqual(total)
        expect(await log.orderBy('at', 'desc').orderBy('eventId', 'desc').all()).toEqual(total.toReversed())

        const paged = []
        let cursor: string | undefined
        do {
          const page = await log.orderBy('at', 'asc').limit(120).after(cursor).page()
          paged.push(...page.rows)
          cursor = page.next
        } while (cursor !== undefined)
        expect(paged).toEqual(total)

        const streamed = []
        for await (const event of log.limit(100)) streamed.push(event)
        // Newest first, in key order: entries with equal timestamps are sorted by their ids.
        expect(streamed).toEqual(
          total
            .toSorted((a, b) =>
              text(a) === text(b) ? (a.eventId < b.eventId ? -1 : 1) : text(a) > text(b) ? -1 : 1,
            )
            .slice(0, 100),
        )
      },
    )

    it('reads a time range in every shard, and a single entry in one shard', async () => {
      const [from, to] = [second(1, '000000001'), second(3)]
      const window = db
        .fanOut(EventLog)
        .where({ at: { gte: from, lt: to } })
        .orderBy('at', 'asc')
      const wanted = total.filter(
        (event) => text(event) >= from.toISOString() && text(event) < to.toISOString(),
      )
      expect(wanted.length).toBeGreaterThan(50)
      expect(await window.all()).toEqual(wanted)
      expect(await window.count()).toBe(wanted.length)
      const { shard, at, eventId, what } = total[17]!
      expect(await db.get(EventLog, { at, eventId })).toEqual({ shard, at, eventId, what })
      const one = db.fanOut(EventLog).where({ eventId })
      expect(one.explain().shards).toEqual({ of: 64, read: [Number(shard)] })
      expect(await one.all()).toEqual([{ shard, at, eventId, what }])
    })
  })

  describe('a reader that follows a global log', () => {
    it.each(traits.commitTimestamps ? ['commit timestamps'] : [])(
      'misses no entry and reads no entry twice while writers insert, by %s',
      async () => {
        const writers = Array.from({ length: 4 }, async (_, writer) => {
          for (let commit = 0; commit < 6; commit++)
            // The entries of one commit have one timestamp, and become visible together.
            await db.insert(
              Outbox,
              Array.from({ length: 3 }, (_, at) => ({ what: `${writer}/${commit}/${at}` })),
            )
        })
        let writing = true
        const written = Promise.all(writers).finally(() => {
          writing = false
        })

        const seen: string[] = []
        let last: Date | undefined
        for (let more = true; more;) {
          more = writing
          const fresh = await db
            .fanOut(Outbox)
            .where(last ? { at: { gt: last } } : {})
            .orderBy('at', 'asc')
            .all()
          seen.push(...fresh.map(({ what }) => what))
          last = fresh.at(-1)?.at ?? last
        }
        await written
        const all = await db.fanOut(Outbox).orderBy('at', 'asc').all()
        expect(seen).toHaveLength(72)
        expect(new Set(seen).size).toBe(72)
        expect(seen).toEqual(all.map(({ what }) => what))
      },
    )

    it.each(traits.commitTimestamps ? [] : ['commit timestamps'])(
      'a log by %s is rejected with UNSUPPORTED_MODEL',
      () => {
        expect(() => compileDdl(defineSchema([Outbox]), options)).toThrow(
          expect.objectContaining({
            code: 'UNSUPPORTED_MODEL',
            table: 'Outbox',
            column: 'at',
            message: expect.stringContaining("Outbox.at has default: 'commit'"),
            fix: "Use default: 'now', the client's clock.",
          }),
        )
      },
    )
  })

  describe('the workload of a table', () => {
    it('is plain data in the schema', () => {
      const load = new Map(schema.tables.map(({ name, workload: expected }) => [name, expected]))
      expect(load.get('Account')).toBeUndefined()
      expect(load.get('AccountLog')).toEqual({ childrenPerRow: 100_000, rowBytes: 300 })
      expect(load.get('EventLog')).toEqual({ writesPerSecond: 20_000, rowBytes: 300, nodes: 30 })
      const copy = JSON.parse(JSON.stringify(schema)) as typeof schema
      expect(lint(copy, options)).toEqual(lint(schema, options))
    })

    const found = (models: readonly object[]) =>
      lint(defineSchema(models), options).map(({ rule, severity, table }) => ({ rule, severity, table }))

    it('determines which findings lint reports', () => {
      const { busy, huge, quiet } = findings[dialect.name]!
      @Table('Busy', { workload: { writesPerSecond: 100_000 } })
      class Busy {
        @ShardKey({ shards: 2, of: ['id'] }) shard!: Generated<bigint>
        @DescTimestamp({ default: 'now' }) at!: Generated<Date>
        @UuidV4() id!: Generated<string>
      }
      expect(found([Busy])).toContainEqual(busy)

      @Table('HugeLog', {
        interleaveIn: () => Account,
        workload: { childrenPerRow: 100_000_000, rowBytes: 300 },
      })
      class HugeLog {
        @ParentKey() accountId!: string
        @DescTimestamp({ default: 'now' }) at!: Generated<Date>
      }
      expect(found([Account, HugeLog])).toContainEqual(huge)

      @Table('Quiet', { workload: { writesPerSecond: 1 } })
      class Quiet {
        @Key() @Column.timestamp() at!: Date
      }
      expect(found([Quiet])).toEqual([quiet])
    })
  })
})
