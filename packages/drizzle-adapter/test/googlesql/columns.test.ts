import {
  alias,
  bitReversedId,
  bool,
  bytes,
  customType,
  date,
  descTimestamp,
  float32,
  float64,
  hashKey,
  int64,
  json,
  numeric,
  parentKey,
  shardKey,
  spannerTable,
  string,
  timestamp,
  uuid,
  uuidV4,
  type SpannerColumn,
} from '@isotherm/drizzle-adapter'
import { getTableColumns, is, sql, Table } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'

/** The only column of a table, of any builder. */
function column(builder: object): SpannerColumn {
  const table = spannerTable('T', { it: builder as ReturnType<typeof int64> })
  return table.it
}

describe('a GoogleSQL column', () => {
  it.each([
    [bool(), 'BOOL'],
    [bytes(), 'BYTES(MAX)'],
    [bytes({ length: 16 }), 'BYTES(16)'],
    [date(), 'DATE'],
    [float32(), 'FLOAT32'],
    [float64(), 'FLOAT64'],
    [int64(), 'INT64'],
    [json(), 'JSON'],
    [numeric(), 'NUMERIC'],
    [string(), 'STRING(MAX)'],
    [string('x', { length: 5 }), 'STRING(5)'],
    [timestamp(), 'TIMESTAMP'],
    [uuid(), 'STRING(36)'],
    [uuid({ storage: 'bytes' }), 'BYTES(16)'],
    [uuid({ storage: 'native' }), 'UUID'],
    [shardKey({ shards: 4, of: ['id'] }), 'INT64'],
    [hashKey({ of: ['id'] }), 'INT64'],
    [hashKey({ of: ['id'], algorithm: 'sha512' }), 'BYTES(64)'],
    [bitReversedId(), 'INT64'],
    [uuidV4(), 'STRING(36)'],
    [descTimestamp(), 'TIMESTAMP'],
    [customType({ dataType: () => 'ARRAY<FLOAT64>' })(), 'ARRAY<FLOAT64>'],
    [string({ length: 5 }).array(), 'ARRAY<STRING(5)>'],
  ])('a column has the SQL type that its builder declares (%#)', (builder, type) => {
    expect(column(builder).getSQLType()).toBe(type)
  })

  it('a column has the name that was passed to its builder, or else the name of its property', () => {
    const table = spannerTable('T', (t) => ({ own: t.string('own_name'), plain: t.string() }))
    expect(Object.values(getTableColumns(table)).map(({ name, keyAsName }) => [name, keyAsName])).toEqual([
      ['own_name', false],
      ['plain', true],
    ])
    expect(is(table, Table)).toBe(true)
  })

  it.each([
    [int64({ mode: 'number' }), 2n ** 60n, 'T.it takes a whole number of up to 53 bits'],
    [int64(), 1.5, 'T.it takes a 64-bit integer'],
    [string({ length: 2 }), 'abc', 'T.it takes a string of up to 2 characters'],
    [bytes({ length: 1 }), Buffer.from('ab'), 'T.it takes up to 1 bytes'],
    [date(), new Date(0), 'T.it takes a day as YYYY-MM-DD'],
    [date({ mode: 'date' }), new Date(NaN), 'T.it takes a day as YYYY-MM-DD'],
    [date({ mode: 'date' }), '1970-02-30', 'T.it takes a day as YYYY-MM-DD'],
    [timestamp(), '1970-01-01T00:00:00', 'T.it takes a Date'],
    [timestamp({ mode: 'string' }), '1970-02-30 00:00:00Z', 'T.it takes a Date'],
    [timestamp({ mode: 'string' }), new Date(0), 'T.it takes a timestamp'],
    [numeric({ mode: 'number' }), 1e-10, 'T.it takes a decimal as a string'],
    [numeric({ mode: 'number' }), NaN, 'T.it takes a decimal as a string'],
    [numeric({ mode: 'bigint' }), 10n ** 29n, 'T.it takes a decimal as a string'],
    [uuid(), 'x', 'T.it takes a UUID'],
    [json(), () => 1, 'T.it takes a JSON document'],
    [int64().array(), 7n, 'T.it takes an array'],
    [date({ mode: 'date' }).array(), new Date(0), 'T.it takes an array'],
  ])(
    'rejects an invalid value with INVALID_VALUE and the name of the column (%#)',
    (builder, value, message) => {
      const error = refusal(() => column(builder).mapToDriverValue(value))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'T', column: 'it' })
      expect(error.message).toContain(message)
    },
  )

  it('rejects int64-pair UUIDs, arrays of byte UUIDs, identities of mode number and unknown custom types', () => {
    expect(refusal(() => uuid({ storage: 'int64-pair' as never }))).toMatchObject({
      code: 'INVALID_OPTION',
      fix: "Give one of 'text', 'bytes', 'native'.",
    })
    expect(refusal(() => column(uuid({ storage: 'bytes' }).array())).code).toBe('UNSUPPORTED_MODEL')
    const identity = refusal(() => int64('no', { mode: 'number' }).generatedByDefaultAsIdentity())
    expect(identity.message).toContain("no of mode 'number' cannot hold the 64-bit values of an identity")
    expect(refusal(() => column(customType({ dataType: () => 'varchar' })())).code).toBe('UNSUPPORTED_MODEL')
  })

  it('writes the SQL expression that a custom type returns from toDriver()', () => {
    const upper = customType<{ data: string; driverData: string }>({
      dataType: () => 'STRING(MAX)',
      toDriver: (value) => sql`UPPER(${value})`,
    })
    const expression = sql`UPPER(${'a'})`
    expect(column(upper()).mapToDriverValue('a')).toEqual(expression)
  })

  it('passes the config of each column to dataType() of a custom type', () => {
    const text = customType<{ data: string; driverData: string; config: { length: number } }>({
      dataType: (config) => `STRING(${config?.length ?? 'MAX'})`,
    })
    const table = spannerTable('T', {
      a: text(),
      b: text('b'),
      c: text({ length: 3 }),
      d: text('d', { length: 4 }),
    })
    expect(Object.values(getTableColumns(table)).map((each) => each.getSQLType())).toEqual([
      'STRING(MAX)',
      'STRING(MAX)',
      'STRING(3)',
      'STRING(4)',
    ])
  })

  it('a column keeps enum values, defaults, update functions, generated expressions and identities', () => {
    const table = spannerTable('T', {
      color: string({ enum: ['red', 'green'] }).default('red'),
      colors: string({ enum: ['red', 'green'] }).array(),
      made: string().$defaultFn(() => 'made'),
      touched: timestamp().$onUpdate(() => new Date(0)),
      lower: string().generatedAlwaysAs(sql`LOWER(color)`, { mode: 'virtual' }),
      identity: int64().generatedByDefaultAsIdentity(),
    })
    expect(table.color).toMatchObject({ enumValues: ['red', 'green'], default: 'red', hasDefault: true })
    expect(table.colors.enumValues).toEqual(['red', 'green'])
    expect(table.made.defaultFn?.()).toBe('made')
    expect(table.touched.onUpdateFn?.()).toEqual(new Date(0))
    expect(table.lower.generated).toMatchObject({ type: 'always', mode: 'virtual' })
    expect(table.identity).toMatchObject({
      notNull: true,
      hasDefault: true,
      generatedIdentity: { type: 'byDefault' },
    })
  })
})

