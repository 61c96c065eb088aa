import { defineSchema, defineTable, SchemaError, type TableBuilder } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf, refusal } from '../support/refusal.js'

type Columns = Parameters<typeof defineTable>[1]

const table = (columns: Columns, name = 'Log') => defineTable(name, columns)
const withColumns = (columns: Columns) => table((t) => ({ id: t.uuidV4(), ...columns(t) }))

describe('defineSchema() with names of tables, columns, indexes and sequences', () => {
  const hostile = [
    ['a back-quote', 'a`b'],
    ['a single quote', "a'b"],
    ['a double quote', 'a"b'],
    ['a semicolon', 'a; DROP TABLE b'],
    ['a comment', 'a--'],
    ['a line break', 'a\n'],
    ['no characters', ''],
    ['a space', ' '],
    ['a leading digit', '1a'],
    ['a leading underscore', '_a'],
    ['a letter beyond ASCII', 'Grösse'],
    ['a letter that looks like ASCII', 'а'],
    ['a NUL character', 'a\0'],
  ] as const

  it.each(hostile)('rejects a table name with %s', (_, name) => {
    expect(findingsOf(table((t) => ({ id: t.uuidV4() }), name))).toStrictEqual([
      {
        table: name,
        message: `has the name ${JSON.stringify(name)}, which some databases do not support.`,
        fix: 'A name starts with a letter and has up to 128 letters, digits and underscores.',
      },
    ])
  })

  // A table, an index or a sequence may be in a named schema.
  const hostileColumns = [...hostile, ['a dot', 'a.b']] as const

  it.each(hostileColumns)('rejects a column name with %s', (_, name) => {
    expect(findingsOf(withColumns((t) => ({ page: t.string({ name }) })))).toStrictEqual([
      {
        table: 'Log',
        column: 'page',
        message: `has the name ${JSON.stringify(name)}, which some databases do not support.`,
        fix: 'A name starts with a letter and has up to 128 letters, digits and underscores.',
      },
    ])
  })

  it.each(hostileColumns)('rejects a property name with %s that is used as the column name', (_, name) => {
    expect(findingsOf(withColumns((t) => ({ [name]: t.string() })))).toMatchObject([
      { table: 'Log', column: name },
    ])
  })

  it.each(hostile)('rejects an index name with %s', (_, name) => {
    const Log = logTable((t) => ({ id: t.uuidV4(), page: t.string() }), {
      indexes: [{ name, on: ['page'] }],
    })
    expect(findingsOf(Log)).toMatchObject([
      { table: 'Log', message: `has the name ${JSON.stringify(name)}, which some databases do not support.` },
    ])
  })

  it.each(hostile)('rejects a sequence name with %s', (_, sequence) => {
    const findings = findingsOf(table((t) => ({ id: t.bitReversedId({ from: 'sequence', sequence }) })))
    expect(findings).toMatchObject([{ table: 'Log', column: 'id' }])
    expect(findings[0]!.message).toContain(JSON.stringify(sequence))
  })

  it('accepts names of 128 characters, rejects longer names, and cuts a long name in the message', () => {
    const long = 'a'.repeat(200)
    expect(findingsOf(table((t) => ({ id: t.uuidV4() }), long))).toMatchObject([
      { message: `has the name "${'a'.repeat(140)}", which some databases do not support.` },
    ])
    expect(findingsOf(withColumns((t) => ({ page: t.string({ name: 'a'.repeat(129) }) })))).toHaveLength(1)
    const longest = 'a'.repeat(128)
    expect(defineSchema([table((t) => ({ id: t.uuidV4({ name: longest }) }), longest)]).tables).toHaveLength(
      1,
    )
  })

  it('accepts SQL keywords as names of tables and columns', () => {
    const Order = table((t) => ({ hash: t.uuidV4(), at: t.timestamp(), select: t.bool() }), 'Order')
    expect(defineSchema([Order]).tables[0]!.name).toBe('Order')
  })
})

it.each(['AND', 'OR', 'NOT'])(
  'defineSchema() rejects the property name %s, which joins filters in where, but accepts the column name',
  (property) => {
    expect(findingsOf(withColumns((t) => ({ [property]: t.bool() })))).toMatchObject([
      { table: 'Log', column: property, message: 'has the name of a filter operator.' },
    ])
    expect(defineSchema([withColumns((t) => ({ other: t.bool({ name: property }) }))]).tables).toHaveLength(1)
  },
)

