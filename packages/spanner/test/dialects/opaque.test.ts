import { diffSchemas } from '@isotherm/migrations'
import type { CatalogReader } from '@isotherm/core/tools'
import { compileDdl, defineSchema, defineTable, type OpaqueColumn } from '@isotherm/core'
import { cql } from '@isotherm/cassandra'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { opaqueObject } from '../../../core/src/ddl/opaque.js'
import { readSchema } from '../../../core/src/database/introspect.js'
import { lexicalSyntaxes } from '../../../core/test/support/lexical-syntaxes.js'
import {
  type RecordedTable,
  recordedCatalogue,
  recordedTables,
} from '../../../core/test/support/recorded-catalogue.js'

const known: readonly (readonly [
  keyof typeof lexicalSyntaxes,
  string,
  name: string,
  drop: string | undefined,
  runs: string,
  change: string,
])[] = [
  [
    'googlesql',
    'CREATE SEARCH INDEX s.I ON s.T(c)',
    'SEARCH INDEX s.I',
    'DROP SEARCH INDEX s.I',
    'after tables',
    'remake',
  ],
  [
    'googlesql',
    'CREATE VECTOR INDEX IF NOT EXISTS `V` ON T(e)',
    'VECTOR INDEX V',
    'DROP VECTOR INDEX `V`',
    'after tables',
    'remake',
  ],
  ['googlesql', 'CREATE OR REPLACE MODEL M REMOTE', 'MODEL M', 'DROP MODEL M', 'after tables', 'remake'],
  [
    'googlesql',
    'CREATE PROPERTY GRAPH G NODE TABLES (A)',
    'PROPERTY GRAPH G',
    'DROP PROPERTY GRAPH G',
    'last',
    'remake',
  ],
  ['googlesql', 'CREATE PROTO BUNDLE (a.b.C)', 'PROTO BUNDLE', 'DROP PROTO BUNDLE', 'first', 'refuse'],
  ['googlesql', 'CREATE ROLE reader', 'ROLE reader', 'DROP ROLE reader', 'first', 'refuse'],
  [
    'googlesql',
    "CREATE LOCALITY GROUP g OPTIONS (storage = 'ssd')",
    'LOCALITY GROUP g',
    'DROP LOCALITY GROUP g',
    'first',
    'refuse',
  ],
  [
    'googlesql',
    'GRANT SELECT ON TABLE T TO ROLE r',
    'GRANT SELECT ON TABLE T TO ROLE r',
    'REVOKE SELECT ON TABLE T FROM ROLE r',
    'last',
    'remake',
  ],
  [
    'googlesql',
    'ALTER TABLE T ADD SYNONYM S',
    'SYNONYM S',
    'ALTER TABLE T DROP SYNONYM S',
    'after tables',
    'remake',
  ],
  [
    'googlesql',
    "ALTER TABLE T SET OPTIONS (locality_group = 'g')",
    'OPTIONS locality_group of T',
    'ALTER TABLE T SET OPTIONS (locality_group = NULL)',
    'after tables',
    'set',
  ],
  [
    'googlesql',
    "ALTER TABLE T ALTER COLUMN c SET OPTIONS (locality_group = 'g')",
    'OPTIONS locality_group of T.c',
    'ALTER TABLE T ALTER COLUMN c SET OPTIONS (locality_group = NULL)',
    'after tables',
    'set',
  ],
  [
    'googlesql',
    'ALTER TABLE T ADD ROW DELETION POLICY (f(c))',
    'ROW DELETION POLICY of T',
    'ALTER TABLE T DROP ROW DELETION POLICY',
    'last',
    'refuse',
  ],
  [
    'googlesql',
    'ALTER DATABASE d SET OPTIONS (a = 1, b = 2)',
    'OPTIONS a, b of the database',
    'ALTER DATABASE d SET OPTIONS (a = NULL, b = NULL)',
    'first',
    'set',
  ],
  [
    'spanner-postgresql',
    `ALTER DATABASE d SET "spanner.x" = 'y'`,
    'OPTION spanner.x of the database',
    'ALTER DATABASE d RESET "spanner.x"',
    'first',
    'set',
  ],
  [
    'spanner-postgresql',
    'CREATE SEARCH INDEX i ON s.t(c)',
    'SEARCH INDEX s.i',
    'DROP SEARCH INDEX s.i',
    'after tables',
    'remake',
  ],
  ['googlesql', 'ANALYZE', 'ANALYZE', undefined, 'last', 'refuse'],
]

