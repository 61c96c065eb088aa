import type { ColumnType } from '@isotherm/core'
import type { HashedColumn, HashAlgorithm } from '@isotherm/core/engine'
import { fingerprint, type Hashable } from '@isotherm/core/keys'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import fc from 'fast-check'
import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import * as googleSqlHash from '../../packages/spanner/src/googlesql/hash-expression.js'
import { quote as googleSqlQuote } from '../../packages/spanner/src/googlesql/lexical-syntax.js'
import { googleSqlType } from '../../packages/spanner/src/googlesql/types.js'
import * as postgreSqlHash from '../../packages/spanner/src/postgresql/hash-expression.js'
import { quote as postgreSqlQuote } from '../../packages/spanner/src/postgresql/lexical-syntax.js'
import { spannerPostgreSqlType } from '../../packages/spanner/src/postgresql/types.js'
import { hashText } from '../../packages/core/src/keys/shard.js'
import { precise } from '@isotherm/testing/data/precise'
import { sharedEmulator } from '../support/spanner.js'

const ROWS = 40

// Values that are easy to get wrong: signs, escapes, bytes that are not text, times before 1970 with nanoseconds, NULL and texts like NULL.
const values = {
  integer: fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n),
  ),
  text: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      '\\N',
      '\\',
      '\\\\',
      '\\x41',
      '\\001',
      'a\\b',
      '|',
      "'",
      '\u0001',
      '\u{10FFFF}',
      '東京',
      // A multiple of the block size of the fingerprint.
      'x'.repeat(64),
      'x'.repeat(128),
      'x'.repeat(192),
    ),
  ),
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array)),
    fc.constantFrom('', '\\N', '\\x41', '|', '\u0000').map((text) => Buffer.from(text)),
  ),
  flag: fc.boolean(),
  day: fc.constantFrom('0001-01-01', '0987-12-31', '1582-10-10', '1969-12-31', '2026-08-01', '9999-12-31'),
  at: fc
    .tuple(
      fc.constantFrom(
        '0001-01-01T00:00:00',
        '1969-12-31T23:59:59',
        '1970-01-01T00:00:00',
        '9999-12-31T23:59:59',
      ),
      fc.oneof(fc.nat(999_999_999), fc.constantFrom(0, 1, 499, 500, 999, 1_000, 999_999_500, 999_999_999)),
    )
    .map(([second, nanos]) => precise(`${second}.${String(nanos).padStart(9, '0')}Z`)),
  uuid: fc.constantFrom('').map(() => randomUUID() as string),
} satisfies Record<string, fc.Arbitrary<Hashable>>

type Value = keyof typeof values

const types: Readonly<Record<Value, ColumnType>> = {
  integer: { kind: 'int64' },
  text: { kind: 'string', length: 'max' },
  bytes: { kind: 'bytes', length: 'max' },
  flag: { kind: 'bool' },
  day: { kind: 'date' },
  at: { kind: 'timestamp' },
  uuid: { kind: 'uuid' },
}

const names = Object.keys(values) as Value[]

const column = (name: string, type: ColumnType): HashedColumn => ({ name, type, nullable: true })
const id: HashedColumn = { name: 'id', type: { kind: 'int64' }, nullable: false }
const inBytes = column('in_bytes', { kind: 'uuid', storage: 'bytes' })
const inPair = column('in_pair', { kind: 'uuid', storage: 'int64-pair' })

const ofText = names.filter((name) => name !== 'bytes').map((name) => column(name, types[name]))
const lists: readonly (readonly HashedColumn[])[] = [
  ...names.map((name) => [column(name, types[name])]),
  [id, column('text', types.text)],
  ofText,
  [...ofText, column('bytes', types.bytes), id],
]

const wordings = [
  {
    dialect: googlesql,
    ...googleSqlHash,
    quote: googleSqlQuote,
    type: googleSqlType,
    generated: (expression: string) => `AS (${expression}) STORED`,
    table: (name: string, columns: readonly string[]) =>
      `CREATE TABLE ${name} (${columns.join(', ')}) PRIMARY KEY (id)`,
    // The hash uses the text of a UUID, whatever its storage is.
    lists: [...lists, [inBytes], [inPair], [inPair, column('bytes', types.bytes), inBytes]],
  },
  {
    dialect: spannerPostgresql,
    ...postgreSqlHash,
    quote: postgreSqlQuote,
    type: spannerPostgreSqlType,
    generated: (expression: string) => `GENERATED ALWAYS AS (${expression}) STORED`,
    table: (name: string, columns: readonly string[]) =>
      `CREATE TABLE ${name} (${columns.join(', ')}, PRIMARY KEY (id))`,
    lists,
  },
] as const

