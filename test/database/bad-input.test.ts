import { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { Customer, Order, shopOf } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

for (const dialect of dialects) {
  const { db } = await testDatabase(shopOf(dialect), dialect)

  describe(`invalid input in ${dialect.name}`, () => {
    describe('a write that the driver sends without checks by Isotherm', () => {
      it('throws CONSTRAINT with the name of the CHECK when a shard is out of range', async () => {
        // The CHECK refuses a bad shard of another writer; here the driver writes it directly.
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

    it.each([Number.NaN, Infinity, 'soon'])('db.transaction() rejects the timeout %s', async (timeoutMs) => {
      const read = db.transaction((tx) => tx.get(Customer, { customerId: crypto.randomUUID() }), {
        timeoutMs: timeoutMs as never,
      })
      await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^INVALID_/) })
    })

    describe('timestamp bounds', () => {
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
      ])('get(), page() and count() reject the timestamp bound %j', async (at) => {
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

    describe('an insert of a child row', () => {
      it('throws NOT_FOUND when the parent row is missing', async () => {
        const orphan = { customerId: crypto.randomUUID() }
        await expect(db.insert(Order, [orphan])).rejects.toMatchObject({ code: 'NOT_FOUND' })
      })
    })
  })
}
