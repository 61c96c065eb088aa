import type { SqlDialect } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { readSchema } from '../../../core/src/database/introspect.js'
import {
  recordedCatalogue,
  recordedTables,
  type RecordedTable,
} from '../../../core/test/support/recorded-catalogue.js'

// Features that the emulator does not support or does not report: rows as the documentation of the service describes them.

async function tableOf(table: RecordedTable, dialect: SqlDialect = googlesql) {
  const position = { schema: dialect.name === 'googlesql' ? '' : 'public', ...table }
  const schema = await readSchema(recordedCatalogue({ views: recordedTables([position]) }), dialect)
  return schema.tables[0]!
}

const key = { column_name: 'id', spanner_type: 'INT64' }

describe('readSchema() with the catalogue of the service', () => {
  it('reads a native UUID and its default', async () => {
    const { columns } = await tableOf({
      columns: [
        { column_name: 'id', spanner_type: 'UUID', column_default: 'NEW_UUID()' },
        { column_name: 'other', spanner_type: 'UUID', is_nullable: 'YES' },
      ],
      key: ['id'],
    })
    expect(columns).toMatchObject([
      { type: { kind: 'uuid', storage: 'native' }, source: { kind: 'uuid-v4' } },
      { type: { kind: 'uuid', storage: 'native' }, nullable: true },
    ])
    expect(columns[1]).not.toHaveProperty('source')
    const postgres = await tableOf(
      {
        columns: [{ column_name: 'id', spanner_type: 'uuid', column_default: 'gen_random_uuid()' }],
        key: ['id'],
      },
      spannerPostgresql,
    )
    expect(postgres).toMatchObject({
      name: 'T',
      columns: [{ type: { kind: 'uuid', storage: 'native' }, source: { kind: 'uuid-v4' } }],
    })
  })

  it.each<[SqlDialect, string, string, ...string[]]>([
    [googlesql, 'STRING(MAX)', 'TIMESTAMP', "'TEXT'", "TIMESTAMP 'TEXT'"],
    [spannerPostgresql, 'text', 'timestamp with time zone', "'TEXT'::text", "'TEXT'::timestamptz"],
  ])(
    'reads the defaults of text and timestamp columns as values in $name',
    async (dialect, text, moment, ...defaults) => {
      const [ofText, ofMoment] = defaults.map((sql) => sql.replace('TEXT', '2026-08-01 10:00:00+02'))
      const { columns } = await tableOf(
        {
          columns: [
            { ...key, spanner_type: dialect.name === 'googlesql' ? 'INT64' : 'bigint' },
            { column_name: 's', spanner_type: text, column_default: ofText },
            { column_name: 't', spanner_type: moment, column_default: ofMoment },
          ],
          key: ['id'],
        },
        dialect,
      )
      expect(columns.map((column) => column.default)).toEqual([
        undefined,
        { value: '2026-08-01 10:00:00+02' },
        { value: '2026-08-01T08:00:00Z' },
      ])
    },
  )

  it('reads an identity and its skip range', async () => {
    const identity = { is_identity: 'YES', identity_skip_range_min: '1', identity_skip_range_max: '9' }
    const schema = await readSchema(
      recordedCatalogue({
        views: recordedTables([{ columns: [{ ...key, ...identity }], key: ['id'] }]),
        has: [
          'COLUMNS.IS_IDENTITY',
          'COLUMNS.IDENTITY_START_WITH_COUNTER',
          'COLUMNS.IDENTITY_SKIP_RANGE_MIN',
          'COLUMNS.IDENTITY_SKIP_RANGE_MAX',
        ],
      }),
      googlesql,
    )
    expect(schema.tables[0]!.columns[0]!.source).toEqual({
      kind: 'bit-reversed',
      from: 'identity',
      skipRange: ['1', '9'],
    })
  })

  it('reads a hidden column from the catalogue or from the DDL', async () => {
    const views = recordedTables([
      { columns: [key, { column_name: 'h', spanner_type: 'INT64', is_hidden: 'TRUE' }], key: ['id'] },
    ])
    const known = await readSchema(recordedCatalogue({ views, has: ['columns.is_hidden'] }), googlesql)
    expect(known.tables[0]!.columns[1]).toMatchObject({ name: 'h', hidden: true })
    const unknown = await readSchema(recordedCatalogue({ views }), googlesql)
    expect(unknown.tables[0]!.columns[1]).not.toHaveProperty('hidden')
    const ddl = ['CREATE TABLE T (id INT64, h INT64 HIDDEN) PRIMARY KEY (id)']
    const schema = await readSchema(recordedCatalogue({ views, ddl }), googlesql)
    expect(schema.tables[0]!.columns[1]).toMatchObject({ hidden: true })
  })

  it('reads a child with INTERLEAVE IN, which does not require its parent', async () => {
    const child = { column_name: 'n', spanner_type: 'INT64' }
    const views = recordedTables([
      {
        schema: 'b',
        name: 'Child',
        columns: [key, child],
        key: ['id', 'n'],
        row: { parent_table_name: 'Parent', interleave_type: 'IN' },
      },
      { schema: 'b', name: 'Parent', columns: [key], key: ['id'], row: { interleave_type: '' } },
    ])
    const schema = await readSchema(recordedCatalogue({ views, has: ['tables.interleave_type'] }), googlesql)
    expect(schema.tables.map(({ name }) => name)).toEqual(['b.Parent', 'b.Child'])
    expect(schema.tables[1]!.parent).toEqual({ table: 'b.Parent', onDelete: 'no action', required: false })
    expect(schema.tables[1]!.columns.map(({ inherited }) => inherited)).toEqual([true, false])
  })

  it('reads the security of a view', async () => {
    const schema = await readSchema(
      recordedCatalogue({
        views: {
          views: [
            { table_schema: '', table_name: 'A', view_definition: 'SELECT 1 AS a', security_type: 'DEFINER' },
            { table_schema: '', table_name: 'B', view_definition: 'SELECT 1 AS a' },
          ],
        },
        has: ['views.security_type'],
      }),
      googlesql,
    )
    expect(schema.views.map(({ security }) => security)).toEqual(['definer', 'invoker'])
  })

  it('reads the NOT NULL filter of an index', async () => {
    const views = recordedTables([
      {
        schema: 'public',
        columns: [
          { ...key, spanner_type: 'bigint' },
          { column_name: 'A', spanner_type: 'text' },
        ],
        key: ['id'],
      },
    ])
    const index = {
      table_schema: 'public',
      table_name: 'T',
      index_name: 'ix',
      is_unique: 'NO',
      is_null_filtered: 'NO',
    }
    views['indexes']!.push({
      ...index,
      index_type: 'GLOBAL',
      filter: '((id IS NOT NULL) AND ("A" IS NOT NULL))',
    })
    views['index_columns']!.push({ ...index, column_name: 'A', ordinal_position: 1, column_ordering: 'DESC' })
    const schema = await readSchema(recordedCatalogue({ views, has: ['indexes.filter'] }), spannerPostgresql)
    expect(schema.tables[0]!.indexes).toEqual([
      {
        name: 'ix',
        parts: [{ property: 'A', order: 'desc' }],
        unique: false,
        nullFiltered: false,
        notNull: ['id', 'A'],
        storing: [],
      },
    ])
  })
})

