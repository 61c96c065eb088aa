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
  it('parseMigration() splits the text at breakpoints, and accepts statements with and without semicolons', () => {
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

  it('parseMigration() reads from a mark above the first word how to run a DML statement', () => {
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
    ['-- isotherm: sometimes\nUPDATE a SET v = 1', /has the unknown mark "sometimes"/],
    [
      'UPDATE a\n-- isotherm: transaction\nSET v = 1',
      /has "-- isotherm: transaction" inside it.*before its first word/,
    ],
    [
      '-- isotherm: transaction\n-- isotherm: partitioned\nUPDATE a SET v = 1',
      /is marked twice: "-- isotherm: transaction" and "-- isotherm: partitioned"/,
    ],
    [
      'CREATE TABLE a (b INT64); CREATE TABLE c (d INT64)',
      /holds several statements.*"--> statement-breakpoint"/,
    ],
  ])('parseMigration() rejects %j with MIGRATION_INVALID', (text, message) => {
    expect(() => parsed(text)).toThrow(
      expect.objectContaining({ code: 'MIGRATION_INVALID', message: expect.stringMatching(message) }),
    )
  })

  it('parseMigration() skips nested comments and hints before the first word of a statement', () => {
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
    ['a triple-quoted string', 1, [`${marked}${row} ('''it's`, `ours''')`]],
    ['a raw string', 2, ['DROP TABLE a', `${marked}${row} (r"""\\`, '""")', 'DROP TABLE b']],
    ['a string in single quotes', 1, [`${marked}${row} ('x`, `y')`]],
    ['a dollar-quoted string', 1, [`${marked}${row} ($a$x`, `y$a$)`], spannerPostgresql],
    ['a quoted name', 1, ['DROP TABLE `x', 'y`']],
    ['a comment', 1, ['/* not now:\nDROP TABLE b', 'DROP TABLE a */ DROP TABLE c']],
    [
      'a string after a string with an escaped quote',
      2,
      [`${marked}${row} ('it\\'s')`, `${marked}${row} ('''x`, `y''')`],
    ],
  ])('parseMigration() rejects a breakpoint inside %s', (_, number, sections, dialect) => {
    expect(() => parsed(sections.join('\n--> statement-breakpoint\n'), dialect)).toThrow(
      expect.objectContaining({
        code: 'MIGRATION_INVALID',
        message: expect.stringMatching(
          new RegExp(
            `^Statement ${number} of migration.sql ends inside a string or a comment that contains the line .* Close it before`,
          ),
        ),
      }),
    )
  })

  it.each([
    ['that are valid in GoogleSQL', googlesql, `VALUES ('it\\'s')`, `VALUES ("it's")`],
    ['that are valid in PostgreSQL', spannerPostgresql, `VALUES ($$it's$$)`, `VALUES ('\\')`],
    ['that no later statement closes', googlesql, `VALUES ('x)`, 'VALUES (1)'],
  ])('parseMigration() accepts quotes %s', (_, dialect, ...values) => {
    const sections = values.map((each) => `${marked}INSERT INTO a (v) ${each}`)
    expect(parsed(sections.join('\n--> statement-breakpoint\n'), dialect)).toHaveLength(2)
  })

  it('parseMigration() applies the quoting rules of the given dialect', () => {
    // A backslash escapes the quote in GoogleSQL, but not in PostgreSQL.
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

  it('parseMigration() returns the same statements after formatting parsed statements, also with CRLF', () => {
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
        // Statements that were parsed once are formatted and parsed without a change.
        expect(parsed(formatMigration(once))).toEqual(once)
        const again = parsed(formatMigration(once).replaceAll('\n', '\r\n'))
        expect(migrationHash(again, googlesql)).toBe(migrationHash(once, googlesql))
      }),
      { numRuns: 2000 },
    )
    expect(kept / runs).toBeGreaterThan(0.15)
  })
})

describe('statementHash()', () => {
  const hashOf = (statement: MigrationStatement, dialect: Dialect = googlesql) =>
    statementHash(statement, dialect)

  it('depends on kind and text of a statement, but not on white space at line ends', () => {
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
  ])('depends on spaces at line ends inside a string: %s …', (before, after, dialect) => {
    const of = (end: string) =>
      hashOf({ kind: 'transaction', sql: `UPDATE t${end}\n${before}${end}\n${after}` }, dialect)
    const [plain, spaces] = [of(''), of('  ')]
    expect(spaces).not.toBe(plain)
    expect(of('\r')).toBe(plain)
  })
})
