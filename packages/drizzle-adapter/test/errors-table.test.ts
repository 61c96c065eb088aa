import { sql, type SQL } from 'drizzle-orm'
import * as pgCore from 'drizzle-orm/pg-core'
import { defineTable } from '@isotherm/core'
import { functionsOf, testEntries, testPage, type Calls } from '../../core/test/support/wrong-values.js'
import * as googlesql from '../src/index.js'
import * as postgresql from '../src/postgresql.js'

// Every function of both entries, with each kind of invalid value for each parameter. Functions that Drizzle itself exports are not tested.

type Loose = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>
const g = googlesql as unknown as Loose
const p = postgresql as unknown as Loose

const Log = defineTable('Log', (t) => ({ id: t.uuidV4() }))

/** What both entries have, built with one of them: a table with one more column, or with one more item in its third argument. */
interface Dialect {
  readonly entry: Loose
  readonly table: Readonly<Record<'id' | 'name' | 'at', unknown>>
  /** A schema of a table with this column. */
  column(made: unknown): unknown
  /** A schema of a table with this item in its third argument. */
  extra(made: unknown): unknown
  readonly db: Readonly<Record<'select', () => { from(table: unknown): { toSQL(): unknown } }>>
}

const id = googlesql.int64().primaryKey()
const columns = { id, name: googlesql.string(), at: googlesql.timestamp() }
const users = googlesql.spannerTable('User', columns)
const GOOGLESQL: Dialect = {
  entry: g,
  table: users,
  column: (made) => g['toSchema']!([users, g['spannerTable']!('T', { id, column: made })]),
  extra: (made) => g['toSchema']!([users, g['spannerTable']!('T', columns, () => [made])]),
  db: googlesql.drizzle.mock() as never,
}

const pgId = pgCore.bigint({ mode: 'bigint' }).primaryKey()
const pgColumns = { id: pgId, name: pgCore.varchar(), at: pgCore.timestamp({ withTimezone: true }) }
const pgUsers = pgCore.pgTable('User', pgColumns)
const POSTGRESQL: Dialect = {
  entry: p,
  table: pgUsers,
  column: (made) => p['toSchema']!([pgUsers, pgCore.pgTable('T', { id: pgId, column: made as never })]),
  extra: (made) => p['toSchema']!([pgUsers, pgCore.pgTable('T', pgColumns, () => [made as never])]),
  db: postgresql.drizzle.mock() as never,
}

/** A column by its builder, with and without a name. */
const withOptions = ({ entry, column }: Dialect, ...builders: readonly string[]): Calls =>
  Object.fromEntries(
    builders.map((name) => [
      name,
      {
        options: (wrong: never) => column(entry[name]!(wrong)),
        'options after a name': (wrong: never) => column(entry[name]!('a_name', wrong)),
      },
    ]),
  )

const withName = ({ entry, column }: Dialect, ...builders: readonly string[]): Calls =>
  Object.fromEntries(builders.map((name) => [name, { name: (wrong: never) => column(entry[name]!(wrong)) }]))

/** SQL of two operands, in the condition of a select. */
const operands = ({ entry, table, db }: Dialect, ...names: readonly string[]): Calls =>
  Object.fromEntries(
    names.map((name) => {
      const run = (...args: readonly unknown[]): unknown =>
        (db.select().from(table) as unknown as { where(sql: SQL): { toSQL(): unknown } })
          .where(entry[name]!(...args) as SQL)
          .toSQL()
      return [
        name,
        { left: (wrong: never) => run(wrong, 'a'), right: (wrong: never) => run(table.name, wrong) },
      ]
    }),
  )

const select = ({ table, db }: Dialect) => db.select().from(table)

