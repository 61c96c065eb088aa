import { type Statement, type UdtType, type Wire, type WireType, preciseDate } from '@isotherm/core/engine'
import type { Driver, FrozenType } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { beforeAll, expect, test } from 'vitest'
import { cqlType } from '../../../packages/cassandra/src/cql/types.js'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions } from '../support/keyspace.js'

// Every type of CQL: a wire goes to the node, and comes back as a cell; and what the node makes of a literal reads the same.

interface Case {
  readonly type: WireType
  readonly wire: Wire
  readonly cell: unknown
  /** The same value as CQL writes it, where it can. */
  readonly literal?: string
}

const text: WireType = { kind: 'string', length: 'max' }
const bytes: WireType = { kind: 'bytes', length: 'max' }
const address: UdtType = {
  kind: 'udt',
  name: 'Address',
  frozen: true,
  fields: [
    { name: 'street', type: text, nullable: true },
    { name: 'seen', type: { kind: 'timestamp' }, nullable: true },
    { name: 'floors', type: { kind: 'array', of: { kind: 'int64' }, frozen: true }, nullable: true },
  ],
}
const uuid = '6ba7b810-9dad-41d1-80b4-00c04fd430c8'
const timeuuid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'

function same(type: WireType, wires: readonly Wire[], literal?: (wire: Wire) => string): Case[] {
  return wires.map((wire) => ({ type, wire, cell: wire, ...(literal && { literal: literal(wire) }) }))
}

function each(
  type: WireType,
  cells: readonly (readonly [Wire, unknown])[],
  literal?: (wire: Wire) => string,
): Case[] {
  return cells.map(([wire, cell]) => ({ type, wire, cell, ...(literal && { literal: literal(wire) }) }))
}

const plain = (wire: Wire): string => String(wire)
const quoted = (wire: Wire): string => `'${String(wire).replaceAll("'", "''")}'`
const integers = (...wires: string[]) => wires.map((wire) => [wire, BigInt(wire)] as const)