describe('defineSchema() with two objects of the same name', () => {
  const named = (name: string) => table((t) => ({ id: t.uuidV4() }), name)

  it.each([
    ['Log', 'Log'],
    ['Log', 'LOG'],
    ['log', 'Log'],
  ])('rejects the tables %s and %s, whose names are equal or differ only in case', (first, second) => {
    expect(findingsOf(named(first), named(second))).toStrictEqual([
      {
        table: second,
        message: `has the same name as the table ${first}.`,
        fix: `Rename the table ${second}: names differ by more than upper and lower case.`,
      },
    ])
  })

  it('rejects two columns whose names differ only in case', () => {
    const clash = withColumns((t) => ({ page: t.string(), url: t.string({ name: 'PAGE' }) }))
    expect(findingsOf(clash)).toStrictEqual([
      {
        table: 'Log',
        column: 'url',
        message: 'has the same column name as page.',
        fix: 'Give one of them another name.',
      },
    ])
    expect(findingsOf(withColumns((t) => ({ page: t.string(), Page: t.string() })))).toMatchObject([
      { table: 'Log', column: 'Page' },
    ])
  })

  it('rejects an index with the name of an index of the same or another table, or of a table', () => {
    const indexed = (name: string, ...indexes: string[]) =>
      looseTable(name, (t) => ({ id: t.uuidV4(), page: t.string() }), {
        indexes: indexes.map((index) => ({ name: index, on: ['page'] })),
      })
    expect(findingsOf(indexed('Log', 'ByPage', 'bypage'))).toMatchObject([
      { table: 'Log', message: 'has the same name as the index ByPage.' },
    ])
    expect(findingsOf(indexed('Log', 'ByPage'), indexed('Other', 'ByPage'))).toMatchObject([
      { table: 'Other', message: 'has the same name as the index ByPage.' },
    ])
    expect(findingsOf(indexed('Log'), indexed('Other', 'log'))).toMatchObject([
      { table: 'Other', message: 'has the same name as the table Log.' },
    ])
  })

  it('rejects two indexes whose default names are equal', () => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), page: t.string() }), {
      indexes: [{ on: ['page'] }, { on: ['page'], unique: true }],
    })
    expect(findingsOf(Log)).toMatchObject([{ message: 'has the same name as the index Log_page.' }])
  })

  it('rejects a sequence with the name of another sequence or of a table', () => {
    const counted = (name: string, sequence: string) =>
      table((t) => ({ id: t.bitReversedId({ from: 'sequence', sequence }) }), name)
    expect(findingsOf(counted('First', 'ids'), counted('Second', 'IDS'))).toMatchObject([
      { table: 'Second', column: 'id' },
    ])
    expect(findingsOf(counted('First', 'first'))).toMatchObject([{ table: 'First', column: 'id' }])
  })

  it('rejects a column with the name of the column that an index shard adds', () => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4(), at: t.timestamp(), at_shard: t.int64() }), {
      indexes: [{ name: 'at', on: ['at'], shard: { shards: 4, of: ['id'] } }],
    })
    expect(findingsOf(Log)).toMatchObject([{ table: 'Log' }])
  })
})

describe('defineSchema() with primary keys', () => {
  it('rejects a table without a primary key', () => {
    expect(findingsOf(table((t) => ({ page: t.string() })))).toStrictEqual([
      {
        table: 'Log',
        message: 'has no primary key.',
        fix: 'Mark its key parts with @Key, @ShardKey, @UuidV4 or the other key decorators.',
      },
    ])
    expect(findingsOf(table(() => ({}))).map(({ message }) => message)).toStrictEqual([
      'has no columns.',
      'has no primary key.',
    ])
  })

  const parts = (count: number) => (t: TableBuilder) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`part${at}`, t.int64().key()]))

  it('accepts a primary key of 16 parts and rejects 17 parts', () => {
    expect(defineSchema([table(parts(16))]).tables[0]!.primaryKey).toHaveLength(16)
    expect(findingsOf(table(parts(17)))).toStrictEqual([
      { table: 'Log', message: 'has 17 key parts.', fix: 'A key has at most 16.' },
    ])
  })

  it('rejects a primary key that names a missing column or the same column twice', () => {
    const Log = logTable((t) => ({ id: t.uuidV4(), page: t.string() }), {
      primaryKey: ['id', 'url', 'id'],
    })
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'url',
        message: 'is in the primary key, but is not a column.',
        fix: 'Choose from id, page.',
      },
      { table: 'Log', column: 'id', message: 'is in the primary key twice.', fix: 'Name it once.' },
    ])
  })

  it('rejects JSON and array columns in the primary key', () => {
    const Log = table((t) => ({
      meta: t.json().key(),
      tags: t.array({ kind: 'string', length: 'max' }).key(),
    }))
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        column: 'meta',
        message: 'is in the primary key, but is of type json.',
        fix: 'Choose another column.',
      },
      {
        table: 'Log',
        column: 'tags',
        message: 'is in the primary key, but is of type array of string.',
        fix: 'Choose another column.',
      },
    ])
  })
})

