import {
  compileDdl,
  defineSchema,
  defineTable,
  HotspotError,
  lint,
  openDatabase,
  type Driver,
  type TableModel,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { rules } from '../../src/lint/run.js'
import { refusal } from '../support/refusal.js'

type Exceptions = NonNullable<NonNullable<Parameters<typeof defineTable>[2]>['except']>

/** Hot twice by its key's order, and by two indexes. */
function hot(...except: Exceptions): TableModel<object> {
  return defineTable('Log', (t) => ({ at: t.timestamp().key(), userId: t.int64().key(), day: t.date() }), {
    indexes: [
      { name: 'ByDay', on: ['day'] },
      { name: 'ByAt', on: ['at', 'day'] },
    ],
    except,
  })
}

const dialect = 'googlesql'
const found = (...except: Exceptions): string[] =>
  lint(defineSchema([hot(...except)]), { dialect }).map(({ rule, index }) =>
    index ? `${rule} ${index}` : rule,
  )

describe('lint', () => {
  it('runs every rule over every table, in order', () => {
    const other = defineTable('Other', (t) => ({ at: t.timestamp().key() }))
    const findings = lint(defineSchema([hot(), other]), { dialect })
    expect(findings.map(({ table, rule, index }) => [table, rule, index])).toStrictEqual([
      ['Log', 'monotonic-first-key', undefined],
      ['Log', 'monotonic-index', 'ByDay'],
      ['Log', 'monotonic-index', 'ByAt'],
      ['Other', 'monotonic-first-key', undefined],
    ])
  })

  it('gives findings that are plain JSON, each with its rule, place, message, fix and link', () => {
    const findings = lint(defineSchema([hot()]), { dialect })
    expect(JSON.parse(JSON.stringify(findings))).toStrictEqual(findings)
    for (const finding of findings) {
      expect(finding).toMatchObject({
        rule: expect.stringMatching(/^[a-z-]+$/),
        severity: 'error',
        table: 'Log',
        message: expect.stringMatching(/\.$/),
        fix: expect.stringMatching(/\.$/),
        link: `docs/lint/${finding.rule}.md`,
      })
    }
  })

  it.each(['mysql', 'CQL', '', 'toString', '__proto__'])('is not for the dialect %j', (name) => {
    const error = refusal(() => lint(defineSchema([hot()]), { dialect: name as typeof dialect }))
    expect(error.code).toBe('UNSUPPORTED')
    expect(error.message).toBe(
      `${JSON.stringify(name)} is not a dialect. Use one of googlesql, spanner-postgresql, cql.`,
    )
  })

  it('refuses a target that is none', () => {
    const error = refusal(() => lint(defineSchema([]), { dialect: 'cql', target: 'scylla' as 'keyspaces' }))
    expect(error.code).toBe('UNSUPPORTED')
    expect(error.message).toBe('"scylla" is not a target of cql. Use one of cassandra, keyspaces.')
  })

  it('takes an exception from a rule of another engine: models may be for both', () => {
    const table = defineTable('Log', (t) => ({ at: t.timestamp().key() }), {
      except: [
        { rule: 'monotonic-first-key', reason: 'Rare.' },
        { rule: 'time-partition', reason: 'Rare.' },
      ],
    })
    for (const name of ['cql', 'googlesql'] as const)
      expect(lint(defineSchema([table]), { dialect: name })).toStrictEqual([])
  })

  it('has no two rules of one name', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
  })
})

describe('an exception', () => {
  const reason = 'one row an hour'

  it('covers one rule of the whole table', () => {
    expect(found({ rule: 'monotonic-index', reason })).toStrictEqual(['monotonic-first-key'])
    expect(found({ rule: 'monotonic-first-key', reason })).toStrictEqual([
      'monotonic-index ByDay',
      'monotonic-index ByAt',
    ])
  })

  it('covers one index, or one column', () => {
    expect(found({ rule: 'monotonic-index', on: 'ByDay', reason })).toStrictEqual([
      'monotonic-first-key',
      'monotonic-index ByAt',
    ])
    expect(found({ rule: 'monotonic-index', on: 'at', reason })).toStrictEqual([
      'monotonic-first-key',
      'monotonic-index ByDay',
    ])
    expect(found({ rule: 'monotonic-first-key', on: 'userId', reason })).toHaveLength(3)
  })

  it('adds up with others', () => {
    expect(
      found(
        { rule: 'monotonic-index', on: 'ByDay', reason },
        { rule: 'monotonic-index', on: 'ByAt', reason },
        { rule: 'monotonic-first-key', on: 'at', reason },
      ),
    ).toStrictEqual([])
  })

  it('does not reach into another table', () => {
    const cool = defineTable('Cool', (t) => ({ id: t.uuidV4() }), {
      except: [{ rule: 'monotonic-first-key', reason }],
    })
    expect(lint(defineSchema([cool, hot()]), { dialect })).toHaveLength(3)
  })

  it('from a rule that does not exist is an error, with the names of those that do', () => {
    const error = refusal(() =>
      found({ rule: 'monotonic-index', reason }, { rule: 'monotonous-index', reason }),
    )
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID', table: 'Log' })
    expect(error.message).toBe(
      `Log is excepted from monotonous-index, which is no rule. The rules are ${rules.map(({ name }) => name).join(', ')}.`,
    )
  })
})

