import { IsothermError, defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { part } from '../part.js'
import { Customer, UserAccessLog } from '../data/models.js'

/** Each call has one invalid value, which the error names; nothing may be written. */
const inserts: [what: string, rows: unknown[], code: string, message: string][] = [
  [
    'a number beyond 2^53',
    [{ userId: 2 ** 53 }],
    'INVALID_VALUE',
    'UserAccessLog.userId takes a 64-bit integer',
  ],
  ['a bigint beyond 64 bits', [{ userId: 2n ** 63n }], 'INVALID_VALUE', 'UserAccessLog.userId'],
  ['a fraction', [{ userId: 1.5 }], 'INVALID_VALUE', 'UserAccessLog.userId'],
  ['text for an integer', [{ userId: '7' }], 'INVALID_VALUE', 'UserAccessLog.userId'],
  ['an invalid Date', [{ userId: 1n, lastAccess: new Date(Number.NaN) }], 'INVALID_VALUE', 'an invalid Date'],
  [
    'text for a Date',
    [{ userId: 1n, lastAccess: '2026-01-01' }],
    'INVALID_VALUE',
    'UserAccessLog.lastAccess',
  ],
  [
    'text with half a surrogate pair',
    [{ userId: 1n, page: '\uD83D' }],
    'INVALID_VALUE',
    'UserAccessLog.page',
  ],
  [
    'text that is too long',
    [{ userId: 1n, page: 'x'.repeat(1025) }],
    'INVALID_VALUE',
    'up to 1024 characters',
  ],
  ['no value for a key part', [{}], 'INVALID_VALUE', 'UserAccessLog.userId has no value in row 0'],
  ['NULL for a key part', [{ userId: null }], 'INVALID_VALUE', 'UserAccessLog.userId has no value in row 0'],
  ['an unknown property', [{ userId: 1n, usrId: 2n }], 'INVALID_VALUE', 'no property "usrId"'],
  ['the wrong shard', [{ userId: 1n, shardId: 64n }], 'INVALID_VALUE', 'reads would look in'],
  ['an invalid second row', [{ userId: 1n }, { userId: 'x' }], 'INVALID_VALUE', 'UserAccessLog.userId'],
]

const visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: 8, strategy: 'random' }),
  at: t.timestamp().key(),
  id: t.uuidV4(),
}))
const schema = defineSchema([UserAccessLog, Customer, visit])

