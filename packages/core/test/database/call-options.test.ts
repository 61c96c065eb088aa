import { defineSchema, defineTable, openDatabase, type WriteCallOptions } from '@isotherm/core'
import type { CqlDialect } from '@isotherm/cassandra'
import { keyspacesCql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { statementDriver } from '../fan-out/support/statements.js'
import { rejection } from '../support/refusal.js'
import { silentDriverWith } from '../support/silent-driver.js'
import { partitionDriver } from './support/partition-driver.js'

// An option that an engine does not support is rejected with its name, before anything is sent.

const item = defineTable('Item', (t) => ({
  id: t.int64().key(),
  note: t.string({ nullable: true }),
}))
const hits = defineTable('Hits', (t) => ({ page: t.string().key(), seen: t.counter() }))

const row = { id: 1n, note: 'a' }
const key = { id: 1n }

function opened(dialect?: CqlDialect) {
  const driver = partitionDriver(dialect)
  return { driver, db: openDatabase({ driver, schema: defineSchema([item, hits]) }) }
}

describe('a database on a Spanner driver', () => {
  const driver = statementDriver(googlesql)
  const db = openDatabase({ driver: { ...driver, takes: ['at', 'priority'] }, schema: defineSchema([item]) })

  it.each([
    ['ttlSeconds', { ttlSeconds: 60 }],
    ['writeTime', { writeTime: 1n }],
    ['consistency', { consistency: 'quorum' }],
    ['upsert', { conditional: false }],
    ['tag', { tag: 'a' }],
  ] as const)(
    'rejects an option that the driver does not support, and mentions %s in the fix',
    async (fix, options) => {
      for (const write of [
        db.insert(item, [row], options),
        db.update(item, row, options),
        db.upsert(item, [row], options as object),
        db.delete(item, key, options as object),
      ]) {
        expect(await rejection(write)).toMatchObject({
          code: 'UNSUPPORTED_FEATURE',
          fix: expect.stringContaining(fix),
        })
      }
    },
  )

  it('passes conditional: true and allowMultipleCommits of update and insert to the driver', async () => {
    const written: unknown[] = []
    const open = openDatabase({
      driver: silentDriverWith({
        commit: async (mutations, call) => {
          written.push([mutations.map(({ op }) => op), call])
          return { commitTimestamp: new Date(0) }
        },
      }),
      schema: defineSchema([item]),
    })
    const options: WriteCallOptions = { conditional: true, allowMultipleCommits: true }
    expect(await open.update(item, row, options)).toStrictEqual({ commitTimestamp: new Date(0) })
    expect((await open.insert(item, [row], options)).commits).toBe(1)
    expect(written).toStrictEqual([
      [['update'], options],
      [['insert'], options],
    ])
  })

  it('rejects increment, because Spanner has no counter columns', async () => {
    expect(await rejection(db.increment(item, key))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message: expect.stringContaining('has no counter columns'),
    })
  })
})

describe('get() on a Spanner driver', () => {
  const driver = { ...statementDriver(googlesql), takes: ['at', 'directedReads'] as const }
  const db = openDatabase({ driver, schema: defineSchema([item]) })
  const replicas = [{ location: 'us-east1' }]

  it.each([
    [
      { at: { exactStaleness: 1, maxStaleness: 1 } },
      'at.maxStaleness is 1. Leave out exactStaleness or maxStaleness: they exclude each other.',
    ],
    [{ at: { maxStaleness: '1' } }, "at.maxStaleness is '1'. Give a number of milliseconds from 0."],
    [{ at: { readTimestamp: 'now' } }, "at.readTimestamp is 'now'. Give a Date, or text with an offset"],
    [
      { at: { readTimestamp: new Date(Date.now() + 60_000) } },
      'Give a time that is not in the future: the database would wait for it.',
    ],
    [{ at: { readTimestamp: '2999-01-01T00:00:00Z' } }, 'Give a time that is not in the future'],
    [
      { at: { maxStalenes: 1 } },
      'at.maxStalenes is not an option. Did you mean maxStaleness? The options are exactStaleness, maxStaleness, readTimestamp.',
    ],
    [{ at: {} }, "at is {}. Give 'strong', { exactStaleness } or { maxStaleness } in milliseconds"],
    [{ at: 'weak' }, "at is 'weak'. Give 'strong', { exactStaleness }"],
    [
      { directedReads: { include: replicas, exclude: replicas } },
      'Leave out include or exclude: they exclude each other.',
    ],
    [
      { directedReads: { exclude: replicas, failover: true } },
      'directedReads.failover is true. Leave out exclude or failover: they exclude each other.',
    ],
    [{ directedReads: {} }, 'directedReads is {}. Give { include: [{ location, type }] } or'],
  ])('rejects the invalid read options %j', async (options, message) => {
    expect(await rejection(db.get(item, key, options as object))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(message),
    })
  })
})

