import {
  defineSchema,
  defineTable,
  type ScalarType,
  type SqlDialect,
  type TableBuilder,
} from '@isotherm/core'
import { drizzle, toDrizzle } from '@isotherm/drizzle-adapter'
import { drizzle as pgDrizzle, toDrizzle as toPgTable } from '@isotherm/drizzle-adapter/postgresql'
import { eq, gte } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'
import * as values from '@isotherm/testing/data/values'

// Values of every type: Isotherm reads the values that Drizzle writes, and Drizzle reads the values that Isotherm writes.

const SCALARS = [
  { kind: 'bool' },
  { kind: 'int64' },
  { kind: 'int64', as: 'number' },
  { kind: 'float32' },
  { kind: 'float64' },
  { kind: 'numeric' },
  { kind: 'string', length: 'max' },
  { kind: 'bytes', length: 'max' },
  { kind: 'date' },
  { kind: 'timestamp' },
  { kind: 'json' },
  { kind: 'uuid' },
] as const satisfies readonly ScalarType[]

const columnsOf = (t: TableBuilder, nullable: boolean) => ({
  id: t.int64().key(),
  bool: t.bool({ nullable }),
  int64: t.int64({ nullable }),
  int64Number: t.int64({ nullable, as: 'number', name: 'int64_number' }),
  float32: t.float32({ nullable }),
  float64: t.float64({ nullable }),
  numeric: t.numeric({ nullable }),
  string: t.string({ nullable, length: 10_000 }),
  bytes: t.bytes({ nullable }),
  date: t.date({ nullable }),
  timestamp: t.timestamp({ nullable }),
  json: t.json({ nullable }),
  uuid: t.uuid({ nullable }),
  uuidBytes: t.uuid({ nullable, storage: 'bytes' }),
  ...Object.fromEntries(SCALARS.map((type) => [`${nameOf(type)}s`, t.array(type as never, { nullable })])),
})

function nameOf(type: ScalarType): string {
  return type.kind === 'int64' && type.as === 'number' ? 'int64Number' : type.kind
}

const Nullable = defineTable('Nullable', (t) => columnsOf(t, true))
const Required = defineTable('Required', (t) => columnsOf(t, false))

type Row = Readonly<Record<string, unknown>> & { readonly id: bigint }

function arbitraries(dialect: SqlDialect): Record<string, fc.Arbitrary<unknown>> {
  const text = values.text.map((each) => (dialect.name === 'googlesql' ? each : each.replaceAll('\0', '')))
  const scalars = {
    bool: values.bool,
    int64: values.int64,
    int64Number: values.int53,
    float32: values.float32,
    float64: values.float64,
    numeric: values.numeric(dialect.values.numeric),
    string: text,
    bytes: values.bytes,
    date: values.day,
    timestamp: values.timestamp,
    json: values.json(dialect.values.json).filter((each) => each !== null),
    uuid: values.uuid,
  }
  const lists = Object.entries(scalars).map(([name, item]) => [
    `${name}s`,
    fc.array(fc.option(item, { freq: 4 }), { maxLength: 4 }),
  ])
  return { ...scalars, uuidBytes: values.uuid, ...Object.fromEntries(lists) }
}

function rowsOf(dialect: SqlDialect, nullable: boolean, first: number): Row[] {
  const columns = arbitraries(dialect)
  const row = fc.record(
    Object.fromEntries(
      Object.entries(columns).map(([name, each]) => [name, nullable ? fc.option(each, { freq: 3 }) : each]),
    ),
  )
  return fc.sample(row, 15).map((each, at) => ({ ...each, id: BigInt(first + at) }))
}

/** The same calls, of either dialect's database. */
function drizzleOn(dialect: SqlDialect, client: Awaited<ReturnType<typeof testDatabase>>['client']) {
  if (dialect.name === 'googlesql') {
    const db = drizzle(client)
    return {
      insert: async (model: typeof Nullable, rows: readonly Row[]) =>
        await db
          .insert(toDrizzle(model))
          .values(rows as never)
          .returning(),
      read: async (model: typeof Nullable, from: bigint) =>
        await db
          .select()
          .from(toDrizzle(model))
          .where(gte(toDrizzle(model).id, from)),
      find: async (model: typeof Nullable, property: 'int64', value: unknown) =>
        await db
          .select()
          .from(toDrizzle(model))
          .where(eq(toDrizzle(model)[property], value as bigint)),
    }
  }
  const db = pgDrizzle(client)
  return {
    insert: async (model: typeof Nullable, rows: readonly Row[]) =>
      await db
        .insert(toPgTable(model))
        .values(rows as never)
        .returning(),
    read: async (model: typeof Nullable, from: bigint) =>
      await db
        .select()
        .from(toPgTable(model))
        .where(gte(toPgTable(model).id, from)),
    find: async (model: typeof Nullable, property: 'int64', value: unknown) =>
      await db
        .select()
        .from(toPgTable(model))
        .where(eq(toPgTable(model)[property], value as bigint)),
  }
}

const sorted = (rows: readonly object[]) =>
  (rows as readonly Row[]).toSorted((a, b) => Number(a.id - b.id)).map(values.comparableRow)

/** The columns by which a row is found again. */
const FOUND_BY = [
  'bool',
  'int64',
  'int64Number',
  'numeric',
  'string',
  'bytes',
  'date',
  'timestamp',
  'uuid',
  'uuidBytes',
] as const

describe.each(dialects)('column values of toDrizzle() tables in $name', async (dialect) => {
  const { db, client } = await testDatabase(defineSchema([Nullable, Required]), dialect)
  const own = drizzleOn(dialect, client)
  const tables = [
    ['Nullable', Nullable, true],
    ['Required', Required as unknown as typeof Nullable, false],
  ] as const

  it.each(tables)(
    'Isotherm reads the values that Drizzle inserted into the table %s',
    async (_, model, nullable) => {
      const rows = rowsOf(dialect, nullable, 1000)
      expect(sorted(await own.insert(model, rows))).toEqual(sorted(rows))
      for (const row of rows) {
        const read = await db.get(model, { id: row.id })
        expect(values.comparableRow(read!)).toEqual(values.comparableRow(row))
      }
    },
  )

  it.each(tables)(
    'Drizzle reads the values that Isotherm inserted into the table %s',
    async (_, model, nullable) => {
      const rows = rowsOf(dialect, nullable, 2000)
      await db.insert(model, rows as never)
      expect(sorted(await own.read(model, 2000n))).toEqual(sorted(rows))
    },
  )

  it('Drizzle finds a row by each comparable value that was read from the row', async () => {
    const [row] = await own.read(Required as unknown as typeof Nullable, 2000n)
    for (const property of FOUND_BY) {
      const found = await own.find(
        Required as unknown as typeof Nullable,
        property as 'int64',
        (row as unknown as Row)[property],
      )
      expect(sorted(found)).toContainEqual(values.comparableRow(row!))
    }
  })
})