export const badInput = part([], async ({ database, when }) => {
  const { db } = await database(schema)

  describe('a database that is called with invalid values', () => {
    it.each(inserts)(
      'rejects an insert with %s by a named error, and writes nothing',
      async (_, rows, code, message) => {
        const error: unknown = await db
          .insert(UserAccessLog, rows as never, { allowMultipleCommits: true })
          .catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(IsothermError)
        expect(error).toMatchObject({
          code,
          table: 'UserAccessLog',
          message: expect.stringContaining(message),
        })
        expect(await db.fanOut(UserAccessLog).count()).toBe(0)
      },
    )

    when('transactions', 'in a transaction', () => {
      it.each(inserts)(
        'rejects an insert with %s in a transaction, and writes nothing',
        async (_, rows, code) => {
          const error: unknown = await db
            .transaction((tx) => tx.insert(UserAccessLog, rows as never))
            .catch((caught: unknown) => caught)
          expect(error).toMatchObject({ code })
          expect(await db.fanOut(UserAccessLog).count()).toBe(0)
        },
      )
    })

    it('rejects a key that is not a UUID, and a UUID v7 as the first key part', async () => {
      await expect(db.insert(Customer, [{ customerId: 'nonsense', name: '' }])).rejects.toMatchObject({
        code: 'INVALID_VALUE',
        column: 'customerId',
      })
      await expect(
        db.insert(Customer, [{ customerId: '019f0000-0000-7000-8000-000000000000', name: '' }]),
      ).rejects.toThrow(/takes a UUID v4, not the v7/)
      await expect(db.get(Customer, { customerId: 'nonsense' })).rejects.toMatchObject({
        code: 'INVALID_VALUE',
      })
    })

    it('rejects a shard beyond the range of a random shard column', async () => {
      await expect(db.insert(visit, [{ shard: 8n, at: new Date(0) }])).rejects.toThrow(
        'reads would look in 0 to 7',
      )
    })

    it('get(), update() and delete() throw KEY_INCOMPLETE when a key part is missing', async () => {
      await expect(db.get(UserAccessLog, { userId: 1n })).rejects.toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'lastAccess',
      })
      await expect(db.get(visit, { at: new Date(), id: crypto.randomUUID() })).rejects.toMatchObject({
        column: 'shard',
      })
      await expect(db.delete(UserAccessLog, {})).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      await expect(db.update(Customer, { name: 'x' })).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
    })

    it('rejects an update that changes only the key, sets a required column to NULL or names an unknown property', async () => {
      const customerId = crypto.randomUUID()
      await expect(db.update(Customer, { customerId })).rejects.toThrow('changes nothing but the key')
      await expect(db.update(Customer, { customerId, name: null as never })).rejects.toThrow(
        'does not accept NULL',
      )
      await expect(db.update(Customer, { customerId, nme: 'x' } as never)).rejects.toThrow(
        'no property "nme"',
      )
    })

    it('rejects an insert of an object instead of an array of rows', async () => {
      await expect(db.insert(Customer, { name: 'x' } as never)).rejects.toThrow(
        'Customer takes an array of rows.',
      )
    })

    when('commitLimits', 'more rows than a commit holds', () => {
      it('throw TOO_MANY_MUTATIONS in an upsert of 27,000 rows', async () => {
        const rows = Array.from({ length: 27_000 }, (_, id) => ({
          customerId: crypto.randomUUID(),
          name: String(id),
        }))
        await expect(db.upsert(Customer, rows)).rejects.toMatchObject({ code: 'TOO_MANY_MUTATIONS' })
      })
    })
  })

  describe('fan-out queries with invalid arguments', () => {
    const log = db.fanOut(UserAccessLog)
    const cases: [what: string, query: () => unknown, message: string][] = [
      [
        'an unknown property in where',
        () => log.where({ usrId: 1n } as never),
        'no property "usrId" to filter by',
      ],
      ['an unknown operator', () => log.where({ userId: { above: 1n } } as never), 'no operator "above"'],
      ['NULL in a list', () => log.where({ userId: { in: [null] } } as never), 'has a NULL in the list'],
      [
        'a comparison with NULL',
        () => log.where({ page: { lt: null } } as never),
        'cannot compare page with NULL',
      ],
      [
        'startsWith on a number',
        () => log.where({ userId: { startsWith: '1' } } as never),
        'cannot use startsWith',
      ],
      ['a comparison of JSON', () => db.fanOut(Customer).where({ settings: 'x' }), 'cannot compare settings'],
      [
        'a filter that is not an object',
        () => log.where('userId = 1' as never),
        'takes an object of properties and conditions',
      ],
      [
        'an unknown property in orderBy',
        () => log.orderBy('usrId' as never),
        'no property "usrId" to order by',
      ],
      ['an order by JSON', () => db.fanOut(Customer).orderBy('settings'), 'cannot be ordered by settings'],
      ['an unknown direction', () => log.orderBy('userId', 'up' as never), "Use 'asc' or 'desc'"],
      [
        'an order with the same property twice',
        () => log.orderBy('userId').orderBy('userId'),
        'ordered by userId twice',
      ],
      ['a limit of 0', () => log.limit(0), 'has the limit 0'],
      ['a fractional limit', () => log.limit(1.5), 'has the limit 1.5'],
      ['an unknown strategy', () => log.strategy('guess' as never), 'cannot be read by the strategy "guess"'],
      [
        'an unknown property in groupBy',
        () => log.groupBy('usrId' as never),
        'no property "usrId" to group by',
      ],
    ]
    it.each(cases)('throws an IsothermError for %s', (_, query, message) => {
      expect(query).toThrow(IsothermError)
      expect(query).toThrow(message)
    })

    it('rejects 2^53 for an integer column and the text 2026 for a timestamp column in where', () => {
      expect(() => log.where({ userId: 2 ** 53 } as never)).toThrow('a 64-bit integer')
      expect(() => log.where({ lastAccess: { gte: '2026' } } as never)).toThrow(
        'UserAccessLog.lastAccess takes a Date',
      )
    })

    it('throws INVALID_CURSOR for a cursor that was changed or belongs to another query', async () => {
      const rows = Array.from({ length: 5 }, (_, id) => ({ userId: BigInt(id) }))
      await db.insert(UserAccessLog, rows, { allowMultipleCommits: true })
      const { next } = await log.limit(2).page()
      await expect(log.limit(3).after(next).page()).resolves.toMatchObject({ rows: { length: 3 } })
      await expect(log.orderBy('userId').after(next).page()).rejects.toMatchObject({
        code: 'INVALID_CURSOR',
      })
      await expect(log.where({ userId: 1n }).after(next).page()).rejects.toThrow('belongs to another query')
      await expect(db.fanOut(visit).after(next).page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      for (let at = 0; at < next!.length; at++) {
        const changed = next!.slice(0, at) + (next![at] === 'A' ? 'B' : 'A') + next!.slice(at + 1)
        await expect(log.after(changed).page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      }
      await expect(log.after('').page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      await expect(log.after(7 as never).page()).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    })
  })

  describe('the option timeoutMs', () => {
    it.each([Number.NaN, Infinity, 'soon'])(
      'makes get(), insert(), page() and count() throw an IsothermError if its value is %s',
      async (timeoutMs) => {
        const call = { timeoutMs: timeoutMs as never }
        const log = () => db.fanOut(UserAccessLog).options(call)
        const calls = [
          () => db.get(Customer, { customerId: crypto.randomUUID() }, call),
          () => db.insert(Customer, [{ name: 'x' }], call),
          () => log().limit(1).page(),
          () => log().count(),
        ]
        for (const each of calls) {
          const error: unknown = await (async () => each())().catch((caught: unknown) => caught)
          expect(error).toBeInstanceOf(IsothermError)
          expect(error).toMatchObject({ code: expect.stringMatching(/^INVALID_/) })
        }
      },
    )

    it('accepts 2^31 milliseconds, which is longer than a timer of Node can run', async () => {
      const [customer] = await db.insert(Customer, [{ name: 'later' }], { timeoutMs: 2 ** 31 })
      expect(await db.get(Customer, customer!, { timeoutMs: 2 ** 31 })).toEqual(customer)
    })
  })

  describe('a database', () => {
    it('rejects tables and classes that its schema does not contain', async () => {
      const other = defineTable('Other', (t) => ({ id: t.uuidV4() }))
      await expect(db.insert(other, [{}])).rejects.toMatchObject({ code: 'UNKNOWN_TABLE' })
      await expect(db.get('Ordr', {})).rejects.toThrow('The schema has UserAccessLog')
      await expect(db.get(class Plain {}, {})).rejects.toThrow('Plain is not a table')
    })
  })
})