describe('a key part of a GoogleSQL table', () => {
  const parent = spannerTable('Parent', {
    shardId: shardKey({ shards: 4, of: ['userId'] }),
    userId: int64('user_id', { mode: 'number' }).primaryKey(),
    day: date({ mode: 'date' }).primaryKey(),
  })

  it('is primary and NOT NULL, and has a default if Isotherm generates the value', () => {
    expect(parent.shardId).toMatchObject({ primary: true, notNull: true, hasDefault: true })
    expect(parent.userId).toMatchObject({ primary: true, notNull: true, hasDefault: false })
  })

  it('parentKey() copies the name, the mode and the key source of the parent column', () => {
    const child = spannerTable('Child', {
      shardId: parentKey(parent.shardId),
      userId: parentKey(parent.userId),
      day: parentKey(parent.day),
      line: int64().primaryKey(),
    })
    expect(child.userId).toMatchObject({ name: 'user_id', primary: true, notNull: true, hasDefault: false })
    expect(child.userId.mapFromDriverValue(7n)).toBe(7)
    expect(child.day.mapToDriverValue(new Date('2026-08-01T23:00:00Z'))).toBe('2026-08-01')
    expect(child.shardId).toMatchObject({ hasDefault: true })
    expect(child.shardId.declaration.source).toBe(parent.shardId.declaration.source)
  })

  it('an aliased table converts values like the table itself', () => {
    const other = alias(parent, 'other')
    expect(other.day.mapFromDriverValue('2026-08-01')).toEqual(new Date('2026-08-01T00:00:00Z'))
    expect(other.userId.codec).toBe(parent.userId.codec)
  })
})
