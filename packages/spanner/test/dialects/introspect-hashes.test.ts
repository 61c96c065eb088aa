import type { ColumnType, ColumnSchema as Column } from '@isotherm/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { introspectedGoogleSql } from '../../src/googlesql/tools/introspect.js'
import type { IntrospectedDialect } from '../../src/introspection/dialect.js'
import { hashSourceOf, shardSourceOf } from '../../src/introspection/columns.js'
import { introspectedSpannerPostgreSql } from '../../src/postgresql/tools/introspect.js'

const TYPES: readonly ColumnType[] = [
  { kind: 'int64' },
  { kind: 'string', length: 20 },
  { kind: 'string', length: 'max' },
  { kind: 'bytes', length: 'max' },
  { kind: 'bool' },
  { kind: 'date' },
  { kind: 'timestamp' },
  { kind: 'uuid' },
  { kind: 'uuid', storage: 'native' },
]

// Some are keywords of SQL, which an expression can still use as names of columns.
const NAMES = ['id', 'userId', 'text', 'string', 'cast', 'epoch', 'mod', 'from', 'extract', 'order_2', 'n64']

function column(name: string, type: ColumnType, nullable: boolean): Column {
  return { property: name, name, type, nullable, immutable: false, inherited: false }
}

const columns = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES),
      type: fc.constantFrom(...TYPES),
      nullable: fc.boolean(),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 6 },
  )
  .map((list) => list.map(({ name, type, nullable }) => column(name, type, nullable)))

/** Some of the columns, in any order. */
const hashed = columns.chain((all) => fc.shuffledSubarray(all, { minLength: 1 }).map((of) => ({ all, of })))

const range = fc.oneof(
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }) }),
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }), first: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }), signed: fc.constant(true as const) }),
)

const dialects: readonly IntrospectedDialect[] = [introspectedGoogleSql, introspectedSpannerPostgreSql]

describe.each(dialects)('hash expressions that Isotherm writes in $name', (dialect) => {
  it('shardSourceOf() recognizes a shard expression with its columns and options', () => {
    fc.assert(
      fc.property(hashed, range, ({ all, of }, shards) => {
        const printed = dialect.hashes.shardExpression(of, shards)
        expect(shardSourceOf(printed, all, dialect)).toEqual({
          kind: 'shard',
          strategy: 'hash',
          ...shards,
          of: of.map(({ property }) => property),
          computedBy: 'database',
        })
      }),
      { numRuns: 500 },
    )
  })

  it('hashSourceOf() recognizes a whole hash with its columns and algorithm', () => {
    fc.assert(
      fc.property(
        hashed,
        fc.constantFrom('farm-fingerprint', 'sha256', 'sha512'),
        ({ all, of }, algorithm) => {
          const printed = dialect.hashes.hashExpression(of, algorithm)
          expect(hashSourceOf(printed, all, dialect)).toEqual({
            kind: 'hash',
            algorithm,
            of: of.map(({ property }) => property),
            computedBy: 'database',
          })
          expect(shardSourceOf(printed, all, dialect)).toBeUndefined()
        },
      ),
      { numRuns: 300 },
    )
  })
})

const id = column('id', { kind: 'int64' }, false)
const name = column('name', { kind: 'string', length: 'max' }, true)
const at = column('at', { kind: 'timestamp' }, false)
const data = column('data', { kind: 'bytes', length: 'max' }, true)
const price = column('price', { kind: 'numeric' }, false)
const all = [id, name, at, data, price]

describe('hash expressions in GoogleSQL', () => {
  const read = (expression: string) => shardSourceOf(expression, all, introspectedGoogleSql)

  it('shardSourceOf() recognizes an expression with other case, parentheses, comments and quotes', () => {
    expect(read('abs(mod(farm_fingerprint(cast(ID as string)), /* shards */ 64))')).toMatchObject({
      shards: 64,
    })
    expect(
      read(`(ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(id AS STRING), "|", IFNULL(\`name\`, r'\\N'))), 64)))`),
    ).toMatchObject({ of: ['id', 'name'], shards: 64 })
  })

  it.each([
    'MOD(ABS(FARM_FINGERPRINT(CAST(`id` AS STRING))), 64)',
    'ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS BYTES)), 64))',
    'ABS(MOD(FARM_FINGERPRINT(TO_JSON_STRING(`id`)), 64))',
    "ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(`id` AS STRING), '-', IFNULL(`name`, '\\\\N'))), 64))",
    "ABS(MOD(FARM_FINGERPRINT(CONCAT(CAST(`id` AS STRING), '|', IFNULL(`name`, ''))), 64))",
    "ABS(MOD(FARM_FINGERPRINT('id'), 64))",
    'ABS(MOD(FARM_FINGERPRINT(CAST(`price` AS STRING)), 64))',
    'ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS STRING)), 64)) + 1',
    'ABS(MOD(FARM_FINGERPRINT(CAST(`id` AS STRING)), 20000))',
    'ABS(MOD(`id`, 64))',
    '',
  ])(
    'shardSourceOf() and hashSourceOf() do not recognize an expression that Isotherm does not write: %s',
    (expression) => {
      expect(read(expression)).toBeUndefined()
      expect(hashSourceOf(expression, all, introspectedGoogleSql)).toBeUndefined()
    },
  )
})

