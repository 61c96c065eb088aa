import {
  defineSchema,
  defineTable,
  openDatabase,
  type CallOptions,
  type Driver,
  type TransactionalDriver,
  type Transactions,
} from '@isotherm/core'
import { asynchronous, native } from '@isotherm/core/sequences'
import { spannerPostgresql } from '@isotherm/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IsothermError } from '../../src/errors.js'
import { rejection } from '../support/refusal.js'
import { silentDriver } from '../support/silent-driver.js'

// A driver that has to query the database for its dialect first.

const Item = defineTable('Item', (t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
const schema = defineSchema([Item])
const ASKED_FOR = 400

/** A driver that takes a while to learn its dialect, and the timeouts of the calls that it then receives. */
function unknown(decide?: (call: CallOptions) => Promise<void>) {
  const left: (number | undefined)[] = []
  const noted =
    <Args extends readonly unknown[], T>(call: (...args: Args) => T) =>
    (...args: Args): T => {
      left.push((args.at(-1) as CallOptions | undefined)?.timeoutMs)
      return call(...args)
    }
  const known: TransactionalDriver = {
    ...silentDriver,
    read: noted(silentDriver.read),
    writes: { ...silentDriver.writes, commit: noted(silentDriver.writes.commit) },
    atomic: { kind: 'transactions', run: noted(silentDriver.atomic.run) as Transactions['run'] },
  }
  let isKnown = false
  const driver: Driver = {
    ...known,
    get undecided() {
      if (isKnown) return undefined
      return {
        candidates: [known, { ...known, dialect: spannerPostgresql }] as const,
        async decide(call: CallOptions = {}) {
          if (decide) await decide(call)
          vi.advanceTimersByTime(ASKED_FOR)
          isKnown = true
          return known
        },
      }
    },
  }
  return { db: openDatabase({ driver, schema }), driver, left }
}

describe('a database whose dialect is not yet known', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const call = { timeoutMs: 1_000 }

  it.each<[string, (db: ReturnType<typeof unknown>['db']) => Promise<unknown>]>([
    ['get', (db) => db.get(Item, { id: 1n }, call)],
    ['insert', (db) => db.insert(Item, [{ id: 1n }], { ...call, returning: false })],
    ['update', (db) => db.update(Item, { id: 1n, note: 'a' }, call)],
    ['upsert', (db) => db.upsert(Item, [{ id: 1n }], call)],
    ['delete', (db) => db.delete(Item, { id: 1n }, call)],
    ['transaction', (db) => db.transaction(async () => {}, call)],
  ])('passes the first %s the rest of timeoutMs after the query for the dialect', async (_, first) => {
    const { db, left } = unknown()
    await first(db)
    await first(db)
    expect(left).toEqual([call.timeoutMs - ASKED_FOR, call.timeoutMs])
  })

  it.each([{ bogus: 1 }, null, 5, { timeoutMs: 'soon' }])(
    'ready() rejects the options %o before and after the dialect is known',
    async (options) => {
      const { db } = unknown()
      const refused = { code: 'INVALID_OPTION', message: expect.stringContaining('db.ready: ') as string }
      expect(await rejection(db.ready(options as never))).toMatchObject(refused)
      expect(db.driver.undecided).toBeDefined()
      await db.ready()
      await db.ready(undefined)
      expect(await rejection(db.ready(options as never))).toMatchObject(refused)
    },
  )

  it.each([
    ['that is stored in a table', (driver: Driver) => asynchronous(driver, 'ids')],
    ['that the database generates', (driver: Driver) => native(driver, 'ids')],
  ])(
    'a pending next() of a sequence %s ends with SEQUENCE_CLOSED at close(), before the dialect is known',
    async (_, made) => {
      const { driver } = unknown(
        ({ signal }) =>
          new Promise((__, reject) => {
            signal?.addEventListener('abort', () => reject(new IsothermError('CANCELLED', 'by its signal')))
          }),
      )
      const ids = made(driver)
      const number = rejection(ids.next())
      await vi.advanceTimersByTimeAsync(10)
      await ids.close()
      expect(await number).toMatchObject({ code: 'SEQUENCE_CLOSED' })
    },
  )
})
