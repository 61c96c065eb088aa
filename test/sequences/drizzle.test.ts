import { compileDdl, defineSchema, type Driver } from '@isotherm/core'
import { asynchronous, inTransaction, sequenceTable } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/spanner'
import { drizzle, sequential, spannerTable, string, toSchema, uuidV4 } from '@isotherm/drizzle-adapter'
import * as pg from '@isotherm/drizzle-adapter/postgresql'
import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

const numbers = inTransaction('invoice')

const invoices = spannerTable('Invoice', {
  id: uuidV4(),
  number: sequential({ from: numbers }),
  title: string({ length: 50 }),
})
const pgInvoices = pgTable('Invoice', {
  id: pg.uuidV4(),
  number: pg.sequential({ from: numbers }),
  title: varchar({ length: 50 }),
})

interface Opened {
  readonly driver: Driver
  /** Inserts invoices in a separate transaction, which fails at the end if `fails` is true. */
  insert(titles: readonly string[], fails?: boolean): Promise<bigint[]>
  insertOutside(title: string): Promise<unknown>
  /** Takes a number in a read-only transaction. */
  takeReading(): Promise<bigint>
  /** Runs work in a transaction. */
  within<T>(work: () => Promise<T>): Promise<T>
}

type Client = Parameters<typeof spanner>[0]

function googleSql(client: Client): Opened {
  const db = drizzle(client)
  return {
    driver: spanner(client),
    insert: (titles, fails) =>
      db.transaction(async (tx) => {
        const rows = await tx
          .insert(invoices)
          .values(titles.map((title) => ({ title })))
          .returning()
        if (fails) throw new Error('No.')
        return rows.map(({ number }) => number)
      }),
    insertOutside: (title) => db.insert(invoices).values({ title }).execute(),
    takeReading: () => db.transaction((tx) => numbers.next(tx), { accessMode: 'read only' }),
    within: (work) => db.transaction(work),
  }
}

function postgreSql(client: Client): Opened {
  const db = pg.drizzle(client)
  return {
    driver: spanner(client),
    insert: (titles, fails) =>
      db.transaction(async (tx) => {
        const rows = await tx
          .insert(pgInvoices)
          .values(titles.map((title) => ({ title })))
          .returning()
        if (fails) throw new Error('No.')
        return rows.map(({ number }) => number)
      }),
    insertOutside: (title) => db.insert(pgInvoices).values({ title }).execute(),
    takeReading: () => db.transaction((tx) => numbers.next(tx), { accessMode: 'read only' }),
    within: (work) => db.transaction(work),
  }
}

describe.each(dialects)('sequences in transactions of Drizzle in $name', (dialect) => {
  const isGoogleSql = dialect.name === 'googlesql'

  async function opened(): Promise<Opened> {
    const emulator = await sharedEmulator()
    const schema = toSchema([isGoogleSql ? invoices : pgInvoices])
    const client = await emulator.database({
      dialect,
      ddl: [...compileDdl(schema, { dialect }), ...compileDdl(defineSchema([sequenceTable()]), { dialect })],
    })
    const made = isGoogleSql ? googleSql(client) : postgreSql(client)
    await numbers.create(made.driver)
    return made
  }

  it('sequential columns get numbers in order and without gaps from concurrent and rolled back transactions', async () => {
    const { insert } = await opened()
    await expect(insert(['lost'], true)).rejects.toThrow('No.')
    const taken = await Promise.all(Array.from({ length: 8 }, (_, at) => insert([`a${at}`, `b${at}`])))
    const sorted = taken.flat().toSorted((a, b) => Number(a - b))
    expect(sorted).toStrictEqual(Array.from({ length: 16 }, (_, at) => BigInt(at + 1)))
    expect(await insert(['last'])).toStrictEqual([17n])
  })

  it('next() throws UNSUPPORTED_WRITE outside a transaction and in a read-only transaction', async () => {
    const { insertOutside, takeReading } = await opened()
    await expect(insertOutside('alone')).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      message: expect.stringContaining('taken in the transaction of the insert') as string,
    })
    await expect(takeReading()).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE' })
  })

  it('next() throws SEQUENCE_WOULD_WAIT in a transaction when the number needs another transaction', async () => {
    const { driver, within } = await opened()
    const others = asynchronous(driver, 'other')
    await others.create()
    await expect(within(() => others.next())).rejects.toMatchObject({ code: 'SEQUENCE_WOULD_WAIT' })
    expect(await others.next()).toBe(1n)
  })
})
