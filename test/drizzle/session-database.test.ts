import { drizzle, int64, spannerTable, string } from '@isotherm/drizzle-adapter'
import { googlesql } from '@isotherm/spanner'
import { asc, count, eq, gt, inArray, sql, TransactionRollbackError } from 'drizzle-orm'
import { Cache, type MutationOption } from 'drizzle-orm/cache/core'
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { sharedEmulator } from '../support/spanner.js'
import { writeBetweenReads } from './support/write-between-reads.js'

const accounts = spannerTable('Account', {
  id: int64({ mode: 'number' }).primaryKey(),
  owner: string({ length: 20 }).notNull(),
  balance: int64().notNull(),
})

const emulator = await sharedEmulator()
const client = await emulator.database({
  ddl: [
    'CREATE TABLE Account (id INT64 NOT NULL, owner STRING(20) NOT NULL, balance INT64 NOT NULL) PRIMARY KEY (id)',
  ],
})
const db = drizzle(client)

const ada = { id: 1, owner: 'Ada', balance: 10n }
const bob = { id: 2, owner: 'Bob', balance: 20n }

beforeEach(async () => {
  await db.batch([db.delete(accounts).where(sql`true`), db.insert(accounts).values([ada, bob])])
})

const everything = () => db.select().from(accounts).orderBy(asc(accounts.id))

describe('db.transaction', () => {
  it('commits both updates of a transfer, or undoes them after rollback()', async () => {
    const move = (amount: bigint) =>
      db.transaction(
        async (tx) => {
          const [from] = await tx
            .update(accounts)
            .set({ balance: sql`${accounts.balance} - ${amount}` })
            .where(eq(accounts.id, 1))
            .returning({ balance: accounts.balance })
          if (from!.balance < 0n) tx.rollback()
          await tx
            .update(accounts)
            .set({ balance: sql`${accounts.balance} + ${amount}` })
            .where(eq(accounts.id, 2))
          return tx.select({ balance: accounts.balance }).from(accounts).orderBy(accounts.id)
        },
        { tag: 'move', priority: 'high', timeoutMs: 60_000 },
      )
    expect(await move(4n)).toStrictEqual([{ balance: 6n }, { balance: 24n }])
    await expect(move(7n)).rejects.toBeInstanceOf(TransactionRollbackError)
    expect(await everything()).toStrictEqual([
      { ...ada, balance: 6n },
      { ...bob, balance: 24n },
    ])
  })

  it('loses no update of four concurrent transactions on one row', async () => {
    const add = () =>
      db.transaction(async (tx) => {
        const [account] = await tx.select().from(accounts).where(eq(accounts.id, 1))
        await tx
          .update(accounts)
          .set({ balance: account!.balance + 1n })
          .where(eq(accounts.id, 1))
      })
    await Promise.all(Array.from({ length: 4 }, add))
    expect((await everything())[0]).toStrictEqual({ ...ada, balance: 14n })
  })

  it('rejects a nested transaction with UNSUPPORTED_FEATURE', async () => {
    const nested = db.transaction((tx) => tx.transaction(async () => {}))
    await expect(nested).rejects.toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      fix: expect.stringContaining('tx itself'),
    })
  })

  it('reads one snapshot in a read-only transaction, and rejects a write with UNSUPPORTED_WRITE', async () => {
    await db.transaction(
      async (tx) => {
        await db.delete(accounts).where(eq(accounts.id, 1))
        expect(await tx.$count(accounts)).toBe(2)
        expect(await tx.select({ rows: count() }).from(accounts)).toStrictEqual([{ rows: 2 }])
        await expect(tx.insert(accounts).values(ada)).rejects.toMatchObject({
          cause: { code: 'UNSUPPORTED_WRITE' },
        })
      },
      { accessMode: 'read only', at: 'strong' },
    )
    expect(await db.$count(accounts)).toBe(1)
  })

  it('commits mutations together with DML', async () => {
    const cyd = { id: 3, owner: 'Cyd', balance: 0n }
    await db.transaction(async (tx) => {
      tx.mutate(accounts).insert(cyd)
      tx.mutate(accounts).delete({ id: 2 })
      await tx.update(accounts).set({ owner: 'Eve' }).where(eq(accounts.id, 1))
      expect(await tx.$count(accounts)).toBe(2)
    })
    expect(await everything()).toStrictEqual([{ ...ada, owner: 'Eve' }, cyd])
  })
})

