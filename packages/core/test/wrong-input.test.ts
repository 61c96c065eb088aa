import * as core from '@isotherm/core'
import * as cassandraEntry from '@isotherm/cassandra'
import * as cassandraLocal from '@isotherm/cassandra/local'
import * as spannerLocal from '@isotherm/spanner/local'
import * as keys from '@isotherm/core/keys'
import * as keyspaces from '@isotherm/cassandra/keyspaces'
import * as migrations from '@isotherm/migrations'
import * as reshard from '@isotherm/core/reshard'
import * as sequences from '@isotherm/core/sequences'
import * as spannerEntry from '@isotherm/spanner'
import { googlesql } from '@isotherm/spanner'
import { cql } from '@isotherm/cassandra'
import { type ColumnBuilder, type TableBuilder, defineSchema, defineTable } from '@isotherm/core'
import { Aggregable } from '../src/read/aggregates/aggregable.js'
import { FanOutQuery } from '../src/read/query.js'
import { silentDriver } from './support/silent-driver.js'
import {
  type Call,
  type Calls,
  type Entry,
  functionsOf,
  methodsOf,
  testEntries,
  testPage,
} from './support/wrong-values.js'

// Every public function, with each kind of wrong value for each of its arguments. A new entry point needs an entry in ENTRIES; a
// new function without a row here fails the test. The adapter's entry is left out: its arguments are made by Isotherm itself.

const Log = defineTable('Log', (t) => ({ id: t.uuidV4() }))
const schema = defineSchema([Log])
const lintable = { dialect: googlesql } as const

/** A column that is declared with a wrong argument, which `defineSchema` reports. */
const column =
  (builder: keyof TableBuilder, ...before: readonly unknown[]) =>
  (wrong: never) =>
    defineSchema([
      defineTable('T', (t) => ({
        id: t.uuidV4(),
        column: (t[builder] as (...args: readonly unknown[]) => ColumnBuilder<unknown>)(...before, wrong),
      })),
    ])

/** The same by a decorator, as the compiler calls it in its legacy mode. */
const field = (decorator: (input: never) => unknown) => (wrong: never) => {
  class T {}
  ;(core.UuidV4() as (target: object, property: string) => void)(T.prototype, 'id')
  ;(decorator(wrong) as (target: object, property: string) => void)(T.prototype, 'column')
  core.Table('T')(T as never)
  return defineSchema([T])
}

const decorated = (decorate: (target: never, wrong: never) => void) => (wrong: never) => {
  class T {}
  ;(core.UuidV4() as (target: object, property: string) => void)(T.prototype, 'id')
  decorate(T as never, wrong)
  return defineSchema([T])
}

const load = { writesPerSecond: 1, rowBytes: 1 }

