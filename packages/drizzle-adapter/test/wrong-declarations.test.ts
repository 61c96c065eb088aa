import { IsothermError } from '@isotherm/core'
import * as pgCore from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import * as googlesql from '../src/index.js'
import * as postgresql from '../src/postgresql.js'
import { refusal } from './support/refusal.js'

// Declarations reject invalid values: otherwise a column would differ from its declaration, or an error would follow elsewhere.

type Loose = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
const g = googlesql as unknown as Loose
const p = postgresql as unknown as Loose

const users = googlesql.spannerTable('User', {
  id: googlesql.int64().primaryKey(),
  name: googlesql.string(),
  at: googlesql.timestamp(),
})
const pgUsers = pgCore.pgTable('User', {
  id: pgCore.bigint({ mode: 'bigint' }).primaryKey(),
  name: pgCore.varchar(),
  at: pgCore.timestamp({ withTimezone: true }),
})

function throwing(): never {
  throw new RangeError('raw')
}

const WRONG: readonly (readonly [kind: string, make: () => unknown])[] = [
  ['null', () => null],
  ['a number', () => 5],
  ['an array', () => [null]],
  ['an object with an unknown name', () => ({ bogus: undefined })],
  ['an instance of a class', () => new Map()],
  ['a symbol', () => Symbol('wrong')],
  ['a proxy that throws', () => new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing })],
]

const KEYS = ['bitReversedId', 'descTimestamp', 'hashKey', 'sequential', 'shardKey', 'uuidV4']
const WITH_OPTIONS = {
  googlesql: ['bytes', 'date', 'int64', 'numeric', 'string', 'timestamp', 'uuid', ...KEYS],
  'spanner-postgresql': KEYS,
}
const WITH_A_NAME = {
  googlesql: ['bool', 'float32', 'float64', 'json'],
  'spanner-postgresql': ['bytea', 'commitTimestamp'],
}

