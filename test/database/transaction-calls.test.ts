import { defineSchema, IsothermError, openDatabase, type Transaction } from '@isotherm/core'
import { inTransaction, sequenceTable } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/spanner'
import { beforeAll, describe, expect, it } from 'vitest'
import { rejection } from '../../packages/core/test/support/refusal.js'
import { Customer, Ticket } from '../support/shop.js'
import { sampledDialects, testDatabase } from '../support/spanner.js'

// Only the calls that the work of a transaction awaits are part of the transaction.

const schema = defineSchema([Customer, Ticket, sequenceTable()])
const numbers = inTransaction('orders')

/** The error that makes a driver repeat a transaction, wherever it is thrown. */
function aborted(): Error {
  return new Error('of the work', { cause: Object.assign(new Error('aborted'), { code: 10 }) })
}

const customer = () => ({ customerId: crypto.randomUUID(), name: 'one' })

/** Every kind of call, each on a transaction. */
const CALLS: Readonly<Record<string, (tx: Transaction) => Promise<unknown>>> = {
  get: (tx) => tx.get(Customer, customer()),
  insert: (tx) => tx.insert(Customer, [customer()]),
  'buffered insert': (tx) => tx.insert(Customer, [customer()], { buffered: true }),
  upsert: (tx) => tx.upsert(Customer, [customer()]),
  'buffered upsert': (tx) => tx.upsert(Customer, [customer()], { buffered: true }),
  update: (tx) => tx.update(Customer, customer()),
  'buffered update': (tx) => tx.update(Customer, customer(), { buffered: true }),
  delete: (tx) => tx.delete(Customer, customer()),
  'buffered delete': (tx) => tx.delete(Customer, customer(), { buffered: true }),
  'call without rows': (tx) => tx.insert(Customer, []),
  'number of a sequence': (tx) => numbers.next(tx),
}

/** The other calls are kept until the commit, and do not call the database. */
const TAKES_TIME = /^(?:get|insert|upsert|update|delete|number)/

