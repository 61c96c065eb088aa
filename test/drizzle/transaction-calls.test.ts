import { compileDdl, defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { inTransaction, sequenceTable } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/spanner'
import { drizzle, int64, sequential, spannerTable, uuidV4 } from '@isotherm/drizzle-adapter'
import * as pg from '@isotherm/drizzle-adapter/postgresql'
import { count, eq } from 'drizzle-orm'
import { bigint, pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { rejection } from '../../packages/core/test/support/refusal.js'
import { type dialects, sampledDialects, sharedEmulator } from '../support/spanner.js'

// Which calls belong to a Drizzle transaction, and which calls beside it are rejected, as in core.

const numbers = inTransaction('invoices')
const Account = defineTable('Account', (t) => ({ id: t.int64().key(), balance: t.int64() }))
const Invoice = defineTable('Invoice', (t) => ({ id: t.uuidV4(), number: t.int64() }))
const schema = defineSchema([Account, Invoice, sequenceTable()])
const lint = { 'monotonic-first-key': 'off' } as const

interface Opened {
  readonly client: Parameters<typeof spanner>[0]
  transaction(work: (tx: object) => Promise<unknown>, config?: object): Promise<unknown>
  /** Calls that write `id`, or read it. */
  readonly calls: Readonly<Record<string, (on: object, id: number) => Promise<unknown>>>
  /** The same database with `outsideTransaction`. */
  readonly db: object
  readonly outside: object
  readonly counted: () => Promise<number>
}

async function opened(dialect: (typeof dialects)[number]): Promise<Opened> {
  const emulator = await sharedEmulator()
  const client = await emulator.database({
    ddl: compileDdl(schema, { dialect, severity: lint }),
    ...(dialect.name === 'spanner-postgresql' && { dialect }),
  })
  return dialect.name === 'googlesql' ? googleSql(client) : postgreSql(client)
}

function googleSql(client: Opened['client']): Opened {
  const db = drizzle(client)
  const accounts = spannerTable('Account', {
    id: int64({ mode: 'number' }).primaryKey(),
    balance: int64().notNull(),
  })
  const invoices = spannerTable('Invoice', { id: uuidV4(), number: sequential({ from: numbers }) })
  type On = typeof db
  return {
    client,
    db,
    outside: db.$withOptions({ outsideTransaction: true }),
    transaction: (work, config) => db.transaction(work, config),
    counted: async () => (await db.select({ all: count() }).from(accounts))[0]!.all,
    calls: {
      'select(Account)': (on) => (on as On).select().from(accounts).execute(),
      'insert(Account)': (on, id) => (on as On).insert(accounts).values({ id, balance: 1n }).execute(),
      'update(Account)': (on, id) =>
        (on as On).update(accounts).set({ balance: 2n }).where(eq(accounts.id, id)).execute(),
      'delete(Account)': (on, id) => (on as On).delete(accounts).where(eq(accounts.id, id)).execute(),
      execute: (on, id) => (on as On).execute(`DELETE FROM Account WHERE id = ${id}`).execute(),
      batch: (on, id) => (on as On).batch([(on as On).insert(accounts).values({ id, balance: 1n })]),
      'insert(Invoice)': (on) => (on as On).insert(invoices).values({}).execute(),
    },
  }
}

function postgreSql(client: Opened['client']): Opened {
  const db = pg.drizzle(client)
  const accounts = pgTable('Account', {
    id: bigint({ mode: 'number' }).primaryKey(),
    balance: bigint({ mode: 'bigint' }).notNull(),
  })
  const invoices = pgTable('Invoice', { id: pg.uuidV4(), number: pg.sequential({ from: numbers }) })
  type On = typeof db
  return {
    client,
    db,
    outside: db.$withOptions({ outsideTransaction: true }),
    transaction: (work, config) => db.transaction(work, config),
    counted: async () => (await db.select({ all: count() }).from(accounts))[0]!.all,
    calls: {
      'select(Account)': (on) => (on as On).select().from(accounts).execute(),
      'insert(Account)': (on, id) => (on as On).insert(accounts).values({ id, balance: 1n }).execute(),
      'update(Account)': (on, id) =>
        (on as On).update(accounts).set({ balance: 2n }).where(eq(accounts.id, id)).execute(),
      'delete(Account)': (on, id) => (on as On).delete(accounts).where(eq(accounts.id, id)).execute(),
      execute: (on, id) => (on as On).execute(`DELETE FROM "Account" WHERE id = ${id}`).execute(),
      batch: (on, id) => (on as On).batch([(on as On).insert(accounts).values({ id, balance: 1n })]),
      'insert(Invoice)': (on) => (on as On).insert(invoices).values({}).execute(),
    },
  }
}

const NAMES = [
  'select(Account)',
  'insert(Account)',
  'update(Account)',
  'delete(Account)',
  'execute',
  'batch',
  'insert(Invoice)',
]

describe.each(sampledDialects)('calls in a Drizzle transaction in $name', async (dialect) => {
  const { client, db, outside, transaction, calls, counted } = await opened(dialect)
  const core = openDatabase({ driver: spanner(client, { dialect }), schema })
  await numbers.create(core)
  let lastId = 1000
  const run = (name: string, on: object): Promise<unknown> => calls[name]!(on, lastId++)

  it.each(NAMES)(
    'tx.%s throws TRANSACTION_ENDED after the transaction has ended, as in core',
    async (name) => {
      const before = await counted()
      const seen: object[] = []
      await transaction(async (tx) => void seen.push(tx))
      await transaction(async (tx) => {
        seen.push(tx)
        throw new Error('on purpose')
      }).catch(() => {})
      let ofCore: unknown
      await core.transaction(async (tx) => void (ofCore = tx))
      const expected = await rejection((ofCore as { get: typeof core.get }).get(Account, { id: 1n }))
      expect(expected).toMatchObject({ code: 'TRANSACTION_ENDED' })
      for (const tx of seen) {
        const { code, message } = await rejection(run(name, tx))
        expect({ code, message }).toEqual({ code: expected.code, message: expected.message })
      }
      expect(await counted()).toBe(before)
    },
  )

  it.each([undefined, { accessMode: 'read only' }])(
    'db.transaction() throws INVALID_OPTION for work that is a generator or returns a function, with config %o',
    async (config) => {
      const works = [
        function* () {},
        async function* () {},
        async () => () => {},
      ] as unknown as readonly (() => Promise<unknown>)[]
      for (const work of works)
        expect(await rejection(transaction(work, config))).toMatchObject({
          code: 'INVALID_OPTION',
          message: expect.stringContaining('db.transaction: the work returned') as string,
        })
    },
  )

  it.each(NAMES)(
    'db.transaction() throws CALL_NOT_AWAITED and rolls back if tx.%s was not awaited',
    async (name) => {
      const before = await counted()
      let left: Promise<unknown> | undefined
      const refused = await rejection(
        transaction(async (tx) => {
          await run('insert(Account)', tx)
          left = rejection(run(name, tx))
        }),
      )
      expect(refused).toMatchObject({
        code: 'CALL_NOT_AWAITED',
        message: expect.stringContaining(`tx.${name} was not awaited`) as string,
      })
      expect(await left).toBe(refused)
      expect(await counted()).toBe(before)
    },
  )

  it('db.transaction() leaves no unhandled rejection when a call was not awaited', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', listen)
    try {
      for (const name of NAMES) await rejection(transaction(async (tx) => void run(name, tx)))
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off('unhandledRejection', listen)
    }
    expect(unhandled).toEqual([])
  })

  it.each(NAMES.slice(1, 6))(
    'db.%s throws IN_TRANSACTION in the work of a transaction, except with outsideTransaction',
    async (name) => {
      const before = await counted()
      for (const within of [transaction, core.transaction.bind(core)]) {
        let refused: unknown
        await within(async () => {
          refused = await run(name, db).catch((error: unknown) => error)
        })
        const error = refused instanceof IsothermError ? refused : (refused as Error).cause
        expect(error).toMatchObject({
          code: 'IN_TRANSACTION',
          message: expect.stringContaining(`db.${name} was called inside a transaction`) as string,
        })
        expect(await counted()).toBe(before)
      }
      await transaction(() => run(name, outside))
    },
  )

  it('db.select() is allowed in the work of a transaction', async () => {
    await expect(transaction(() => run('select(Account)', db))).resolves.toBeInstanceOf(Array)
  })

  it('a read-only transaction reads at an earlier timestamp, and a read-write transaction rejects the option at', async () => {
    const at = { readTimestamp: new Date() }
    const stale = (db as { $withOptions(options: object): Pick<Opened, 'transaction'> }).$withOptions({ at })
    await run('insert(Account)', db)
    const then = await stale.transaction((tx) => run('select(Account)', tx), { accessMode: 'read only' })
    expect(then).toHaveLength((await counted()) - 1)
    let isCalled = false
    expect(await rejection(stale.transaction(async () => (isCalled = true)))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('db.transaction has the option at of db.$withOptions') as string,
    })
    expect(isCalled).toBe(false)
  })

  it('a nested transaction of Drizzle or core throws IN_TRANSACTION, unless read-only or outsideTransaction', async () => {
    const nested = [
      () => transaction(async () => 1),
      () => core.transaction(async () => 1),
      () => core.insert(Account, [{ id: 1n, balance: 1n }]),
    ]
    for (const each of nested)
      expect(await transaction(() => rejection(each()))).toMatchObject({ code: 'IN_TRANSACTION' })
    expect(await transaction(() => transaction(async () => 1, { outsideTransaction: true }))).toBe(1)
    // A read-only transaction locks nothing.
    const readOnly = { accessMode: 'read only' }
    expect(await transaction(() => transaction(async () => 1, readOnly))).toBe(1)
    expect(
      await rejection(transaction(async () => 1, { ...readOnly, outsideTransaction: true })),
    ).toMatchObject({
      code: 'INVALID_OPTION',
    })
  })
})
