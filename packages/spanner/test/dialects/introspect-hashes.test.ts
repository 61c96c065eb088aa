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

// Words of SQL among them: an expression names them as columns all the same.
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

/** Some of the columns, in an order of their own. */
const hashed = columns.chain((all) => fc.shuffledSubarray(all, { minLength: 1 }).map((of) => ({ all, of })))

const range = fc.oneof(
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }) }),
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }), first: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ shards: fc.integer({ min: 1, max: 10_000 }), signed: fc.constant(true as const) }),
)

const dialects: readonly IntrospectedDialect[] = [introspectedGoogleSql, introspectedSpannerPostgreSql]

describe.each(dialects)('what Isotherm prints in $name is recognised', (dialect) => {
  it('as a shard', () => {
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

  it('as a whole hash', () => {
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

describe('GoogleSQL', () => {
  const read = (expression: string) => shardSourceOf(expression, all, introspectedGoogleSql)

  it('may be written otherwise, and mean the same', () => {
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
  ])('%s is somebody else’s', (expression) => {
    expect(read(expression)).toBeUndefined()
    expect(hashSourceOf(expression, all, introspectedGoogleSql)).toBeUndefined()
  })
})

describe('the PostgreSQL dialect', () => {
  const read = (expression: string) => shardSourceOf(expression, all, introspectedSpannerPostgreSql)

  // As the emulator gives them back.
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
  ])('%s is our own', (expression, expected) => {
    expect(read(expression)).toMatchObject(expected)
  })

  it('recognises a whole hash', () => {
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
  ])('%s is somebody else’s', (expression) => {
    expect(read(expression)).toBeUndefined()
  })
})

describe('the mirror of a descending key part', () => {
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

  it('is recognised as the emulator gives it back', () => {
    expect(mirror(at, 'at_desc', ofTime)).toBe(true)
    expect(mirror(id, 'id_desc', "('-1'::bigint - id)")).toBe(true)
    expect(mirror(column('d', { kind: 'date' }, false), 'd_desc', "(- (d - '0001-01-01'::date))")).toBe(true)
  })

  it('is neither of another name, nor of another column, nor computed on reading', () => {
    expect(mirror(at, 'at_down', ofTime)).toBe(false)
    expect(mirror(id, 'id_desc', ofTime)).toBe(false)
    expect(mirror(at, 'at_desc', ofTime, false)).toBe(false)
    expect(mirror(id, 'id_desc', "('-1'::bigint + id)")).toBe(false)
    expect(mirror(name, 'name_desc', "('-1'::bigint - name)")).toBe(false)
  })
})
