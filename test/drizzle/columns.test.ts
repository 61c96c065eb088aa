import { compileDdl } from '@isotherm/core'
import type { Parameter, Wire, WireType } from '@isotherm/core/adapter'
import { googlesql, spanner } from '@isotherm/spanner'
import {
  bool,
  bytes,
  customType,
  date,
  drizzle,
  float32,
  float64,
  int64,
  json,
  numeric,
  spannerTable,
  string,
  timestamp,
  toSchema,
  uuid,
  type SpannerColumn,
} from '@isotherm/drizzle-adapter'
import { asc, eq, getTableColumns, gte, inArray, isNull } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { literal } from '../../packages/drizzle-adapter/src/googlesql/sql/literals.js'
import { sharedEmulator } from '../support/spanner.js'
import * as values from '@isotherm/testing/data/values'

const fahrenheit = customType<{ data: { degrees: number }; driverData: number }>({
  dataType: () => 'FLOAT64',
  toDriver: ({ degrees }) => degrees,
  fromDriver: (degrees) => ({ degrees }),
})

/** A column of every type in every mode, and arrays of them. */
const table = spannerTable('Everything', {
  id: int64().primaryKey(),
  flag: bool(),
  single: float32(),
  double: float64(),
  whole: int64(),
  count: int64({ mode: 'number' }),
  exact: numeric(),
  near: numeric({ mode: 'number' }),
  units: numeric({ mode: 'bigint' }),
  words: string(),
  raw: bytes(),
  day: date(),
  midnight: date({ mode: 'date' }),
  moment: timestamp(),
  timeText: timestamp({ mode: 'string' }),
  document: json(),
  textId: uuid(),
  rawId: uuid({ storage: 'bytes' }),
  warm: fahrenheit(),
  flags: bool().array(),
  singles: float32().array(),
  doubles: float64().array(),
  wholes: int64().array(),
  counts: int64({ mode: 'number' }).array(),
  exacts: numeric().array(),
  nears: numeric({ mode: 'number' }).array(),
  wordss: string().array(),
  raws: bytes().array(),
  days: date().array(),
  midnights: date({ mode: 'date' }).array(),
  moments: timestamp().array(),
  manyTimeTexts: timestamp({ mode: 'string' }).array(),
  documents: json().array(),
  textIds: uuid().array(),
  warms: fahrenheit().array(),
})

const columns = getTableColumns(table)

type Name = Exclude<keyof typeof columns, 'id'>

const list = (item: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof({ weight: 4, arbitrary: item }, { weight: 1, arbitrary: fc.constant(null) }), {
    maxLength: 4,
  })
const nearest = fc.oneof(
  fc.integer().map((whole) => whole + 0),
  fc.constantFrom(0.5, -1e-9, 1e21, -1.5e28, 0.1, 123456789.125),
)
const wideWhole = fc.oneof(values.int64, fc.constantFrom(10n ** 29n - 1n, -(10n ** 29n) + 1n))
const midnight = values.day.map((day) => new Date(`${day}T00:00:00Z`))
const timeTexts = values.timestamp.map((time) => time.toISOString())
const warm = fc.double().map((degrees) => ({ degrees }))
// The JSON value null is not the NULL of the column.
const document = values.json(googlesql.values.json).filter((each) => each !== null)

const kinds: Record<Name, fc.Arbitrary<unknown>> = {
  flag: values.bool,
  single: values.float32,
  double: values.float64,
  whole: values.int64,
  count: values.int53,
  exact: values.numeric(googlesql.values.numeric),
  near: nearest,
  units: wideWhole,
  words: values.text,
  raw: values.bytes,
  day: values.day,
  midnight,
  moment: values.timestamp,
  timeText: timeTexts,
  document,
  textId: values.uuid,
  rawId: values.uuid,
  warm,
  flags: list(values.bool),
  singles: list(values.float32),
  doubles: list(values.float64),
  wholes: list(values.int64),
  counts: list(values.int53),
  exacts: list(values.numeric(googlesql.values.numeric)),
  nears: list(nearest),
  wordss: list(values.text),
  raws: list(values.bytes),
  days: list(values.day),
  midnights: list(midnight),
  moments: list(values.timestamp),
  manyTimeTexts: list(timeTexts),
  documents: list(document),
  textIds: list(values.uuid),
  warms: list(warm),
}
const names = Object.keys(kinds) as Name[]

function rowsOf(count: number, nullable = true): Record<Name, unknown>[] {
  const row = fc.record(
    Object.fromEntries(
      names.map((name) => [
        name,
        nullable ? fc.oneof({ weight: 6, arbitrary: kinds[name] }, fc.constant(null)) : kinds[name],
      ]),
    ),
  )
  return fc.sample(row, count) as Record<Name, unknown>[]
}