describe('defineSchema() with string and bytes columns', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects the column length %d', (length) => {
    const Log = withColumns((t) => ({ page: t.string({ length }), digest: t.bytes({ length }) }))
    const fix = "A length is a whole number from 1, or 'max'."
    expect(findingsOf(Log)).toStrictEqual([
      { table: 'Log', column: 'page', message: `has the length ${length}.`, fix },
      { table: 'Log', column: 'digest', message: `has the length ${length}.`, fix },
    ])
  })
})

describe('defineSchema() with bit-reversed ids', () => {
  const id = (options: Parameters<TableBuilder['bitReversedId']>[0]) =>
    table((t) => ({ id: t.bitReversedId(options) }))

  it.each([0n, -1n, 2n ** 63n])('rejects a bit-reversed id with startCounter %d', (startCounter) => {
    expect(findingsOf(id({ startCounter }))).toStrictEqual([
      {
        table: 'Log',
        column: 'id',
        message: `starts at ${startCounter}.`,
        fix: 'startCounter is a positive 64-bit integer.',
      },
    ])
  })

  it.each([
    [0n, 5n],
    [5n, 1n],
    [-5n, -1n],
    [1n, 2n ** 63n],
  ] as const)('rejects a bit-reversed id with a skipRange from %d to %d', (from, to) => {
    expect(findingsOf(id({ skipRange: [from, to] }))).toStrictEqual([
      {
        table: 'Log',
        column: 'id',
        message: `skips ${from} to ${to}.`,
        fix: 'skipRange is two positive 64-bit integers, the lower one first.',
      },
    ])
  })

  it('accepts every positive 64-bit integer as startCounter and in skipRange of a bit-reversed id', () => {
    const max = 2n ** 63n - 1n
    expect(defineSchema([id({ startCounter: max, skipRange: [1n, max] })]).tables).toHaveLength(1)
    expect(defineSchema([id({ startCounter: 1n, skipRange: [7n, 7n] })]).tables).toHaveLength(1)
  })
})

describe('defineSchema() with lint suppressions', () => {
  it.each(['', ' ', '\n'])('rejects a lint suppression with the blank reason %j', (reason) => {
    const Log = defineTable('Log', (t) => ({ id: t.uuidV4() }), {
      suppress: [{ rule: 'monotonic-index', reason }],
    })
    expect(findingsOf(Log)).toStrictEqual([
      {
        table: 'Log',
        message: 'suppresses monotonic-index without a reason.',
        fix: 'Add a reason for the suppression.',
      },
    ])
  })
})

describe('defineSchema() with a list of models', () => {
  it.each([
    ['a class without @Table', class Plain {}, 'Plain'],
    ['a plain object', {}, 'this object'],
    ['a function that is not a class', () => 7, 'this object'],
  ] as const)('rejects %s in the list of models', (_, model, name) => {
    expect(findingsOf(model)).toMatchObject([{ table: name, message: 'is not a model.' }])
  })

  it('rejects undefined in the list of models, as after an import cycle', () => {
    expect(findingsOf(undefined as never)).toMatchObject([{ message: 'is not a model.' }])
  })

  it('rejects a list with the same model twice', () => {
    const Log = logTable((t) => ({ id: t.int64().key() }))
    expect(findingsOf(Log, Log)).toEqual([
      { table: 'Log', message: 'is given twice.', fix: 'List each model once.' },
    ])
  })
})

describe('SchemaError', () => {
  it('contains all findings about the schema, not only the first finding', () => {
    const Log = logTable(
      (t) => ({
        shardId: t.shardKey({ shards: 0, of: ['userId'] }),
        meta: t.json().key(),
        'a`b': t.string(),
      }),
      { indexes: [{ on: ['url'] }], suppress: [{ rule: 'monotonic-index', reason: '' }] },
    )
    const error = refusal(() => defineSchema([Log, {}]))
    expect(error).toBeInstanceOf(SchemaError)
    expect(error).toMatchObject({ name: 'SchemaError', code: 'SCHEMA_INVALID', table: 'this object' })
    expect(error.message).toBe(
      [
        'The schema is not valid:',
        '  - this object: is not a model. Decorate the class with @Table(name), or pass what defineTable returned.',
        '  - Log.a`b: has the name "a`b", which some databases do not support. ' +
          'A name starts with a letter and has up to 128 letters, digits and underscores.',
        '  - Log.meta: is in the primary key, but is of type json. Choose another column.',
        '  - Log.shardId: has 0 shards. A shard count is a whole number from 1 to 10,000.',
        '  - Log.shardId: hashes userId, which is not a column. Choose from shardId, meta, a`b.',
        '  - Log.url: is in the index Log_url, but is not a column. Choose from shardId, meta, a`b.',
        '  - Log: suppresses monotonic-index without a reason. Add a reason for the suppression.',
      ].join('\n'),
    )
    expect((error as SchemaError).findings).toHaveLength(7)
  })
})