describe('readSchema() with a foreign key', () => {
  const columns = ['a', 'b'].map((name) => ({ column_name: name, spanner_type: 'INT64' }))
  const at = { table_schema: '', table_name: 'T', constraint_schema: '', constraint_name: 'fk' }
  const other = { ...at, table_name: 'U' }
  const unique = { ...other, constraint_name: 'PK_U' }
  const views = {
    ...recordedTables([
      { name: 'T', columns, key: ['a'] },
      { name: 'U', columns, key: ['a', 'b'] },
    ]),
    table_constraints: [{ ...at, constraint_type: 'FOREIGN KEY', enforced: 'YES' }],
    referential_constraints: [{ ...at, unique_constraint_name: 'PK_U', delete_rule: 'CASCADE' }],
    key_column_usage: [
      { ...at, column_name: 'b', ordinal_position: 2, position_in_unique_constraint: 1 },
      { ...at, column_name: 'a', ordinal_position: 1, position_in_unique_constraint: 2 },
      { ...unique, column_name: 'b', ordinal_position: 2 },
      { ...unique, column_name: 'a', ordinal_position: 1 },
    ],
    constraint_column_usage: [
      { ...other, column_name: 'a' },
      { ...other, column_name: 'b' },
    ],
  }
  const read = async (ddl: string[], changed: object = {}) =>
    (await readSchema(recordedCatalogue({ views: { ...views, ...changed }, ddl }), googlesql)).tables[0]!
      .foreignKeys

  it('reads a foreign key from the catalogue', async () => {
    expect(await read([])).toEqual([
      { name: 'fk', columns: ['a', 'b'], table: 'U', references: ['b', 'a'], onDelete: 'cascade' },
    ])
  })

  it('reads a foreign key that is not enforced from the DDL, and throws DATABASE without the DDL', async () => {
    const changed = {
      table_constraints: [{ ...at, constraint_type: 'FOREIGN KEY', enforced: 'NO' }],
      referential_constraints: [],
      constraint_column_usage: [],
    }
    const ddl = (head: string) => [
      `CREATE TABLE T (a INT64, b INT64, ${head} FOREIGN KEY (a, b) REFERENCES U (b, a) NOT ENFORCED) PRIMARY KEY (a)`,
    ]
    expect(await read(ddl('CONSTRAINT fk'), changed)).toEqual([
      {
        name: 'fk',
        columns: ['a', 'b'],
        table: 'U',
        references: ['b', 'a'],
        onDelete: 'no action',
        enforced: false,
      },
    ])
    await expect(read([], changed)).rejects.toMatchObject({ code: 'DATABASE', table: 'T' })
  })

  it('finds the DDL of a foreign key without a name by its columns', async () => {
    const changed = { referential_constraints: [{ ...at, delete_rule: 'NO ACTION' }] }
    const ddl = [
      `CREATE TABLE T (a INT64, b INT64, FOREIGN KEY (b, a) REFERENCES U (a, b),
        FOREIGN KEY (a, b) REFERENCES U (b, a) ON DELETE CASCADE) PRIMARY KEY (a)`,
    ]
    expect(await read(ddl, changed)).toMatchObject([{ references: ['b', 'a'], onDelete: 'cascade' }])
  })
})