const sharedBy = (dialect: Dialect): Calls => {
  const { entry, table, extra, column } = dialect
  const on = (made: unknown): googlesql.IndexBuilder =>
    (made as googlesql.IndexBuilderOn).on(table.at as never) as never
  const index = (name: string): Calls[string] => ({
    name: (wrong) => extra(on(entry[name]!(wrong))),
    columns: (wrong) => extra((entry[name]!('by_at') as googlesql.IndexBuilderOn).on(wrong)),
    storing: (wrong) => extra(on(entry[name]!('by_at')).storing(wrong)),
    whereNotNull: (wrong) => extra(on(entry[name]!('by_at')).whereNotNull(wrong)),
    shard: (wrong) => extra(on(entry[name]!('by_at')).shard(wrong)),
    interleaveIn: (wrong) => extra(on(entry[name]!('by_at')).interleaveIn(wrong)),
  })
  return {
    ...withOptions(dialect, 'bitReversedId', 'descTimestamp', 'hashKey', 'sequential', 'shardKey', 'uuidV4'),
    ...operands(dialect, 'ilike', 'notIlike'),
    parentKey: { column: (wrong) => column(entry['parentKey']!(wrong)) },
    interleaveIn: {
      parent: (wrong) => extra(entry['interleaveIn']!(wrong)),
      options: (wrong) => extra(entry['interleaveIn']!(table, wrong)),
    },
    rowDeletionPolicy: {
      column: (wrong) => extra(entry['rowDeletionPolicy']!(wrong, { days: 5 })),
      options: (wrong) => extra(entry['rowDeletionPolicy']!(table.at, wrong)),
    },
    workload: { load: (wrong) => extra(entry['workload']!(wrong)) },
    suppress: { suppression: (wrong) => extra(entry['suppress']!(wrong)) },
    index: index('index'),
    uniqueIndex: index('uniqueIndex'),
    drizzle: {
      client: (wrong) => entry['drizzle']!(wrong),
      config: (wrong) => (entry['drizzle'] as unknown as { mock(config: never): unknown }).mock(wrong),
    },
    toSchema: {
      declarations: (wrong) => entry['toSchema']!(wrong),
      'a declaration': (wrong) => entry['toSchema']!([table, wrong]),
      options: (wrong) => entry['toSchema']!([table], wrong),
      changeStreams: (wrong) => entry['toSchema']!([table], { changeStreams: [wrong] }),
    },
    toDrizzle: {
      model: (wrong) => entry['toDrizzle']!(wrong),
      options: (wrong) => entry['toDrizzle']!(Log, wrong),
    },
    fanOut: {
      select: (wrong) => entry['fanOut']!(wrong),
      options: (wrong) => entry['fanOut']!(select(dialect), wrong),
    },
  }
}

const named =
  (entry: Loose, declare: (made: unknown) => unknown) =>
  (name: string, ...after: readonly unknown[]) =>
  (wrong: never) =>
    declare(entry[name]!(wrong, ...after))

const said = named(g, GOOGLESQL.extra)
const declared = named(g, (made) => g['toSchema']!([users, made]))

const set = (name: string): Calls => ({
  [name]: {
    left: (wrong) => g[name]!(wrong, select(GOOGLESQL)),
    right: (wrong) => g[name]!(select(GOOGLESQL), wrong),
    rest: (wrong) => g[name]!(select(GOOGLESQL), select(GOOGLESQL), wrong),
  },
})

