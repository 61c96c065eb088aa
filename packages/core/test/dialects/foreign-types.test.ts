import { compileDdl, defineSchema, defineUserType, type SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { looseTable, type LogTable } from '../support/layout.js'
import { refusal } from '../support/refusal.js'

const Country = defineUserType('country', (t) => ({ code: t.ascii() }))

function refusedBy(dialect: SqlDialect, ...table: LogTable) {
  const schema = defineSchema([looseTable('Log', ...table)])
  return refusal(() => compileDdl(schema, { dialect }))
}

type Column = (t: Parameters<LogTable[0]>[0]) => object

const types: readonly (readonly [type: string, column: Column, fix: string])[] = [
  ['int32', (t) => t.int32(), 'Use int64.'],
  ['int16', (t) => t.int16(), 'Use int64.'],
  ['int8', (t) => t.int8(), 'Use int64.'],
  ['varint', (t) => t.varint(), 'Use numeric.'],
  ['decimal', (t) => t.decimal(), 'Use numeric.'],
  ['time', (t) => t.time(), 'Use an int64 of nanoseconds, or a string.'],
  ['duration', (t) => t.duration(), 'Use int64 for months, days and nanoseconds.'],
  ['inet', (t) => t.inet(), 'Use string.'],
  ['timeuuid', (t) => t.timeuuid(), 'Use a timestamp and a @UuidV4.'],
  ['ascii', (t) => t.ascii(), 'Use string.'],
  ['set of int64', (t) => t.set({ kind: 'int64' }), 'Use array, or json.'],
  ['map from int64 to bool', (t) => t.map({ kind: 'int64' }, { kind: 'bool' }), 'Use json.'],
  ['tuple of int64', (t) => t.tuple([{ kind: 'int64' }]), 'Use a column for each of its values, or json.'],
  ['user type country', (t) => t.udt(Country), 'Use a column for each of its fields, or json.'],
  ['vector of 3', (t) => t.vector(3), 'Use array of float32.'],
  ['array of inet', (t) => t.array({ kind: 'inet' }), 'Use string.'],
]

describe.each([googlesql, spannerPostgresql])(
  'compileDdl() for features that only Cassandra has, in $name',
  (dialect) => {
    it.each(types.map(([type, column, fix]) => ({ type, column, fix })))(
      'rejects a column of type $type and suggests another type',
      ({ type, column, fix }) => {
        const error = refusedBy(dialect, (t) => ({ id: t.uuidV4(), value: column(t) as never }))
        expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Log', column: 'value', fix })
        expect(error.message).toBe(
          `Log.value is of type ${type}, which ${dialect.name} does not have. ${fix}`,
        )
      },
    )

    it('rejects a counter column and suggests int64', () => {
      const error = refusedBy(dialect, (t) => ({ id: t.uuidV4(), value: t.counter() }))
      expect(error).toMatchObject({ column: 'value', fix: 'Use int64, changed in a transaction.' })
    })

    it('rejects an array of arrays', () => {
      const error = refusedBy(dialect, (t) => ({
        id: t.uuidV4(),
        value: t.array({ kind: 'array', of: { kind: 'int64' }, frozen: true }),
      }))
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', column: 'value' })
      expect(error.message).toContain(
        `Log.value is an array of array of int64, and ${dialect.name} has no arrays of arrays.`,
      )
    })

    it('rejects an array in the primary key', () => {
      const error = refusedBy(dialect, (t) => ({
        id: t.uuidV4(),
        value: t.array({ kind: 'int64' }, { frozen: true }).key(),
      }))
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', column: 'value' })
      expect(error.message).toContain('Log.value is a key part of type array of int64.')
    })

    it('rejects a static column', () => {
      const error = refusedBy(dialect, (t) => ({
        id: t.uuidV4(),
        line: t.int64().key(),
        name: t.string({ static: true }),
      }))
      expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', column: 'name' })
      expect(error.message).toContain(
        `Log.name is static, but ${dialect.name} stores one value for each row.`,
      )
    })

    it('rejects ttlSeconds and suggests rowDeletion, and rejects writesExpire', () => {
      const error = refusedBy(dialect, (t) => ({ id: t.uuidV4() }), { ttlSeconds: 90_000 })
      expect(error.message).toContain(`Log sets ttlSeconds: 90000, which ${dialect.name} does not support.`)
      expect(error.fix).toBe('Use rowDeletion: a timestamp column, and days: 2.')
      const ofWrites = refusedBy(dialect, (t) => ({ id: t.uuidV4() }), { writesExpire: true })
      expect(ofWrites.message).toContain(
        `Log declares writesExpire, and ${dialect.name} has no time to live of a write.`,
      )
    })

    it('ignores partitionKey: the DDL is the same with and without the option', () => {
      const columns: LogTable[0] = (t) => ({ id: t.uuidV4(), line: t.int64().key() })
      const ddl = (options: LogTable[1]) =>
        compileDdl(defineSchema([looseTable('Log', columns, options)]), { dialect })
      expect(ddl({ partitionKey: ['id'] })).toStrictEqual(ddl({}))
    })
  },
)