it('get() accepts a readTimestamp five seconds after the local clock, and sends the read to the driver', async () => {
  const driver = { ...statementDriver(googlesql), takes: ['at'] as const }
  const db = openDatabase({ driver, schema: defineSchema([item]) })
  const at = { readTimestamp: new Date(Date.now() + 5_000) }
  // The error of the driver, so the read has reached the driver.
  await expect(db.get(item, key, { at })).rejects.toThrow('only runs statements')
})

describe('a database on a Cassandra driver', () => {
  it.each([
    ['at', { at: { exactStaleness: 1 } }],
    ['directedReads', { directedReads: { exclude: [] } }],
    ['priority', { priority: 'low' }],
    ['tag', { tag: 'a' }],
    ['priority', { tag: 'a', priority: 'low' }],
  ] as const)(
    'rejects the option %s in get, fanOut, insert and transaction without calling the driver',
    async (option, options) => {
      const { db, driver } = opened()
      for (const call of [
        db.get(item, key, options),
        ('at' in options
          ? db.fanOut(item).timestampBound(options.at)
          : db.fanOut(item).options(options as object)
        )
          .where(key)
          .all(),
        db.insert(item, [row], options as object),
        db.transaction(async () => {}, options as object),
      ]) {
        expect(await rejection(call)).toMatchObject({
          code: 'UNSUPPORTED_FEATURE',
          fix: expect.stringMatching(new RegExp(String.raw`\b${option}\b`)),
        })
      }
      expect([...driver.written, ...driver.reads]).toStrictEqual([])
    },
  )

  it('passes ttlSeconds, consistency, conditional and writeTime of an insert to the driver', async () => {
    const driver = partitionDriver()
    const brief = defineTable('Brief', (t) => ({ id: t.int64().key() }), { writesExpire: true })
    const db = openDatabase({ driver, schema: defineSchema([brief]) })
    const options = { ttlSeconds: 60, consistency: 'local-one', conditional: false, writeTime: 5n } as const
    await db.insert(brief, [{ id: 1n }], options)
    expect(driver.written[0]!.options).toMatchObject(options)
  })

  it.each([
    [{ ttlSeconds: -1 }, 'ttlSeconds is -1.'],
    [{ ttlSeconds: 1.5 }, 'ttlSeconds is 1.5.'],
    [{ ttlSeconds: 630_720_001 }, 'ttlSeconds is 630720001.'],
    [{ writeTime: 5 as unknown as bigint, conditional: false }, 'writeTime is 5.'],
    [{ writeTime: 2n ** 63n, conditional: false }, 'writeTime is 9223372036854775808.'],
    [{ writeTime: 5n }, 'writeTime cannot be combined with a condition'],
    [{ consistency: 'serial' }, 'Cassandra writes at ONE, TWO,'],
    [
      { consistency: 'LOCAL_ONE' as 'local-one' },
      'The consistency is "LOCAL_ONE", which is not a known level.',
    ],
  ] as const)(
    'rejects the option %o of an insert or an update with INVALID_VALUE',
    async (options, message) => {
      const { db, driver } = opened()
      for (const write of [db.insert(item, [row], options), db.update(item, row, options)]) {
        expect(await rejection(write)).toMatchObject({
          code: 'INVALID_VALUE',
          message: expect.stringContaining(message),
        })
      }
      expect(driver.written).toStrictEqual([])
    },
  )

  it('accepts writeTime for an upsert and a delete, which have no condition', async () => {
    const { db, driver } = opened()
    await db.upsert(item, [row], { writeTime: 5n })
    await db.delete(item, key, { writeTime: 6n })
    expect(driver.written.map(({ options }) => options)).toStrictEqual([{ writeTime: 5n }, { writeTime: 6n }])
  })

  it('rejects options that do not apply to the write, such as conditional for an upsert', async () => {
    const { db } = opened()
    const count = { page: '/', seen: 1n }
    for (const [write, message] of [
      [db.upsert(item, [row], { conditional: true } as object), 'db.upsert: conditional is not an option.'],
      [db.delete(item, key, { ttlSeconds: 1 } as object), 'db.delete: ttlSeconds is not an option.'],
      [db.increment(hits, count, { ttlSeconds: 1 } as object), 'db.increment: ttlSeconds is not an option.'],
      [db.increment(hits, count, { writeTime: 1n } as object), 'db.increment: writeTime is not an option.'],
    ] as const) {
      expect(await rejection(write)).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
      })
    }
  })

  it.each([
    ['insert', { tlSeconds: 5 }, 'db.insert: tlSeconds is not an option.', 'Did you mean ttlSeconds? '],
    ['update', { writetime: 5n }, 'db.update: writetime is not an option.', 'Did you mean writeTime? '],
    ['upsert', { consistensy: 'one' }, 'db.upsert: consistensy is', 'Did you mean consistency? '],
    [
      'delete',
      { consistancy: 'one' },
      'db.delete: consistancy is not an option.',
      'Did you mean consistency? ',
    ],
    ['update', { returning: false }, 'db.update: returning is not an option.', 'The options are timeoutMs,'],
    ['get', { timeotMs: 5 }, 'db.get: timeotMs is not an option.', 'Did you mean timeoutMs? '],
    [
      'update',
      { tlSeconds: 5, timeotMs: 5 },
      'db.update: tlSeconds and timeotMs are not options.',
      'Did you mean ttlSeconds for tlSeconds and timeoutMs for timeotMs? ',
    ],
    [
      'get',
      { tag: 'a', timeotMs: 5 },
      'db.get: tag and timeotMs are not options.',
      'Did you mean timeoutMs for timeotMs? ',
    ],
    [
      'get',
      { ttlSeconds: 5 },
      'db.get: ttlSeconds is not an option.',
      'The options are timeoutMs, signal, consistency.',
    ],
    ['fanOut', { consistensy: 'one' }, 'options: consistensy is not', 'Did you mean consistency? '],
  ] as const)(
    'rejects a misspelled or unknown option of %s, and suggests a name or lists the options: %o',
    async (call, given, message, fix) => {
      const { db, driver } = opened()
      const options = given as object
      const calls = {
        insert: () => db.insert(item, [row], options),
        update: () => db.update(item, row, options),
        upsert: () => db.upsert(item, [row], options),
        delete: () => db.delete(item, key, options),
        get: () => db.get(item, key, options),
        fanOut: async () => db.fanOut(item).options(options).where(key).all(),
      }
      expect(await rejection(calls[call]())).toMatchObject({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(message),
        fix: expect.stringContaining(fix),
      })
      expect([...driver.written, ...driver.reads]).toStrictEqual([])
    },
  )

  it('treats an option with the value undefined as left out', async () => {
    const { db, driver } = opened()
    await db.insert(item, [row], { ttlSeconds: undefined, returning: false } as object)
    expect(driver.written).toHaveLength(1)
  })

  it('accepts only the consistency levels that Keyspaces supports on a Keyspaces driver', async () => {
    const { db, driver } = opened(keyspacesCql)
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