const CORE: Calls = {
  BitReversedId: { options: field(core.BitReversedId) },
  Column: {
    'options of string': field(core.Column.string),
    'options of timestamp': field(core.Column.timestamp),
    'type of array': field(core.Column.array),
    'options of bool, by its builder': column('bool'),
    'dimensions of vector': column('vector'),
    'types of tuple': column('tuple'),
    'type of udt': column('udt'),
  },
  DescTimestamp: { options: field(core.DescTimestamp) },
  HashKey: { options: field(core.HashKey) },
  Index: { options: decorated((T, wrong) => (core.Index(wrong)(T), core.Table('T')(T))) },
  Key: { options: field(core.Key) },
  ParentKey: { 'no argument': field(core.ParentKey as never) },
  Sequential: { options: field(core.Sequential) },
  ShardKey: { options: field(core.ShardKey) },
  Table: {
    name: decorated((T, wrong) => core.Table(wrong)(T)),
    options: decorated((T, wrong) => core.Table('T', wrong)(T)),
  },
  TimeBucket: { options: field(core.TimeBucket) },
  TimeUuid: { options: field(core.TimeUuid) },
  UserType: { name: decorated((T, wrong) => core.UserType(wrong)(T)) },
  UuidV4: { options: field(core.UuidV4) },
  compileDdl: {
    schema: (wrong) => core.compileDdl(wrong, lintable),
    options: (wrong) => core.compileDdl(schema, wrong),
    dialect: (wrong) => core.compileDdl(schema, { dialect: wrong }),
  },
  defineSchema: {
    models: (wrong) => defineSchema(wrong),
    'a model': (wrong) => defineSchema([wrong]),
    options: (wrong) => defineSchema([Log], wrong),
  },
  defineTable: {
    name: (wrong) => defineSchema([defineTable(wrong, (t) => ({ id: t.uuidV4() }))]),
    columns: (wrong) => defineSchema([defineTable('T', wrong)]),
    'a column': (wrong) => defineSchema([defineTable('T', () => ({ id: wrong }))]),
    options: (wrong) => defineSchema([defineTable('T', (t) => ({ id: t.uuidV4() }), wrong)]),
  },
  defineUserType: {
    name: (wrong) =>
      defineSchema([Log], { userTypes: [core.defineUserType(wrong, (t) => ({ a: t.bool() }))] }),
    fields: (wrong) => defineSchema([Log], { userTypes: [core.defineUserType('T', wrong)] }),
  },
  introspect: {
    options: (wrong) => core.introspect(wrong),
    driver: (wrong) => core.introspect({ driver: wrong, ...lintable }),
    dialect: (wrong) => core.introspect({ driver: silentDriver, dialect: wrong }),
  },
  isModel: { value: (wrong) => core.isModel(wrong) },
  lint: {
    schema: (wrong) => core.lint(wrong, lintable),
    options: (wrong) => core.lint(schema, wrong),
    severity: (wrong) => core.lint(schema, { ...lintable, severity: wrong }),
    statements: (wrong) => core.lint(schema, { ...lintable, statements: wrong }),
  },
  lintRules: { dialect: (wrong) => core.lintRules(wrong) },
  splitStatements: {
    script: (wrong) => core.splitStatements(wrong, googlesql),
    dialect: (wrong) => core.splitStatements('SELECT 1', wrong),
  },
  sql: {
    expression: (wrong) => core.sql(wrong),
    'an interpolation': (wrong) => core.sql`SELECT ${wrong}`,
  },
}

const KEYS: Calls = {
  bitReverse: { value: (wrong) => keys.bitReverse(wrong), options: (wrong) => keys.bitReverse(1n, wrong) },
  bucketAfter: {
    bucket: (wrong) => keys.bucketAfter(wrong, 'day', 1),
    by: (wrong) => keys.bucketAfter('2026-11-22', wrong, 1),
    steps: (wrong) => keys.bucketAfter('2026-11-22', 'day', wrong),
  },
  bucketOf: { at: (wrong) => keys.bucketOf(wrong, 'day'), by: (wrong) => keys.bucketOf('2026-11-22', wrong) },
  fingerprint: { value: (wrong) => keys.fingerprint(wrong) },
  hashOf: { values: (wrong) => keys.hashOf(wrong, 'sha256'), algorithm: (wrong) => keys.hashOf([1n], wrong) },
  parseTimestamp: { text: (wrong) => keys.parseTimestamp(wrong) },
  shardOf: {
    values: (wrong) => keys.shardOf(wrong, 4),
    shards: (wrong) => keys.shardOf(1n, wrong),
    options: (wrong) => keys.shardOf(1n, 4, wrong),
  },
}

/** Leaves the call out for undefined, which is accepted: the call would start an engine. */
const unlessLeftOut =
  (start: (wrong: never) => unknown): Call =>
  (wrong) =>
    wrong === undefined ? undefined : start(wrong)

const LOG = defineTable('Log', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.uuidV4(),
  at: t.timestamp({ nullable: true }),
}))
const LINE = defineTable(
  'Line',
  (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<string>(), line: t.int64().key() }),
  {
    interleaveIn: () => LOG,
  },
)
const db = core.openDatabase({ driver: silentDriver, schema: defineSchema([LOG, LINE]) })
const id = '00000000-0000-4000-8000-000000000000'
const within = (work: (tx: core.Transaction, wrong: never) => unknown) => (wrong: never) =>
  db.transaction(async (tx) => void (await work(tx, wrong)))

