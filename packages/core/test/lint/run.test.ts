import {
  compileDdl,
  defineSchema,
  defineTable,
  HotspotError,
  lint,
  lintRules,
  openDatabase,
  type Dialect,
  type Driver,
  type TableModel,
} from '@isotherm/core'
import { cql, keyspacesCql } from '@isotherm/cassandra'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SHARED_RULES } from '../../src/lint/run.js'
import { bareDriver } from '../support/bare-driver.js'
import { refusal } from '../support/refusal.js'

type Suppressions = NonNullable<NonNullable<Parameters<typeof defineTable>[2]>['suppress']>

/** A table with a hotspot in its primary key and in each of its two indexes. */
function hot(...suppress: Suppressions): TableModel<object> {
  return defineTable('Log', (t) => ({ at: t.timestamp().key(), userId: t.int64().key(), day: t.date() }), {
    indexes: [
      { name: 'ByDay', on: ['day'] },
      { name: 'ByAt', on: ['at', 'day'] },
    ],
    suppress,
  })
}

const dialect = googlesql
const found = (...suppress: Suppressions): string[] =>
  lint(defineSchema([hot(...suppress)]), { dialect }).map(({ rule, index }) =>
    index ? `${rule} ${index}` : rule,
  )

describe('lint', () => {
  it('runs every rule over every table, and returns the findings in order of tables and rules', () => {
    const other = defineTable('Other', (t) => ({ at: t.timestamp().key() }))
    const findings = lint(defineSchema([hot(), other]), { dialect })
    expect(findings.map(({ table, rule, index }) => [table, rule, index])).toStrictEqual([
      ['Log', 'monotonic-first-key', undefined],
      ['Log', 'monotonic-index', 'ByDay'],
      ['Log', 'monotonic-index', 'ByAt'],
      ['Other', 'monotonic-first-key', undefined],
    ])
  })

  it('returns findings that survive JSON, each with rule, severity, table, message, fix and link', () => {
    const findings = lint(defineSchema([hot()]), { dialect })
    expect(JSON.parse(JSON.stringify(findings))).toStrictEqual(findings)
    for (const finding of findings) {
      expect(finding).toMatchObject({
        rule: expect.stringMatching(/^(?:[a-z]+\/)?[a-z-]+$/),
        severity: 'error',
        table: 'Log',
        message: expect.stringMatching(/\.$/),
        fix: expect.stringMatching(/\.$/),
        link: `docs/lint/${finding.rule}.md`,
      })
    }
  })

  it.each(['mysql', 'googlesql', '', 'toString', '__proto__'])(
    'rejects the dialect name %j with INVALID_OPTION, because dialect must be an object',
    (name) => {
      const error = refusal(() => lint(defineSchema([hot()]), { dialect: name as never }))
      expect(error.code).toBe('INVALID_OPTION')
      expect(error.message).toBe(
        `lint: dialect is '${name}'. Give a dialect, as the package of an engine exports it: the object, not its name.`,
      )
    },
  )

  it('accepts suppressions for rules of other engines on Spanner and Cassandra, so that one model serves both', () => {
    const table = defineTable('Log', (t) => ({ at: t.timestamp().key() }), {
      suppress: [
        { rule: 'monotonic-first-key', reason: 'Rare.' },
        { rule: 'cassandra/time-partition', reason: 'Rare.' },
      ],
    })
    for (const each of [cql, googlesql])
      expect(lint(defineSchema([table]), { dialect: each })).toStrictEqual([])
  })
})

describe.each([
  [googlesql, 'spanner'],
  [spannerPostgresql, 'spanner'],
  [cql, 'cassandra'],
  [keyspacesCql, 'cassandra'],
] as const)('the lint rules of $name', (dialect, engine) => {
  const names = lintRules(dialect)

  it('lintRules() returns unique names that are shared or begin with the engine name', () => {
    expect(names).toStrictEqual(dialect.lint.rules.map(({ name }) => name))
    expect(new Set(names).size).toBe(names.length)
    expect(dialect.lint.engine).toBe(engine)
    const other = names.filter((name) => !SHARED_RULES.includes(name) && !name.startsWith(`${engine}/`))
    expect(other).toStrictEqual([])
  })

  it.each([...names])('the rule %s has a documentation page with its name as the heading', (name) => {
    const page = readFileSync(new URL(`../../../../docs/lint/${name}.md`, import.meta.url), 'utf8')
    expect(page.split('\n')[0]).toBe(`# ${name}`)
  })
})

