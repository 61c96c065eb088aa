import { splitStatements } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { excerpt, formatMigration, parseMigration, type MigrationStatement } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../core/test/support/refusal.js'

// Migrations in CQL have the same file format as migrations in SQL.

const BREAK = '--> statement-breakpoint\n'

function parsed(text: string): readonly MigrationStatement[] {
  return parseMigration(text, 'migration.sql', cql)
}

describe('a migration file in CQL', () => {
  it('parseMigration() returns the CQL statements that formatMigration() wrote', () => {
    const statements: MigrationStatement[] = [
      { kind: 'ddl', sql: 'CREATE TABLE "post" (\n  "id" uuid,\n  PRIMARY KEY (("id"))\n)' },
      { kind: 'transaction', sql: `INSERT INTO "post" ("id", "title") VALUES (uuid(), 'it''s; here')` },
      { kind: 'ddl', sql: `ALTER TABLE "post" WITH comment = $$a; 'b'$$` },
    ]
    const text = formatMigration(statements)
    expect(parsed(text)).toEqual(statements)
  })

  it('accepts CQL comments of two slashes with quotes and semicolons in them', () => {
    const text =
      `// it's the first;\nCREATE TABLE "a" (b int PRIMARY KEY); // done; it's\n${BREAK}` +
      `-- isotherm: transaction\n// rows\nINSERT INTO "a" (b) VALUES (1);\n`
    expect(parsed(text).map(({ kind, sql }) => [kind, excerpt(sql, cql, 20)])).toEqual([
      ['ddl', 'CREATE TABLE "a" (b…'],
      ['transaction', 'INSERT INTO "a" (b)…'],
    ])
    expect(parsed('// nothing;\n')).toEqual([])
  })

  it('rejects an INSERT without a mark that says how to run it', () => {
    expect(refusal(() => parsed('// rows\nINSERT INTO "a" (b) VALUES (1)')).message).toContain(
      'begins with INSERT',
    )
  })

  it('rejects several statements, or a batch, between two breakpoints', () => {
    expect(refusal(() => parsed('CREATE TYPE "a" (b int); CREATE TYPE "c" (d int)')).message).toContain(
      'holds several statements',
    )
    const batch = `BEGIN UNLOGGED BATCH INSERT INTO a (b) VALUES (1); APPLY BATCH;`
    expect(refusal(() => parsed(batch)).message).toContain('holds several statements')
  })

  it('rejects a breakpoint inside a dollar-quoted string', () => {
    const text = `ALTER TABLE a WITH comment = $$\n${BREAK}b$$`
    expect(refusal(() => parsed(text)).message).toContain('ends inside a string or a comment')
  })
})

it('splitStatements() ignores semicolons in CQL strings, names and comments', () => {
  const script = `// first; not yet
    CREATE TABLE "a;b" (c text); /* between; */ INSERT INTO x (y) VALUES ('it''s; //'); -- last;
    ALTER TABLE a WITH comment = $$;$$`
  expect(splitStatements(script, cql)).toEqual([
    'CREATE TABLE "a;b" (c text)',
    `INSERT INTO x (y) VALUES ('it''s; //')`,
    'ALTER TABLE a WITH comment = $$;$$',
  ])
})