describe('a severity', () => {
  const schema = defineSchema([hot()])

  it('is another one where the caller says so', () => {
    const findings = lint(schema, { dialect, severity: { 'monotonic-index': 'warning' } })
    expect(findings.map(({ rule, severity }) => `${rule} ${severity}`)).toStrictEqual([
      'monotonic-first-key error',
      'monotonic-index warning',
      'monotonic-index warning',
    ])
  })

  it('of an error does not reach what is only a hint', () => {
    const hint = defineTable('Hint', (t) => ({ eventUlid: t.string({ length: 26 }).key() }))
    const severities = (severity: 'error' | 'warning'): string[] =>
      lint(defineSchema([hint]), { dialect, severity: { 'monotonic-first-key': severity } }).map(
        (finding) => finding.severity,
      )
    expect(severities('error')).toStrictEqual(['warning'])
    expect(severities('warning')).toStrictEqual(['warning'])
  })

  it('may be that of an error for what is advice', () => {
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

  it('may be off', () => {
    expect(lint(schema, { dialect, severity: { 'monotonic-index': 'off' } })).toHaveLength(1)
    expect(
      lint(schema, { dialect, severity: { 'monotonic-index': 'off', 'monotonic-first-key': 'off' } }),
    ).toStrictEqual([])
  })

  it('of a rule that does not exist is an error: a misspelt one would silence nothing', () => {
    const severity = { 'monotonous-index': 'off' } as const
    const error = refusal(() => lint(schema, { dialect, severity }))
    expect(error.message).toContain('monotonous-index')
  })
})

describe('a hot schema', () => {
  const message = [
    'The schema would run hot:',
    '  - Log.at: The primary key starts with at, which grows with time: every insert goes to the same split, ' +
      "and so to one server. Swap the order, primaryKey: ['userId', 'at'], if reads fix userId; else put " +
      "@ShardKey({ shards: 64, of: ['userId'] }) first and read with fanOut. (monotonic-first-key)",
    '  - Log.day: The index ByDay starts with day, which grows with time: every insert into the table writes at ' +
      "the end of the index, so to one server. Give the index a shard, shard: { shards: 16, of: ['userId'] }, " +
      'put a column that does not grow first, or interleave the index in a parent. (monotonic-index)',
    '  - Log.at: The index ByAt starts with at, which grows with time: every insert into the table writes at ' +
      "the end of the index, so to one server. Give the index a shard, shard: { shards: 16, of: ['userId'] }, " +
      'put a column that does not grow first, or interleave the index in a parent. (monotonic-index) ' +
      'Where this is meant, say so: except: [{ rule, reason }] in the options of the table.',
  ].join('\n')

  it('is no error when it is defined: heat depends on the engine', () => {
    expect(defineSchema([hot()]).tables).toHaveLength(1)
  })

  it('is refused by compileDdl, which proposes the swap', () => {
    const error = refusal(() => compileDdl(defineSchema([hot()]), { dialect }))
    expect(error).toBeInstanceOf(HotspotError)
    expect(error).toMatchObject({ name: 'HotspotError', code: 'HOTSPOT', table: 'Log', column: 'at' })
    expect(error.message).toBe(message)
    expect((error as HotspotError).findings).toHaveLength(3)
  })

  it('is refused by openDatabase', () => {
    const driver = { name: 'none', dialect } as Driver
    expect(refusal(() => openDatabase({ driver, schema: defineSchema([hot()]) })).message).toBe(message)
  })

  it('is taken with its exceptions', () => {
    const schema = defineSchema([
      hot({ rule: 'monotonic-first-key', reason: 'tiny' }, { rule: 'monotonic-index', reason: 'tiny' }),
    ])
    expect(compileDdl(schema, { dialect })).toHaveLength(3)
  })

  it('is called unfit rather than hot where something else is wrong with it', () => {
    const signed = defineTable('Log', (t) => ({
      shard: t.int64({ generated: 'MOD(FARM_FINGERPRINT(CAST(userId AS STRING)), 16)' }).key(),
      userId: t.int64().key(),
    }))
    const error = refusal(() => compileDdl(defineSchema([signed]), { dialect }))
    expect(error).toMatchObject({ name: 'HotspotError', code: 'HOTSPOT', table: 'Log', column: 'shard' })
    expect(error.message).toMatch(/^The schema is not fit for its database:\n {2}- Log\.shard: /)
  })

  it('is not refused for a warning', () => {
    const hint = defineTable('Hint', (t) => ({ eventUlid: t.string({ length: 26 }).key() }))
    expect(compileDdl(defineSchema([hint]), { dialect })).toHaveLength(1)
  })
})
