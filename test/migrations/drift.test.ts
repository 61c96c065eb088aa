import { defineSchema, defineTable, introspect, type Schema, type SqlDialect } from '@isotherm/core'
import { compareWithLive, describeChange } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { databaseAfter, ddlOf } from './planned.js'

/** Expressions that the PostgreSQL dialect gives back in other words. */
const CONDITIONS = [
  "s IN ('a', 'b')",
  "s NOT IN ('a', 'b')",
  "s IN ('a')",
  'n BETWEEN 1 AND 3 AND n > -5',
  "s <> 'x' OR s != 'y'",
  "s LIKE 'a%' AND s NOT LIKE 'b%'",
  'NOT (n > 3)',
  '(n + 1) * 2 > n + 1 * 2',
  'length(s) > 3 OR f > 1.5',
  'CASE WHEN n > 1 THEN true ELSE false END',
  'coalesce(n, 0) = 0',
  "CAST(n AS {text}) = '3'",
  "d > '2020-01-01'",
  "d > DATE '2020-01-01'",
  "stamp > '2020-01-01T00:00:00Z'",
  'f > 1',
]

function conditioned(dialect: SqlDialect, conditions: readonly string[]): Schema {
  const text = dialect.name === 'googlesql' ? 'STRING' : 'text'
  return defineSchema([
    defineTable(
      'C',
      (t) => ({
        id: t.uuidV4(),
        s: t.string({ nullable: true }),
        n: t.int64({ nullable: true }),
        f: t.float64({ nullable: true }),
        d: t.date({ nullable: true }),
        stamp: t.timestamp({ nullable: true }),
      }),
      {
        checks: conditions.map((expression, place) => ({
          name: `Check${place}`,
          expression: expression.replaceAll('{text}', text),
        })),
      },
    ),
  ])
}

/** What is not the same, as nearly as it looks. */
const OTHERS: readonly (readonly [string, string])[] = [
  ["s IN ('a', 'b')", "s IN ('a', 'c')"],
  ["s IN ('a', 'b')", "s NOT IN ('a', 'b')"],
  ['n BETWEEN 1 AND 3', 'n BETWEEN 1 AND 4'],
  ['n > 3', 'n >= 3'],
  ['n > 5', 'n > -5'],
  ["s LIKE 'a%'", "s NOT LIKE 'a%'"],
  ["stamp > '2020-01-01T00:00:00Z'", "stamp > '2020-01-01T00:00:01Z'"],
]

const OTHER_QUERIES: readonly (readonly [string, string])[] = [
  ['SELECT t.n FROM C AS t', 'SELECT t.s AS n FROM C AS t'],
  ['SELECT t.n FROM C AS t', 'SELECT t.n FROM C AS t WHERE t.n > 3'],
]

const QUERIES = [
  'SELECT t.n FROM C AS t',
  'SELECT t.n AS m, t.s FROM C t WHERE t.n > 3 AND t.s = {a} ORDER BY t.n ASC',
  'SELECT count(*) AS many, a.s FROM C a INNER JOIN C AS b ON a.n = b.n GROUP BY a.s',
]

function viewed(dialect: SqlDialect, queries: readonly string[]): Schema {
  const quoted = dialect.name === 'googlesql' ? '`C`' : '"C"'
  const text = (query: string): string => query.replaceAll(' C', ` ${quoted}`).replaceAll('{a}', "'a'")
  return defineSchema(
    [
      defineTable('C', (t) => ({
        id: t.uuidV4(),
        n: t.int64({ nullable: true }),
        s: t.string({ nullable: true }),
      })),
    ],
    { views: queries.map((query, place) => ({ name: `V${place}`, query: text(query) })) },
  )
}