const DATABASE: Calls = {
  openDatabase: {
    options: (wrong) => core.openDatabase(wrong),
    driver: (wrong) => core.openDatabase({ driver: wrong, schema }),
    schema: (wrong) => core.openDatabase({ driver: silentDriver, schema: wrong }),
    tables: (wrong) => core.openDatabase({ driver: silentDriver, schema, tables: wrong }),
    cursorSecret: (wrong) => core.openDatabase({ driver: silentDriver, schema, cursorSecret: wrong }),
  },
  openRows: {
    options: (wrong) => core.openRows(wrong),
    driver: (wrong) => core.openRows({ driver: wrong, schema }),
    schema: (wrong) => core.openRows({ driver: silentDriver, schema: wrong }),
    tables: (wrong) => core.openRows({ driver: silentDriver, schema, tables: wrong }),
  },
  insert: {
    model: (wrong) => db.insert(wrong, []),
    rows: (wrong) => db.insert(LOG, wrong),
    'a row': (wrong) => db.insert(LOG, [wrong]),
    'a value': (wrong) => db.insert(LOG, [{ at: wrong }]),
    options: (wrong) => db.insert(LOG, [{}], wrong),
  },
  get: {
    model: (wrong) => db.get(wrong, { id }),
    key: (wrong) => db.get(LOG, wrong),
    'a value': (wrong) => db.get(LOG, { id: wrong }),
    options: (wrong) => db.get(LOG, { id }, wrong),
  },
  update: {
    model: (wrong) => db.update(wrong, { id }),
    changes: (wrong) => db.update(LOG, wrong),
    'a value': (wrong) => db.update(LOG, { id, at: wrong }),
    options: (wrong) => db.update(LOG, { id, at: null }, wrong),
  },
  upsert: {
    model: (wrong) => db.upsert(wrong, []),
    rows: (wrong) => db.upsert(LOG, wrong),
    'a row': (wrong) => db.upsert(LOG, [wrong]),
    options: (wrong) => db.upsert(LOG, [{ id, at: null }], wrong),
  },
  delete: {
    model: (wrong) => db.delete(wrong, { id }),
    keys: (wrong) => db.delete(LOG, wrong),
    'a value': (wrong) => db.delete(LOG, { id: wrong }),
    options: (wrong) => db.delete(LOG, { id }, wrong),
  },
  increment: { model: (wrong) => db.increment(wrong, { id }), amounts: (wrong) => db.increment(LOG, wrong) },
  transaction: {
    work: (wrong) => db.transaction(wrong),
    options: (wrong) => db.transaction(async () => {}, wrong),
  },
  fanOut: { model: (wrong) => db.fanOut(wrong) },
  readQueryPartition: {
    model: (wrong) => first(db.readQueryPartition(wrong, '' as never)),
    part: (wrong) => first(db.readQueryPartition(LOG, wrong)),
    options: (wrong) => first(db.readQueryPartition(LOG, '' as never, wrong)),
  },
  closeQueryPartitions: {
    part: (wrong) => db.closeQueryPartitions(wrong),
    options: (wrong) => db.closeQueryPartitions('' as never, wrong),
  },
  ready: { options: (wrong) => db.ready(wrong) },
  on: { event: (wrong) => db.on(wrong, () => {}), listener: (wrong) => db.on('skew', wrong) },
  off: { event: (wrong) => db.off(wrong, () => {}), listener: (wrong) => db.off('skew', wrong) },
}

const TRANSACTION: Calls = {
  insert: {
    model: within((tx, wrong) => tx.insert(wrong, [])),
    rows: within((tx, wrong) => tx.insert(LOG, wrong)),
    'a row': within((tx, wrong) => tx.insert(LOG, [wrong])),
    options: within((tx, wrong) => tx.insert(LOG, [{}], wrong)),
  },
  get: {
    model: within((tx, wrong) => tx.get(wrong, { id })),
    key: within((tx, wrong) => tx.get(LOG, wrong)),
  },
  update: {
    model: within((tx, wrong) => tx.update(wrong, { id })),
    changes: within((tx, wrong) => tx.update(LOG, wrong)),
    options: within((tx, wrong) => tx.update(LOG, { id, at: null }, wrong)),
  },
  upsert: {
    model: within((tx, wrong) => tx.upsert(wrong, [])),
    rows: within((tx, wrong) => tx.upsert(LOG, wrong)),
    options: within((tx, wrong) => tx.upsert(LOG, [{ id, at: null }], wrong)),
  },
  delete: {
    model: within((tx, wrong) => tx.delete(wrong, { id })),
    keys: within((tx, wrong) => tx.delete(LOG, wrong)),
    options: within((tx, wrong) => tx.delete(LOG, { id }, wrong)),
  },
}