/** As the column sends it, through Drizzle's own hook. */
function sent(name: keyof typeof columns, value: unknown): Wire {
  return value === null ? null : (columns[name].mapToDriverValue(value) as Wire)
}

function read(name: keyof typeof columns, cell: unknown): unknown {
  return cell === null ? null : columns[name].mapFromDriverValue(cell)
}

let driver: ReturnType<typeof spanner>
let db: ReturnType<typeof drizzle>

beforeAll(async () => {
  const emulator = await sharedEmulator()
  const ddl = compileDdl(toSchema({ table }), { dialect: googlesql })
  const client = await emulator.database({ dialect: googlesql, ddl })
  driver = spanner(client)
  db = drizzle(client)
})

async function stored(from: number, count: number): Promise<Record<string, unknown>[]> {
  const all = names.map((name) => `\`${columns[name].name}\``).join(', ')
  const { rows } = await driver.run({
    text: `SELECT ${all} FROM Everything WHERE id >= @from AND id < @to ORDER BY id`,
    parameters: [
      { name: 'from', type: { kind: 'int64' }, value: String(from) },
      { name: 'to', type: { kind: 'int64' }, value: String(from + count) },
    ],
  })
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, read(name, cells[at])])))
}

it('columns of every type return the values and NULLs that a mutation wrote', async () => {
  const rows = rowsOf(150)
  await driver.writes.commit([
    {
      op: 'insert',
      table: 'Everything',
      columns: ['id', ...names],
      rows: rows.map((row, at) => [String(at), ...names.map((name) => sent(name, row[name]))]),
    },
  ])
  const found = await stored(0, rows.length)
  expect(found.map(values.comparableRow)).toEqual(rows.map(values.comparableRow))
})

it('columns of every type return the values that a statement with typed parameters wrote', async () => {
  const rows = rowsOf(40)
  const text = `INSERT INTO Everything (${['id', ...names].map((name) => `\`${name}\``).join(', ')}) VALUES (@id, ${names.map((name) => `@${name}`).join(', ')})`
  await driver.atomic.run(async (tx) => {
    await tx.execute(
      rows.map((row, at) => ({
        text,
        parameters: [
          { name: 'id', type: columns.id.codec.type, value: String(1000 + at) },
          ...names.map((name): Parameter => ({
            name,
            type: columns[name].codec.type,
            value: sent(name, row[name]),
          })),
        ],
      })),
    )
  })
  expect((await stored(1000, rows.length)).map(values.comparableRow)).toEqual(rows.map(values.comparableRow))
})

it('literals of every column type and their NULLs are read back as the same values', async () => {
  const rows = rowsOf(25, false)
  for (const row of rows) {
    const literals = names.map((name) => {
      const type: WireType = columns[name].codec.type
      return `${literal(sent(name, row[name]), type)} AS \`${name}\``
    })
    const nulls = names.map((name) => `${literal(null, columns[name].codec.type)} AS \`no_${name}\``)
    const result = await driver.run({ text: `SELECT ${[...literals, ...nulls].join(', ')}`, parameters: [] })
    const cells = result.rows[0]!
    const found = Object.fromEntries(names.map((name, at) => [name, read(name, cells[at])]))
    expect(values.comparableRow(found)).toEqual(values.comparableRow(row))
    expect(cells.slice(names.length).every((cell) => cell === null)).toBe(true)
  }
})

it('Drizzle inserts and reads values of every column type, and finds rows by values of most scalar types', async () => {
  const rows = rowsOf(25).map((row, at) => ({ ...row, id: BigInt(2000 + at) }))
  await db.insert(table).values(rows as (typeof table.$inferInsert)[])
  const found = await db.select().from(table).where(gte(table.id, 2000n)).orderBy(asc(table.id))
  expect(found.map(values.comparableRow)).toEqual(rows.map(values.comparableRow))
  const [first] = rows
  for (const name of names.filter((each) =>
    /^(whole|count|exact|units|words|raw|day|midnight|moment|timeText|textId|rawId|flag)$/.test(each),
  )) {
    const value = first![name]
    const column = columns[name] as SpannerColumn
    const conditions = value === null ? [isNull(column)] : [eq(column, value), inArray(column, [null, value])]
    for (const condition of conditions) {
      const ids = await db.select({ id: table.id }).from(table).where(condition)
      expect(ids).toContainEqual({ id: 2000n })
    }
  }
})