it('lintRules() returns the same rules with an engine prefix for all dialects of an engine', () => {
  const own = (dialect: Dialect): string[] => lintRules(dialect).filter((name) => name.includes('/'))
  expect(own(spannerPostgresql)).toStrictEqual(own(googlesql))
  expect(own(keyspacesCql)).toStrictEqual(own(cql))
})

it('lintRules() returns all shared rules for GoogleSQL in the order of SHARED_RULES', () => {
  expect(SHARED_RULES).toStrictEqual(lintRules(googlesql).filter((name) => !name.includes('/')))
})

describe('lint() with suppressions', () => {
  const reason = 'one row an hour'

  it('suppresses all findings of a rule in its table when the suppression names no column or index', () => {
    expect(found({ rule: 'monotonic-index', reason })).toStrictEqual(['monotonic-first-key'])
    expect(found({ rule: 'monotonic-first-key', reason })).toStrictEqual([
      'monotonic-index ByDay',
      'monotonic-index ByAt',
    ])
  })

  it('suppresses only the findings of the index or column that the suppression names', () => {
    expect(found({ rule: 'monotonic-index', on: 'ByDay', reason })).toStrictEqual([
      'monotonic-first-key',
      'monotonic-index ByAt',
    ])
    expect(found({ rule: 'monotonic-index', on: 'at', reason })).toStrictEqual([
      'monotonic-first-key',
      'monotonic-index ByDay',
    ])
    expect(found({ rule: 'monotonic-first-key', on: 'userId', reason })).toStrictEqual([
      'monotonic-first-key',
      'monotonic-index ByDay',
      'monotonic-index ByAt',
      'unused-suppression',
    ])
  })

  it('suppresses every finding of a table when three suppressions cover its key and its two indexes', () => {
    expect(
      found(
        { rule: 'monotonic-index', on: 'ByDay', reason },
        { rule: 'monotonic-index', on: 'ByAt', reason },
        { rule: 'monotonic-first-key', on: 'at', reason },
      ),
    ).toStrictEqual([])
  })

  it('does not suppress findings of the same rule in another table', () => {
    const cool = defineTable('Cool', (t) => ({ id: t.uuidV4() }), {
      suppress: [{ rule: 'monotonic-first-key', reason }],
    })
    const findings = lint(defineSchema([cool, hot()]), { dialect })
    expect(findings.map(({ rule, table }) => `${table} ${rule}`)).toStrictEqual([
      'Cool unused-suppression',
      'Log monotonic-first-key',
      'Log monotonic-index',
      'Log monotonic-index',
    ])
  })

  it('reports a suppression without effect as unused-suppression, with its column or index and its reason', () => {
    const suppressions = [
      { rule: 'monotonic-index', on: 'ByAt', reason },
      { rule: 'spanner/shard-count', on: 'ByAt', reason: 'there was one' },
      { rule: 'spanner/shard-count', on: 'userId', reason: 'there was another' },
    ]
    const unused = (severity = {}): object[] =>
      lint(defineSchema([hot(...suppressions)]), { dialect, severity }).filter(
        ({ rule }) => rule === 'unused-suppression',
      )
    const fix = 'Remove the suppression, so that lint reports the problem if it comes back.'
    const link = 'docs/lint/unused-suppression.md'
    const of = { rule: 'unused-suppression', table: 'Log', fix, link }
    expect(unused()).toStrictEqual([
      {
        ...of,
        severity: 'warning',
        index: 'ByAt',
        message: 'spanner/shard-count is suppressed for Log.ByAt (there was one), and finds nothing there.',
      },
      {
        ...of,
        severity: 'warning',
        column: 'userId',
        message:
          'spanner/shard-count is suppressed for Log.userId (there was another), and finds nothing there.',
      },
    ])
    expect(unused({ 'unused-suppression': 'error' })).toMatchObject([
      { severity: 'error' },
      { severity: 'error' },
    ])
    expect(unused({ 'unused-suppression': 'off' })).toEqual([])
    expect(unused({ 'spanner/shard-count': 'off' })).toEqual([])
  })

  it('reports no unused-suppression when unused-suppression is suppressed for the same index or the whole table', () => {
    const unused = { rule: 'spanner/shard-count', on: 'ByAt', reason }
    const others = ['monotonic-first-key', 'monotonic-index ByDay', 'monotonic-index ByAt']
    const silent = { rule: 'unused-suppression', reason }
    expect(found(unused, { ...silent, on: 'ByDay' })).toStrictEqual([...others, 'unused-suppression ByAt'])
    expect(found(unused, { ...silent, on: 'ByAt' })).toStrictEqual(others)
    expect(found(unused, silent)).toStrictEqual(others)
  })

  it('reports no unused-suppression for a rule of another engine or a rule about statements', () => {
    const suppress = [
      { rule: 'cassandra/time-partition', reason },
      { rule: 'cassandra/allow-filtering', reason },
    ]
    const table = defineTable('T', (t) => ({ id: t.uuidV4() }), { suppress })
    expect(lint(defineSchema([table]), { dialect })).toEqual([])
  })

  it('ignores a suppression of a rule of an unknown engine', () => {
    const table = defineTable('T', (t) => ({ id: t.uuidV4() }), {
      suppress: [{ rule: 'another/engine-of-its-own', on: 'nothing', reason }],
    })
    for (const each of [googlesql, spannerPostgresql, cql, keyspacesCql])
      expect(lint(defineSchema([table]), { dialect: each })).toEqual([])
  })

  it.each(['spaner/key-limits', '/*', 'a/', '/b', 'spanner/', 'Cassandra/limits', 'a/b/c'])(
    'throws SCHEMA_INVALID for a suppression of %s, whose prefix is malformed or nearly an engine name',
    (rule) => {
      expect(refusal(() => found({ rule, reason }))).toMatchObject({ code: 'SCHEMA_INVALID', table: 'Log' })
    },
  )

  it('accepts a suppression of a shared rule that the engine does not run', () => {
    const table = defineTable('T', (t) => ({ id: t.uuidV4() }), {
      suppress: [{ rule: 'monotonic-index', reason }],
    })
    expect(lintRules(cql)).not.toContain('monotonic-index')
    expect(lint(defineSchema([table]), { dialect: cql })).toEqual([])
  })

  it('throws SCHEMA_INVALID for a suppression of an unknown rule, with the nearest name and all rule names', () => {
    const error = refusal(() =>
      found({ rule: 'monotonic-index', reason }, { rule: 'monotonous-index', reason }),
    )
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', table: 'Log' })
    expect(error.message).toBe(
      'Log suppresses monotonous-index, which is not a rule. Did you mean monotonic-index? ' +
        `The rules are ${lintRules(googlesql).join(', ')}. A rule of another engine has the name of that engine in front.`,
    )
  })

  it.each([
    { dialect: googlesql, rule: 'key-limits', name: 'spanner/key-limits' },
    { dialect: googlesql, rule: 'spanner/key-limit', name: 'spanner/key-limits' },
    { dialect: googlesql, rule: 'spanner/monotonic-index', name: 'monotonic-index' },
    { dialect: spannerPostgresql, rule: 'shard-count', name: 'spanner/shard-count' },
    { dialect: cql, rule: 'shard-count', name: 'cassandra/shard-count' },
    { dialect: cql, rule: 'cql-limits', name: 'cassandra/limits' },
    { dialect: keyspacesCql, rule: 'time-partition', name: 'cassandra/time-partition' },
  ])(
    'throws for a suppression of the unknown rule $rule in $dialect.name, and proposes $name',
    ({ dialect, rule, name }) => {
      const table = defineTable('T', (t) => ({ id: t.uuidV4() }), { suppress: [{ rule, reason }] })
      const error = refusal(() => lint(defineSchema([table]), { dialect }))
      expect(error.message).toContain(`T suppresses ${rule}, which is not a rule. Did you mean ${name}? `)
    },
  )
})

