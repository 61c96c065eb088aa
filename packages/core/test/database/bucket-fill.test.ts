import * as fc from 'fast-check'
import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BucketFiller, BucketWindow, completeKey } from '../../src/rows/fill.js'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { BUCKET_SIZES, bucketAfter, bucketOf } from '../../src/keys/time-bucket.js'
import { layoutOf } from '../support/layout.js'
import { refusal, rejection } from '../support/refusal.js'
import { partitionDriver } from './support/partition-driver.js'

// The time bucket of a row: filled in, checked, and kept within the range that bucket scans read.

const NOW = new Date('2026-11-22T10:30:00.000Z')

afterEach(() => void vi.useRealTimers())

const log = defineTable('Log', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at', since: '2024-01-01', ahead: 2 }),
  shard: t.shardKey({ shards: 8, of: ['user'] }),
  at: t.descTimestamp({ default: 'now' }),
  user: t.int64().key(),
}))

const dialects = [googlesql, spannerPostgresql, cql]

const times = fc.date({ min: new Date('0010-01-01'), max: new Date('9990-01-01'), noInvalidDate: true })

describe('BucketFiller', () => {
  it.each(BUCKET_SIZES)('of() returns the same bucket as bucketOf() for any sequence of times: %s', (by) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(times, fc.integer({ min: -3, max: 3 })), { minLength: 1 }), (entries) => {
        const filler = new BucketFiller({ kind: 'time-bucket', of: 'at', by })
        for (const [at, steps] of entries) {
          // Also on both sides of a border.
          const border = new Date(bucketAfter(bucketOf(at, by), by, steps))
          for (const each of [at, border, new Date(border.getTime() - 1)])
            expect(filler.of({ at: each })).toStrictEqual(bucketOf(each, by))
        }
      }),
    )
  })

  it('of() returns the month bucket of days given as text', () => {
    const filler = new BucketFiller({ kind: 'time-bucket', of: 'on', by: 'month' })
    expect(['2026-11-22', '2026-11-30', '2026-12-01'].map((on) => filler.of({ on }))).toStrictEqual([
      '2026-11-01',
      '2026-11-01',
      '2026-12-01',
    ])
  })
})

describe('BucketWindow', () => {
  it.each(BUCKET_SIZES)(
    'ends the window a given number of buckets after the current time, also when the clock goes back: %s',
    (by) => {
      const window = new BucketWindow({ kind: 'time-bucket', of: 'at', by, ahead: 3 })
      fc.assert(
        fc.property(fc.array(times, { minLength: 1, maxLength: 5 }), (clock) => {
          for (const now of clock) {
            vi.useFakeTimers({ now, toFake: ['Date'] })
            const last = bucketAfter(bucketOf(now, by), by, 3)
            expect(window.outside(last)).toBeUndefined()
            expect(window.outside(bucketAfter(last, by, 1))).toMatchObject({ side: 'after' })
            expect(window.outside(bucketOf(new Date('0001-01-01T00:00:00Z'), by))).toBeUndefined()
          }
        }),
      )
    },
  )

  it('begins the window with the bucket that contains the day "since"', () => {
    const window = new BucketWindow({ kind: 'time-bucket', of: 'at', by: 'month', since: '2024-02-15' })
    expect(window.outside('2024-02-01')).toBeUndefined()
    expect(window.outside('2024-01-01')).toStrictEqual({ side: 'before', bound: '2024-02-01' })
  })
})

describe.each(dialects)('InsertPlan with a time bucket in $name', (dialect) => {
  const layout = layoutOf(dialect, log)
  const plan = new InsertPlan(layout)
  const dayOf = (row: object) => plan.prepare([row as Record<string, unknown>]).rows[0]!['day']

  it('fills in the bucket of the timestamp, or of the current time if the timestamp is left out', () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
    expect(dayOf({ at: new Date('2025-02-03T23:59:59.999Z'), user: 1n })).toBe('2025-02-03')
    expect(dayOf({ at: new Date('2026-11-24T00:00:00Z'), user: 1n })).toBe('2026-11-24')
    expect(dayOf({ user: 1n })).toBe('2026-11-22')
  })

  it('accepts a given bucket only if the timestamp of the row lies in the bucket', () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
    const at = new Date('2025-02-03T12:00:00Z')
    expect(dayOf({ at, user: 1n, day: '2025-02-03' })).toBe('2025-02-03')
    expect(refusal(() => dayOf({ at, user: 1n, day: '2025-02-04' }))).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'day',
      message: expect.stringContaining('of row 0 is 2025-02-04, but reads would look in 2025-02-03'),
    })
  })

  it.each([
    ['2023-12-31T23:59:59.999Z', 'lies in 2023-12-31, before 2024-01-01', 'since'],
    ['2026-11-25T00:00:00.000Z', 'lies in 2026-11-25, after 2026-11-24', 'ahead'],
  ])('rejects a row whose timestamp lies outside the buckets that scans read: %s', (at, message, fix) => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
    for (const more of [{}, { day: at.slice(0, 10) }]) {
      expect(
        refusal(() =>
          plan.prepare([
            { at: NOW, user: 1n },
            { at: new Date(at), user: 1n, ...more },
          ]),
        ),
      ).toMatchObject({
        code: 'INVALID_VALUE',
        table: 'Log',
        column: 'day',
        message: expect.stringContaining(`of row 1 ${message}`),
        fix: expect.stringContaining(fix),
      })
    }
  })

  it('completeKey() computes the bucket and the shard of a key from the timestamp and the user', () => {
    const at = new Date('2025-02-03T12:00:00Z')
    const [row] = plan.prepare([{ at, user: 7n }]).rows
    expect(completeKey(layout, { at, user: 7n })).toMatchObject({ day: '2025-02-03', shard: row!['shard'] })
    expect(refusal(() => completeKey(layout, { user: 7n })).code).toBe('KEY_INCOMPLETE')
  })
})

describe('a table with a time bucket of a timestamp outside the key', () => {
  const event = defineTable('Event', (t) => ({
    day: t.timeBucket({ by: 'day', of: 'at' }),
    id: t.uuidV4(),
    at: t.timestamp({ immutable: true }),
    note: t.string({ nullable: true }),
  }))
  const driver = partitionDriver()
  const db = openDatabase({
    driver,
    schema: defineSchema([event]),
  })
  const id = '5e3f6f1c-6f7e-4c2e-9d53-6f6f1c6f7e4c'

  it('get and update compute the bucket from the timestamp, and get throws KEY_INCOMPLETE without the timestamp', async () => {
    const at = new Date('2025-02-03T12:00:00Z')
    await db.get(event, { id, at })
    expect(driver.reads[0]!.keys).toStrictEqual([['2025-02-03', id]])
    await db.update(event, { id, at, note: 'x' })
    expect(driver.written[0]!.mutations[0]).toMatchObject({
      columns: ['day', 'id', 'note'],
      rows: [['2025-02-03', id, 'x']],
    })
    expect(await rejection(db.get(event, { id }))).toMatchObject({ code: 'KEY_INCOMPLETE', column: 'at' })
  })

  it('upsert throws UNSUPPORTED_WRITE, because the same key could lie in two time buckets', async () => {
    expect(await rejection(db.upsert(event, [{ id, at: new Date() }]))).toMatchObject({
      code: 'UNSUPPORTED_WRITE',
    })
  })
})