const logs = db.fanOut(LOG)

async function first(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const row of rows) return void row
}

const FAN_OUT: Calls = {
  where: {
    filter: (wrong) => logs.where(wrong).all(),
    'a condition': (wrong) => logs.where({ at: wrong }).all(),
    'a list': (wrong) => logs.where({ id: { in: wrong } }).all(),
    'a filter of AND': (wrong) => logs.where({ AND: [wrong] }).all(),
  },
  orderBy: {
    property: (wrong) => logs.orderBy(wrong).all(),
    direction: (wrong) => logs.orderBy('at', wrong).all(),
  },
  limit: { rows: (wrong) => logs.limit(wrong).all() },
  after: { cursor: (wrong) => logs.limit(2).after(wrong).page() },
  timestampBound: { bound: (wrong) => logs.timestampBound(wrong).all() },
  onShardError: {
    behaviour: (wrong) => logs.onShardError(wrong).all(),
    listener: (wrong) => logs.onShardError('partial', wrong).all(),
  },
  strategy: { strategy: (wrong) => logs.strategy(wrong).all() },
  useIndex: { name: (wrong) => logs.useIndex(wrong).all() },
  include: {
    name: (wrong) => logs.include(wrong, LINE).all(),
    model: (wrong) => logs.include('lines', wrong).all(),
    options: (wrong) => logs.include('lines', LINE, wrong).all(),
  },
  options: { options: (wrong) => logs.options(wrong).all() },
  queryPartitions: {
    parts: (wrong) => logs.queryPartitions(wrong),
    options: (wrong) => logs.queryPartitions(2, wrong),
  },
  countDistinct: { property: (wrong) => logs.countDistinct(wrong) },
  sum: { property: (wrong) => logs.sum(wrong) },
  avg: { property: (wrong) => logs.avg(wrong) },
  min: { property: (wrong) => logs.min(wrong) },
  max: { property: (wrong) => logs.max(wrong) },
  groupBy: {
    property: (wrong) => logs.groupBy(wrong).count(),
    measures: (wrong) => logs.groupBy('at').select(wrong).all(),
    'a measure': (wrong) => logs.groupBy('at').select({ max: wrong }).all(),
  },
}

const snapshotText = '{}'
const statement = { kind: 'ddl', sql: 'CREATE TABLE T (a INT64) PRIMARY KEY (a)' } as const
const diff = { dialect: googlesql } as const