describe('the option severity', () => {
  const schema = defineSchema([hot()])

  it('replaces the severity of all findings of a rule', () => {
    const findings = lint(schema, { dialect, severity: { 'monotonic-index': 'warning' } })
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toStrictEqual([
      'monotonic-first-key error',
      'monotonic-index warning',
      'monotonic-index warning',
    ])
  })

  it('does not raise a finding that rests on a column name to an error', () => {
    const hint = defineTable('Hint', (t) => ({ eventUlid: t.string({ length: 26 }).key() }))
    const severities = (severity: 'error' | 'warning'): string[] =>
      lint(defineSchema([hint]), { dialect, severity: { 'monotonic-first-key': severity } }).map(
        (finding) => finding.severity,
      )
    expect(severities('error')).toStrictEqual(['warning'])
    expect(severities('warning')).toStrictEqual(['warning'])
  })

  it('raises findings of an advice rule to errors', () => {
    const wide = defineTable(
      'Wide',
      (t) => ({ name: t.string({ length: 1_000 }), id: t.uuidV4(), doc: t.json() }),
      {
        indexes: [{ on: ['name'], storing: ['doc'] }],
      },
    )
    const schema = defineSchema([wide])
    expect(lint(schema, { dialect })).toMatchObject([{ rule: 'storing-advice', severity: 'warning' }])
    expect(lint(schema, { dialect, severity: { 'storing-advice': 'error' } })).toMatchObject([
      { severity: 'error' },
    ])
  })

  it('turns a rule off with the value off', () => {
    expect(lint(schema, { dialect, severity: { 'monotonic-index': 'off' } })).toHaveLength(1)
    expect(
      lint(schema, { dialect, severity: { 'monotonic-index': 'off', 'monotonic-first-key': 'off' } }),
    ).toStrictEqual([])
  })

  it('throws for an unknown rule in severity, and proposes the nearest rule name', () => {
    const severity = { 'monotonous-index': 'off' } as const
    const error = refusal(() => lint(schema, { dialect, severity }))
    expect(error.message).toContain(
      'A severity is set for monotonous-index, which is not a rule. Did you mean monotonic-index? ',
    )
    expect(refusal(() => lint(schema, { dialect, severity: { 'key-limits': 'off' } })).message).toContain(
      'Did you mean spanner/key-limits? ',
    )
  })

  it('ignores severities of rules of other engines', () => {
    const severity = { 'cassandra/limits': 'off', 'another/rule': 'error' } as const
    expect(lint(schema, { dialect, severity })).toStrictEqual(lint(schema, { dialect }))
  })
})