describe.each(dialects)('in $name', (dialect) => {
  it('expressions and queries are the same in the words of the database', async () => {
    const checks = conditioned(dialect, CONDITIONS)
    expect(compareWithLive(checks, await databaseAfter(checks, dialect), { dialect }).changes).toEqual([])
    const views = viewed(dialect, QUERIES)
    expect(compareWithLive(views, await databaseAfter(views, dialect), { dialect }).changes).toEqual([])
  })

  it('other expressions and queries are found in them', async () => {
    const live = await databaseAfter(
      conditioned(
        dialect,
        OTHERS.map(([one]) => one),
      ),
      dialect,
    )
    const expected = conditioned(
      dialect,
      OTHERS.map(([, other]) => other),
    )
    const { changes } = compareWithLive(expected, live, { dialect })
    expect(changes.filter(({ kind }) => kind === 'drop-check')).toHaveLength(OTHERS.length)
    expect(changes.filter(({ kind }) => kind === 'add-check')).toHaveLength(OTHERS.length)

    const views = await databaseAfter(
      viewed(
        dialect,
        OTHER_QUERIES.map(([one]) => one),
      ),
      dialect,
    )
    const wanted = viewed(
      dialect,
      OTHER_QUERIES.map(([, other]) => other),
    )
    const replaced = compareWithLive(wanted, views, { dialect }).changes
    expect(replaced.map(({ kind }) => kind)).toEqual(OTHER_QUERIES.map(() => 'replace-view'))
  })

  it('an index with another filter is another index, where the database tells filters', async () => {
    const filtered = (notNull: ('m' | 'n')[]): Schema =>
      defineSchema([
        defineTable(
          'A',
          (t) => ({
            id: t.uuidV4(),
            n: t.int64(),
            m: t.int64({ nullable: true }),
          }),
          { indexes: [{ name: 'ByM', on: ['n', 'm'], notNull }] },
        ),
      ])
    const different = async (live: Schema, expected: Schema): Promise<string[]> =>
      compareWithLive(expected, await databaseAfter(live, dialect), { dialect }).changes.map(
        ({ kind }) => kind,
      )
    const remade = dialect.name === 'googlesql' ? ['drop-index', 'create-index'] : []
    expect(await different(filtered([]), filtered(['m']))).toEqual(remade)
    expect(await different(filtered(['m']), filtered([]))).toEqual(remade)
    expect(await different(filtered(['m', 'n']), filtered(['n', 'm']))).toEqual([])
    // n is never NULL, so this filter keeps no row out.
    expect(await different(filtered([]), filtered(['n']))).toEqual([])
    expect(await different(filtered(['n']), filtered([]))).toEqual([])
  })

  it('what was changed by hand is found, and told how to fix', async () => {
    const [quote, int64] = dialect.name === 'googlesql' ? ['`', 'INT64'] : ['"', 'bigint']
    const expected = defineSchema([
      defineTable(
        'A',
        (t) => ({ id: t.int64().key(), n: t.int64({ default: 1n }), m: t.int64({ nullable: true }) }),
        { checks: [{ name: 'Positive', expression: 'n > 0' }], indexes: [{ name: 'ByM', on: ['m'] }] },
      ),
      defineTable('B', (t) => ({ id: t.int64().key() })),
    ])
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: ddlOf(expected, dialect) })
    const driver = spanner(client)
    const primary = dialect.name === 'googlesql' ? ') PRIMARY KEY (id)' : ', PRIMARY KEY (id))'
    await driver.applyDdl(
      [
        'DROP TABLE "B"',
        'DROP INDEX "ByM"',
        'ALTER TABLE "A" DROP CONSTRAINT "Positive"',
        'ALTER TABLE "A" ALTER COLUMN "n" DROP DEFAULT',
        `ALTER TABLE "A" ADD COLUMN "more" ${int64}`,
        `CREATE TABLE "Stranger" (id ${int64} NOT NULL${primary}`,
        `CREATE TABLE isotherm_history (id ${int64} NOT NULL${primary}`,
      ].map((sql) => sql.replaceAll('"', quote!)),
    )
    const live = await introspect({ driver, dialect })
    const { changes } = compareWithLive(expected, live, {
      dialect,
      ignore: (name) => name.startsWith('isotherm_'),
    })
    expect(changes.map(describeChange)).toEqual([
      `A: change the column n: default ${dialect.name === 'googlesql' ? '1' : "'1'::bigint"}`,
      'B: create the table',
      'A: create the index ByM (m)',
      'A: add the check Positive (n > 0)',
      'A: drop the column more, with its data',
      'Stranger: drop the table, with its data',
    ])
  })

  it('what cannot be changed in place is found too', async () => {
    const other = defineSchema([defineTable('A', (t) => ({ id: t.int64().key(), n: t.string() }))])
    const expected = defineSchema([defineTable('A', (t) => ({ id: t.int64().key(), n: t.int64().key() }))])
    const { refusals } = compareWithLive(expected, await databaseAfter(other, dialect), { dialect })
    expect(refusals.map(({ kind }) => kind)).toEqual(['primary-key', 'column-type'])
  })
})