describe.each([
  ['googlesql', g, users],
  ['spanner-postgresql', p, pgUsers],
] as const)('declarations with invalid arguments in %s', (dialect, entry, table) => {
  const cases = WRONG.flatMap(([kind, make]) =>
    WITH_OPTIONS[dialect].map((maker) => [maker, kind, make] as const),
  )

  it.each(cases)('%s rejects %s, alone and after a name', (maker, _, make) => {
    for (const input of [[make()], ['a_name', make()]]) {
      const error = refusal(() => entry[maker]!(...input))
      expect(error.code).toBe('INVALID_OPTION')
      expect(error.message).toContain(maker)
    }
  })

  it.each(WITH_OPTIONS[dialect])(
    '%s rejects a name after its options, and a name among its options',
    (maker) => {
      expect(refusal(() => entry[maker]!({}, 'a_name')).message).toContain(
        `${maker}: the name does not come first.`,
      )
      expect(refusal(() => entry[maker]!({ name: 'a_name' })).message).toContain('name is not an option.')
    },
  )

  it.each(WITH_A_NAME[dialect])('%s rejects options, and names that are not strings', (maker) => {
    for (const [, make] of WRONG) {
      const error = refusal(() => entry[maker]!(make()))
      expect(error.code).toBe('INVALID_OPTION')
      expect(error.message).toContain(`${maker}: name is `)
    }
    expect(refusal(() => entry[maker]!('a_name', {})).message).toContain(
      `${maker}: it does not take options.`,
    )
  })

  it.each([
    ['shardKey', { shrads: 5, of: ['id'] }, 'Did you mean shards?'],
    ['shardKey', { shards: '5', of: ['id'] }, "shards is '5'."],
    ['shardKey', { shards: 5, of: ['id'], strategy: 'bogus' }, "strategy is 'bogus'."],
    ['hashKey', { of: ['id'], algorithm: 'md5' }, "algorithm is 'md5'."],
    ['bitReversedId', { startCounter: 5 }, 'startCounter is 5.'],
    ['uuidV4', { storgae: 'text' }, 'Did you mean storage?'],
    ['descTimestamp', { default: 'never' }, "default is 'never'."],
  ])('%s rejects the options %o', (maker, options, message) => {
    expect(refusal(() => entry[maker]!(options)).message).toContain(message)
    const named = refusal(() => entry[maker]!('a_name', options)).message
    expect(named).toContain(message)
    expect(named).toMatch(new RegExp(`^${maker}\\('a_name'\\): `))
  })

  const extra: Loose = {
    interleaveIn: (wrong) => entry['interleaveIn']!(wrong),
    'interleaveIn with options': (wrong) => entry['interleaveIn']!(table, wrong),
    rowDeletionPolicy: (wrong) => entry['rowDeletionPolicy']!(wrong, { days: 5 }),
    'rowDeletionPolicy with options': (wrong) => entry['rowDeletionPolicy']!(table.at, wrong),
    suppress: (wrong) => entry['suppress']!(wrong),
    index: (wrong) => entry['index']!(wrong),
    'index with on': (wrong) => (entry['index']!() as googlesql.IndexBuilderOn).on(wrong as never),
    'index with storing': (wrong) =>
      (entry['index']!() as googlesql.IndexBuilderOn).on(table.at as never).storing(wrong as never),
    'index with shard': (wrong) =>
      (entry['index']!() as googlesql.IndexBuilderOn).on(table.at as never).shard(wrong as never),
    'index with interleaveIn': (wrong) =>
      (entry['index']!() as googlesql.IndexBuilderOn).on(table.at as never).interleaveIn(wrong as never),
    parentKey: (wrong) => entry['parentKey']!(wrong),
    toSchema: (wrong) => entry['toSchema']!([table], wrong),
    toDrizzle: (wrong) => entry['toDrizzle']!(class Model {}, wrong),
    'toDrizzle without options': (wrong) => entry['toDrizzle']!(wrong),
    'fanOut without options': (wrong) => entry['fanOut']!(wrong),
  }
  const extras = WRONG.flatMap(([kind, make]) =>
    Object.entries(extra).map(([name, call]) => [name, kind, call, make] as const),
  )

  it.each(extras)('%s rejects %s with an IsothermError', (_name, _kind, call, make) => {
    expect(refusal(() => call(make()))).toBeInstanceOf(IsothermError)
  })

  it.each([
    ['workload', null, 'workload: load is null.'],
    ['workload', 5, 'workload: load is 5.'],
    ['interleaveIn', undefined, 'interleaveIn: parent is undefined. Give a table; one of another module'],
    ['suppress', { rule: 'monotonic-index', raeson: 'x' }, 'Did you mean reason?'],
    ['toSchema', undefined, 'toSchema: declarations is undefined.'],
  ])(
    '%s rejects %o with INVALID_OPTION and names the invalid argument or property',
    (maker, input, message) => {
      const error = refusal(() => entry[maker]!(input))
      expect(error.code).toBe('INVALID_OPTION')
      expect(error.message).toContain(message)
    },
  )

  it('toSchema() rejects unknown options and an invalid watch of a change stream', () => {
    const error = refusal(() => entry['toSchema']!([table], { namespacs: [] }))
    expect(error.message).toContain('Did you mean namespaces?')
    expect(
      refusal(() => entry['toSchema']!([table], { changeStreams: [{ name: 'C', watch: 'everything' }] }))
        .message,
    ).toContain("changeStreams[0].watch is 'everything'.")
  })

  it('toSchema() rejects invalid and repeated items in the third argument of a table', () => {
    const declare =
      dialect === 'googlesql'
        ? (extraConfig: (t: never) => unknown) =>
            googlesql.spannerTable('Log', { id: googlesql.int64().primaryKey() }, extraConfig as never)
        : (extraConfig: (t: never) => unknown) =>
            pgCore.pgTable(
              'Log',
              { id: pgCore.bigint({ mode: 'bigint' }).primaryKey() },
              extraConfig as never,
            )
    const message = (input: unknown): string => {
      const error = refusal(() => entry['toSchema']!([table, declare(() => input)]))
      expect(error.code).toBe('SCHEMA_INVALID')
      return error.message
    }
    expect(message([5])).toContain('Log has 5 in its third argument, which is not a part of a table.')
    expect(message([entry['index']!('by_name')])).toContain('Log has an index without columns.')
    expect(message([entry['workload']!({}), entry['workload']!({ nodes: 2 })])).toContain(
      'Log has workload twice.',
    )
    expect(message(['bogus'])).toContain("Log has 'bogus' in its third argument")
  })
})