describe('opaque statements', () => {
  it.each(known)(
    'opaqueObject() derives in %s the name, the drop statement and the position of %s',
    (dialect, create, name, drop, runs, change) => {
      const object = opaqueObject({ create }, lexicalSyntaxes[dialect])
      expect(object).toMatchObject({ name, create, runs, change })
      expect(object.drop).toBe(drop)
    },
  )

  it('diffSchemas() ignores the name of the database in ALTER DATABASE', () => {
    const [one, other] = ['a', 'b'].map((d) => [`ALTER DATABASE ${d} SET OPTIONS (x = 1)`])
    const schemas = [one!, other!].map((opaqueStatements) => defineSchema([], { opaqueStatements }))
    expect(diffSchemas(schemas[0]!, schemas[1]!, { dialect: googlesql })).toEqual({
      changes: [],
      refusals: [],
    })
  })

  it('opaqueObject() keeps the drop statement that the schema declares', () => {
    const create = 'ANALYZE'
    expect(opaqueObject({ create, drop: 'ANALYZE AGAIN' }, lexicalSyntaxes.googlesql).drop).toBe(
      'ANALYZE AGAIN',
    )
  })
})

const schemaWith = (opaqueColumns: readonly OpaqueColumn[], ...opaqueStatements: string[]) =>
  defineSchema(
    [defineTable('T', (t) => ({ id: t.uuidV4(), a: t.string({ nullable: true }) }), { opaqueColumns })],
    { opaqueStatements },
  )
const stored = { name: 'P', definition: '`examples.Order`' }

describe('a schema with opaque columns', () => {
  it('rejects an opaque column with the name of another column', () => {
    expect(() => schemaWith([{ name: 'A', definition: 'TOKENLIST' }])).toThrow(
      'is an opaque column with the name of a.',
    )
  })

  it('rejects an opaque column that is placed before a missing column', () => {
    const schema = schemaWith([{ ...stored, before: 'gone' }])
    expect(() => compileDdl(schema, { dialect: googlesql })).toThrow(
      'T.P must stand before gone, which is not a column',
    )
  })

  it('rejects opaque columns and opaque statements in CQL', () => {
    expect(() => compileDdl(schemaWith([stored]), { dialect: cql })).toThrow('has the opaque column P')
    expect(() => compileDdl(schemaWith([], 'ANALYZE'), { dialect: cql })).toThrow(
      'has the opaque statement "ANALYZE"',
    )
  })

  it.each([
    [
      'changes the type of an opaque column with values',
      schemaWith([stored]),
      schemaWith([{ ...stored, definition: 'ENUM' }]),
      'column-type',
    ],
    [
      'turns an opaque column into a column that models declare',
      schemaWith([{ name: 'a2', definition: 'X' }]),
      defineSchema([
        defineTable('T', (t) => ({
          id: t.uuidV4(),
          a: t.string({ nullable: true }),
          a2: t.string({ nullable: true }),
        })),
      ]),
      'column-type',
    ],
    [
      'drops a column from which an opaque column is computed',
      schemaWith([{ name: 'P', definition: 'TOKENLIST AS (TOKEN(a))' }]),
      defineSchema([
        defineTable('T', (t) => ({ id: t.uuidV4() }), {
          opaqueColumns: [{ name: 'P', definition: 'TOKENLIST AS (TOKEN(a))' }],
        }),
      ]),
      'in-use',
    ],
    [
      'removes an opaque statement without a drop statement',
      schemaWith([], 'ANALYZE'),
      schemaWith([]),
      'drop',
    ],
    ['changes a role', schemaWith([], 'CREATE ROLE r'), schemaWith([], 'CREATE ROLE r WITH x'), 'drop'],
  ])('diffSchemas() refuses a migration that %s', (_, from, to, kind) => {
    const { refusals } = diffSchemas(from, to, { dialect: googlesql })
    expect(refusals.map((refusal) => refusal.kind)).toEqual([kind])
  })

  it.each([
    ['CREATE SEARCH INDEX S ON T(P)', undefined],
    ['GRANT SELECT ON TABLE T TO ROLE r', undefined],
    ['ALTER TABLE T ADD SYNONYM U', undefined],
    ['ALTER DATABASE d SET OPTIONS (version_retention_period = "2d")', undefined],
    ['CREATE PLACEMENT p', true],
  ])(
    'diffSchemas() marks the removal of the statement %s as data loss only for a placement: %s',
    (statement, dataLoss) => {
      const { changes } = diffSchemas(schemaWith([], statement), schemaWith([]), { dialect: googlesql })
      expect(changes.map((change) => ('dataLoss' in change ? change.dataLoss : undefined))).toEqual([
        dataLoss,
      ])
    },
  )

  it('diffSchemas() marks dropping a stored opaque column as data loss, but not a computed opaque column', () => {
    const computed = { name: 'Q', definition: 'TOKENLIST AS (TOKEN(a))' }
    const { changes } = diffSchemas(schemaWith([stored, computed]), schemaWith([]), { dialect: googlesql })
    expect(changes).toEqual([
      { kind: 'drop-column', table: 'T', column: 'Q' },
      { kind: 'drop-column', table: 'T', column: 'P', dataLoss: true },
    ])
  })
})