describe('a schema with a hotspot', () => {
  const message = [
    'The schema would cause a hotspot:',
    '  - Log.at: The primary key starts with at, which grows with time: every insert goes to the same split, ' +
      "and so to one server. Swap the order, primaryKey: ['userId', 'at'], if reads fix userId; else put " +
      "@ShardKey({ shards: 64, of: ['userId'] }) first and read with fanOut. (monotonic-first-key)",
    '  - Log.day: The index ByDay starts with day, which grows with time: every insert into the table writes at ' +
      "the end of the index, so to one server. Give the index a shard, shard: { shards: 16, of: ['userId'] }, " +
      'put a column that does not grow first, or interleave the index in a parent. (monotonic-index)',
    '  - Log.at: The index ByAt starts with at, which grows with time: every insert into the table writes at ' +
      "the end of the index, so to one server. Give the index a shard, shard: { shards: 16, of: ['userId'] }, " +
      'put a column that does not grow first, or interleave the index in a parent. (monotonic-index) ' +
      'To accept it, add suppress: [{ rule, reason }] to the options of the table.',
  ].join('\n')

  it('is accepted by defineSchema(), since a hotspot depends on the engine', () => {
    expect(defineSchema([hot()]).tables).toHaveLength(1)
  })

  it('is rejected by compileDdl() with HOTSPOT, all findings and their fixes', () => {
    const error = refusal(() => compileDdl(defineSchema([hot()]), { dialect }))
    expect(error).toBeInstanceOf(HotspotError)
    expect(error).toMatchObject({ name: 'HotspotError', code: 'HOTSPOT', table: 'Log', column: 'at' })
    expect(error.message).toBe(message)
    expect((error as HotspotError).findings).toHaveLength(3)
  })

  it('is accepted by openDatabase()', () => {
    const driver: Driver = { ...bareDriver('Nothing is read where a database is opened.'), dialect }
    expect(() => openDatabase({ driver, schema: defineSchema([hot()]) })).not.toThrow()
  })

  it('is accepted by compileDdl() when suppressions suppress all its hotspots', () => {
    const schema = defineSchema([
      hot({ rule: 'monotonic-first-key', reason: 'tiny' }, { rule: 'monotonic-index', reason: 'tiny' }),
    ])
    expect(compileDdl(schema, { dialect })).toHaveLength(3)
  })

  it('compileDdl() says that the schema is not fit for its database when the finding is not about growth', () => {
    const signed = defineTable('Log', (t) => ({
      shard: t.int64({ generated: 'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 16)' }).key(),
      userId: t.int64().key(),
    }))
    const error = refusal(() => compileDdl(defineSchema([signed]), { dialect }))
    expect(error).toMatchObject({ name: 'HotspotError', code: 'HOTSPOT', table: 'Log', column: 'shard' })
    expect(error.message).toMatch(/^The schema is not fit for its database:\n {2}- Log\.shard: /)
  })

  it('compileDdl() accepts a schema with warnings only', () => {
    const hint = defineTable('Hint', (t) => ({ eventUlid: t.string({ length: 26 }).key() }))
    expect(compileDdl(defineSchema([hint]), { dialect })).toHaveLength(1)
  })
})
