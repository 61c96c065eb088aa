import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { Customer, Order, shopOf } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

for (const dialect of dialects) {
  const { db } = await testDatabase(shopOf(dialect), dialect)

  describe(`in ${dialect.name}`, () => {
    describe('bad values', () => {
      it('a value of the wrong type that only the database could refuse', async () => {
        // A foreign writer is held off by the CHECK; here the driver is asked directly.
        const error: unknown = await db.driver.writes
          .commit([
            {
              op: 'insert',
              table: 'Event',
              columns: ['shard', 'at', 'id'],
              rows: [['8', 'spanner.commit_timestamp()', crypto.randomUUID()]],
            },
          ])
          .catch((caught: unknown) => caught)
        expect(error).toMatchObject({
          code: 'CONSTRAINT',
          message: expect.stringContaining('Event_shard_range'),
        })
      })
    })

    it.each([Number.NaN, Infinity, 'soon'])('a timeout of a transaction that is %s', async (timeoutMs) => {
      const read = db.transaction((tx) => tx.get(Customer, { customerId: crypto.randomUUID() }), {
        timeoutMs: timeoutMs as never,
      })
      await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^INVALID_/) })
    })

    describe('a moment', () => {
      it.each([
        'yesterday',
        {},
        { exactStaleness: '5' },
        { exactStaleness: Number.NaN },
        { exactStaleness: -1 },
        { maxStaleness: '5' },
        { readTimestamp: '2026-01-01' },
        { readTimestamp: '2026-02-30T00:00:00Z' },
        { readTimestamp: '0001-01-01T00:00:00+01:00' },
        { readTimestamp: new Date(Number.NaN) },
        { readTimestamp: new Date(Date.now() + 3_600_000) },
      ])('that is %j', async (at) => {
        const calls = [
          () => db.get(Customer, { customerId: crypto.randomUUID() }, { at: at as never }),
          () =>
            db
              .fanOut(Customer)
              .timestampBound(at as never)
              .limit(1)
              .page(),
          () =>
            db
              .fanOut(Customer)
              .timestampBound(at as never)
              .count(),
        ]
        for (const each of calls) {
          const error: unknown = await (async () => each())().catch((caught: unknown) => caught)
          expect(error).toBeInstanceOf(IsothermError)
          expect(error).toMatchObject({ code: expect.stringMatching(/^INVALID_/) })
        }
      })
    })

    describe('a database', () => {
      it('reports a missing parent and a missing table as the database’s own errors, translated', async () => {
        const orphan = { customerId: crypto.randomUUID() }
        await expect(db.insert(Order, [orphan])).rejects.toMatchObject({ code: 'NOT_FOUND' })
      })
    })
  })
}
