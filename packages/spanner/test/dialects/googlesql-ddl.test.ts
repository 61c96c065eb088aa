import { compileDdl, defineSchema, defineTable, type Schema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'

const dialect = googlesql

it.each(['mysql', 'googlesql', '', 'toString', '__proto__'])(
  'compileDdl() rejects the text %j in place of a dialect',
  (name) => {
    const schema = defineSchema([defineTable('Log', (t) => ({ id: t.uuidV4() }))])
    expect(refusal(() => compileDdl(schema, { dialect: name as never }))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`compileDdl: dialect is '${name}'. Give a dialect, as the package`),
    })
  },
)

describe('compileDdl() in GoogleSQL', () => {
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
  ] as const)('rejects a column of type %s and length %d', (kind, length, limit) => {
    const error = refusal(() => compileDdl(withLength(kind, length), { dialect }))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
    expect(error.message).toBe(
      `Log.value: GoogleSQL does not support the length ${length}. Use a length of up to ${limit}, or 'max'.`,
    )
  })

  it.each([
    ['asc', 'last', 'first'],
    ['desc', 'first', 'last'],
  ] as const)('rejects an index part that is %s with NULL %s', (order, nulls, where) => {
    const schema = defineSchema([
      defineTable('Task', (t) => ({ id: t.uuidV4(), due: t.int64({ nullable: true }) }), {
        indexes: [{ name: 'Due', on: [{ property: 'due', order, nulls }] }],
      }),
    ])
    const error = refusal(() => compileDdl(schema, { dialect }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MODEL', table: 'Task', column: 'due' })
    expect(error.message).toBe(
      `Task.due is ${order}, nulls ${nulls}, in the index Due: GoogleSQL has NULL ${where} there. Leave \`nulls\` out.`,
    )
  })

  it('rejects a change stream with a name of more than 118 characters', () => {
    const models = [defineTable('Log', (t) => ({ id: t.uuidV4() }))]
    const named = (length: number) =>
      defineSchema(models, { changeStreams: [{ name: 's'.repeat(length), watch: 'all' }] })
    expect(compileDdl(named(118), { dialect })).toHaveLength(2)
    expect(refusal(() => compileDdl(named(119), { dialect })).message).toContain(
      'has a name of 119 characters.',
    )
  })
})
