import {
  compileDdl,
  defineSchema,
  defineTable,
  IsothermError,
  type SqlDialect,
  type TransactionalDriver,
} from '@isotherm/core'
import { partitionedOf } from '@isotherm/core/adapter'
import { spanner } from '@isotherm/spanner'
import { drizzle, int64, spannerTable } from '@isotherm/drizzle-adapter'
import * as pg from '@isotherm/drizzle-adapter/postgresql'
import { type SQL, sql } from 'drizzle-orm'
import type { Cache } from 'drizzle-orm/cache/core'
import { bigint, pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { KeptSelects } from './support/kept-selects.js'

// How a failed write invalidates cached rows, and what a write does when the cache fails.

const OPERATIONS = ['update', 'batch', 'transaction', 'partitioned'] as const

/** Sets the balances of all accounts. */
type Write = (balance: bigint) => Promise<unknown>

interface Opened {
  balances(): Promise<readonly bigint[]>
  readonly writes: Readonly<Record<(typeof OPERATIONS)[number], Write>>
  insert(id: number): Promise<unknown>
}

/** The methods that the tests call on a database of either dialect, whose tables have different types. */
interface Db {
  select(): { from(table: object): PromiseLike<readonly { readonly balance: bigint }[]> }
  insert(table: object): { values(row: object): PromiseLike<unknown> }
  update(table: object): { set(values: object): { where(condition: SQL): PromiseLike<unknown> } }
  batch(writes: readonly PromiseLike<unknown>[]): Promise<unknown>
  transaction(work: (tx: Db) => Promise<unknown>): Promise<unknown>
  partitioned(write: PromiseLike<unknown>): Promise<unknown>
}

const googleSqlAccounts = spannerTable('Account', {
  id: int64({ mode: 'number' }).primaryKey(),
  balance: int64().notNull(),
})
const postgreSqlAccounts = pgTable('Account', {
  id: bigint({ mode: 'number' }).primaryKey(),
  balance: bigint({ mode: 'bigint' }).notNull(),
})

function open(dialect: SqlDialect, driver: TransactionalDriver, cache: Cache): Opened {
  const isGoogleSql = dialect.name === 'googlesql'
  const accounts = isGoogleSql ? googleSqlAccounts : postgreSqlAccounts
  const db = (isGoogleSql ? drizzle(driver, { cache }) : pg.drizzle(driver, { cache })) as unknown as Db
  const update = (balance: bigint, by = db) =>
    by
      .update(accounts)
      .set({ balance })
      .where(sql`true`)
  return {
    balances: async () => (await db.select().from(accounts)).map(({ balance }) => balance),
    writes: {
      update: async (balance) => update(balance),
      batch: (balance) => db.batch([update(balance), update(balance)]),
      transaction: (balance) => db.transaction(async (tx) => update(balance, tx)),
      partitioned: (balance) => db.partitioned(update(balance)),
    },
    insert: async (id) => db.insert(accounts).values({ id, balance: 0n }),
  }
}

/** The answers to commits are lost, and partitioned DML ends after the first account. */
function losing(driver: TransactionalDriver): TransactionalDriver {
  return {
    ...driver,
    atomic: {
      kind: 'transactions',
      async run(work, call) {
        await driver.atomic.run(work, call)
        throw new IsothermError('OUTCOME_UNKNOWN', 'The answer was lost.')
      },
    },
    async executePartitioned({ text, parameters }, call) {
      await partitionedOf(driver, text)({ text: `${text} and id = 1`, parameters }, call)
      throw new IsothermError('TIMEOUT', 'It took too long.')
    },
  }
}

describe.each(dialects)('a cache of selects in $name', async (dialect) => {
  const emulator = await sharedEmulator()
  const table = defineTable('Account', (t) => ({ id: t.int64().key(), balance: t.int64() }))
  const ddl = compileDdl(defineSchema([table]), { dialect, severity: { 'monotonic-first-key': 'off' } })
  const driver = spanner(await emulator.database({ dialect, ddl }), { dialect })
  /** Reads with an empty cache. */
  const balances = () => open(dialect, driver, new KeptSelects()).balances()
  for (const id of [1, 2]) await open(dialect, driver, new KeptSelects()).insert(id)
  let written = 0n

  it.each(OPERATIONS)('drops the cached rows of a table after a failed write by %s', async (operation) => {
    const { writes, balances: cached } = open(dialect, losing(driver), new KeptSelects())
    const before = await cached()
    await expect(writes[operation](++written)).rejects.toThrow(/Failed query|The answer was lost/)
    const after = await balances()
    expect(after).not.toStrictEqual(before)
    expect(await cached()).toStrictEqual(after)
  })

  it.each([...OPERATIONS, 'insert'] as const)(
    'a committed write by %s succeeds with a warning when the cache is down',
    async (operation) => {
      const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      onTestFinished(() => warned.mockRestore())
      const cache = new KeptSelects()
      const { writes, insert } = open(dialect, driver, cache)
      cache.isDown = true
      const before = await balances()
      await (operation === 'insert' ? insert(3) : writes[operation](++written))
      expect(await balances()).not.toStrictEqual(before)
      expect(warned.mock.calls).toStrictEqual([
        [
          'Cached selects of Account may be stale: the cache failed after a write. ' +
            "When the cache works again, call db.$cache.invalidate({ tables: [ 'Account' ] }).",
          { type: 'IsothermCacheWarning', detail: expect.stringContaining('Error: redis is down') },
        ],
      ])
    },
  )
})
