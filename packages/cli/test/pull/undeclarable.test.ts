import { defineSchema, defineTable, type ColumnSchema, type IsothermError, type Schema } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { writeModels } from '../../src/pull/write-models.js'

const parent = defineTable(
  'Parent',
  (t) => ({
    shard: t.shardKey({ shards: 16, of: ['id'] }),
    id: t.int64().key(),
    at: t.timestamp({ nullable: true }),
    number: t.bitReversedId({ key: false }),
  }),
  { primaryKey: ['shard', 'id'] },
)

const child = defineTable(
  'Child',
  (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<bigint>(), line: t.int64().key() }),
  { interleaveIn: () => parent },
)

const schema = defineSchema([parent, child])

/** The schema with one changed column, as a database might have it. */
function changed(table: string, property: string, change: Partial<ColumnSchema>): Schema {
  return {
    ...schema,
    tables: schema.tables.map((each) =>
      each.name === table
        ? {
            ...each,
            columns: each.columns.map((column) =>
              column.property === property ? { ...column, ...change } : column,
            ),
          }
        : each,
    ),
  }
}

function refusal(schema: Schema): IsothermError {
  try {
    writeModels(schema, { dialect: googlesql, style: 'tables' })
  } catch (error) {
    return error as IsothermError
  }
  throw new Error('It was written.')
}

describe('writeModels() with a schema that models cannot declare', () => {
  it.each([
    ['Parent', 'number', { nullable: true }, 'Parent.number is an identity that may be NULL'],
    ['Parent', 'number', { hidden: true as const }, 'Parent.number is an identity that is hidden'],
    ['Child', 'id', { nullable: true }, 'Child.id may be NULL in one of Child and Parent'],
    ['Child', 'id', { hidden: true as const }, 'Child.id is hidden in one of Child and Parent'],
    ['Parent', 'shard', { nullable: true }, 'Child.shard may be NULL in one of Child and Parent'],
    [
      'Parent',
      'shard',
      { type: { kind: 'float64' as const } },
      'Child.shard is computed here, and in Parent in a form',
    ],
    [
      'Child',
      'id',
      { generated: { expression: { googlesql: '1' }, stored: true } },
      'Child.id is a key part of Parent that this table computes by itself',
    ],
  ])('throws UNSUPPORTED_OBJECT for %s.%s with %o', (table, property, change, message) => {
    const { code, message: said, table: named } = refusal(changed(table, property, change))
    expect(code).toBe('UNSUPPORTED_OBJECT')
    expect(said).toContain(message)
    expect(said).toContain(`${named}.`)
  })

  it('explains why nothing is written for a table that holds the rows of two models', () => {
    const marker = {
      ...schema.tables[1]!.columns.find(({ property }) => property === 'line')!,
      property: '_row',
      name: '_row',
      type: { kind: 'bool' },
      nullable: true,
      static: true,
    } as const
    const folded = { ...schema.tables[0]!, name: 'order', columns: [...schema.tables[0]!.columns, marker] }
    const { message, table } = refusal({ ...schema, tables: [folded] })
    expect(table).toBe('order')
    expect(message).toContain(
      'order has the rows of a parent and of its children, which are two models, but only one name. ' +
        'Nothing was written: models of the rest would be taken as the whole database:',
    )
    expect(message).toMatch(/Pull a keyspace without this table, .* by hand, with interleaveIn\.$/)
  })

  it('reports all undeclarable tables in one error', () => {
    const keyless = { ...schema.tables[0]!, name: 'Keyless', primaryKey: [] }
    const { message } = refusal({ ...schema, tables: [keyless, { ...keyless, name: 'Other' }] })
    expect(message).toContain('Keyless has no primary key; Other has no primary key')
  })

  it('writes all models of a schema that was declared with models', () => {
    const paths = writeModels(schema, { dialect: googlesql, style: 'decorators' }).files.map(
      ({ path }) => path,
    )
    expect(paths).toEqual(['parent.ts', 'child.ts', 'index.ts'])
  })
})
