import { defineSchema, defineTable, type ChangeStreamOptions, type SequenceOptions } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { logTable, looseTable } from '../support/layout.js'
import { findingsOf, findingsWith } from '../support/refusal.js'

const Log = logTable((t) => ({ id: t.uuidV4(), at: t.timestamp(), page: t.string({ name: 'the_page' }) }))
const Elsewhere = defineTable('Elsewhere', (t) => ({ id: t.uuidV4() }))

const drawing = (name: string, options: { sequence?: string; startCounter?: bigint } = {}) =>
  looseTable(name, (t) => ({ id: t.bitReversedId({ from: 'sequence', ...options }) }))

describe('defineSchema()', () => {
  it('returns empty lists of named schemas, sequences, views and change streams by default', () => {
    expect(defineSchema([Log])).toMatchObject({
      version: 1,
      namespaces: [],
      sequences: [],
      views: [],
      changeStreams: [],
    })
  })
})

describe('defineSchema() with sequences', () => {
  const max = 2n ** 63n - 1n

  it('writes startCounter and skipRange of a sequence as decimal text', () => {
    const sequences: SequenceOptions[] = [
      { name: 'plain' },
      { name: 'counted', startCounter: max, skipRange: [1n, max] },
    ]
    expect(defineSchema([Log], { sequences }).sequences).toStrictEqual([
      { name: 'plain' },
      { name: 'counted', startCounter: '9223372036854775807', skipRange: ['1', '9223372036854775807'] },
    ])
  })

  it('adds the sequence that a column draws from, after the declared sequences', () => {
    const { sequences, tables } = defineSchema(
      [drawing('A', { startCounter: 5n }), drawing('B', { sequence: 'ids' })],
      {
        sequences: [{ name: 'declared' }],
      },
    )
    expect(sequences).toStrictEqual([
      { name: 'declared' },
      { name: 'A_id_seq', startCounter: '5' },
      { name: 'ids' },
    ])
    expect(tables.map(({ columns }) => columns[0]!.source)).toStrictEqual([
      { kind: 'bit-reversed', from: 'sequence', sequence: 'A_id_seq' },
      { kind: 'bit-reversed', from: 'sequence', sequence: 'ids' },
    ])
  })

  it('lists a declared sequence once when two columns draw from it', () => {
    const schema = defineSchema([drawing('A', { sequence: 'ids' }), drawing('B', { sequence: 'ids' })], {
      sequences: [{ name: 'ids', startCounter: 7n }],
    })
    expect(schema.sequences).toStrictEqual([{ name: 'ids', startCounter: '7' }])
  })

  it('rejects a declared sequence that lacks the startCounter which a column states', () => {
    const models = [drawing('A', { sequence: 'ids', startCounter: 5n })]
    expect(findingsWith({ sequences: [{ name: 'ids' }] }, ...models)).toMatchObject([
      { table: 'A', column: 'id' },
    ])
  })

  it('rejects two columns that draw from the same sequence when the sequence is not declared', () => {
    expect(findingsOf(drawing('A', { sequence: 'ids' }), drawing('B', { sequence: 'ids' }))).toStrictEqual([
      {
        table: 'B',
        column: 'id',
        message: 'has the same name as the sequence ids.',
        fix: 'Rename the sequence ids: names differ by more than upper and lower case.',
      },
    ])
  })

  it('does not add a second sequence for an interleaved child', () => {
    const Parent = drawing('Parent')
    const Child = defineTable('Child', (t) => ({ id: t.parentKey<bigint>(), line: t.int64().key() }), {
      interleaveIn: () => Parent,
    })
    expect(defineSchema([Child, Parent]).sequences).toStrictEqual([{ name: 'Parent_id_seq' }])
  })

  it('rejects a sequence with the name of a table or of another sequence', () => {
    expect(findingsWith({ sequences: [{ name: 'LOG' }] }, Log)).toStrictEqual([
      {
        table: 'LOG',
        message: 'has the same name as the table Log.',
        fix: 'Rename the sequence LOG: names differ by more than upper and lower case.',
      },
    ])
    expect(findingsWith({ sequences: [{ name: 'ids' }, { name: 'Ids' }] }, Log)).toMatchObject([
      { table: 'Ids', message: 'has the same name as the sequence ids.' },
    ])
  })

  it.each([0n, -1n, 2n ** 63n])('rejects a sequence with startCounter %d', (startCounter) => {
    expect(findingsWith({ sequences: [{ name: 'ids', startCounter }] }, Log)).toStrictEqual([
      {
        table: 'ids',
        message: `starts at ${startCounter}.`,
        fix: 'startCounter is a positive 64-bit integer.',
      },
    ])
  })

  it.each([
    [0n, 5n],
    [5n, 1n],
    [1n, 2n ** 63n],
  ] as const)('rejects a sequence with a skipRange from %d to %d', (from, to) => {
    expect(findingsWith({ sequences: [{ name: 'ids', skipRange: [from, to] }] }, Log)).toStrictEqual([
      {
        table: 'ids',
        message: `skips ${from} to ${to}.`,
        fix: 'skipRange is two positive 64-bit integers, the lower one first.',
      },
    ])
  })
})

