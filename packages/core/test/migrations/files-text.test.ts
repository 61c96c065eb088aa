import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatMigration,
  migrationHash,
  parseMigration,
  statementHash,
  type MigrationStatement,
} from '../../src/migrations/index.js'
import { excerpt } from '../../src/migrations/files/statement-start.js'

function parsed(text: string): readonly MigrationStatement[] {
  return parseMigration(text, 'migration.sql')
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
    expect(parsed('CREATE FUNCTION f AS $$ one; two; $$ ; -- done; and dusted')).toEqual([
      ddl('CREATE FUNCTION f AS $$ one; two; $$ -- done; and dusted'),
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
      '/* a /* b */ DROP TABLE c -- */',
    ]
    expect(parsed(text.join('\n')).map(({ kind, sql }) => [kind, excerpt(sql)])).toEqual([
      ['transaction', 'UPDATE a SET v = 1 WHERE TRUE'],
      ['partitioned', 'DELETE FROM a WHERE TRUE'],
      ['ddl', 'DROP TABLE c -- */'],
    ])
  })

  const row = 'INSERT INTO a (v) VALUES'
  const marked = '-- isotherm: transaction\n'
  it.each([
    ['a text of several lines', 1, [`${marked}${row} ('''it's`, `ours''')`]],
    ['a raw text', 2, ['DROP TABLE a', `${marked}${row} (r"""\\`, '""")', 'DROP TABLE b']],
    ['a text of one line in quotes', 1, [`${marked}${row} ('x`, `y')`]],
    ['a quoted text', 1, [`${marked}${row} ($a$x`, `y$a$)`]],
    ['a quoted name', 1, ['DROP TABLE `x', 'y`']],
    ['a comment', 1, ['/* not now:\nDROP TABLE b', 'DROP TABLE a */ DROP TABLE c']],
    [
      'a text, after texts that only one dialect takes',
      2,
      [`${marked}${row} ('it\\'s')`, `${marked}${row} ('''x`, `y''')`],
    ],
  ])('refuses a break inside %s', (_, number, sections) => {
    expect(() => parsed(sections.join('\n--> statement-breakpoint\n'))).toThrow(
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
    ['GoogleSQL', `VALUES ('it\\'s')`, `VALUES ("it's")`],
    ['PostgreSQL', `VALUES ($$it's$$)`, `VALUES ('\\')`],
    ['neither, where no break is at fault', `VALUES ('x)`, 'VALUES (1)'],
  ])('leaves quotes to the database that are right in %s', (_, ...values) => {
    const sections = values.map((each) => `${marked}INSERT INTO a (v) ${each}`)
    expect(parsed(sections.join('\n--> statement-breakpoint\n'))).toHaveLength(2)
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
    let kept = 0
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 5 }), (statements) => {
        let once: readonly MigrationStatement[]
        try {
          once = parsed(formatMigration(statements))
        } catch {
          return
        }
        kept++
        // What was once read is read again as the same.
        expect(parsed(formatMigration(once))).toEqual(once)
        expect(migrationHash(parsed(formatMigration(once).replaceAll('\n', '\r\n')))).toBe(
          migrationHash(once),
        )
      }),
      { numRuns: 2000 },
    )
    expect(kept).toBeGreaterThan(300)
  })
})

describe('the hash of a statement', () => {
  it('is of what it does', () => {
    const one = statementHash(ddl('CREATE TABLE a\n(id INT64)'))
    expect(statementHash(ddl('CREATE TABLE a  \r\n(id INT64)\n'))).toBe(one)
    expect(statementHash(ddl('CREATE TABLE a\n (id INT64)'))).not.toBe(one)
    const sql = 'UPDATE a SET v = 1 WHERE TRUE'
    expect(statementHash({ kind: 'transaction', sql })).not.toBe(statementHash({ kind: 'partitioned', sql }))
    expect(one).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ["SET v = 'a", "' WHERE TRUE"],
    ['SET v = """a', '""" WHERE TRUE'],
    ['SET v = $$a', '$$ WHERE TRUE'],
  ])('is of the spaces in the text of %s …', (before, after) => {
    const of = (end: string) =>
      statementHash({ kind: 'transaction', sql: `UPDATE t${end}\n${before}${end}\n${after}` })
    const [plain, spaces] = [of(''), of('  ')]
    expect(spaces).not.toBe(plain)
    expect(of('\r')).toBe(plain)
  })
})