describe('db.batch', () => {
  it('returns the result of each statement in order, with its type', async () => {
    const [written, rows, changed] = await db.batch([
      db.insert(accounts).values({ id: 9, owner: 'Zoe', balance: 1n }),
      db.select({ id: accounts.id }).from(accounts).where(gt(accounts.id, 5)),
      db.update(accounts).set({ balance: 2n }).where(eq(accounts.id, 9)).returning(),
    ])
    expectTypeOf(rows).toEqualTypeOf<{ id: number }[]>()
    expectTypeOf(written.rowCount).toEqualTypeOf<number>()
    expect({ written, rows, changed }).toStrictEqual({
      written: { rowCount: 1 },
      rows: [{ id: 9 }],
      changed: [{ id: 9, owner: 'Zoe', balance: 2n }],
    })
  })

  it('reads a prepared query and an SQL statement at one timestamp, while another client inserts a row', async () => {
    const insert = () => db.insert(accounts).values({ id: 3, owner: 'Cyd', balance: 0n })
    const read = drizzle(writeBetweenReads(client, googlesql, insert))
    const all = read.select().from(accounts).orderBy(asc(accounts.id)).prepare('all')
    expect(await read.batch([all, read.execute(sql`select count(*) as n from ${accounts}`)])).toStrictEqual([
      [ada, bob],
      [{ n: 2n }],
    ])
    expect(await db.$count(accounts)).toBe(3)
  })
})

describe('a query of the database', () => {
  it('converts the values of placeholders in inArray() to the type of the column', async () => {
    const [id, other] = [sql.placeholder('id'), sql.placeholder('other')]
    const prepared = db
      .select({ owner: accounts.owner })
      .from(accounts)
      .where(inArray(accounts.id, [id, other]))
      .orderBy(accounts.id)
      .prepare()
    expect(await prepared.execute({ id: 1, other: null })).toStrictEqual([{ owner: 'Ada' }])
    expect(await prepared.execute({ id: 2n, other: 1 })).toStrictEqual([{ owner: 'Ada' }, { owner: 'Bob' }])
  })

  it('returns the old row at a timestamp before a partitioned update', async () => {
    const [row] = await db.execute<{ now: Date }>(sql`select current_timestamp() as now`)
    const change = db.update(accounts).set({ balance: 0n }).where(gt(accounts.id, 1))
    expect(await db.partitioned(change)).toStrictEqual({ rowCount: 1 })
    const then = db.$withOptions({ at: { readTimestamp: row!.now }, tag: 'then' })
    expect(await then.select().from(accounts).where(eq(accounts.id, 2))).toStrictEqual([bob])
    expect((await everything())[1]).toStrictEqual({ ...bob, balance: 0n })
  })

  it('returns cached rows until the database with the cache writes to the table', async () => {
    const kept = new Map<string, string>()
    class Kept extends Cache {
      override strategy() {
        return 'explicit' as const
      }
      override async get(key: string) {
        const found = kept.get(key)
        return found === undefined ? undefined : (JSON.parse(found) as unknown[])
      }
      override async put(key: string, response: unknown) {
        kept.set(key, JSON.stringify(response))
      }
      override async onMutate({ tables }: MutationOption) {
        if (Array.isArray(tables) && tables.some((table) => table === 'Account')) kept.clear()
      }
    }
    const cached = drizzle(client, { cache: new Kept() })
    const read = () => cached.select().from(accounts).where(eq(accounts.id, 1)).$withCache()
    expect(await read()).toStrictEqual([ada])
    // This write does not go through the database with the cache.
    await db.update(accounts).set({ owner: 'Eve' }).where(eq(accounts.id, 1))
    expect(await read()).toStrictEqual([ada])
    await cached.update(accounts).set({ balance: 3n }).where(eq(accounts.id, 1))
    expect(await read()).toStrictEqual([{ id: 1, owner: 'Eve', balance: 3n }])
  })
})