const MIGRATIONS: Calls = {
  checkSnapshots: { migrations: (wrong) => migrations.checkSnapshots(wrong) },
  compareWithLive: {
    expected: (wrong) => migrations.compareWithLive(wrong, schema, diff),
    live: (wrong) => migrations.compareWithLive(schema, wrong, diff),
    options: (wrong) => migrations.compareWithLive(schema, schema, wrong),
  },
  describeChange: { change: (wrong) => migrations.describeChange(wrong) },
  diffSchemas: {
    from: (wrong) => migrations.diffSchemas(wrong, schema, diff),
    to: (wrong) => migrations.diffSchemas(schema, wrong, diff),
    options: (wrong) => migrations.diffSchemas(schema, schema, wrong),
    renames: (wrong) => migrations.diffSchemas(schema, schema, { ...diff, renames: wrong }),
  },
  excerpt: {
    sql: (wrong) => migrations.excerpt(wrong, googlesql),
    dialect: (wrong) => migrations.excerpt('', wrong),
    length: (wrong) => migrations.excerpt('', googlesql, wrong),
  },
  formatMigration: { statements: (wrong) => migrations.formatMigration(wrong) },
  formatSnapshot: { snapshot: (wrong) => migrations.formatSnapshot(wrong) },
  isMigrationTable: {
    name: (wrong) => migrations.isMigrationTable(wrong),
    table: (wrong) => migrations.isMigrationTable('Log', wrong),
  },
  leaseHolder: {
    driver: (wrong) => migrations.leaseHolder(wrong),
    options: (wrong) => migrations.leaseHolder(silentDriver, wrong),
  },
  losesData: { change: (wrong) => migrations.losesData(wrong) },
  migrate: {
    database: (wrong) => migrations.migrate(wrong, [], lintable),
    migrations: (wrong) => migrations.migrate(db, wrong, lintable),
    dialect: (wrong) => migrations.migrate(db, [], { dialect: wrong }),
    options: (wrong) => migrations.migrate(db, [], wrong),
  },
  migrationHash: {
    statements: (wrong) => migrations.migrationHash(wrong, googlesql),
    dialect: (wrong) => migrations.migrationHash([], wrong),
  },
  migrationStatus: {
    database: (wrong) => migrations.migrationStatus(wrong, []),
    migrations: (wrong) => migrations.migrationStatus(db, wrong),
    options: (wrong) => migrations.migrationStatus(db, [], wrong),
  },
  parseMigration: {
    text: (wrong) => migrations.parseMigration(wrong, 'migration.sql', googlesql),
    file: (wrong) => migrations.parseMigration('', wrong, googlesql),
    dialect: (wrong) => migrations.parseMigration('', 'migration.sql', wrong),
  },
  parseSnapshot: {
    text: (wrong) => migrations.parseSnapshot(wrong, 'snapshot.json'),
    file: (wrong) => migrations.parseSnapshot(snapshotText, wrong),
  },
  planMigration: {
    from: (wrong) => migrations.planMigration(wrong, schema, diff),
    to: (wrong) => migrations.planMigration(schema, wrong, diff),
    options: (wrong) => migrations.planMigration(schema, schema, wrong),
  },
  planReshard: {
    from: (wrong) => migrations.planReshard(wrong, schema, { ...diff, table: 'Log' }),
    to: (wrong) => migrations.planReshard(schema, wrong, { ...diff, table: 'Log' }),
    options: (wrong) => migrations.planReshard(schema, schema, wrong),
  },
  readMigrations: {
    folder: (wrong) => migrations.readMigrations(wrong, googlesql),
    dialect: (wrong) => migrations.readMigrations('/dev/null', wrong),
  },
  recordApplied: {
    database: (wrong) => migrations.recordApplied(wrong, [], lintable),
    migrations: (wrong) => migrations.recordApplied(db, wrong, lintable),
    dialect: (wrong) => migrations.recordApplied(db, [], { dialect: wrong }),
    options: (wrong) => migrations.recordApplied(db, [], wrong),
  },
  recordSql: {
    database: (wrong) => migrations.recordSql(wrong, schema, lintable),
    target: (wrong) => migrations.recordSql(db, wrong, lintable),
    dialect: (wrong) => migrations.recordSql(db, schema, { dialect: wrong }),
    options: (wrong) => migrations.recordSql(db, schema, wrong),
  },
  recordedSql: {
    database: (wrong) => migrations.recordedSql(wrong, lintable),
    dialect: (wrong) => migrations.recordedSql(db, { dialect: wrong }),
    options: (wrong) => migrations.recordedSql(db, wrong),
  },
  rehearseReshard: {
    from: (wrong) => migrations.rehearseReshard(wrong, schema, { table: 'Log' }, silentDriver, lintable),
    to: (wrong) => migrations.rehearseReshard(schema, wrong, { table: 'Log' }, silentDriver, lintable),
    plan: (wrong) => migrations.rehearseReshard(schema, schema, wrong, silentDriver, lintable),
    driver: (wrong) => migrations.rehearseReshard(schema, schema, { table: 'Log' }, wrong, lintable),
    options: (wrong) => migrations.rehearseReshard(schema, schema, { table: 'Log' }, silentDriver, wrong),
    dialect: (wrong) =>
      migrations.rehearseReshard(schema, schema, { table: 'Log' }, silentDriver, { dialect: wrong }),
  },
  renameCandidates: {
    from: (wrong) => migrations.renameCandidates(wrong, schema, diff),
    to: (wrong) => migrations.renameCandidates(schema, wrong, diff),
    options: (wrong) => migrations.renameCandidates(schema, schema, wrong),
  },
  runReshardCommand: {
    driver: (wrong) => migrations.runReshardCommand(wrong, schema, 'COPY A TO B'),
    schema: (wrong) => migrations.runReshardCommand(silentDriver, wrong, 'COPY A TO B'),
    text: (wrong) => migrations.runReshardCommand(silentDriver, schema, wrong),
    options: (wrong) => migrations.runReshardCommand(silentDriver, schema, 'COPY A TO B', wrong),
  },
  statementHash: {
    statement: (wrong) => migrations.statementHash(wrong, googlesql),
    dialect: (wrong) => migrations.statementHash(statement, wrong),
  },
  verifyReshard: {
    driver: (wrong) => migrations.verifyReshard(wrong, schema, []),
    schema: (wrong) => migrations.verifyReshard(silentDriver, wrong, []),
    pairs: (wrong) => migrations.verifyReshard(silentDriver, schema, wrong),
    options: (wrong) => migrations.verifyReshard(silentDriver, schema, [], wrong),
  },
  writeMigration: {
    folder: (wrong) =>
      // A text is a folder that would be made.
      typeof wrong === 'string'
        ? undefined
        : migrations.writeMigration(wrong, { name: 'a', dialect: googlesql, statements: [statement] }),
    migration: (wrong) => migrations.writeMigration('/dev/null', wrong),
  },
}

