import { readFileSync } from 'node:fs'
import { compileDdl, defineSchema, defineTable, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { refusal } from '../support/refusal.js'
import { goldenSchemas, goldenText } from './golden/schemas.js'

const dialect = 'googlesql'

// The same schemas are applied to a real engine elsewhere. The files are written by hand, or with
// `goldenText(compileDdl(…))` and then read: a file that nobody has read proves nothing.
describe('GoogleSQL DDL', () => {
  it.each(goldenSchemas)('of $name is what its golden file says', ({ schema, ddl }) => {
    expect(goldenText(compileDdl(schema, { dialect }))).toBe(readFileSync(ddl, 'utf8'))
  })

  it('is the same for a schema that went through JSON', () => {
    for (const { schema } of goldenSchemas) {
      const read = JSON.parse(JSON.stringify(schema)) as Schema
      expect(compileDdl(read, { dialect })).toStrictEqual(compileDdl(schema, { dialect }))
    }
  })
})

describe('what GoogleSQL does not have', () => {
  const withLength = (kind: 'string' | 'bytes', length: number): Schema =>
    defineSchema([
      defineTable('Log', (t) => ({
        id: t.uuidV4(),
        value: kind === 'string' ? t.string({ length }) : t.bytes({ length }),
      })),
    ])

  it.each([
    ['string', 2_621_441, 2_621_440],
    ['bytes', 10_485_761, 10_485_760],
  ] as const)('is a %s of length %d', (kind, length, limit) => {
    const error = refusal(() => compileDdl(withLength(kind, length), { dialect }))
    expect(error.code).toBe('UNSUPPORTED')
    expect(error.message).toBe(`GoogleSQL has no length ${length}. Use up to ${limit}, or 'max'.`)
  })

  it.each(['mysql', '', 'toString', '__proto__'])('is the dialect %j', (name) => {
    const schema = defineSchema([defineTable('Log', (t) => ({ id: t.uuidV4() }))])
    const error = refusal(() => compileDdl(schema, { dialect: name as typeof dialect }))
    expect(error.code).toBe('UNSUPPORTED')
    expect(error.message).toContain(`${JSON.stringify(name)} is not a dialect. Use one of googlesql`)
  })

  it('is a generated key column over two columns outside the key', () => {
    const schema = defineSchema([
      defineTable('Log', (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['region', 'city'], computedBy: 'database' }),
        id: t.uuidV4(),
        region: t.string({ immutable: true }),
        city: t.string({ immutable: true }),
      })),
    ])
    const error = refusal(() => compileDdl(schema, { dialect }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED', table: 'Log', column: 'shardId' })
    expect(error.message).toBe(
      'Log.shardId cannot be computed by the database: it may read one column outside the key, not region and city. ' +
        "Use computedBy: 'client', or hash other columns.",
    )
  })

  it('is a generated key column over a default outside the key', () => {
    const schema = defineSchema([
      defineTable('Log', (t) => ({
        shardId: t.shardKey({ shards: 4, of: ['createdAt'], computedBy: 'database' }),
        id: t.uuidV4(),
        createdAt: t.timestamp({ default: 'now', immutable: true }),
      })),
    ])
    expect(refusal(() => compileDdl(schema, { dialect })).message).toBe(
      'Log.shardId cannot be computed by the database: createdAt has a default, and is not in the key. ' +
        "Use computedBy: 'client', or hash other columns.",
    )
  })
})