describe('readSchema() with views', () => {
  const view = (name: string, query: string) => ({
    table_schema: '',
    table_name: name,
    view_definition: query,
  })
  const order = async (views: ReturnType<typeof view>[], ddl: string[] = []) =>
    (await readSchema(recordedCatalogue({ views: { views }, ddl }), googlesql)).views.map(({ name }) => name)

  it('orders views after the views that they read, and otherwise by name', async () => {
    expect(
      await order([
        view('A', 'SELECT x FROM `C` JOIN (SELECT * FROM B)'),
        view('B', 'SELECT 1 AS x, (SELECT COUNT(*) FROM T, d)'),
        view('C', 'select * from T -- FROM A'),
        view('D', "SELECT 'FROM A' AS A"),
      ]),
    ).toEqual(['C', 'D', 'B', 'A'])
  })

  it('orders views as they were created when names in their queries are ambiguous', async () => {
    const views = [view('A', 'SELECT B.x FROM B'), view('B', 'SELECT x, A FROM (SELECT 1 AS x, 2 AS A)')]
    expect(await order(views, ['CREATE VIEW B …', 'CREATE VIEW A …'])).toEqual(['B', 'A'])
  })
})

describe('a schema from readSchema()', () => {
  const views = {
    ...recordedTables([
      { name: 'Z', columns: [key], key: ['id DESC'] },
      { name: 'A', columns: [key], key: ['id'], row: { parent_table_name: 'M' } },
      { name: 'M', columns: [key], key: ['id'] },
    ]),
    schemata: [{ schema_name: '' }, { schema_name: 'b' }, { schema_name: 'a' }],
  }

  it('is frozen with all its parts, and stays the same when converted to JSON and back', async () => {
    const schema = await readSchema(recordedCatalogue({ views }), googlesql)
    const unfrozen: unknown[] = []
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      if (!Object.isFrozen(value)) unfrozen.push(value)
      Object.values(value).forEach(visit)
    }
    visit(schema)
    expect(unfrozen).toEqual([])
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
  })

  it('does not depend on the order of the catalogue rows', async () => {
    const reversed = Object.fromEntries(
      Object.entries(views).map(([name, rows]) => [name, rows.toReversed()]),
    )
    const schema = await readSchema(recordedCatalogue({ views }), googlesql)
    expect(JSON.stringify(await readSchema(recordedCatalogue({ views: reversed }), googlesql))).toBe(
      JSON.stringify(schema),
    )
    expect(schema.tables.map(({ name }) => name)).toEqual(['M', 'A', 'Z'])
    expect(schema.namespaces).toEqual(['a', 'b'])
  })
})