const IN_GOOGLESQL: Calls = {
  ...sharedBy(GOOGLESQL),
  ...withOptions(GOOGLESQL, 'bytes', 'date', 'int64', 'numeric', 'string', 'timestamp', 'uuid'),
  ...withName(GOOGLESQL, 'bool', 'float32', 'float64', 'json'),
  ...operands(GOOGLESQL, 'arrayContained', 'arrayContains', 'arrayOverlaps'),
  ...operands(GOOGLESQL, 'cosineDistance', 'innerProduct', 'l2Distance'),
  ...set('union'),
  ...set('unionAll'),
  ...set('intersect'),
  ...set('intersectAll'),
  ...set('except'),
  ...set('exceptAll'),
  commitTimestamp: { 'no argument': (wrong) => g['commitTimestamp']!(wrong) },
  alias: {
    table: (wrong) => g['alias']!(wrong, 'a'),
    name: (wrong) => select({ ...GOOGLESQL, table: g['alias']!(users, wrong) as never }).toSQL(),
  },
  check: {
    name: said('check', sql`true`),
    value: (wrong) => GOOGLESQL.extra(g['check']!('a_check', wrong)),
  },
  customType: {
    params: (wrong) => GOOGLESQL.column((g['customType']!(wrong) as () => unknown)()),
    dataType: (wrong) => GOOGLESQL.column((g['customType']!({ dataType: wrong }) as () => unknown)()),
  },
  foreignKey: {
    config: said('foreignKey'),
    columns: (wrong) => GOOGLESQL.extra(g['foreignKey']!({ columns: wrong, foreignColumns: [users.id] })),
    foreignColumns: (wrong) =>
      GOOGLESQL.extra(g['foreignKey']!({ columns: [users.id], foreignColumns: wrong })),
  },
  getTableConfig: { table: (wrong) => g['getTableConfig']!(wrong) },
  primaryKey: {
    config: said('primaryKey'),
    columns: (wrong) => GOOGLESQL.extra(g['primaryKey']!({ columns: wrong })),
  },
  spannerSchema: {
    name: declared('spannerSchema'),
    'name of a table': (wrong) =>
      g['toSchema']!([googlesql.spannerSchema('s').table(wrong, { id: googlesql.uuidV4() })]),
  },
  spannerSequence: {
    name: declared('spannerSequence'),
    options: (wrong) => g['toSchema']!([users, g['spannerSequence']!('Numbers', wrong)]),
  },
  spannerTable: {
    name: declared('spannerTable', columns),
    columns: (wrong) => g['toSchema']!([g['spannerTable']!('T', wrong)]),
    'a column': (wrong) => GOOGLESQL.column(wrong),
    'third argument': (wrong) => g['toSchema']!([g['spannerTable']!('T', columns, wrong)]),
    'what it gives': (wrong) => GOOGLESQL.extra(wrong),
  },
  spannerTableCreator: {
    rename: (wrong) => (g['spannerTableCreator']!(wrong) as googlesql.SpannerTableFn)('T', columns),
  },
  spannerView: {
    name: (wrong) =>
      (g['spannerView']!(wrong) as { as(query: unknown): unknown }).as(() => select(GOOGLESQL)),
    // Without columns, the view is defined by a query.
    columns: (wrong) => (g['spannerView']!('V', wrong) as { existing?(): unknown }).existing?.(),
    query: (wrong) => g['toSchema']!([users, googlesql.spannerView('V').as(wrong)]),
    options: (wrong) => googlesql.spannerView('V').with(wrong),
  },
  unique: {
    name: (wrong) =>
      GOOGLESQL.extra((g['unique']!(wrong) as { on(column: unknown): unknown }).on(users.name)),
    columns: (wrong) => GOOGLESQL.extra(googlesql.unique('a_name').on(wrong)),
  },
}

const IN_POSTGRESQL: Calls = {
  ...sharedBy(POSTGRESQL),
  ...withName(POSTGRESQL, 'bytea', 'commitTimestamp'),
  immutable: { column: (wrong) => POSTGRESQL.extra(p['immutable']!(wrong)) },
  pendingCommitTimestamp: { 'no argument': (wrong) => p['pendingCommitTimestamp']!(wrong) },
}

/** Classes that callers only name, or pass to `is`; `FanOut` and the database have rows of their own. */
const CLASSES = /^(FanOut|QueryBuilder|Spanner(Pg)?(Database|Dialect|Transaction))$/

const ENTRIES = [
  { title: '`@isotherm/drizzle-adapter`', module: googlesql, functions: IN_GOOGLESQL },
  { title: '`@isotherm/drizzle-adapter/postgresql`', module: postgresql, functions: IN_POSTGRESQL },
].map(({ title, module, functions }) => ({
  title,
  names: functionsOf(module).filter((name) => !CLASSES.test(name)),
  functions,
  reads: true as const,
}))

testEntries(ENTRIES)

testPage(ENTRIES, {
  page: 'wrong-input-drizzle.md',
  title: 'Wrong input of the Drizzle adapter',
  writtenBy: 'packages/drizzle-adapter/test/errors-table.test.ts',
  says: [
    'What each function of the adapter says of values that it does not take; of those of the core, [Wrong input](wrong-input.md) has the',
    'table. A declaration is taken to `toSchema`, and a condition to the SQL of a select.',
  ],
})
