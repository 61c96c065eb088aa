import {
  defineSchema,
  openDatabase,
  type ColumnSchema,
  type SqlDialect,
  type TableSchema,
} from '@isotherm/core'
import { definitionOf } from '@isotherm/core/adapter'
import { googlesql, spanner } from '@isotherm/spanner'
import { drizzle, toDrizzle } from '@isotherm/drizzle-adapter'
import { drizzle as pgDrizzle, toDrizzle as toPgTable } from '@isotherm/drizzle-adapter/postgresql'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goldens } from '../../packages/spanner/test/golden/schemas.js'
import { precise } from '@isotherm/testing/data/precise'
import { testDatabase, type TestDatabase } from '../support/spanner.js'
import * as values from '@isotherm/testing/data/values'

// Rows of tables with keys of every kind: Drizzle inserts them with the required columns only, and Isotherm finds them.

const NAMES = [
  'bit-reversed-ids',
  'desc-commit-timestamps',
  'desc-keys',
  'desc-timestamps',
  'every-key-type',
  'hash-keys',
  'interleaving',
  'interleaving-nullable',
  'key-types',
  'made-by-database',
  'namespaces',
  'shards-adopted',
  'shards-by-client',
  'shards-by-database',
  'shards-by-database-nullable',
  'uuid-keys',
]

const cases = goldens.filter(({ name, takenByEmulator }) => NAMES.includes(name) && takenByEmulator)

type Row = Readonly<Record<string, unknown>>

/** The methods that a test calls on the database of either dialect. */
interface Writes {
  insert(table: object): { values(row: Row): PromiseLike<unknown> }
  select(): { from(table: object): PromiseLike<readonly Row[]> }
}

function drizzleOn(dialect: SqlDialect, client: TestDatabase['client']) {
  return dialect.name === 'googlesql'
    ? { own: drizzle(client) as unknown as Writes, tableOf: toDrizzle as (model: never) => object }
    : { own: pgDrizzle(client) as unknown as Writes, tableOf: toPgTable as (model: never) => object }
}

const short = values.text.map((text) => Array.from(text.replaceAll('\0', '')).slice(0, 10).join(''))

/** The checks of the models do not allow extreme values. */
function valueFor({ type, nullable }: ColumnSchema): fc.Arbitrary<unknown> {
  const scalars: Partial<Record<typeof type.kind, fc.Arbitrary<unknown>>> = {
    bool: values.bool,
    int64:
      type.kind === 'int64' && type.as === 'number' ? fc.nat() : fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    float32: fc.constant(0.5),
    float64: values.float64.filter((each) => each !== 0),
    numeric: values.numeric(googlesql.values.numeric),
    string: short,
    bytes: fc.uint8Array({ maxLength: 10 }).map((array) => Buffer.from(array)),
    date: values.day,
    timestamp: fc
      .nat(999)
      .map((micros) => precise(`2026-08-01T12:00:00.000${String(micros).padStart(3, '0')}789Z`)),
    json: fc.constant({ a: 1 }),
    uuid: values.uuid,
    array: fc.constant([]),
  }
  const value = scalars[type.kind]!
  return nullable ? fc.option(value) : value
}

/** Whether an insert can leave the column out. */
function isMade(
  { columns }: TableSchema,
  { source, default: defaultValue, generated, inherited }: ColumnSchema,
) {
  const isTold =
    (source?.kind === 'shard' || source?.kind === 'hash') &&
    source.of.length > 0 &&
    source.of.every((property) => columns.some((column) => column.property === property))
  return inherited ? isTold : source !== undefined || defaultValue !== undefined || generated !== undefined
}

describe.each(cases)('tables of the models $name in $dialect.name', async ({ dialect, models }) => {
  const schema = defineSchema(models)
  const { client } = await testDatabase(schema, dialect)
  const db = openDatabase({ driver: spanner(client), schema })
  const { own, tableOf } = drizzleOn(dialect, client)

  it('Isotherm finds by key the rows that Drizzle inserted without generated columns', async () => {
    const inserted = new Map<string, Row>()
    // Tables with foreign keys come after the tables that they reference.
    for (const table of schema.tables.toSorted((a, b) => a.foreignKeys.length - b.foreignKeys.length)) {
      // Its sequence has no numbers.
      if (table.name === 'CountedBoth') continue
      const model = models.find((each) => definitionOf(each)!.name === table.name)!
      const parent = inserted.get(table.parent?.table ?? '')
      const needed = table.columns.filter((column) => !isMade(table, column))
      const row: Record<string, unknown> = Object.fromEntries(
        needed.map((column) => [
          column.property,
          column.inherited ? parent![column.property] : fc.sample(valueFor(column), 1)[0],
        ]),
      )
      for (const { columns, references, table: other } of table.foreignKeys) {
        columns.forEach((column, at) => (row[column] = inserted.get(other)?.[references[at]!] ?? null))
      }
      await own.insert(tableOf(model as never)).values(row)
      const [read, ...others] = await own.select().from(tableOf(model as never))
      expect(others).toEqual([])
      expect(values.comparableRow(read!)).toMatchObject(values.comparableRow(row))
      const key = Object.fromEntries(table.primaryKey.map(({ property }) => [property, read![property]]))
      const found = await db.get(model as never, key as never)
      expect(values.comparableRow(found!)).toEqual(values.comparableRow(read!))
      inserted.set(table.name, read!)
    }
  })
})
