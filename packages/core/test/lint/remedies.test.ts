import {
  defineSchema,
  defineTable,
  lint,
  type Counter,
  type Finding,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { live } from './support/live.js'

// What a finding proposes, where the schema says that more than one remedy fits.

function fixes(schema: Schema, dialect: SqlDialect = googlesql): string[] {
  return lint(schema, { dialect })
    .filter(({ rule }: Finding) => rule.startsWith('monotonic'))
    .map(({ fix }) => fix)
}

const counter: Counter = { next: () => 1n }

describe('a key that counts', () => {
  const REVERSED = 'Hand its numbers out with their bits reversed, @BitReversedId'

  it('is proposed bit reversal where @Sequential counts', () => {
    const Ticket = defineTable('Ticket', (t) => ({ number: t.sequential({ from: counter }).key() }))
    expect(fixes(defineSchema([Ticket]))).toEqual([expect.stringContaining(REVERSED)])
  })

  it.each(['seq', 'sequence_number', 'counter', 'log_offset'])('is proposed it by the name %s', (name) => {
    const schema = live({ Log: { columns: { [name]: 'int64' }, key: [name] } })
    expect(fixes(schema)).toEqual([
      expect.stringContaining(`If it does not, say so in an exception. If it does: ${REVERSED}`),
    ])
  })

  it('is proposed it where its default counts', () => {
    const column = {
      type: { kind: 'int64' },
      default: { sql: 'GET_INTERNAL_SEQUENCE_STATE(SEQUENCE s)' },
    } as const
    expect(fixes(live({ Log: { columns: { k: column }, key: ['k'] } }))).toEqual([
      expect.stringContaining(REVERSED),
    ])
  })

  it('is proposed it where it is called id, and nothing makes it', () => {
    const found = (columns: Parameters<typeof live>[0][string]['columns'], ...key: string[]): string[] =>
      fixes(live({ Log: { columns, key } }))
    expect(found({ id: 'int64' }, 'id')).toEqual([expect.stringContaining('Let @BitReversedId make it.')])
    expect(found({ id: 'int64', other: 'int64' }, 'id', 'other')).toEqual([])
    expect(
      found({ id: { type: { kind: 'int64' }, source: { kind: 'bit-reversed', from: 'identity' } } }, 'id'),
    ).toEqual([])
    expect(found({ id: 'string' }, 'id')).toEqual([])
    expect(found({ userId: 'int64' }, 'userId')).toEqual([])
  })

  it('is not proposed it where a time grows', () => {
    expect(fixes(live({ Log: { columns: { at: 'timestamp' }, key: ['at'] } }))).toEqual([
      expect.not.stringContaining(REVERSED),
    ])
  })
})

describe('a natural key', () => {
  const book = (isbn: { immutable: boolean; unique: boolean }): string[] =>
    fixes(
      live({
        Book: {
          columns: {
            added: 'timestamp',
            isbn: { type: { kind: 'string', length: 13 }, immutable: isbn.immutable },
          },
          key: ['added'],
          indexes: [{ name: 'ByIsbn', on: ['isbn'], unique: isbn.unique }],
        },
      }),
    )
  const NATURAL = 'Or make isbn the key: it is unique by the index ByIsbn, and never changes.'

  it('is proposed where one is unique and immutable', () => {
    expect(book({ immutable: true, unique: true })).toEqual([expect.stringContaining(NATURAL)])
  })

  it.each([
    { immutable: false, unique: true },
    { immutable: true, unique: false },
  ])('is not proposed otherwise: %j', (isbn) => {
    expect(book(isbn)).toEqual([expect.not.stringContaining('Or make')])
  })
})

describe('an index over a column that may be NULL', () => {
  const schema = (nullable: boolean, index: object): Schema =>
    live({
      Post: {
        columns: { id: 'string', deleted: { type: { kind: 'timestamp' }, nullable } },
        key: ['id'],
        indexes: [{ name: 'ByDeleted', on: ['deleted'], ...index }],
      },
    })

  it('is proposed to leave rows without a value out, in the words of the dialect', () => {
    expect(fixes(schema(true, {}))).toEqual([
      expect.stringContaining(
        'Where few rows have a value in deleted, nullFiltered: true leaves the others out.',
      ),
    ])
    expect(fixes(schema(true, {}), spannerPostgresql)).toEqual([
      expect.stringContaining("notNull: ['deleted'] leaves"),
    ])
  })

  it.each<[boolean, object]>([
    [false, {}],
    [true, { nullFiltered: true }],
    [true, { notNull: ['deleted'] }],
  ])('is not where there are none, or they are out: nullable %j, %j', (nullable, index) => {
    expect(fixes(schema(nullable, index))).toEqual([expect.not.stringContaining('Where few rows')])
  })
})

describe('a day partition of Cassandra', () => {
  const partition = (...key: string[]): string | undefined =>
    lint(
      live({
        Log: { columns: { day: 'date', at: 'timestamp', user: 'string' }, key, partitionKey: ['day'] },
      }),
      {
        dialect: cql,
      },
    ).find(({ rule }) => rule === 'cassandra/time-partition')?.fix

  it('is proposed a computed shard, and a random one where reads know nothing of the row', () => {
    expect(partition('day', 'at', 'user')).toMatch(
      /of: \['user'\] \}\) behind day.+Where no read knows user, .+'random'/,
    )
  })

  it('is proposed a random one, and a computed one where reads know something', () => {
    expect(partition('day', 'at')).toMatch(/'random'.+behind day.+the shard a hash of it, of: \[…\]/)
  })
})

describe('a table whose key begins with a foreign key', () => {
  const schema = (columns: readonly string[], references: readonly string[], ...key: string[]): Schema => {
    const made = live({
      Customer: { columns: { id: 'string', mail: 'string' }, key: ['id'] },
      Order: { columns: { customer: 'string', number: 'string' }, key },
    })
    const foreignKey = { name: 'Fk', columns, table: 'Customer', references, onDelete: 'no action' as const }
    const tables = made.tables.map((table) =>
      table.name === 'Order' ? { ...table, foreignKeys: [foreignKey] } : table,
    )
    return { ...made, tables }
  }
  const advice = (made: Schema): Finding[] =>
    lint(made, { dialect: googlesql }).filter(({ rule }) => rule === 'spanner/interleaving-advice')

  it('is advised to interleave', () => {
    expect(advice(schema(['customer'], ['id'], 'customer', 'number'))).toMatchObject([
      { table: 'Order', severity: 'warning', fix: expect.stringContaining('interleaveIn: () => Customer') },
    ])
  })

  it('is not where the key begins otherwise, is the same, or refers to something else', () => {
    expect(advice(schema(['customer'], ['id'], 'number', 'customer'))).toEqual([])
    expect(advice(schema(['customer'], ['id'], 'customer'))).toEqual([])
    expect(advice(schema(['customer'], ['mail'], 'customer', 'number'))).toEqual([])
  })
})
