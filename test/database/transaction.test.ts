import type { Transaction } from '@google-cloud/spanner'
import { openDatabase } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { Customer, eventOf, Order, shopOf, Ticket, UserAccessLog } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

for (const dialect of dialects) {
  const { db, client } = await testDatabase(shopOf(dialect), dialect)
  const Event = eventOf(dialect)

  describe(`transactions in ${dialect.name}`, () => {
    describe('a transaction', () => {
      it('reads its own writes, and hides its writes from other readers until the commit', async () => {
        const customer = { customerId: crypto.randomUUID(), name: 'inside' }
        await db.transaction(async (tx) => {
          await tx.insert(Customer, [customer])
          expect(await tx.get(Customer, customer)).toMatchObject(customer)
          await tx.update(Customer, { ...customer, name: 'changed' })
          expect(await tx.get(Customer, customer)).toMatchObject({ name: 'changed' })
          await tx.upsert(Customer, [{ ...customer, name: 'upserted' }])
          expect(await tx.get(Customer, customer)).toMatchObject({ name: 'upserted' })
          await tx.delete(Customer, customer)
          expect(await tx.get(Customer, customer)).toBeUndefined()
          await tx.insert(Customer, [customer])
          expect(await db.get(Customer, customer, { at: { exactStaleness: 1 } })).toBeUndefined()
        })
        expect(await db.get(Customer, customer)).toMatchObject(customer)
      })

      it('returns generated keys at once, and commit timestamps after the commit', async () => {
        const { order, event } = await db.transaction(async (tx) => {
          const [customer] = await tx.insert(Customer, [{ name: 'keys' }])
          const [made] = await tx.insert(Order, [{ customerId: customer!.customerId }])
          expect(made!.orderId).toBeGreaterThan(0n)
          expect(made!.placed).toBeUndefined()
          const [logged] = await tx.insert(Event, [{}], { buffered: true })
          return { order: made!, event: logged! }
        })
        expect(order.placed).toBeInstanceOf(Date)
        expect(await db.get(Order, order)).toEqual(order)
        expect(await db.get(Event, event)).toEqual(event)
      })

      it('throws TIMEOUT with a message that the work was not waiting for the database when the work is too slow', async () => {
        const customer = { customerId: crypto.randomUUID(), name: 'slow' }
        let wake = (): void => {}
        const asleep = new Promise<void>((resolve) => (wake = resolve))
        const slow = db.transaction(
          async (tx) => {
            await tx.insert(Customer, [customer])
            await asleep
          },
          { timeoutMs: 2_000 },
        )
        await expect(slow).rejects.toMatchObject({
          code: 'TIMEOUT',
          message: expect.stringMatching(
            /^The function of the transaction did not end within \d+ ms, and was not waiting/,
          ) as string,
        })
        wake()
        expect(await db.get(Customer, customer)).toBeUndefined()
      })

      it('rolls back all its writes when its work throws', async () => {
        const customer = { customerId: crypto.randomUUID(), name: 'gone' }
        const work = db.transaction(async (tx) => {
          await tx.insert(Customer, [customer])
          throw new Error('on purpose')
        })
        await expect(work).rejects.toThrow('on purpose')
        expect(await db.get(Customer, customer)).toBeUndefined()
      })

      it('rejects a read of a table with buffered writes with READ_OF_BUFFERED_TABLE', async () => {
        const customer = { customerId: crypto.randomUUID(), name: 'buffered' }
        await db.transaction(async (tx) => {
          await tx.insert(Customer, [customer], { buffered: true })
          await expect(tx.get(Customer, customer)).rejects.toMatchObject({ code: 'READ_OF_BUFFERED_TABLE' })
          // Another table can be read.
          expect(await tx.get(UserAccessLog, { userId: 1n, lastAccess: new Date(0) })).toBeUndefined()
        })
        expect(await db.get(Customer, customer)).toMatchObject(customer)

        await db.transaction(async (tx) => {
          await tx.update(Customer, { ...customer, name: 'still' }, { buffered: true })
          await tx.upsert(Customer, [{ customerId: crypto.randomUUID(), name: 'other' }], { buffered: true })
        })
        expect(await db.get(Customer, customer)).toMatchObject({ name: 'still' })
        await db.transaction((tx) => tx.delete(Customer, customer, { buffered: true }))
        expect(await db.get(Customer, customer)).toBeUndefined()
      })

      it('rejects an unbuffered write to a table with buffered writes with READ_OF_BUFFERED_TABLE', async () => {
        const customer = { customerId: crypto.randomUUID(), name: 'twice' }
        const refused = { code: 'READ_OF_BUFFERED_TABLE', table: 'Customer' }
        await db.transaction(async (tx) => {
          await tx.insert(Customer, [customer], { buffered: true })
          await expect(tx.delete(Customer, customer)).rejects.toMatchObject(refused)
          await expect(tx.update(Customer, { ...customer, name: 'x' })).rejects.toMatchObject(refused)
          await expect(tx.insert(Customer, [{ name: 'x' }])).rejects.toMatchObject(refused)
          await expect(tx.upsert(Customer, [{ name: 'x' }])).rejects.toMatchObject(refused)
          await tx.delete(Customer, customer, { buffered: true })
        })
        expect(await db.get(Customer, customer)).toBeUndefined()
      })

      it('throws the error of its work unchanged, also when the error has the code 10, 14 or 404', async () => {
        for (const code of [404, 10, 14]) {
          const thrown = Object.assign(new Error('of the caller'), { code })
          const work = db.transaction(() => Promise.reject(thrown))
          await expect(work).rejects.toBe(thrown)
        }
      })

      it('upsert() changes a row whose generated id is given, and inserts a row without an id', async () => {
        const [old] = await db.insert(Ticket, [{ title: 'old' }])
        const [changed, made] = await db.upsert(Ticket, [{ ...old!, title: 'changed' }, { title: 'made' }])
        expect(await db.get(Ticket, old!)).toEqual({ ...old, title: 'changed' })
        expect(changed).toEqual({ ...old, title: 'changed' })
        expect(await db.get(Ticket, made!)).toEqual(made)
      })

      it('rejects a buffered insert of a row whose key the database generates with UNSUPPORTED_WRITE', async () => {
        const work = db.transaction((tx) => tx.insert(Ticket, [{}], { buffered: true }))
        await expect(work).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE' })
      })

      it('rejects an update of a missing row with NOT_FOUND', async () => {
        const work = db.transaction((tx) =>
          tx.update(Customer, { customerId: crypto.randomUUID(), name: 'nobody' }),
        )
        await expect(work).rejects.toMatchObject({ code: 'NOT_FOUND' })
      })

      it('inserts more rows than the parameters of one statement can hold', async () => {
        const rows = Array.from({ length: 700 }, (_, id) => ({ userId: BigInt(id), lastAccess: new Date(5) }))
        await db.transaction((tx) => tx.insert(UserAccessLog, rows))
        expect(
          await db
            .fanOut(UserAccessLog)
            .where({ lastAccess: new Date(5) })
            .count(),
        ).toBe(700)
      })

      it('runs its work again when a concurrent transaction caused an abort', async () => {
        const [customer] = await db.insert(Customer, [{ name: '0' }])
        let runs = 0
        const increment = () =>
          db.transaction(async (tx) => {
            runs++
            const { customerId, name } = (await tx.get(Customer, customer!))!
            await tx.update(Customer, { customerId, name: String(Number(name) + 1) })
          })
        await Promise.all(Array.from({ length: 4 }, increment))
        expect(await db.get(Customer, customer!)).toMatchObject({ name: '4' })
        expect(runs).toBeGreaterThan(4)
      })

      it('does not run its work again when its signal is aborted during the commit', async () => {
        const controller = new AbortController()
        let runs = 0
        let settled: Promise<unknown> = Promise.resolve()
        const giving = Object.create(client, {
          runTransactionAsync: {
            value: (options: object, work: (transaction: Transaction) => Promise<unknown>) =>
              (settled = client.runTransactionAsync(options, (transaction) => {
                // The commit fails after the caller has stopped waiting for it.
                transaction.commit = async () => {
                  controller.abort()
                  throw Object.assign(new Error('Transaction was aborted.'), {
                    code: 10,
                    metadata: { get: () => [], set: () => {} },
                  })
                }
                return work(transaction)
              })),
          },
        }) as typeof client
        const other = openDatabase({ driver: spanner(giving, { dialect }), schema: shopOf(dialect) })
        const work = other.transaction(
          async (tx) => {
            runs++
            await tx.insert(Customer, [{ name: 'given up' }])
          },
          { signal: controller.signal },
        )
        await expect(work).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
        await settled.catch(() => {})
        expect(runs).toBe(1)
      })
    })
  })
}
