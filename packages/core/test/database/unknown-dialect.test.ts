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

// A database that has to be asked which dialect it speaks.

const Item = defineTable('Item', (t) => ({ id: t.int64().key(), note: t.string({ nullable: true }) }))
const schema = defineSchema([Item])
const ASKED_FOR = 400

/** A driver that takes a while to learn its dialect, and the timeouts that reach the one it then is. */
function unknown(decide?: (call: CallOptions) => Promise<void>) {
  const left: (number | undefined)[] = []
  const noted =
    <Given extends readonly unknown[], T>(call: (...given: Given) => T) =>
    (...given: Given): T => {
      left.push((given.at(-1) as CallOptions | undefined)?.timeoutMs)
      return call(...given)
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

describe('a database that is asked for its dialect', () => {
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
  ])('leaves the first %s the rest of its timeout', async (_, first) => {
    const { db, left } = unknown()
    await first(db)
    await first(db)
    expect(left).toEqual([call.timeoutMs - ASKED_FOR, call.timeoutMs])
  })

  it.each([{ bogus: 1 }, null, 5, { timeoutMs: 'soon' }])(
    'refuses the options %o of ready, before and after',
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
    ['of the table of sequences', (driver: Driver) => asynchronous(driver, 'ids')],
    ['of the database', (driver: Driver) => native(driver, 'ids')],
  ])('is not waited for by a sequence %s that is closed', async (_, made) => {
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
  })
})