const cases: readonly Case[] = [
  ...same({ kind: 'bool' }, [true, false], plain),
  ...each(
    { kind: 'int64' },
    integers(
      '0',
      '-1',
      '9007199254740993',
      '-9007199254740993',
      '9223372036854775807',
      '-9223372036854775808',
    ),
    plain,
  ),
  ...same({ kind: 'int32' }, [0, 1, -1, 2_147_483_647, -2_147_483_648], plain),
  ...same({ kind: 'int16' }, [0, 32_767, -32_768], plain),
  ...same({ kind: 'int8' }, [0, 127, -128], plain),
  ...each(
    { kind: 'varint' },
    integers(
      '0',
      '1',
      '-1',
      '127',
      '128',
      '-128',
      '-129',
      '255',
      '256',
      '-256',
      '32768',
      '9223372036854775808',
      `-${'9'.repeat(60)}`,
      '9'.repeat(60),
      // The client's own text of these never ends.
      `1${'0'.repeat(400)}`,
      `-1${'0'.repeat(400)}`,
    ),
    plain,
  ),
  ...same({ kind: 'float64' }, [0, 1.5, -1.5, 5e-324, 1.7976931348623157e308], plain),
  ...each(
    { kind: 'float64' },
    [
      ['NaN', NaN],
      ['Infinity', Infinity],
      ['-Infinity', -Infinity],
    ],
    plain,
  ),
  ...same({ kind: 'float32' }, [0, 1.5, Math.fround(0.1), 3.4028234663852886e38]),
  ...same(
    { kind: 'decimal' },
    [
      '0',
      '-1',
      '1.5',
      '-0.000000001',
      '123456789012345678901234567890.123456789',
      `0.${'0'.repeat(40)}1`,
      '7'.repeat(400),
      `-${'7'.repeat(400)}`,
      `${'7'.repeat(200)}.${'3'.repeat(200)}`,
      `-0.${'3'.repeat(400)}`,
    ],
    plain,
  ),
  ...same({ kind: 'numeric' }, ['99999999999999999999999999999.999999999'], plain),
  ...same(text, ['', 'it’s', "o'clock", '\u0000', 'Ünïcödé 🌡', '__proto__'], quoted),
  ...same({ kind: 'ascii' }, ['', 'plain'], quoted),
  ...same({ kind: 'json' }, ['{"a":1}'], quoted),
  ...each(bytes, [
    ['', Buffer.alloc(0)],
    ['AP+A', Buffer.from([0, 255, 128])],
  ]),
  ...same({ kind: 'uuid' }, [uuid, '00000000-0000-0000-0000-000000000000'], plain),
  ...same({ kind: 'timeuuid' }, [timeuuid], plain),
  ...each(
    { kind: 'timestamp' },
    [
      '1970-01-01T00:00:00.000000000Z',
      '1969-12-31T23:59:59.999000000Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2026-11-22T10:20:30.123Z',
    ].map((wire) => [wire, preciseDate(wire)] as const),
    (wire) => String(Date.parse(String(wire))),
  ),
  ...same(
    { kind: 'date' },
    ['1970-01-01', '1969-12-31', '0001-01-01', '9999-12-31', '2024-02-29', '1900-02-28'],
    quoted,
  ),
  ...same({ kind: 'date' }, ['-5877641-06-23', '+5881580-07-11', '-000001-12-31', '+010000-01-01']),
  ...same({ kind: 'time' }, ['00:00:00', '23:59:59.999999999', '13:30:54.1', '01:02:03.000000001'], quoted),
  ...same(
    { kind: 'duration' },
    ['1y2mo3d4h5m6s7ms8us9ns', '-1mo2d3ns', '178956970y7mo', '2562047h47m16s854ms775us807ns', '1d', '300us'],
    plain,
  ),
  ...same(
    { kind: 'inet' },
    ['127.0.0.1', '255.255.255.255', '::', '::1', '2001:db8::1', '1::2:0:3:0:0'],
    quoted,
  ),
  // As a literal the node makes an IPv4 address of it.
  ...same({ kind: 'inet' }, ['::ffff:102:304']),
  ...same({ kind: 'array', of: text }, [['b', 'a', 'b']]),
  ...same({ kind: 'array', of: { kind: 'int32' }, frozen: true }, [[], [3, 1, 3]]),
  ...each({ kind: 'set', of: { kind: 'int64' } }, [[['1', '2'], new Set([1n, 2n])]]),
  ...each({ kind: 'set', of: text, frozen: true }, [[[], new Set()]]),
  ...each({ kind: 'map', key: text, of: { kind: 'int64' } }, [
    [
      [
        ['__proto__', '9007199254740993'],
        ['a', '1'],
      ],
      new Map([
        ['__proto__', 9007199254740993n],
        ['a', 1n],
      ]),
    ],
  ]),
  ...each({ kind: 'map', key: { kind: 'timestamp' }, of: bytes, frozen: true }, [
    [
      [['2026-11-22T10:20:30.123Z', 'AQ==']],
      new Map([[preciseDate('2026-11-22T10:20:30.123Z'), Buffer.from([1])]]),
    ],
    [[], new Map()],
  ]),
  ...each({ kind: 'tuple', of: [{ kind: 'int64' }, text, { kind: 'inet' }] }, [
    [
      ['5', null, '::1'],
      [5n, null, '::1'],
    ],
  ]),
  ...each(address, [
    [
      ['Main St', '2026-11-22T10:20:30.123Z', ['1', '9007199254740993']],
      { street: 'Main St', seen: preciseDate('2026-11-22T10:20:30.123Z'), floors: [1n, 9007199254740993n] },
    ],
    [[null, null, []], { street: null, seen: null, floors: [] }],
  ]),
  ...each({ kind: 'array', of: address as FrozenType }, [
    [[['a', null, null]], [{ street: 'a', seen: null, floors: null }]],
  ]),
  ...same({ kind: 'vector', of: 'float32', dimensions: 3 }, [[1.5, -2, Math.fround(0.1)]]),
]

let driver: Driver

beforeAll(async () => {
  const engine = await sharedCassandra()
  const columns = [...new Map(cases.map(({ type }) => [nameOf(type), cqlType(type)]))]
  const keyspace = await engine.keyspace({
    ddl: [
      'CREATE TYPE "Address" ("street" text, "seen" timestamp, "floors" frozen<list<bigint>>)',
      `CREATE TABLE "values" ("id" int PRIMARY KEY, ${columns.map(([name, type]) => `"${name}" ${type}`).join(', ')})`,
    ],
  })
  driver = cassandra(await engine.client(keyspace, clientOptions), { dialect: cql })
})

function nameOf(type: WireType): string {
  return cqlType(type).replaceAll(/\W/g, '_')
}

function byId(type: WireType, id: number): Statement {
  return {
    text: `SELECT "${nameOf(type)}" FROM "values" WHERE "id" = ?`,
    parameters: [{ name: 'id', type: { kind: 'int32' }, value: id }],
  }
}