describe('hash expressions in the PostgreSQL dialect', () => {
  const read = (expression: string) => shardSourceOf(expression, all, introspectedSpannerPostgreSql)

  // The form that the emulator returns.
  it.each([
    ["abs(mod(spanner.farm_fingerprint((id)::text), '64'::bigint))", { shards: 64, of: ['id'] }],
    ["mod(spanner.farm_fingerprint((id)::text), '64'::bigint)", { shards: 64, of: ['id'], signed: true }],
    [
      "('1'::bigint + abs(mod(spanner.farm_fingerprint(((COALESCE(name, '\\N'::text) || '|'::text) || (id)::text)), '64'::bigint)))",
      { shards: 64, first: 1, of: ['name', 'id'] },
    ],
    [
      "abs(mod(spanner.farm_fingerprint(((((\"extract\"('epoch'::text, at) * ('1000000'::bigint)::numeric))::bigint)::text)), '8'::bigint))",
      { shards: 8, of: ['at'] },
    ],
    [
      "abs(mod(spanner.farm_fingerprint((((id)::text)::bytea || '\\x7c'::bytea) || COALESCE(data, '\\x5c4e'::bytea)), '8'::bigint))",
      { shards: 8, of: ['id', 'data'] },
    ],
  ])(
    'shardSourceOf() recognizes a shard in the form that the emulator returns: %s',
    (expression, expected) => {
      expect(read(expression)).toMatchObject(expected)
    },
  )

  it('hashSourceOf() recognizes a whole hash in the form that the emulator returns', () => {
    const expression = "sha256((((id)::text || '|'::text) || COALESCE(name, '\\N'::text))::bytea)"
    expect(hashSourceOf(expression, all, introspectedSpannerPostgreSql)).toMatchObject({
      algorithm: 'sha256',
      of: ['id', 'name'],
    })
  })

  it.each([
    "mod(abs(spanner.farm_fingerprint((id)::text)), '64'::bigint)",
    "abs(mod(spanner.farm_fingerprint((at)::text), '64'::bigint))",
    "abs(mod(spanner.farm_fingerprint(COALESCE((data)::text, '\\N'::text)), '64'::bigint))",
    "abs(mod(spanner.farm_fingerprint('id'::text), '64'::bigint))",
    "abs(mod(spanner.farm_fingerprint(((id)::text || '-'::text)), '64'::bigint))",
    "abs(mod(spanner.farm_fingerprint(name), '64'::bigint))",
  ])('shardSourceOf() does not recognize an expression that Isotherm does not write: %s', (expression) => {
    expect(read(expression)).toBeUndefined()
  })
})

describe('the mirror column of a descending key part', () => {
  const mirror = (of: Column, name: string, expression: string, stored = true) =>
    introspectedSpannerPostgreSql.isMirror!(
      catalogColumn(name, { expression, stored }),
      catalogColumn(of.name),
      of.type,
    )
  const catalogColumn = (name: string, generated?: { expression: string; stored: boolean }) => ({
    name,
    type: '',
    nullable: false,
    updates: false,
    allowsCommitTimestamp: false,
    hidden: false,
    ...(generated && { generated }),
  })
  const ofTime = "((- (\"extract\"('epoch'::text, at) * ('1000000'::bigint)::numeric)))::bigint"

  it('isMirror() recognizes a mirror column in the form that the emulator returns', () => {
    expect(mirror(at, 'at_desc', ofTime)).toBe(true)
    expect(mirror(id, 'id_desc', "('-1'::bigint - id)")).toBe(true)
    expect(mirror(column('d', { kind: 'date' }, false), 'd_desc', "(- (d - '0001-01-01'::date))")).toBe(true)
  })

  it('isMirror() rejects another name, another expression, another type, and a column that is not stored', () => {
    expect(mirror(at, 'at_down', ofTime)).toBe(false)
    expect(mirror(id, 'id_desc', ofTime)).toBe(false)
    expect(mirror(at, 'at_desc', ofTime, false)).toBe(false)
    expect(mirror(id, 'id_desc', "('-1'::bigint + id)")).toBe(false)
    expect(mirror(name, 'name_desc', "('-1'::bigint - name)")).toBe(false)
  })
})
