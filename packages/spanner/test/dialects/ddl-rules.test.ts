import { compileDdl, defineSchema, defineTable, type Schema, type SchemaOptions, sql } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'

// Features that neither dialect supports. The emulator is less strict, so these are the only check before production.
describe.each([googlesql, spannerPostgresql])('compileDdl() in $name', (dialect) => {
  const message = (models: readonly object[], options?: SchemaOptions): string => {
    const schema: Schema = defineSchema(models, options)
    // This test does not check for hotspots.
    const error = refusal(() => compileDdl(schema, { dialect, severity: { 'monotonic-index': 'off' } }))
    expect(error.code).toBe('UNSUPPORTED_MODEL')
    return error.message
  }

  const User = defineTable('User', (t) => ({ id: t.uuidV4(), at: t.timestamp() }))
  const Old = defineTable('Old', (t) => ({ id: t.uuidV4(), at: t.timestamp() }), {
    rowDeletion: { property: 'at', days: 1 },
  })

  it('rejects a view, a check or a default without SQL for the dialect', () => {
    const other = dialect.name === 'googlesql' ? 'spanner-postgresql' : 'googlesql'
    expect(message([User], { views: [{ name: 'Users', query: { [other]: 'SELECT 1' } }] })).toBe(
      `Users has no SQL for its query in ${dialect.name}. Give one: { '${dialect.name}': '…' } beside the others.`,
    )
    const checked = defineTable('Log', (t) => ({ id: t.uuidV4() }), {
      checks: [{ name: 'Positive', expression: { [other]: 'TRUE' } }],
    })
    expect(message([checked])).toContain(`Log has no SQL for the check Positive in ${dialect.name}.`)
    const defaulted = defineTable('Log', (t) => ({
      id: t.uuidV4(),
      a: t.int64({ default: sql({ [other]: '1' }) }),
    }))
    expect(message([defaulted])).toContain(dialect.name)
  })

  it('rejects a misspelled dialect name in an SQL expression', () => {
    const misspelled = dialect.name.replace('g', 'gg')
    const checked = defineTable('Log', (t) => ({ id: t.uuidV4() }), {
      checks: [{ name: 'Positive', expression: { [misspelled]: 'TRUE' } }],
    })
    expect(message([checked])).toContain(`Write { '${dialect.name}': '…' }, not { '${misspelled}': '…' }.`)
  })

  it('rejects onDelete: cascade on a child that does not require its parent', () => {
    const Login = defineTable('Login', (t) => ({ id: t.parentKey<string>(), number: t.int64().key() }), {
      interleaveIn: () => User,
      requireParent: false,
      onDelete: 'cascade',
    })
    expect(message([User, Login])).toContain('Login does not need a row of its parent User')
  })

  it('rejects an index in another named schema than its table', () => {
    const table = defineTable('sales.Log', (t) => ({ id: t.uuidV4(), a: t.int64() }), {
      indexes: [{ name: 'ByA', on: ['a'] }],
    })
    expect(message([table])).toBe(
      'sales.Log has the index ByA in another named schema. An index is in the named schema of its table.',
    )
  })

  it('rejects an interleaved index that begins with a shard', () => {
    const Login = defineTable('Login', (t) => ({ id: t.parentKey<string>(), number: t.int64().key() }), {
      interleaveIn: () => User,
      indexes: [
        { name: 'Sharded', on: ['id', 'number'], interleaveIn: () => User, shard: { shards: 2, of: ['id'] } },
      ],
    })
    expect(message([User, Login])).toContain(
      'has the index Sharded, which is interleaved and begins with a shard.',
    )
  })

  it('rejects a foreign key over JSON, an array or a commit timestamp', () => {
    const referring = (type: 'json' | 'array' | 'commit') => {
      const columns: Parameters<typeof defineTable>[1] = (t) => ({
        id: t.uuidV4(),
        value:
          type === 'json'
            ? t.json()
            : type === 'array'
              ? t.array({ kind: 'int64' })
              : t.timestamp({ default: 'commit' }),
      })
      const Other = defineTable('Other', columns)
      return [
        Other,
        defineTable('Log', columns, {
          foreignKeys: [{ columns: ['value'] as never, references: () => Other, on: ['value'] }],
        }),
      ]
    }
    expect(message(referring('json'))).toContain(
      'Log has the foreign key Log_value_fk over value, of type json.',
    )
    expect(message(referring('array'))).toContain('over value, of type array of int64.')
    expect(message(referring('commit'))).toContain('over value, a commit timestamp.')
  })

  it('rejects a foreign key between UUIDs that are stored in different ways', () => {
    const Pair = defineTable('Pair', (t) => ({ id: t.uuidV4({ storage: 'int64-pair' }) }))
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), pair: t.uuid() }), {
      foreignKeys: [{ columns: ['pair'], references: () => Pair }],
    })
    expect(message([Pair, Log])).toContain('between columns that are stored in different ways.')
  })

  it('rejects a foreign key that is not enforced but has onDelete: cascade', () => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), user: t.uuid() }), {
      foreignKeys: [{ columns: ['user'], references: () => User, enforced: false, onDelete: 'cascade' }],
    })
    expect(message([User, Log])).toContain("which is not enforced but has onDelete: 'cascade'.")
  })

  it('rejects a row deletion policy when a child or a foreign key would keep the rows', () => {
    const Child = (onDelete: 'cascade' | 'no action') =>
      defineTable('Child', (t) => ({ id: t.parentKey<string>(), number: t.int64().key() }), {
        interleaveIn: () => Old,
        onDelete,
      })
    expect(message([Old, Child('no action')])).toContain(
      'Old deletes old rows, and Child below it would keep them.',
    )
    const child = Child('cascade')
    const refers = defineTable('Refers', (t) => ({ id: t.uuidV4(), old: t.uuid(), number: t.int64() }), {
      foreignKeys: [{ columns: ['old', 'number'], references: () => child }],
    })
    expect(message([Old, child, refers])).toContain(
      'Old deletes old rows, and the foreign key Refers_old_number_fk of Refers would keep them.',
    )
    expect(compileDdl(defineSchema([Old, child]), { dialect })).toHaveLength(2)
  })

  it('rejects a change stream in a named schema, over a generated column, or with an invalid option name', () => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), a: t.int64(), b: t.int64({ generated: 'a' }) }))
    expect(message([Log], { changeStreams: [{ name: 'sales.Feed', watch: 'all' }] })).toContain(
      'sales.Feed is a change stream in a named schema.',
    )
    expect(
      message([Log], { changeStreams: [{ name: 'Feed', watch: [{ table: Log, columns: ['b'] }] }] }),
    ).toContain('Feed watches Log.b, which is generated.')
    expect(message([Log], { changeStreams: [{ name: 'Feed', options: { "x = 'y') --": '1' } }] })).toContain(
      'Write options as in retention_period.',
    )
  })
})

describe('a generated column with a length that is not stored', () => {
  const virtual = (length: number | 'max') =>
    defineSchema([
      defineTable('Log', (t) => ({
        id: t.uuidV4(),
        text: t.string({ length, generated: "'a'", stored: false }),
      })),
    ])

  it('is rejected in GoogleSQL', () => {
    const error = refusal(() => compileDdl(virtual(10), { dialect: googlesql }))
    expect(error.message).toContain('Log has the column text, which is computed when it is read')
    expect(compileDdl(virtual('max'), { dialect: googlesql })[0]).toContain("`text` STRING(MAX) AS ('a')")
  })

  it('is written as VIRTUAL in the PostgreSQL dialect', () => {
    const [ddl] = compileDdl(virtual(10), { dialect: spannerPostgresql })
    expect(ddl).toContain(`"text" varchar(10) GENERATED ALWAYS AS ('a') VIRTUAL`)
  })
})
