import {
  formatMigration,
  migrationHash,
  parseMigration,
  statementHash,
  type MigrationStatement,
  excerpt,
} from '@isotherm/migrations'
import type { Dialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

function parsed(text: string, dialect: Dialect = googlesql): readonly MigrationStatement[] {
  return parseMigration(text, 'migration.sql', dialect)
}

const ddl = (sql: string): MigrationStatement => ({ kind: 'ddl', sql })

describe('the text of a migration', () => {
  it('holds statements with a line between them, and semicolons where they like', () => {
    const text = [
      '\uFEFFCREATE TABLE a (id INT64) PRIMARY KEY (id);',
      '--> statement-breakpoint',
      "  CREATE VIEW v AS SELECT ';' AS s -- not ; the end",
      '  --> statement-breakpoint  ',
      '',
      ';',
      '--> statement-breakpoint',
      '-- nothing to see here; really',
      '--> statement-breakpoint',
      'DROP TABLE b;--> statement-breakpoint',
      'DROP TABLE c',
    ]
    const [first, view, ...rest] = parsed(text.join('\r\n'))
    expect(first).toEqual(ddl('CREATE TABLE a (id INT64) PRIMARY KEY (id)'))
    expect(view).toEqual(ddl("CREATE VIEW v AS SELECT ';' AS s -- not ; the end"))
    expect(rest).toEqual([ddl('DROP TABLE b'), ddl('DROP TABLE c')])
    const body = 'CREATE FUNCTION f AS $$ one; two; $$'
    expect(parsed(`${body} ; -- done; and dusted`, spannerPostgresql)).toEqual([
      ddl(`${body} -- done; and dusted`),
    ])
  })

  it('says how DML is to be run, above its first word', () => {
    const text = `-- isotherm: transaction
      INSERT INTO a (id) VALUES (1);
      --> statement-breakpoint
      --isotherm:partitioned
      -- why
      @{PDML_MAX_PARALLELISM=4} UPDATE a SET v = 1 WHERE v IS NULL
      --> statement-breakpoint

      -- all of them

      -- isotherm: transaction
      UPDATE a SET v = 2 WHERE TRUE
      --> statement-breakpoint
      -- isotherm: partitioned
      /* why */ DELETE FROM a WHERE TRUE`
    expect(parsed(text)).toEqual([
      { kind: 'transaction', sql: 'INSERT INTO a (id) VALUES (1)' },
      {
        kind: 'partitioned',
        sql: '-- why\n      @{PDML_MAX_PARALLELISM=4} UPDATE a SET v = 1 WHERE v IS NULL',
      },
      { kind: 'transaction', sql: expect.stringMatching(/^-- all of them\s+UPDATE a SET v = 2 WHERE TRUE$/) },
      { kind: 'partitioned', sql: '/* why */ DELETE FROM a WHERE TRUE' },
    ])
  })

  it.each([
    [
      'INSERT INTO a (id) VALUES (1)',
      /Statement 1 of migration.sql begins with INSERT.* Put "-- isotherm: transaction" before it\./,
    ],
    [
      '-- all of them\nupdate a set v = 1',
      /begins with UPDATE.*, or "-- isotherm: partitioned" for very many rows/,
    ],
    [
      'DROP TABLE a;\n--> statement-breakpoint\nDELETE FROM b',
      /Statement 2 of migration.sql begins with DELETE/,
    ],
    ['SELECT 1', /begins with SELECT.*A migration changes the schema/],
    [
      '-- isotherm: partitioned\nINSERT INTO a (id) VALUES (1)',
      /is marked partitioned and begins with INSERT.*for UPDATE, DELETE/,
    ],
    ['-- isotherm: transaction\nCREATE TABLE a', /is marked transaction and begins with CREATE/],
    [
      '-- isotherm: reshard\nUPDATE a SET v = 1',
      /is marked reshard and begins with UPDATE.*for PREPARE, BEGIN, COPY/,
    ],
    ['-- isotherm: sometimes\nUPDATE a SET v = 1', /is marked "sometimes", which means nothing/],
    [
      'UPDATE a\n-- isotherm: transaction\nSET v = 1',
      /has "-- isotherm: transaction" inside it.*above its first word/,
    ],
    [
      '-- isotherm: transaction\n-- isotherm: partitioned\nUPDATE a SET v = 1',
      /is marked twice: "-- isotherm: transaction" and "-- isotherm: partitioned"/,
    ],
    [
      'CREATE TABLE a (b INT64); CREATE TABLE c (d INT64)',
      /holds several statements.*"--> statement-breakpoint"/,
    ],
  ])('refuses %j', (text, message) => {
    expect(() => parsed(text)).toThrow(
      expect.objectContaining({ code: 'MIGRATION_INVALID', message: expect.stringMatching(message) }),
    )
  })

  it('passes over comments that hold comments, and hints, before the first word', () => {
    const text = [
      '-- isotherm: transaction',
      '/* all /* of them */ at once */ UPDATE a SET v = 1 WHERE TRUE',
      '--> statement-breakpoint',
      '/* CREATE TABLE b /* in vain */ (id bigint) */',
      '--> statement-breakpoint',
      '-- isotherm: partitioned',
      '/*@ lock_scanned_ranges=exclusive */ /* a /* b */ c */ DELETE FROM a WHERE TRUE',
      '--> statement-breakpoint',
      '/* a /* b */ c */ DROP TABLE c -- */',
    ]
    const statements = parsed(text.join('\n'), spannerPostgresql)
    expect(statements.map(({ kind, sql }) => [kind, excerpt(sql, spannerPostgresql)])).toEqual([
      ['transaction', 'UPDATE a SET v = 1 WHERE TRUE'],
      ['partitioned', 'DELETE FROM a WHERE TRUE'],
      ['ddl', 'DROP TABLE c -- */'],
    ])
  })

  const row = 'INSERT INTO a (v) VALUES'
  const marked = '-- isotherm: transaction\n'
  it.each<[string, number, readonly string[], Dialect?]>([
    ['a text of several lines', 1, [`${marked}${row} ('''it's`, `ours''')`]],
    ['a raw text', 2, ['DROP TABLE a', `${marked}${row} (r"""\\`, '""")', 'DROP TABLE b']],
    ['a text of one line in quotes', 1, [`${marked}${row} ('x`, `y')`]],
    ['a quoted text', 1, [`${marked}${row} ($a$x`, `y$a$)`], spannerPostgresql],
    ['a quoted name', 1, ['DROP TABLE `x', 'y`']],
    ['a comment', 1, ['/* not now:\nDROP TABLE b', 'DROP TABLE a */ DROP TABLE c']],
    [
      'a text, after one with a quote in it',
      2,
      [`${marked}${row} ('it\\'s')`, `${marked}${row} ('''x`, `y''')`],
    ],
  ])('refuses a break inside %s', (_, number, sections, dialect) => {
    expect(() => parsed(sections.join('\n--> statement-breakpoint\n'), dialect)).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_INVALID',
        message: expect.stringMatching(
          new RegExp(
            `^Statement ${number} of migration.sql ends inside a text or a comment, .* Close it before`,
          ),
        ),
      }),
    )
  })

  it.each([
    ['that are right in GoogleSQL', googlesql, `VALUES ('it\\'s')`, `VALUES ("it's")`],
    ['that are right in PostgreSQL', spannerPostgresql, `VALUES ($$it's$$)`, `VALUES ('\\')`],
    ['where no break is at fault', googlesql, `VALUES ('x)`, 'VALUES (1)'],
  ])('leaves quotes to the database %s', (_, dialect, ...values) => {
    const sections = values.map((each) => `${marked}INSERT INTO a (v) ${each}`)
    expect(parsed(sections.join('\n--> statement-breakpoint\n'), dialect)).toHaveLength(2)
  })

  it('is read by the rules of the dialect that is given', () => {
    // A text that a backslash does not end in GoogleSQL, and does in PostgreSQL.
    const text = `${marked}INSERT INTO a (v) VALUES ('\\'); --');`
    expect(parsed(text, spannerPostgresql)[0]!.sql).toBe(`INSERT INTO a (v) VALUES ('\\') --');`)
    expect(parsed(text, googlesql)[0]!.sql).toBe(`INSERT INTO a (v) VALUES ('\\'); --')`)
  })

  /** Words that separators, marks, comments and quotes are made of. */
  const words = fc.array(
    fc.constantFrom(
      'x',
      ' ',
      '\n',
      ';',
      "'",
      "''",
      '"',
      '`',
      '--',
      '-- isotherm:',
      '>',
      '/*',
      '*/',
      '$$',
      '#',
      '\\',
      '🌡',
    ),
    { maxLength: 12 },
  )
  const statement = fc.oneof(
    fc
      .tuple(fc.constantFrom('CREATE TABLE t ', 'ALTER x ', '-- why\nDROP '), words)
      .map(([start, rest]) => ddl(`${start}${rest.join('')}`)),
    fc
      .tuple(fc.constantFrom('INSERT ', 'UPDATE ', '/* ; */ DELETE '), words)
      .map(([start, rest]): MigrationStatement => ({ kind: 'transaction', sql: `${start}${rest.join('')}` })),
    words.map((rest): MigrationStatement => ({ kind: 'partitioned', sql: `UPDATE ${rest.join('')}` })),
  )

  it('gives back what it was made of, or what was read was something else already', () => {
    let runs = 0
    let kept = 0
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), (statements) => {
        runs++
        let once: readonly MigrationStatement[]
        try {
          once = parsed(formatMigration(statements))
        } catch {
          return
        }
        kept++
        // What was once read is read again as the same.
        expect(parsed(formatMigration(once))).toEqual(once)
        const again = parsed(formatMigration(once).replaceAll('\n', '\r\n'))
        expect(migrationHash(again, googlesql)).toBe(migrationHash(once, googlesql))
      }),
      { numRuns: 2000 },
    )
    expect(kept / runs).toBeGreaterThan(0.15)
  })
})