const ranges = [{ shards: 7 }, { shards: 200, first: 1 }, { shards: 16, signed: true }] as const
const digests = ['sha256', 'sha512'] as const

function hashOf(algorithm: HashAlgorithm, text: string | Uint8Array): bigint | string {
  return algorithm === 'farm-fingerprint'
    ? fingerprint(text)
    : createHash(algorithm).update(text).digest('base64')
}

/** The two halves of a UUID, as the database has them. */
function halves(uuid: string): readonly [string, string] {
  const hex = uuid.replaceAll('-', '')
  const half = (text: string): string => String(BigInt.asIntN(64, BigInt(`0x${text}`)))
  return [half(hex.slice(0, 16)), half(hex.slice(16))]
}

interface Case {
  readonly columns: readonly HashedColumn[]
  readonly expression: string
  readonly type: ColumnType
  readonly expected: (text: string | Uint8Array) => bigint | string
}

describe.each(wordings)('hash and shard expressions in $dialect.name', (own) => {
  const int64: ColumnType = { kind: 'int64' }

  const cases = own.lists.flatMap((columns): Case[] => [
    {
      columns,
      expression: own.hashExpression(columns, 'farm-fingerprint'),
      type: int64,
      expected: (text) => hashOf('farm-fingerprint', text),
    },
    ...digests.map((algorithm) => ({
      columns,
      expression: own.hashExpression(columns, algorithm),
      type: { kind: 'bytes', length: 64 } as const,
      expected: (text: string | Uint8Array) => hashOf(algorithm, text),
    })),
    ...ranges.map((range) => ({
      columns,
      expression: own.shardExpression(columns, range),
      type: int64,
      expected: (text: string | Uint8Array) => {
        const remainder = fingerprint(text) % BigInt(range.shards)
        if ('signed' in range) return remainder
        return (remainder < 0n ? -remainder : remainder) + BigInt('first' in range ? range.first : 0)
      },
    })),
  ])

  it('compute the same values as the client for every type and for NULL', async () => {
    const emulator = await sharedEmulator()
    const { quote, type } = own
    const columns = [
      `id ${type(int64)} NOT NULL`,
      ...names.map((each) => `${quote(each)} ${type(types[each])}`),
      `in_bytes ${type({ kind: 'bytes', length: 16 })}`,
      `in_pair_high ${type(int64)}`,
      `in_pair_low ${type(int64)}`,
      ...cases.map((each, at) => `hash${at} ${type(each.type)} ${own.generated(each.expression)}`),
    ]
    const database = await emulator.database({ dialect: own.dialect, ddl: [own.table('hashed', columns)] })

    const samples = names.map((each) =>
      fc.sample(fc.option(values[each] as fc.Arbitrary<Hashable>, { freq: 5 }), {
        numRuns: ROWS,
        seed: 20260801,
      }),
    )
    const rows = Array.from({ length: ROWS }, (_, at) =>
      Object.fromEntries(names.map((each, position) => [each, samples[position]![at] as Hashable])),
    )
    await database.table('hashed').insert(
      rows.map((row, at) => {
        const uuid = row['uuid'] as string | null
        const [high, low] = uuid === null ? [null, null] : halves(uuid)
        return {
          ...row,
          id: String(at),
          integer: row['integer'] === null ? null : String(row['integer']),
          in_bytes: uuid === null ? null : Buffer.from(uuid.replaceAll('-', ''), 'hex'),
          in_pair_high: high,
          in_pair_low: low,
        }
      }),
    )

    const [rowsRead] = await database.run({ sql: 'SELECT * FROM hashed', json: false })
    const read = rowsRead as unknown as readonly (readonly { name: string; value: unknown }[])[]
    expect(read).toHaveLength(ROWS)
    for (const each of read) {
      const cells = new Map(each.map((cell) => [cell.name, cell.value]))
      const at = Number((cells.get('id') as { value: string }).value)
      const row: Record<string, Hashable> = { ...rows[at]!, id: BigInt(at) }
      row['in_bytes'] = row['in_pair'] = row['uuid']!
      cases.forEach(({ columns, expected, expression }, position) => {
        const cell = cells.get(`hash${position}`)
        const found = Buffer.isBuffer(cell)
          ? cell.toString('base64')
          : BigInt((cell as { value: string }).value)
        const text = hashText(columns.map((hashed) => row[hashed.name]!))
        expect(found, `${expression} of ${String(text)}`).toBe(expected(text))
      })
    }
  })
})
