import { deepStrictEqual } from 'node:assert'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@google-cloud/spanner'
import { drizzle, float64, int64, spannerTable, string, timestamp } from '@isotherm/drizzle-adapter'
import { eq, sql } from 'drizzle-orm'
import type { Benchmark } from './benchmark.js'
import { compare, type Comparison } from './harness.js'
import { spannerClass } from './raw-access-log.js'

const ROWS = 200
const BATCH = 100
/** Queries in one turn. */
const QUERIES = 16

/** A strong read on its own waits about 20 ms in the emulator, whatever the client: both sides read as of a moment ago. */
const AT = { exactStaleness: 1_000 }

const items = spannerTable('Item', {
  id: int64({ mode: 'number' }).primaryKey(),
  name: string({ length: 40 }).notNull(),
  price: float64().notNull(),
  madeAt: timestamp().notNull(),
  note: string(),
})

type Item = typeof items.$inferSelect

const DDL =
  'CREATE TABLE Item (id INT64 NOT NULL, name STRING(40) NOT NULL, price FLOAT64 NOT NULL, madeAt TIMESTAMP NOT NULL, note STRING(MAX)) PRIMARY KEY (id)'
const SELECT = 'SELECT id, name, price, madeAt, note FROM Item'

/** Statements that users of Drizzle write, against the same ones by hand. */
export const drizzleQueries: Benchmark = {
  name: 'drizzle',
  title: "the adapter's statements against those of the vendor's client",
  async run(context) {
    const database = await (await context.spanner()).database({ ddl: [DDL] })
    const db = drizzle(database)
    for (let from = 0; from < ROWS; from += BATCH) await db.insert(items).values(itemsFrom(from))
    await delay(AT.exactStaleness + 100)
    return [...(await selects(database)), ...(await inserts(database))]
  },
}

function itemsFrom(first: number): Item[] {
  const madeAt = new Date('2026-01-01T00:00:00.123Z')
  return Array.from({ length: BATCH }, (_, at) => {
    const id = first + at
    return { id, name: `item ${id}`, price: id + 0.5, madeAt, note: id % 3 === 0 ? null : `note ${id}` }
  })
}

async function selects(database: Database): Promise<Comparison[]> {
  const { int } = await spannerClass()
  const db = drizzle(database).$withOptions({ at: AT })
  const byId = db
    .select()
    .from(items)
    .where(eq(items.id, sql.placeholder('id')))
    .prepare()
  const raw = async (id: number): Promise<unknown> => {
    const text = `${SELECT} WHERE Item.id = @id`
    const query = { sql: text, params: { id: int(id) }, types: { id: 'int64' }, json: true }
    const [rows] = await database.run(query, AT)
    return rows
  }
  const prepared = (id: number): Promise<unknown> => byId.execute({ id })
  const built = async (id: number): Promise<unknown> => db.select().from(items).where(eq(items.id, id))
  deepStrictEqual(plain(await prepared(5)), plain(await raw(5)), 'Both sides read the same.')
  deepStrictEqual(plain(await built(5)), plain(await raw(5)), 'Both sides read the same.')

  const all = db.select().from(items).orderBy(items.id).prepare()
  const rawAll = async (): Promise<unknown> => database.run({ sql: `${SELECT} ORDER BY id`, json: true }, AT)
  const point = { per: 'read', operations: QUERIES, turns: 8 }
  return [
    await compare({
      ...point,
      name: 'prepared select of a row',
      targets: { cpu: 1.15 },
      raw: inTurn(raw),
      ours: inTurn(prepared),
    }),
    await compare({
      ...point,
      name: 'select of a row',
      targets: { cpu: 1.3 },
      raw: inTurn(raw),
      ours: inTurn(built),
    }),
    await compare({
      name: `prepared select of ${ROWS} rows`,
      per: 'read',
      operations: 1,
      turns: 16,
      targets: { cpu: 1.15 },
      raw: rawAll,
      ours: () => all.execute(),
    }),
  ]
}

/** Every call reads the next rows, so that both sides read the same ones. */
function inTurn(read: (id: number) => Promise<unknown>): () => Promise<void> {
  let next = 0
  return async () => {
    for (let query = 0; query < QUERIES; query++) await read(next++ % ROWS)
  }
}

async function inserts(database: Database): Promise<Comparison[]> {
  const { float, int } = await spannerClass()
  const db = drizzle(database)
  let next = ROWS
  const rows = (): Item[] => itemsFrom((next += BATCH))
  const columns = ['id', 'name', 'price', 'madeAt', 'note'] as const
  const kinds = { id: 'int64', name: 'string', price: 'float64', madeAt: 'timestamp', note: 'string' }
  const positions = Array.from({ length: BATCH }, (_, row) => columns.map((column) => `@${column}${row}`))
  const text = `INSERT INTO Item (${columns.join(', ')}) VALUES ${positions.map((row) => `(${row.join(', ')})`).join(', ')}`
  const raw = async (): Promise<void> => {
    const params: Record<string, unknown> = {}
    const types: Record<string, string> = {}
    rows().forEach(({ id, price, ...others }, at) => {
      const values = { id: int(id), price: float(price), ...others }
      for (const column of columns) {
        params[`${column}${at}`] = values[column]
        types[`${column}${at}`] = kinds[column]
      }
    })
    await database.runTransactionAsync(async (transaction) => {
      await transaction.runUpdate({ sql: text, params, types })
      await transaction.commit()
    })
  }
  return [
    await compare({
      name: `insert of ${BATCH} rows`,
      per: 'insert',
      operations: 1,
      turns: 6,
      rounds: 15,
      targets: { cpu: 1.3 },
      raw,
      ours: async () => db.insert(items).values(rows()),
    }),
    await compare({
      name: `insert of ${BATCH} rows as mutations, against table.insert`,
      per: 'insert',
      operations: 1,
      turns: 20,
      targets: { cpu: 1.3 },
      raw: () =>
        database
          .table('Item')
          .insert(
            rows().map(({ id, price, ...others }) => ({ id: int(id), price: float(price), ...others })),
          ),
      ours: () => db.transaction(async (tx) => tx.mutate(items).insert(rows())),
    }),
  ]
}

/** Rows as JSON: the sides have other classes of a time. */
function plain(rows: unknown): unknown {
  return JSON.parse(JSON.stringify(rows))
}