// Features that the emulator does not support are read from a recorded catalogue of the service.

/** A database of one table with these columns, and with more details in its DDL. */
function serviceWith(columns: RecordedTable['columns'], ddl: readonly string[]): CatalogReader {
  const nullable = columns.map((column) => ({ is_nullable: 'YES', ...column }))
  return recordedCatalogue({ views: recordedTables([{ columns: nullable, key: ['Id'] }]), ddl })
}

describe('readSchema() with features that the emulator lacks', () => {
  const id = { column_name: 'Id', spanner_type: 'INT64', is_nullable: 'NO' }

  it('keeps columns of unknown types as opaque columns, and options and other statements as opaque statements', async () => {
    const ddl = [
      'CREATE PROTO BUNDLE (\n  examples.Order,\n)',
      "CREATE TABLE T (\n  Id INT64 NOT NULL,\n  O `examples.Order` NOT NULL,\n  L STRING(MAX) OPTIONS (\n    locality_group = 'g'\n  ),\n) PRIMARY KEY(Id),\n  OPTIONS (\n    locality_group = 'h'\n  )",
      'CREATE VECTOR INDEX V ON T(E) OPTIONS (distance_type = "COSINE")',
      'GRANT SELECT ON TABLE T TO ROLE r',
    ]
    const schema = await readSchema(
      serviceWith(
        [
          id,
          { column_name: 'O', spanner_type: 'PROTO<examples.Order>', is_nullable: 'NO' },
          { column_name: 'L', spanner_type: 'STRING(MAX)' },
        ],
        ddl,
      ),
      googlesql,
    )
    expect(schema.tables[0]!.opaqueColumns).toEqual([
      { name: 'O', definition: { googlesql: '`examples.Order` NOT NULL' }, before: 'L' },
    ])
    const severity = { 'monotonic-first-key': 'off' } as const
    expect(compileDdl(schema, { dialect: googlesql, severity })).toEqual([
      'CREATE PROTO BUNDLE ( examples.Order, )',
      'CREATE TABLE `T` (\n  `Id` INT64 NOT NULL,\n  `O` `examples.Order` NOT NULL,\n  `L` STRING(MAX)\n) PRIMARY KEY (`Id`)',
      "ALTER TABLE T SET OPTIONS (locality_group = 'h')",
      'CREATE VECTOR INDEX V ON T(E) OPTIONS (distance_type = "COSINE")',
      "ALTER TABLE `T` ALTER COLUMN `L` SET OPTIONS (locality_group = 'g')",
      'GRANT SELECT ON TABLE T TO ROLE r',
    ])
  })

  it('keeps a column with ON UPDATE as an opaque column', async () => {
    const definition = 'TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()) ON UPDATE (CURRENT_TIMESTAMP())'
    const at = { column_name: 'At', spanner_type: 'TIMESTAMP', column_default: 'CURRENT_TIMESTAMP()' }
    const ddl = [`CREATE TABLE T (Id INT64 NOT NULL, At ${definition}) PRIMARY KEY(Id)`]
    const schema = await readSchema(serviceWith([id, at], ddl), googlesql)
    expect(schema.tables[0]!.opaqueColumns).toEqual([{ name: 'At', definition: { googlesql: definition } }])
  })

  it('rejects a key part whose type Isotherm does not model', async () => {
    const ddl = ['CREATE TABLE T (Id `examples.Kind` NOT NULL) PRIMARY KEY(Id)']
    const reader = serviceWith([{ ...id, spanner_type: 'ENUM<examples.Kind>' }], ddl)
    await expect(readSchema(reader, googlesql)).rejects.toThrow(
      'T.Id is of type ENUM<examples.Kind>, which Isotherm does not model, and is a key part.',
    )
  })
})