/** Of digits by the hundred, a title has the first and their number. */
function shortened(wire: string): string {
  return wire.length > 200 ? `${wire.slice(0, 20)}… of ${wire.length} characters` : wire
}

const numbered = cases.map((one, id) => ({
  ...one,
  id,
  name: `${cqlType(one.type)} ${shortened(JSON.stringify(one.wire))}`,
}))

test.each(numbered)('a value is read back as it was written: $name', async ({ type, wire, cell, id }) => {
  await driver.run({
    text: `INSERT INTO "values" ("id", "${nameOf(type)}") VALUES (?, ?)`,
    parameters: [
      { name: 'id', type: { kind: 'int32' }, value: id },
      { name: nameOf(type), type, value: wire },
    ],
  })
  expect(await driver.query(byId(type, id), [type])).toEqual([[cell]])
  const { rows } = await driver.run(byId(type, id))
  // Without a model, a row shows a user type as its fields in order.
  expect(rows).toEqual([[asStructure(cell)]])
})

const withLiteral = numbered.filter((one) => one.literal !== undefined)

test.each(withLiteral)(
  'a CQL literal is read as the value that it denotes: $name',
  async ({ type, literal, cell, id }) => {
    await driver.run({
      text: `INSERT INTO "values" ("id", "${nameOf(type)}") VALUES (${1_000 + id}, ${literal})`,
      parameters: [],
    })
    expect(await driver.query(byId(type, 1_000 + id), [type])).toEqual([[cell]])
  },
)

test('NULL is written and read as NULL for every type', async () => {
  const types = [...new Map(cases.map(({ type }) => [nameOf(type), type])).values()]
  const names = types.map((type) => `"${nameOf(type)}"`)
  const parameters = types.map((type) => ({ name: nameOf(type), type, value: null }))
  await driver.run({
    text: `INSERT INTO "values" ("id", ${names.join(', ')}) VALUES (-1, ${names.map(() => '?').join(', ')})`,
    parameters,
  })
  const select = { text: `SELECT ${names.join(', ')} FROM "values" WHERE "id" = -1`, parameters: [] }
  expect(await driver.query(select, types)).toEqual([types.map(() => null)])
})

test('decimals with an exponent and IPv6 addresses are read in normal form', async () => {
  // Others write them so; the client's own texts of these are wrong.
  await driver.run({
    text: `INSERT INTO "values" ("id", "decimal", "inet") VALUES (-2, 12E+3, '1:0:0:2:0:3:0:0')`,
    parameters: [],
  })
  const select = { text: 'SELECT "decimal", "inet" FROM "values" WHERE "id" = -2', parameters: [] }
  expect(await driver.query(select, [{ kind: 'decimal' }, { kind: 'inet' }])).toEqual([
    ['12E3', '1::2:0:3:0:0'],
  ])
})

test('query() throws DATABASE for a timestamp beyond the range of Date', async () => {
  await driver.run({
    text: `INSERT INTO "values" ("id", "timestamp") VALUES (-3, 9223372036854775807)`,
    parameters: [],
  })
  const select = { text: 'SELECT "timestamp" FROM "values" WHERE "id" = -3', parameters: [] }
  await expect(driver.query(select, [{ kind: 'timestamp' }])).rejects.toMatchObject({ code: 'DATABASE' })
  const asText = {
    text: 'SELECT CAST("timestamp" AS text) AS t FROM "values" WHERE "id" = -3',
    parameters: [],
  }
  expect((await driver.run(asText)).rows).toEqual([['+292278994-08-17T07:12:55.807Z']])
})

test('run() throws INVALID_CLIENT for a map if the client reads maps as objects', async () => {
  const engine = await sharedCassandra()
  const keyspace = await engine.keyspace({
    ddl: ['CREATE TABLE "m" ("id" int PRIMARY KEY, "map" map<text, text>)'],
  })
  const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true } })
  const plain = cassandra(client, { dialect: cql })
  await plain.run({ text: `INSERT INTO "m" ("id", "map") VALUES (1, {'__proto__': 'a'})`, parameters: [] })
  await expect(plain.run({ text: 'SELECT "map" FROM "m"', parameters: [] })).rejects.toMatchObject({
    code: 'INVALID_CLIENT',
    message: expect.stringContaining('map: Map'),
  })
})

function asStructure(cell: unknown): unknown {
  if (Array.isArray(cell)) return cell.map(asStructure)
  const isObject = Object.prototype.toString.call(cell) === '[object Object]'
  return isObject && 'street' in (cell as object) ? Object.values(cell as object).map(asStructure) : cell
}
