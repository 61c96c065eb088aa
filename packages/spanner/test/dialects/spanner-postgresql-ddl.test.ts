import { compileDdl, defineSchema, defineTable, type SchemaOptions, type TableBuilder } from '@isotherm/core'
import { spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import type { DefineTableOptions } from '../../../core/src/model/define-table.js'
import { refusal } from '../../../core/test/support/refusal.js'

const dialect = spannerPostgresql

function refused(
  columns: Parameters<typeof defineTable>[1],
  options: DefineTableOptions = {},
  schemaOptions: SchemaOptions = {},
) {
  const schema = defineSchema([defineTable('Log', columns, options as never)], schemaOptions)
  return refusal(() => compileDdl(schema, { dialect }))
}

describe("compileDdl() in Spanner's PostgreSQL dialect", () => {
  it.each([
    ['string', 2_621_441, 2_621_440],
    ['bytes', 10_485_761, 10_485_760],
  ] as const)('rejects a column of type %s and length %d', (kind, length, limit) => {
    const error = refused((t) => ({
      id: t.uuidV4(),
      value: kind === 'string' ? t.string({ length }) : t.bytes({ length }),
    }))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
    expect(error.message).toBe(
      `Log.value: Spanner's PostgreSQL dialect does not support the length ${length}. Use a length of up to ${limit}, or 'max'.`,
    )
  })

  it('rejects a key part that may be NULL', () => {
    const error = refused((t) => ({ id: t.uuidV4(), region: t.string({ nullable: true }).key() }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Log', column: 'region' })
    expect(error.message).toBe(
      "Log.region is a key part that may be NULL. A primary key in Spanner's PostgreSQL dialect cannot hold NULL: " +
        'remove nullable.',
    )
  })

  const types = [
    ['numeric', (t: TableBuilder) => t.numeric()],
    ['float32', (t: TableBuilder) => t.float32()],
  ] as const

  it.each(types)('rejects a key part of type %s', (kind, column) => {
    const error = refused((t) => ({ id: t.uuidV4(), value: column(t).key() }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Log', column: 'value' })
    expect(error.message).toContain(`Log.value is a key part of type ${kind}.`)
  })

  it.each(types)('rejects an index over a column of type %s', (kind, column) => {
    const error = refused((t) => ({ id: t.uuidV4(), value: column(t) }), {
      indexes: [{ name: 'ByValue', on: ['id', 'value'] }],
    })
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Log', column: 'value' })
    expect(error.message).toContain(`Log.value of type ${kind} is in the index ByValue.`)
  })

  it.each(types)('rejects a foreign key over a column of type %s', (kind, column) => {
    const Price = defineTable('Price', (t) => ({ id: t.uuidV4(), value: column(t) }))
    const schema = defineSchema([
      Price,
      defineTable('Log', (t) => ({ id: t.uuidV4(), value: column(t) }), {
        foreignKeys: [{ name: 'ToPrice', columns: ['value'], references: () => Price, on: ['value'] }],
      }),
    ])
    expect(refusal(() => compileDdl(schema, { dialect })).message).toContain(
      `Log has the foreign key ToPrice over value, of type ${kind}.`,
    )
  })

  it('rejects a foreign key that is not enforced', () => {
    const User = defineTable('User', (t) => ({ id: t.uuidV4() }))
    const schema = defineSchema([
      User,
      defineTable('Log', (t) => ({ id: t.uuidV4(), user: t.uuid() }), {
        foreignKeys: [{ columns: ['user'], references: () => User, enforced: false }],
      }),
    ])
    expect(refusal(() => compileDdl(schema, { dialect })).message).toContain(
      'Log has the foreign key Log_user_fk with enforced: false.',
    )
  })

  const long = 'n'.repeat(64)

  it.each([
    ['a table', [defineTable(long, (t) => ({ id: t.uuidV4() }))], {}],
    ['a column', [defineTable('Log', (t) => ({ id: t.uuidV4({ name: long }) }))], {}],
    [
      'an index',
      [
        defineTable('Log', (t) => ({ id: t.uuidV4(), a: t.int64() }), {
          indexes: [{ name: long, on: ['a'] }],
        }),
      ],
      {},
    ],
    [
      'a check',
      [defineTable('Log', (t) => ({ id: t.uuidV4() }), { checks: [{ name: long, expression: 'TRUE' }] })],
      {},
    ],
    ['a named schema', [defineTable(`${long}.Log`, (t) => ({ id: t.uuidV4() }))], {}],
    ['a sequence', [], { sequences: [{ name: long }] }],
    ['a view', [], { views: [{ name: `v.${long}`, query: 'SELECT 1 AS one' }] }],
    ['a change stream', [], { changeStreams: [{ name: long }] }],
  ] satisfies readonly (readonly [string, readonly object[], SchemaOptions])[])(
    'rejects %s with a name of 64 characters, which PostgreSQL would cut',
    (_, models, options) => {
      const log = models.length > 0 ? models : [defineTable('Log', (t) => ({ id: t.uuidV4() }))]
      const error = refusal(() => compileDdl(defineSchema(log, options), { dialect }))
      expect(error.code).toBe('UNSUPPORTED_MODEL')
      expect(error.message).toContain('of 64 characters. ')
      expect(error.message).toContain('truncates names after 63')
    },
  )

  it.each(['bytes', 'int64-pair'] as const)(
    'rejects an index shard that hashes a UUID stored as %s',
    (storage) => {
      const error = refused((t) => ({ id: t.uuidV4({ storage }), at: t.timestamp() }), {
        indexes: [{ on: ['at'], shard: { shards: 4, of: ['id'] } }],
      })
      expect(error.code).toBe('UNSUPPORTED_MODEL')
      expect(error.message).toContain(
        'cannot write the text of id, a UUID that is stored as numbers or bytes.',
      )
    },
  )
})