describe('declarations with invalid arguments in googlesql alone', () => {
  it.each<readonly [string, () => unknown, string]>([
    ['a table without a name', () => g['spannerTable']!(null, {}), 'spannerTable: name is null.'],
    ['a table without columns', () => g['spannerTable']!('T', null), "spannerTable('T'): columns is null."],
    [
      'a table with a column builder that was not called',
      () => g['spannerTable']!('T', { id: googlesql.int64 }),
      "spannerTable('T'): columns.id is ",
    ],
    [
      'a table with a pgCore column',
      () => g['spannerTable']!('T', { id: pgCore.integer() }),
      "spannerTable('T'): columns.id is ",
    ],
    [
      'a table with an array as its third argument',
      () => g['spannerTable']!('T', { id: googlesql.int64() }, []),
      'the third argument is [].',
    ],
    ['a table creator without a function', () => g['spannerTableCreator']!('shop_'), "rename is 'shop_'."],
    ['a named schema without a name', () => g['spannerSchema']!(5), 'spannerSchema: name is 5.'],
    ['a sequence without a name', () => g['spannerSequence']!(null), 'spannerSequence: name is null.'],
    [
      'an invalid startWith of a sequence',
      () => g['spannerSequence']!('S', { startWith: 5 }),
      'startWith is 5.',
    ],
    ['a view without a name', () => g['spannerView']!(null), 'spannerView: name is null.'],
    [
      'an invalid security of a view',
      () => googlesql.spannerView('V').with({ security: 'me' as never }),
      "security is 'me'.",
    ],
    ['a check without SQL', () => g['check']!('c', 'a > 0'), "check: value is 'a > 0'."],
    ['a foreign key without columns', () => g['foreignKey']!({}), 'columns is missing.'],
    ['a misspelled option of a foreign key', () => g['foreignKey']!({ colums: [] }), 'Did you mean columns?'],
    [
      'a primary key whose columns are not an array',
      () => g['primaryKey']!({ columns: users.id }),
      'columns is ',
    ],
    [
      'a unique constraint of column names',
      () => googlesql.unique().on('name' as never),
      "columns[0] is 'name'.",
    ],
    [
      'a reference to a column instead of a function',
      () => googlesql.int64().references(users.id as never),
      'references: to is ',
    ],
    [
      'a misspelled option of a reference',
      () => googlesql.int64().references(() => users.id, { ondelete: 'cascade' } as never),
      'Did you mean onDelete?',
    ],
    [
      'a misspelled mode of a generated column',
      () => googlesql.int64().generatedAlwaysAs(1n as never, { mode: 'vritual' as never }),
      "mode is 'vritual'. Did you mean 'virtual'?",
    ],
    [
      'a misspelled option of an identity',
      () => googlesql.int64().generatedByDefaultAsIdentity({ startwith: 5n } as never),
      'Did you mean startWith?',
    ],
    ['a custom type without dataType', () => g['customType']!({}), 'dataType is missing.'],
    [
      'null as the options of customType',
      () => g['customType']!(null),
      'customType: the options object is null.',
    ],
    [
      'a misspelled mode of a column',
      () => g['int64']!({ mode: 'nubmer' }),
      "mode is 'nubmer'. Did you mean 'number'?",
    ],
    ['a misspelled option length of a column', () => g['string']!({ lenght: 5 }), 'Did you mean length?'],
  ])('rejects %s with INVALID_OPTION', (_, work, message) => {
    const error = refusal(work)
    expect(error.code).toBe('INVALID_OPTION')
    expect(error.message).toContain(message)
  })
})
