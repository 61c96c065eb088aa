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

// The fix that a finding proposes when the schema shows that more than one fix is possible.

function fixes(schema: Schema, dialect: SqlDialect = googlesql): string[] {
  return lint(schema, { dialect })
    .filter(({ rule }: Finding) => rule.startsWith('monotonic'))
    .map(({ fix }) => fix)
}

const counter: Counter = { next: () => 1n }

describe('the fix for a key that counts', () => {
  const REVERSED = 'Hand its numbers out with their bits reversed, @BitReversedId'

  it('proposes bit reversal for a key that @Sequential fills', () => {
    const Ticket = defineTable('Ticket', (t) => ({ number: t.sequential({ from: counter }).key() }))
    expect(fixes(defineSchema([Ticket]))).toEqual([expect.stringContaining(REVERSED)])
  })

  it.each(['seq', 'sequence_number', 'counter', 'log_offset'])(
    'proposes bit reversal for an INT64 key named %s',
    (name) => {
      const schema = live({ Log: { columns: { [name]: 'int64' }, key: [name] } })
      expect(fixes(schema)).toEqual([
        expect.stringContaining(
          `If it does not, suppress this finding with the reason. If it does: ${REVERSED}`,
        ),
      ])
    },
  )

  it('proposes bit reversal for a key whose default returns the state of a sequence', () => {
    const column = {
      type: { kind: 'int64' },
      default: { sql: 'GET_INTERNAL_SEQUENCE_STATE(SEQUENCE s)' },
    } as const
    expect(fixes(live({ Log: { columns: { k: column }, key: ['k'] } }))).toEqual([
      expect.stringContaining(REVERSED),
    ])
  })

  it('proposes @BitReversedId for a single INT64 key named id that has no source', () => {
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

  it('does not propose bit reversal for a key that starts with a timestamp', () => {
    expect(fixes(live({ Log: { columns: { at: 'timestamp' }, key: ['at'] } }))).toEqual([
      expect.not.stringContaining(REVERSED),
    ])
  })
})

describe('the fix for a table with a natural key', () => {
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

  it('proposes a column as the key that is immutable and has a unique index', () => {
    expect(book({ immutable: true, unique: true })).toEqual([expect.stringContaining(NATURAL)])
  })

  it.each([
    { immutable: false, unique: true },
    { immutable: true, unique: false },
  ])('does not propose a column as the key that is mutable or has no unique index: %j', (isbn) => {
    expect(book(isbn)).toEqual([expect.not.stringContaining('Or make')])
  })
})

describe('the fix for an index over a nullable column', () => {
  const schema = (nullable: boolean, index: object): Schema =>
    live({
      Post: {
        columns: { id: 'string', deleted: { type: { kind: 'timestamp' }, nullable } },
        key: ['id'],
        indexes: [{ name: 'ByDeleted', on: ['deleted'], ...index }],
      },
    })

  it('proposes nullFiltered in GoogleSQL, and notNull in the PostgreSQL dialect', () => {
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
  ])(
    'does not propose nullFiltered when the column is NOT NULL or NULL is already excluded: nullable %j, index %j',
    (nullable, index) => {
      expect(fixes(schema(nullable, index))).toEqual([expect.not.stringContaining('Where few rows')])
    },
  )
})

describe('the fix for a Cassandra partition of one day', () => {
  const partition = (...key: string[]): string | undefined =>
    lint(
      live({
        Log: { columns: { day: 'date', at: 'timestamp', user: 'string' }, key, partitionKey: ['day'] },
      }),
      {
        dialect: cql,
      },
    ).find(({ rule }) => rule === 'cassandra/time-partition')?.fix

  it('proposes a hash shard of another key column first, and a random shard when reads do not know that column', () => {
    expect(partition('day', 'at', 'user')).toMatch(
      /of: \['user'\] \}\) behind day.+Where no read knows user, .+'random'/,
    )
  })

  it('proposes a random shard first when no other key column can be hashed', () => {
    expect(partition('day', 'at')).toMatch(/'random'.+behind day.+the shard a hash of it, of: \[…\]/)
  })
})

describe('the advice for a table whose primary key begins with its foreign key', () => {
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

  it('advises to interleave a table whose key begins with its foreign key in the referenced table', () => {
    expect(advice(schema(['customer'], ['id'], 'customer', 'number'))).toMatchObject([
      { table: 'Order', severity: 'warning', fix: expect.stringContaining('interleaveIn: () => Customer') },
    ])
  })

  it('gives no advice to interleave when the foreign key is not first, is the whole key or refers to another column', () => {
    expect(advice(schema(['customer'], ['id'], 'number', 'customer'))).toEqual([])
    expect(advice(schema(['customer'], ['id'], 'customer'))).toEqual([])
    expect(advice(schema(['customer'], ['mail'], 'customer', 'number'))).toEqual([])
  })
})