describe.each(sampledDialects)('db.transaction() in $name', async (dialect) => {
  const { db } = await testDatabase(schema, dialect)
  await numbers.create(db)
  const countOf = () => db.fanOut(Customer).count()

  it.each<[of: string, work: (tx: Transaction) => unknown, what: string]>([
    [
      'a generator function',
      function* (tx) {
        yield tx.insert(Customer, [customer()])
      },
      'the work returned a generator, whose code did not run.',
    ],
    [
      'an async generator function',
      async function* (tx) {
        yield await tx.insert(Customer, [customer()])
      },
      'the work returned an async generator, whose code did not run.',
    ],
    [
      'a function that returns a function',
      async (tx) => () => tx.insert(Customer, [customer()]),
      'the work returned a function, which was not called.',
    ],
  ])('throws INVALID_OPTION and commits nothing when the work is %s', async (_, work, what) => {
    const before = await countOf()
    const error = await rejection(db.transaction(work as (tx: Transaction) => Promise<unknown>))
    expect(error).toMatchObject({ code: 'INVALID_OPTION' })
    expect(error.message).toContain(`db.transaction: ${what} Nothing was committed.`)
    expect(await countOf()).toBe(before)
  })

  it('returns a function that the work returned after calls on the transaction', async () => {
    const value = await db.transaction(async (tx) => {
      await tx.insert(Customer, [customer()])
      return () => 7
    })
    expect(value()).toBe(7)
  })

  it('returns an iterator that the work returned', async () => {
    await expect(db.transaction(async () => [1].values())).resolves.toBeDefined()
  })

  describe('a transaction that has ended', () => {
    it('rejects every call with TRANSACTION_ENDED after a commit, a rollback or a repetition', async () => {
      const before = await countOf()
      const all = async (tx: Transaction): Promise<readonly (readonly [name: string, error: unknown])[]> =>
        Promise.all(
          Object.entries(CALLS).map(async ([name, call]) => [name, await rejection(call(tx))] as const),
        )
      const seen: Transaction[] = []
      await db.transaction(async (tx) => void seen.push(tx))
      const failing = db.transaction(async (tx) => {
        seen.push(tx)
        await tx.get(Customer, customer())
        throw new Error('on purpose')
      })
      await expect(failing).rejects.toThrow('on purpose')
      let runs = 0
      const fromOldAttempt = await db.transaction(async (tx) => {
        seen.push(tx)
        if (runs++ === 0) throw aborted()
        return all(seen.at(-2)!)
      })
      expect(runs).toBe(2)
      let end!: () => void
      const ended = new Promise<void>((resolve) => (end = resolve))
      let fromTimer!: ReturnType<typeof all>
      await db.transaction(async (tx) => {
        fromTimer = new Promise((resolve) => {
          setTimeout(() => void ended.then(() => resolve(all(tx))))
        })
      })
      end()
      const others = await Promise.all([fromTimer, ...seen.map(all)])
      const rejections = [...fromOldAttempt, ...others.flat()]
      expect(rejections).toHaveLength(6 * Object.keys(CALLS).length)
      for (const [name, error] of rejections) {
        expect(error).toBeInstanceOf(IsothermError)
        expect({ name, error }).toMatchObject({
          error: { code: 'TRANSACTION_ENDED', message: (rejections[0]![1] as Error).message },
        })
      }
      expect(await countOf()).toBe(before)
    })
  })

  describe('work that ends before its calls have ended', () => {
    it.each(Object.keys(CALLS).filter((name) => TAKES_TIME.test(name)))(
      'is rolled back with CALL_NOT_AWAITED when a %s is not awaited',
      async (name) => {
        const before = await countOf()
        let left: Promise<unknown> | undefined
        const kept = customer()
        const refused = await rejection(
          db.transaction(async (tx) => {
            await tx.insert(Customer, [kept])
            left = rejection(CALLS[name]!(tx))
          }),
        )
        expect(refused).toMatchObject({ code: 'CALL_NOT_AWAITED' })
        expect(await left).toBe(refused)
        expect(await countOf()).toBe(before)
        expect(await db.get('sequences', { name: 'orders' })).toMatchObject({ nextValue: 1n })
      },
    )

    it.each(Object.keys(CALLS).filter((name) => name.startsWith('buffered')))(
      'commits the row of a %s that is not awaited if and only if the call resolves',
      async (name) => {
        const [there] = await db.insert(Customer, [customer()])
        const buffered = { buffered: true } as const
        const row = name === 'buffered insert' ? customer() : { ...there!, name: 'two' }
        const call = (tx: Transaction): Promise<unknown> =>
          name === 'buffered insert'
            ? tx.insert(Customer, [row], buffered)
            : name === 'buffered upsert'
              ? tx.upsert(Customer, [row], buffered)
              : name === 'buffered update'
                ? tx.update(Customer, row, buffered)
                : tx.delete(Customer, row, buffered)
        let left: Promise<unknown> | undefined
        const work = db.transaction(async (tx) => {
          left = call(tx).then(
            () => 'committed',
            (error: IsothermError) => error.code,
          )
        })
        const ended = await work.then(
          () => 'committed',
          (error: IsothermError) => error.code,
        )
        expect(await left).toBe(ended)
        const found = await db.get(Customer, row)
        const before = name === 'buffered insert' ? undefined : there
        const after = name === 'buffered delete' ? undefined : { settings: null, ...row }
        expect(found).toEqual(ended === 'committed' ? after : before)
      },
    )

    it('throws an error with the calls that were not awaited, and the number of further calls', async () => {
      const one = await rejection(db.transaction(async (tx) => void tx.insert(Customer, [customer()])))
      expect(one).toMatchObject({
        message: expect.stringContaining('tx.insert(Customer) was not awaited') as string,
      })
      const many = await rejection(
        db.transaction(async (tx) => {
          void tx.get(Customer, customer())
          void tx.get(Customer, customer())
          void tx.update(Customer, customer())
          void numbers.next(tx)
          void tx.get(Ticket, { ticketId: 1n })
        }),
      )
      expect(many).toMatchObject({
        message: expect.stringContaining(
          'tx.get(Customer), tx.update(Customer), a number of the sequence "orders", 1 more were not awaited',
        ) as string,
      })
    })

    it('causes no unhandled rejection when a call is not awaited', async () => {
      const unhandled: unknown[] = []
      const listen = (reason: unknown): void => void unhandled.push(reason)
      process.on('unhandledRejection', listen)
      try {
        for (const [name, call] of Object.entries(CALLS)) {
          const work = db.transaction(async (tx) => void call(tx))
          if (TAKES_TIME.test(name)) await rejection(work)
          else await work.catch(() => {})
        }
        await new Promise((resolve) => setImmediate(resolve))
      } finally {
        process.off('unhandledRejection', listen)
      }
      expect(unhandled).toEqual([])
    })

    it('throws CALL_NOT_AWAITED with the error of the failed call as its cause', async () => {
      const [taken] = await db.insert(Customer, [customer()])
      const refused = await rejection(
        db.transaction(async (tx) => {
          await tx.get(Customer, taken!)
          void tx.insert(Customer, [taken!])
        }),
      )
      expect(refused).toMatchObject({ code: 'CALL_NOT_AWAITED', cause: { code: 'ALREADY_EXISTS' } })
    })

    it('throws its own error, and rejects the calls that were not awaited with TRANSACTION_ENDED', async () => {
      const row = customer()
      let left: Promise<unknown> | undefined
      const work = db.transaction(async (tx) => {
        left = rejection(tx.insert(Customer, [row]))
        throw new Error('on purpose')
      })
      await expect(work).rejects.toThrow('on purpose')
      expect(await left).toMatchObject({ code: 'TRANSACTION_ENDED' })
      expect(await db.get(Customer, row)).toBeUndefined()
    })

    it('commits several calls that the work awaits at the same time', async () => {
      for (const read of [false, true]) {
        const rows = [customer(), customer(), customer()]
        await db.transaction(async (tx) => {
          // The first of them begins the transaction of all.
          await Promise.all([
            ...(read ? [tx.get(Customer, customer())] : []),
            ...rows.map((row) => tx.insert(Customer, [row])),
          ])
        })
        for (const row of rows) expect(await db.get(Customer, row)).toMatchObject(row)
      }
    })

    it('commits later calls when the first statement failed and the error was caught', async () => {
      const [there] = await db.insert(Customer, [customer()])
      const row = customer()
      await db.transaction(async (tx) => {
        expect(await rejection(tx.insert(Customer, [there!]))).toMatchObject({ code: 'ALREADY_EXISTS' })
        await Promise.all([tx.insert(Customer, [row]), tx.get(Customer, customer())])
      })
      expect(await db.get(Customer, row)).toMatchObject(row)
    })
  })

  describe('a call of db in the work of a transaction', () => {
    const row = customer()
    beforeAll(async () => void (await db.insert(Customer, [row])))
    const writes: Readonly<Record<string, (options?: object) => Promise<unknown>>> = {
      'db.insert(Customer)': (options) => db.insert(Customer, [customer()], options),
      'db.upsert(Customer)': (options) => db.upsert(Customer, [row], options),
      'db.update(Customer)': (options) => db.update(Customer, row, options),
      'db.delete(Customer)': (options) => db.delete(Customer, customer(), options),
      'db.transaction': (options) => db.transaction(async (tx) => tx.get(Customer, row), options),
    }

    it.each(Object.keys(writes))(
      '%s throws IN_TRANSACTION unless outsideTransaction is set',
      async (name) => {
        const before = await countOf()
        const refused = await db.transaction(() => rejection(writes[name]!()))
        expect(refused).toMatchObject({
          code: 'IN_TRANSACTION',
          message: expect.stringContaining(`${name} was called inside a transaction`) as string,
          fix: expect.stringContaining('Use tx instead of db') as string,
        })
        expect(await countOf()).toBe(before)
        await expect(db.transaction(() => writes[name]!({ outsideTransaction: true }))).resolves.toBeDefined()
        // The transaction has ended, although its work began this call.
        let end: (() => void) | undefined
        let later: Promise<unknown> | undefined
        await db.transaction(async () => {
          later = new Promise<void>((resolve) => (end = resolve)).then(() => writes[name]!())
        })
        end!()
        await expect(later).resolves.toBeDefined()
      },
    )

    it('throws IN_TRANSACTION for a write to the same database through another driver', async () => {
      const other = openDatabase({ driver: spanner(db.driver.client as never, { dialect }), schema })
      const refused = await db.transaction(() => rejection(other.insert(Customer, [customer()])))
      expect(refused).toMatchObject({ code: 'IN_TRANSACTION' })
    })

    it('writes rows of another database', async () => {
      const { db: other } = await testDatabase(schema, dialect)
      const written = customer()
      await db.transaction(async () => {
        await other.transaction(async (tx) => tx.insert(Customer, [written]))
        await other.update(Customer, { ...written, name: 'two' })
      })
      expect(await other.get(Customer, written)).toMatchObject({ name: 'two' })
    })

    it('reads rows with get() and page()', async () => {
      const read = await db.transaction(async () => [
        await db.get(Customer, row),
        (await db.fanOut(Customer).where({ customerId: row.customerId }).page()).rows,
      ])
      expect(read).toMatchObject([row, [row]])
    })
  })

  describe('the table of sequences', () => {
    it('rejects calls on the row of a sequence after the transaction took a number of this sequence', async () => {
      const one = { name: 'orders' }
      await db.transaction(async (tx) => {
        const before = await tx.get('sequences', one)
        expect(await numbers.next(tx)).toBe(before!['nextValue'])
        for (const call of [
          tx.get('sequences', one),
          tx.update('sequences', { ...one, nextValue: 100n }),
          tx.update('sequences', { ...one, nextValue: 100n }, { buffered: true }),
          tx.delete('sequences', one),
        ]) {
          expect(await rejection(call)).toMatchObject({
            code: 'READ_OF_BUFFERED_TABLE',
            table: 'sequences',
            message: expect.stringContaining('has numbers of sequences that were taken') as string,
          })
        }
        // The generator still knows its next number.
        expect(await numbers.next(tx)).toBe((before!['nextValue'] as bigint) + 1n)
      })
    })

    it('gives no number in a transaction that has buffered rows of the table', async () => {
      await db.transaction(async (tx) => {
        await tx.insert('sequences', [{ name: crypto.randomUUID(), nextValue: 1n }], { buffered: true })
        expect(await rejection(numbers.next(tx))).toMatchObject({
          code: 'READ_OF_BUFFERED_TABLE',
          table: 'sequences',
        })
      })
    })
  })
})
