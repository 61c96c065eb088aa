import { type Schema, type SchemaOptions, compileDdl, defineSchema, defineTable } from '@isotherm/core'
import { planMigration } from '@isotherm/migrations'
import { pglite, postgresql as dialect } from '@isotherm/postgresql'
import { describe, expect, it } from 'vitest'
import { emptyPglite } from './support/pglite.js'

const ddlOf = (schema: Schema): string[] => compileDdl(schema, { dialect })

const counting = (table: string, column: string) =>
  defineTable(table, (t) => ({ [column]: t.bitReversedId() }))
const plain = (table: string, indexes: readonly string[] = []) =>
  defineTable(table, (t) => ({ id: t.uuidV4(), size: t.int64() }), {
    indexes: indexes.map((name) => ({ name, on: ['size'] as const })),
  })
const withView = (name: string): SchemaOptions => ({
  views: [{ name, query: 'SELECT 1 AS one', security: 'invoker' }],
})

describe('compileDdl() rejects a name that a table needs and another object has', () => {
  it.each([
    [
      'the sequence of a column, and another one',
      defineSchema([counting('A', 'B_c'), counting('A_B', 'c')]),
      'A_B.c needs the name A_B_c_seq for its sequence, but the sequence of A.B_c has that name.',
    ],
    [
      'the sequence of a column, and a table in the same named schema',
      defineSchema([plain('sales.A_id_seq'), counting('sales.A', 'id')]),
      'sales.A.id needs the name sales.A_id_seq for its sequence, but the table sales.A_id_seq has that name.',
    ],
    [
      'the sequence of a column, and a declared sequence',
      defineSchema([counting('A', 'id')], { sequences: [{ name: 'A_id_seq' }] }),
      'A.id needs the name A_id_seq for its sequence, but the sequence A_id_seq has that name.',
    ],
    [
      'the sequence of a column, and a view',
      defineSchema([counting('A', 'id')], withView('A_id_seq')),
      'A.id needs the name A_id_seq for its sequence, but the view A_id_seq has that name.',
    ],
    [
      'the index of a key, and a table',
      defineSchema([plain('M'), plain('M_pkey')]),
      'M needs the name M_pkey for the index of its key, but the table M_pkey has that name.',
    ],
    [
      'the index of the key of a table with a long name, which is cut, and a table',
      defineSchema([plain('L'.repeat(60)), plain(`${'L'.repeat(58)}_pkey`)]),
      `needs the name ${'L'.repeat(58)}_pkey for the index of its key`,
    ],
    [
      'the index of a key, and an index',
      defineSchema([plain('sales.M', ['sales.M_pkey'])]),
      'sales.M needs the name sales.M_pkey for the index of its key, but the index sales.M_pkey of sales.M has that name.',
    ],
  ])('%s', (_, schema, message) => {
    const error = expect.objectContaining({
      code: 'UNSUPPORTED_MODEL',
      message: expect.stringContaining(message) as string,
      fix: expect.stringContaining('Rename one of the two') as string,
    }) as Error
    expect(() => ddlOf(schema)).toThrow(error)
    expect(() => planMigration(defineSchema([]), schema, { dialect })).toThrow(error)
  })
})

it('compileDdl() accepts such names in different named schemas, and for constraints and columns', async () => {
  const schema = defineSchema([
    counting('A', 'B_c'),
    counting('sales.A_B', 'c'),
    plain('sales.A_B_c_seq_'),
    plain('sales.A_pkey'),
    defineTable('M', (t) => ({ id: t.uuidV4(), M_pkey: t.int64() })),
  ])
  await expect(pglite(await emptyPglite()).applyDdl(ddlOf(schema))).resolves.toBeUndefined()
})