describe('the hash of a statement', () => {
  const hashOf = (statement: MigrationStatement, dialect: Dialect = googlesql) =>
    statementHash(statement, dialect)

  it('is of what it does', () => {
    const one = hashOf(ddl('CREATE TABLE a\n(id INT64)'))
    expect(hashOf(ddl('CREATE TABLE a  \r\n(id INT64)\n'))).toBe(one)
    expect(hashOf(ddl('CREATE TABLE a\n (id INT64)'))).not.toBe(one)
    const sql = 'UPDATE a SET v = 1 WHERE TRUE'
    expect(hashOf({ kind: 'transaction', sql })).not.toBe(hashOf({ kind: 'partitioned', sql }))
    expect(one).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ["SET v = 'a", "' WHERE TRUE", googlesql],
    ['SET v = """a', '""" WHERE TRUE', googlesql],
    ['SET v = $$a', '$$ WHERE TRUE', spannerPostgresql],
  ])('is of the spaces in the text of %s …', (before, after, dialect) => {
    const of = (end: string) =>
      hashOf({ kind: 'transaction', sql: `UPDATE t${end}\n${before}${end}\n${after}` }, dialect)
    const [plain, spaces] = [of(''), of('  ')]
    expect(spaces).not.toBe(plain)
    expect(of('\r')).toBe(plain)
  })
})
