import { defineSchema, defineTable, openDatabase, type WriteCallOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { statementDriver } from '../fan-out/support/statements.js'
import { rejection } from '../support/refusal.js'
import { partitionDriver } from './support/partition-driver.js'

// Options that mean something on one engine are refused by name on another, before anything is sent.

const item = defineTable('Item', (t) => ({
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))
const hits = defineTable('Hits', (t) => ({ page: t.string().key(), seen: t.counter() }))

const row = { id: 1n, note: 'a' }
const key = { id: 1n }

function opened(target: 'cassandra' | 'keyspaces' = 'cassandra') {
  const driver = partitionDriver(target)
  return { driver, db: openDatabase({ driver, schema: defineSchema([item, hits]) }) }
}

describe('a driver of Spanner', () => {
  const driver = statementDriver('googlesql')
  const db = openDatabase({ driver: { ...driver, takes: ['at', 'priority'] }, schema: defineSchema([item]) })

  it.each([
    ['ttl', { ttl: 60 }],
    ['writeTime', { writeTime: 1n }],
    ['consistency', { consistency: 'quorum' }],
    ['upsert', { check: false }],
    ['tag', { tag: 'a' }],
  ] as const)('takes no option whose mend is %s', async (fix, options) => {
    for (const write of [
      db.insert(item, [row], options),
      db.update(item, row, options),
      db.upsert(item, [row], options as object),
      db.delete(item, key, options as object),
    ]) {
      expect(await rejection(write)).toMatchObject({
        code: 'UNSUPPORTED',
        fix: expect.stringContaining(fix),
      })
    }
  })

  it('is asked to check by whoever says so, and to write several commits', async () => {
    const written: unknown[] = []
    const open = openDatabase({
      driver: {
        ...driver,
        write: async (mutations) => {
          written.push(...mutations)
          return { commitTimestamp: new Date(0) }
        },
      },
      schema: defineSchema([item]),
    })
    const options: WriteCallOptions = { check: true, split: true }
    expect(await open.update(item, row, options)).toStrictEqual({ commitTimestamp: new Date(0) })
    expect((await open.insert(item, [row], options)).commits).toBe(1)
    expect(written).toHaveLength(2)
  })

  it('has no counters', async () => {
    expect(await rejection(db.increment(item, key))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('has no columns that are added to'),
    })
  })
})

describe('a driver of Cassandra', () => {
  it.each([
    ['at', { at: { exactStaleness: 1 } }],
    ['directedReads', { directedReads: { exclude: [] } }],
    ['priority', { priority: 'low' }],
    ['tag', { tag: 'a' }],
  ] as const)('takes no %s', async (option, options) => {
    const { db, driver } = opened()
    for (const call of [
      db.get(item, key, options),
      db
        .fanOut(item)
        .options(options as object)
        .where(key)
        .all(),
      db.insert(item, [row], options as object),
      db.transaction(async () => {}, options as object),
    ]) {
      expect(await rejection(call)).toMatchObject({
        code: 'UNSUPPORTED',
        fix: expect.stringMatching(option === 'at' ? 'consistency' : option),
      })
    }
    expect([...driver.writes, ...driver.reads]).toStrictEqual([])
  })

  it('hands on what it takes', async () => {
    const { db, driver } = opened()
    const options = { ttl: 60, consistency: 'local-one', check: false, writeTime: 5n } as const
    await db.insert(item, [row], options)
    expect(driver.writes[0]!.options).toMatchObject(options)
  })

  it.each([
    [{ ttl: -1 }, 'ttl is -1.'],
    [{ ttl: 1.5 }, 'ttl is 1.5.'],
    [{ ttl: 630_720_001 }, 'ttl is 630720001.'],
    [{ writeTime: 5 as unknown as bigint, check: false }, 'writeTime is 5.'],
    [{ writeTime: 2n ** 63n, check: false }, 'writeTime is 9223372036854775808.'],
    [{ writeTime: 5n }, 'writeTime is given with a condition'],
    [{ consistency: 'serial' }, 'Cassandra writes at ONE, TWO,'],
    [{ consistency: 'LOCAL_ONE' as 'local-one' }, 'The consistency is spelled "LOCAL_ONE".'],
  ] as const)('takes no %o of an insert or an update', async (options, message) => {
    const { db, driver } = opened()
    for (const write of [db.insert(item, [row], options), db.update(item, row, options)]) {
      expect(await rejection(write)).toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining(message),
      })
    }
    expect(driver.writes).toStrictEqual([])
  })

  it('writes at a time of the caller’s where nothing is checked', async () => {
    const { db, driver } = opened()
    await db.upsert(item, [row], { writeTime: 5n })
    await db.delete(item, key, { writeTime: 6n })
    expect(driver.writes.map(({ options }) => options)).toStrictEqual([{ writeTime: 5n }, { writeTime: 6n }])
  })

  it('takes no option that says nothing of the write', async () => {
    const { db } = opened()
    const count = { page: '/', seen: 1n }
    for (const [write, message] of [
      [db.upsert(item, [row], { check: true } as object), 'check says nothing of an upsert.'],
      [db.delete(item, key, { ttl: 1 } as object), 'ttl says nothing of a delete.'],
      [db.increment(hits, count, { ttl: 1 } as object), 'ttl says nothing of an increment.'],
      [db.increment(hits, count, { writeTime: 1n } as object), 'writeTime says nothing of an increment.'],
    ] as const) {
      expect(await rejection(write)).toMatchObject({
        code: 'INVALID_VALUE',
        message: expect.stringContaining(message),
      })
    }
  })

  it.each([
    ['insert', { tll: 5 }, '"tll" is no option of an insert.', ' ttl,'],
    ['update', { writetime: 5n }, '"writetime" is no option of an update.', ' writeTime,'],
    ['upsert', { chek: true }, '"chek" is no option of an upsert.', 'Its options are deadline,'],
    ['delete', { consistancy: 'one' }, '"consistancy" is no option of a delete.', ' consistency'],
    ['update', { returning: false }, '"returning" is no option of an update.', 'check, split.'],
    ['get', { dedline: 5 }, '"dedline" is no option of a read.', 'Its options are deadline,'],
    ['get', { ttl: 5 }, '"ttl" is no option of a read.', 'deadline, signal, consistency.'],
    ['fanOut', { consistensy: 'one' }, '"consistensy" is no option of a read.', ' consistency'],
  ] as const)('takes no option of an %s that is none: %o', async (call, given, message, fix) => {
    const { db, driver } = opened()
    const options = given as object
    const calls = {
      insert: () => db.insert(item, [row], options),
      update: () => db.update(item, row, options),
      upsert: () => db.upsert(item, [row], options),
      delete: () => db.delete(item, key, options),
      get: () => db.get(item, key, options),
      fanOut: () => db.fanOut(item).options(options).where(key).all(),
    }
    expect(await rejection(calls[call]())).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    })
    expect([...driver.writes, ...driver.reads]).toStrictEqual([])
  })

  it('takes an option that is not given for one that is left out', async () => {
    const { db, driver } = opened()
    await db.insert(item, [row], { tll: undefined, returning: false } as object)
    expect(driver.writes).toHaveLength(1)
  })

  it('of Keyspaces has the consistency that Keyspaces has', async () => {
    const { db, driver } = opened('keyspaces')
    expect(await rejection(db.insert(item, [row], { consistency: 'quorum' }))).toMatchObject({
      code: 'INVALID_VALUE',
      message: expect.stringContaining('Keyspaces writes at LOCAL_QUORUM only, not at "quorum".'),
    })
    expect(await rejection(db.get(item, key, { consistency: 'quorum' }))).toMatchObject({
      message: expect.stringContaining('Keyspaces reads at ONE, LOCAL_ONE, LOCAL_QUORUM only'),
    })
    await db.get(item, key, { consistency: 'one' })
    expect(driver.reads).toHaveLength(1)
  })
})
