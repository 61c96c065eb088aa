import {
  compileDdl,
  defineSchema,
  defineTable,
  type Driver,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { diffSchemas, planMigration } from '@isotherm/migrations'
import { googlesql, spanner } from '@isotherm/spanner'
import { describe, expect, it, vi } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'
import { roundTrip } from './foreign-ddl.js'

// Objects that Isotherm does not model, and objects that the emulator's catalogue describes wrongly. Each script is one database.

const LONG = 'a_table_with_a_name_that_goes_on_for_exactly_sixty_characters'

const scripts: Readonly<Record<SqlDialect['name'], Readonly<Record<string, string>>>> = {
  googlesql: {
    'a TOKENLIST column, a search index over it, and a column behind it': `
      CREATE TABLE Books (
        Id INT64 NOT NULL, Title STRING(MAX), TitleTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN, Year INT64
      ) PRIMARY KEY (Id);
      CREATE SEARCH INDEX BooksByTitle ON Books (TitleTokens) STORING (Year);
      CREATE INDEX BooksByYear ON Books (Year)`,
    'a table that begins and ends with TOKENLIST columns': `
      CREATE TABLE Books (
        A TOKENLIST AS (TOKEN(Title)) HIDDEN, B TOKENLIST AS (TOKEN(Title)) HIDDEN, Id INT64 NOT NULL, Title STRING(MAX),
        C TOKENLIST AS (TOKENIZE_SUBSTRING(Title, ngram_size_min => 2)) HIDDEN
      ) PRIMARY KEY (Id)`,
    'a model': `
      CREATE MODEL Embed INPUT (content STRING(MAX)) OUTPUT (embeddings STRUCT<values ARRAY<FLOAT64>>)
      REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/m')`,
    'synonyms that are declared with a table and added to a table': `
      CREATE TABLE Customer (Id INT64 NOT NULL, SYNONYM (Client)) PRIMARY KEY (Id);
      CREATE TABLE Invoice (Id INT64 NOT NULL) PRIMARY KEY (Id);
      ALTER TABLE Invoice ADD SYNONYM Bill`,
    'a TOKENLIST column with line breaks in a literal and in its expression': `
      CREATE TABLE Books (Id INT64, Title STRING(MAX),
        Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title || '''one\n  -- two''' || 'three  four')) HIDDEN) PRIMARY KEY (Id)`,
    'options of the database': `
      ALTER DATABASE d SET OPTIONS (version_retention_period = '3d');
      CREATE TABLE T (Id INT64 NOT NULL) PRIMARY KEY (Id)`,
    'virtual generated columns with and without NOT NULL': `
      CREATE TABLE T (Id INT64 NOT NULL, Next INT64 NOT NULL AS (Id + 1), After INT64 AS (Id + 2)) PRIMARY KEY (Id)`,
    'foreign keys without names over the same columns, to others in each order': `
      CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A, B);
      CREATE TABLE U (A INT64, B INT64,
        FOREIGN KEY (A, B) REFERENCES T (A, B), FOREIGN KEY (A, B) REFERENCES T (B, A)) PRIMARY KEY (A)`,
    'twelve checks without names': `
      CREATE TABLE T (A INT64, ${Array.from({ length: 12 }, (_, at) => `CHECK (A <> ${at})`).join(', ')}) PRIMARY KEY (A)`,
    'a change stream that was set to two tables': `
      CREATE TABLE t1 (A INT64, B INT64, C INT64) PRIMARY KEY (A);
      CREATE TABLE t2 (A INT64, B INT64) PRIMARY KEY (A);
      CREATE CHANGE STREAM cs;
      ALTER CHANGE STREAM cs SET FOR t1 (B, C), t2`,
    'a change stream that watched everything': `
      CREATE TABLE t1 (A INT64, B INT64) PRIMARY KEY (A);
      CREATE CHANGE STREAM cs FOR ALL;
      ALTER CHANGE STREAM cs DROP FOR ALL`,
    'a change stream over keys alone': `
      CREATE TABLE t1 (A INT64, B INT64) PRIMARY KEY (A);
      CREATE CHANGE STREAM cs FOR t1 () OPTIONS (retention_period = '2d')`,
  },
  'spanner-postgresql': {
    'a foreign key without a name between tables with long names': `
      CREATE TABLE ${LONG}1 (a bigint PRIMARY KEY);
      CREATE TABLE ${LONG}2 (a bigint PRIMARY KEY, FOREIGN KEY (a) REFERENCES ${LONG}1 (a), CHECK (a > 0))`,
    'options of the database': `
      ALTER DATABASE d SET spanner.default_sequence_kind = 'bit_reversed_positive';
      CREATE TABLE t (a bigint PRIMARY KEY)`,
    'a virtual generated column that is NOT NULL': `
      CREATE TABLE t (a bigint PRIMARY KEY, b bigint NOT NULL GENERATED ALWAYS AS (a + 1) VIRTUAL)`,
    'foreign keys without names over the same columns, to others in each order': `
      CREATE TABLE t (a bigint, b bigint, PRIMARY KEY (a, b));
      CREATE TABLE u (a bigint PRIMARY KEY, b bigint,
        FOREIGN KEY (a, b) REFERENCES t (a, b), FOREIGN KEY (a, b) REFERENCES t (b, a))`,
    'a change stream that was set to two tables': `
      CREATE TABLE t1 (a bigint PRIMARY KEY, b bigint, c bigint);
      CREATE TABLE t2 (a bigint PRIMARY KEY, b bigint);
      CREATE CHANGE STREAM cs;
      ALTER CHANGE STREAM cs SET FOR t1 (b, c), t2`,
    'a change stream that watched everything': `
      CREATE TABLE t1 (a bigint PRIMARY KEY, b bigint);
      CREATE CHANGE STREAM cs FOR ALL;
      ALTER CHANGE STREAM cs DROP FOR ALL`,
  },
}

describe.each(dialects)('introspection of DDL from another tool in $name', (dialect) => {
  it.each(Object.entries(scripts[dialect.name]))(
    'returns a schema whose DDL reproduces %s',
    async (_, script) => {
      const { outcome, reasons, schema } = await roundTrip(script, dialect)
      expect({ outcome, reasons }).toEqual({ outcome: 'same', reasons: [] })
      expect(diffSchemas(schema!, schema!, { dialect })).toEqual({ changes: [], refusals: [] })
    },
  )

  it('notes that it uses the DDL when the catalogue contradicts the DDL', async () => {
    const script = scripts[dialect.name]['a change stream that watched everything']!
    const { notes } = await roundTrip(script, dialect)
    expect(notes).toEqual([
      'The catalogue has the change stream cs over ALL, and the DDL over nothing: the DDL was followed.',
    ])
  })
})

const OPTION: Readonly<Record<SqlDialect['name'], string>> = {
  googlesql: "SET OPTIONS (version_retention_period = '3d')",
  'spanner-postgresql': "SET spanner.default_sequence_kind = 'bit_reversed_positive'",
}

describe.each(dialects)('ALTER DATABASE with the name of another database in $name', (dialect) => {
  it.each<[string, (driver: Driver, statement: string) => Promise<unknown>]>([
    ['applyDdl', (driver, statement) => driver.applyDdl([statement])],
    [
      'schemaChanges',
      async ({ schemaChanges }, statement) => {
        await schemaChanges!.begin([statement], 'set_option')
        await vi.waitUntil(async () => (await schemaChanges!.state('set_option'))?.done, { timeout: 10_000 })
      },
    ],
  ])('sets the option in the connected database by %s', async (_, change) => {
    const client = await (await sharedEmulator()).database({ dialect })
    try {
      const driver = spanner(client, { dialect })
      const statement = `ALTER DATABASE another ${OPTION[dialect.name]}`
      await change(driver, statement)
      const ddl = await driver.readDdl()
      const own = client.formattedName_.split('/').at(-1)!
      expect(ddl).toEqual([expect.stringMatching(new RegExp(`^ALTER DATABASE [\`"]?${own}[\`"]? SET`))])
    } finally {
      await client.delete()
    }
  })
})

const columns = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => ({
  Id: t.int64().key(),
  Title: t.string({ nullable: true }),
  Year: t.int64({ nullable: true }),
})
const tokens = (as: string) => ({
  name: 'Tokens',
  definition: `TOKENLIST AS (${as}(Title)) HIDDEN`,
  before: 'Year',
})
const index = 'CREATE SEARCH INDEX BooksByTitle ON Books (Tokens)'

function books(as?: string, ...opaqueStatements: string[]): Schema {
  const opaqueColumns = as === undefined ? [] : [tokens(as)]
  return defineSchema([defineTable('Books', columns, { opaqueColumns })], { opaqueStatements })
}

describe('models with opaque columns and opaque statements', () => {
  const dialect = googlesql
  const severity = { 'monotonic-first-key': 'off' } as const
  const plain = books()
  const searched = books('TOKENIZE_FULLTEXT', index)

  it('create the opaque columns in the declared position, and the opaque statements after the tables', () => {
    expect(compileDdl(searched, { dialect, severity })).toEqual([
      'CREATE TABLE `Books` (\n  `Id` INT64 NOT NULL,\n  `Title` STRING(MAX),\n' +
        '  `Tokens` TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN,\n  `Year` INT64\n) PRIMARY KEY (`Id`)',
      index,
    ])
  })

  it.each([
    [
      'add opaque columns and statements',
      plain,
      searched,
      ['ALTER TABLE `Books` ADD COLUMN `Tokens` TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN', index],
    ],
    [
      'drop opaque columns after the statements that read them',
      searched,
      plain,
      ['DROP SEARCH INDEX BooksByTitle', 'ALTER TABLE `Books` DROP COLUMN `Tokens`'],
    ],
    [
      'drop and create a changed column and the search index that reads this column',
      searched,
      books('TOKENIZE_SUBSTRING', index),
      [
        'DROP SEARCH INDEX BooksByTitle',
        'ALTER TABLE `Books` DROP COLUMN `Tokens`',
        'ALTER TABLE `Books` ADD COLUMN `Tokens` TOKENLIST AS (TOKENIZE_SUBSTRING(Title)) HIDDEN',
        index,
      ],
    ],
    [
      'drop and create a changed search index',
      searched,
      books('TOKENIZE_FULLTEXT', `${index} STORING (Year)`),
      ['DROP SEARCH INDEX BooksByTitle', `${index} STORING (Year)`],
    ],
  ])('%s in a migration that the engine accepts', async (_, from, to, expected) => {
    const statements = planMigration(from, to, { dialect }).map(({ sql }) => sql)
    expect(statements).toEqual(expected)
    const made = await roundTrip(
      [...compileDdl(from, { dialect, severity }), ...statements].join(';\n'),
      dialect,
    )
    expect(made.reasons).toEqual([])
    const direct = await roundTrip(compileDdl(to, { dialect, severity }).join(';\n'), dialect)
    expect(made.ddl?.flatMap((each) => each.split('\n')).toSorted()).toEqual(
      direct.ddl?.flatMap((each) => each.split('\n')).toSorted(),
    )
  })

  it('drop a removed search index without a warning about lost data', () => {
    const { changes } = diffSchemas(searched, books('TOKENIZE_FULLTEXT'), { dialect })
    expect(changes).toEqual([
      {
        kind: 'drop-opaque',
        name: 'SEARCH INDEX BooksByTitle',
        statement: 'DROP SEARCH INDEX BooksByTitle',
      },
    ])
  })
})