describe('defineSchema() with views', () => {
  it('keeps the order of views, and gives a view the security invoker by default', () => {
    const query = { googlesql: 'SELECT 1 AS one', 'spanner-postgresql': 'SELECT 1 AS one' }
    const views = [
      { name: 'Second', query: 'SELECT 2 AS two' },
      { name: 'First', query, security: 'definer' } as const,
      { name: 'sales.Third', query, security: 'invoker' } as const,
    ]
    expect(defineSchema([Log], { views }).views).toStrictEqual([
      { name: 'Second', query: 'SELECT 2 AS two', security: 'invoker' },
      { name: 'First', query, security: 'definer' },
      { name: 'sales.Third', query, security: 'invoker' },
    ])
  })

  it('rejects a view with the name of a table, an index, a sequence or another view', () => {
    const Indexed = logTable((t) => ({ id: t.uuidV4(), page: t.string() }), {
      indexes: [{ name: 'ByPage', on: ['page'] }],
    })
    const clash = (name: string) =>
      findingsWith({ sequences: [{ name: 'ids' }], views: [{ name, query: 'SELECT 1' }] }, Indexed)
    const fix = (name: string) => `Rename the view ${name}: names differ by more than upper and lower case.`
    expect(clash('Log')).toStrictEqual([
      { table: 'Log', message: 'has the same name as the table Log.', fix: fix('Log') },
    ])
    expect(clash('bypage')).toStrictEqual([
      { table: 'bypage', message: 'has the same name as the index ByPage.', fix: fix('bypage') },
    ])
    expect(clash('IDS')).toStrictEqual([
      { table: 'IDS', message: 'has the same name as the sequence ids.', fix: fix('IDS') },
    ])
    const views = [
      { name: 'Daily', query: 'SELECT 1' },
      { name: 'daily', query: 'SELECT 2' },
    ]
    expect(findingsWith({ views }, Log)).toMatchObject([
      { table: 'daily', message: 'has the same name as the view Daily.' },
    ])
  })
})

describe('defineSchema() with change streams', () => {
  const streams = (...changeStreams: Partial<ChangeStreamOptions>[]) => ({
    changeStreams: changeStreams.map((each) => ({ name: 'Changes', ...each })),
  })

  it('keeps whether a change stream watches nothing, all tables, listed tables or listed properties', () => {
    const watched = (watch?: ChangeStreamOptions['watch']) =>
      defineSchema([Log, Elsewhere], streams(watch ? { watch } : {})).changeStreams[0]!.watch
    expect(watched()).toStrictEqual([])
    expect(watched('all')).toBe('all')
    expect(watched([Log, { table: Elsewhere, columns: [] }])).toStrictEqual([
      { table: 'Log', columns: 'all' },
      { table: 'Elsewhere', columns: [] },
    ])
    expect(watched([{ table: Log, columns: ['page', 'at'] }])).toStrictEqual([
      { table: 'Log', columns: ['page', 'at'] },
    ])
  })

  it('translates retention and values of a change stream to the option names of the database', () => {
    const options = defineSchema(
      [Log],
      streams({ retention: '7d', values: 'NEW_ROW', options: { exclude_ttl_deletes: 'true' } }),
    ).changeStreams[0]!.options
    expect(options).toStrictEqual({
      retention_period: '7d',
      value_capture_type: 'NEW_ROW',
      exclude_ttl_deletes: 'true',
    })
    expect(defineSchema([Log], streams({})).changeStreams[0]!.options).toStrictEqual({})
  })

  it('rejects a change stream that watches a table outside the schema', () => {
    const refused = [
      {
        table: 'Changes',
        message: 'watches Elsewhere, which is not in this schema.',
        fix: 'Pass it to defineSchema as well.',
      },
    ]
    expect(findingsWith(streams({ watch: [Elsewhere] }), Log)).toStrictEqual(refused)
    expect(findingsWith(streams({ watch: [{ table: Elsewhere, columns: ['id'] }] }), Log)).toStrictEqual(
      refused,
    )
  })

  it('rejects a change stream that watches a value which is not a model', () => {
    const fix = 'Name a model, or { table: Model, columns: [...] }.'
    class Plain {}
    for (const each of [Plain, { table: Plain, columns: ['at'] }]) {
      expect(findingsWith(streams({ watch: [each] }), Log)).toStrictEqual([
        { table: 'Changes', message: 'watches Plain, which is not a model.', fix },
      ])
    }
    expect(findingsWith(streams({ watch: [{}, Log] }), Log)).toMatchObject([
      { table: 'defineSchema', message: 'changeStreams[0].watch[0].table is missing.' },
    ])
    expect(findingsWith(streams({ watch: [undefined as never] }), Log)).toMatchObject([
      { message: 'changeStreams[0].watch[0] is undefined.' },
    ])
  })

  it('rejects a change stream that lists a key part or a name which is not a property', () => {
    expect(
      findingsWith(streams({ watch: [{ table: Log, columns: ['the_page', 'at', 'id'] }] }), Log),
    ).toStrictEqual([
      {
        table: 'Changes',
        column: 'the_page',
        message: 'watches Log.the_page, which is not a column.',
        fix: 'Name a property.',
      },
      {
        table: 'Changes',
        column: 'id',
        message: 'watches Log.id, a key part.',
        fix: 'Leave it out: the key is always watched.',
      },
    ])
  })

  it('rejects a change stream with the name of a table or of another change stream', () => {
    expect(findingsWith(streams({ name: 'log' }), Log)).toMatchObject([
      { table: 'log', message: 'has the same name as the table Log.' },
    ])
    expect(findingsWith(streams({}, { name: 'changes' }), Log)).toMatchObject([
      { table: 'changes', message: 'has the same name as the change stream Changes.' },
    ])
  })
})