const RESHARD: Calls = {
  dualWrites: {
    pairs: (wrong) => reshard.dualWrites(wrong),
    options: (wrong) => reshard.dualWrites([], wrong),
    phaseRefresh: (wrong) =>
      core.openDatabase({
        driver: silentDriver,
        schema,
        tables: reshard.dualWrites([], { phaseRefresh: wrong }),
      }),
  },
}

const SEQUENCES: Calls = {
  asynchronous: {
    target: (wrong) => sequences.asynchronous(wrong, 'orders'),
    name: (wrong) => sequences.asynchronous(silentDriver, wrong),
    options: (wrong) => sequences.asynchronous(silentDriver, 'orders', wrong),
  },
  asynchronousBatch: {
    target: (wrong) => sequences.asynchronousBatch(wrong, 'orders'),
    name: (wrong) => sequences.asynchronousBatch(silentDriver, wrong),
    options: (wrong) => sequences.asynchronousBatch(silentDriver, 'orders', wrong),
  },
  batch: {
    target: (wrong) => sequences.batch(wrong, 'orders'),
    name: (wrong) => sequences.batch(silentDriver, wrong),
    options: (wrong) => sequences.batch(silentDriver, 'orders', wrong),
  },
  inTransaction: {
    name: (wrong) => sequences.inTransaction(wrong),
    options: (wrong) => sequences.inTransaction('orders', wrong),
  },
  native: {
    target: (wrong) => sequences.native(wrong, 'OrderIds'),
    name: (wrong) => sequences.native(silentDriver, wrong),
    options: (wrong) => sequences.native(silentDriver, 'OrderIds', wrong),
  },
  sequenceTable: { name: (wrong) => defineSchema([sequences.sequenceTable(wrong)]) },
}

const SPANNER_LOCAL: Calls = {
  connectSpanner: {
    host: (wrong) => spannerLocal.connectSpanner(wrong, 'isotherm'),
    projectId: (wrong) => spannerLocal.connectSpanner('127.0.0.1:1', wrong),
  },
  startSpannerEmulator: { options: unlessLeftOut(spannerLocal.startSpannerEmulator) },
}

const CASSANDRA_LOCAL: Calls = {
  startCassandra: { options: unlessLeftOut(cassandraLocal.startCassandra) },
}

const database = { runTransactionAsync() {}, on() {}, listenerCount: () => 1, formattedName_: 'd' }
const SPANNER: Calls = {
  spanner: {
    database: (wrong) => spannerEntry.spanner(wrong),
    options: (wrong) => spannerEntry.spanner(database as never, wrong),
  },
  splitShards: {
    load: (wrong) => spannerEntry.splitShards(wrong),
    nodes: (wrong) => spannerEntry.splitShards(load, wrong),
  },
}

const CASSANDRA: Calls = {
  cassandra: { client: (wrong) => cassandraEntry.cassandra(wrong, { dialect: cql }) },
  partitionShards: {
    load: (wrong) => cassandraEntry.partitionShards(wrong, cql),
    dialect: (wrong) => cassandraEntry.partitionShards(load, wrong),
  },
}
const region = { region: 'eu-central-1' }
const KEYSPACES: Calls = {
  keyspacesClientOptions: { options: (wrong) => keyspaces.keyspacesClientOptions(wrong) },
  keyspacesEndpoint: { region: (wrong) => keyspaces.keyspacesEndpoint(wrong) },
  sigV4AuthProvider: {
    options: (wrong) => keyspaces.sigV4AuthProvider(wrong),
    credentials: (wrong) => keyspaces.sigV4AuthProvider({ ...region, credentials: wrong }),
  },
}

const ENTRIES: readonly Entry[] = [
  {
    title: '`@isotherm/core`',
    names: functionsOf(core),
    functions: CORE,
    // Errors are caught by applications, and not made.
    others: [
      'Database',
      'RowDatabase',
      'openDatabase',
      'openRows',
      'IsothermError',
      'SchemaError',
      'HotspotError',
    ],
  },
  { title: '`@isotherm/core/keys`', names: functionsOf(keys), functions: KEYS },
  {
    title: '`openDatabase` and `openRows`, and the methods of a `Database`',
    names: [...methodsOf(core.RowDatabase), ...methodsOf(core.Database), 'openDatabase', 'openRows'],
    functions: DATABASE,
    reads: true,
  },
  {
    title: 'The methods of a `Transaction`',
    names: ['insert', 'get', 'update', 'upsert', 'delete'],
    functions: TRANSACTION,
    reads: true,
  },
  {
    title: 'The methods of a fan-out, `db.fanOut(model)`',
    names: [...methodsOf(FanOutQuery), ...methodsOf(Aggregable)],
    functions: FAN_OUT,
    others: ['all', 'page', 'explain', 'consistentPages', 'count', 'aggregateRequest', 'totals'],
    reads: true,
  },
  {
    title: '`@isotherm/migrations`',
    names: functionsOf(migrations),
    functions: MIGRATIONS,
    others: ['MigrationRefusedError'],
  },
  { title: '`@isotherm/core/reshard`', names: functionsOf(reshard), functions: RESHARD },
  { title: '`@isotherm/core/sequences`', names: functionsOf(sequences), functions: SEQUENCES },
  { title: '`@isotherm/spanner`', names: functionsOf(spannerEntry), functions: SPANNER },
  { title: '`@isotherm/spanner/local`', names: functionsOf(spannerLocal), functions: SPANNER_LOCAL },
  { title: '`@isotherm/cassandra`', names: functionsOf(cassandraEntry), functions: CASSANDRA },
  { title: '`@isotherm/cassandra/local`', names: functionsOf(cassandraLocal), functions: CASSANDRA_LOCAL },
  { title: '`@isotherm/cassandra/keyspaces`', names: functionsOf(keyspaces), functions: KEYSPACES },
]

testEntries(ENTRIES)

testPage(ENTRIES, {
  page: 'wrong-input.md',
  title: 'Wrong input',
  writtenBy: 'packages/core/test/wrong-input.test.ts',
  says: [
    'What each public function says of values that it does not take; [of the Drizzle adapter](wrong-input-drizzle.md) there is a page of',
    'its own. [Errors](errors.md) has the codes.',
    'What is wrong with a model is found by `defineSchema`, whatever declared it.',
    'The driver of these calls has no query partitions and no counters: what needs one is `UNSUPPORTED_FEATURE`.',
  ],
})
