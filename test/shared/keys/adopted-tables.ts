import { defineTable, openDatabase, type Database, type Schema, type TableModel } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { fingerprint } from '@isotherm/core/keys'
import { spanner } from '@isotherm/spanner'
import { byOtherWriter } from '../../keys/support.js'
import { byNodeClock, sharedCassandra } from '../../support/cassandra.js'
import type { TestEngine } from '../../support/engines.js'
import { isCql, languageOf, type AnyDialect, type Language } from '../../support/languages.js'
import { sharedEmulator } from '../../support/spanner.js'

// Existing tables, each with another kind of shard. They are created by hand here, as another application would create them.

interface Made {
  /** The key after the shard. */
  readonly of: 'title' | 'user_id'
  readonly shard: string
}

/** CQL does not compute columns: each writer sets the shard. */
const variants = { title: { of: 'title', shard: 'int' }, user: { of: 'user_id', shard: 'int' } } as const

export const made: Readonly<Record<Language, Readonly<Record<string, Made>>>> = {
  googlesql: {
    FromOne: { of: 'title', shard: 'INT64 NOT NULL AS (1 + ABS(MOD(FARM_FINGERPRINT(title), 200))) STORED' },
    Signed: { of: 'title', shard: 'INT64 NOT NULL AS (MOD(FARM_FINGERPRINT(title), 16)) STORED' },
    ByUser: { of: 'user_id', shard: 'INT64 NOT NULL AS (MOD(user_id, 10)) STORED' },
    Unknown: { of: 'user_id', shard: 'INT64 NOT NULL AS (MOD(user_id, 10)) STORED' },
    Written: { of: 'title', shard: 'INT64 NOT NULL' },
  },
  'spanner-postgresql': {
    FromOne: {
      of: 'title',
      shard:
        'bigint NOT NULL GENERATED ALWAYS AS (1 + abs(mod(spanner.farm_fingerprint(title), 200))) STORED',
    },
    Signed: {
      of: 'title',
      shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(spanner.farm_fingerprint(title), 16)) STORED',
    },
    ByUser: { of: 'user_id', shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(user_id, 10)) STORED' },
    Unknown: { of: 'user_id', shard: 'bigint NOT NULL GENERATED ALWAYS AS (mod(user_id, 10)) STORED' },
    Written: { of: 'title', shard: 'bigint NOT NULL' },
  },
  cql: {
    FromOne: variants.title,
    Signed: variants.title,
    ByUser: variants.user,
    Unknown: variants.user,
    Written: variants.title,
  },
}

const columnTypes = {
  googlesql: { title: 'STRING(100)', user_id: 'INT64', note: 'STRING(MAX)' },
  'spanner-postgresql': { title: 'varchar(100)', user_id: 'bigint', note: 'varchar' },
  cql: { title: 'text', user_id: 'bigint', note: 'text' },
}

function ddlOf(dialect: AnyDialect): string[] {
  const language = languageOf(dialect)
  const types = columnTypes[language]
  return Object.entries(made[language]).map(([table, { shard, of }]) => {
    const keyType = language === 'cql' ? types[of] : `${types[of]} NOT NULL`
    const columns = `shard_id ${shard}, ${of} ${keyType}, note ${types.note}`
    const key = `PRIMARY KEY (shard_id, ${of})`
    return language === 'googlesql'
      ? `CREATE TABLE ${table} (${columns}) ${key}`
      : `CREATE TABLE "${table}" (${columns}, ${key})`
  })
}

const FromOne = defineTable('FromOne', (t) => ({
  shard: t.shardKey({ shards: 200, first: 1, of: ['title'], name: 'shard_id' }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))
const Signed = defineTable('Signed', (t) => ({
  shard: t.shardKey({ shards: 16, signed: true, of: ['title'], name: 'shard_id' }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))
/** Users may be negative, and then their shards are. */
const byUser = { googlesql: 'MOD(user_id, 10)', 'spanner-postgresql': 'mod(user_id, 10)' }
const ByUser = defineTable('ByUser', (t) => ({
  shard: t.shardKey({
    shards: 19,
    first: -9,
    of: ['userId'],
    expression: byUser,
    compute: ({ userId }) => (userId as bigint) % 10n,
    name: 'shard_id',
  }),
  userId: t.int64({ name: 'user_id' }).key(),
  note: t.string({ nullable: true }),
}))
/** Only the database computes the shard. */
export const Unknown = defineTable('Unknown', (t) => ({
  shard: t.shardKey({ shards: 10, of: ['userId'], expression: byUser, name: 'shard_id' }),
  userId: t.int64({ name: 'user_id' }).key(),
  note: t.string({ nullable: true }),
}))
/** The database does not compute the shard: the application does, with its own function. */
const Written = defineTable('Written', (t) => ({
  shard: t.shardKey({
    shards: 200,
    first: 1,
    of: ['title'],
    compute: ({ title }) => 1 + Buffer.byteLength(title as string),
    name: 'shard_id',
  }),
  title: t.string({ length: 100 }).key(),
  note: t.string({ nullable: true }),
}))

export const models = [FromOne, Signed, ByUser, Unknown, Written]

const titles = Array.from({ length: 120 }, (_, at) => `タイトル ${at}`)
const users = Array.from({ length: 60 }, (_, at) => BigInt(at * 7) - 200n)

export interface Case {
  readonly model: TableModel<Record<string, unknown>> & { readonly name: string }
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly shard: (row: Readonly<Record<string, unknown>>) => bigint
  readonly property: 'title' | 'userId'
  readonly of: number
  readonly lowest: number
}

const ofTitles = titles.map((title) => ({ title }))
const absolute = (value: bigint): bigint => (value < 0n ? -value : value)
export const cases: readonly [name: string, of: Case][] = [
  [
    'FromOne',
    {
      model: FromOne as never,
      rows: ofTitles,
      shard: ({ title }) => 1n + absolute(fingerprint(title as string) % 200n),
      property: 'title',
      of: 200,
      lowest: 1,
    },
  ],
  [
    'Signed',
    {
      model: Signed as never,
      rows: ofTitles,
      shard: ({ title }) => fingerprint(title as string) % 16n,
      property: 'title',
      of: 31,
      lowest: -15,
    },
  ],
  [
    'ByUser',
    {
      model: ByUser as never,
      rows: users.map((userId) => ({ userId })),
      shard: ({ userId }) => (userId as bigint) % 10n,
      property: 'userId',
      of: 19,
      lowest: -9,
    },
  ],
  [
    'Written',
    {
      model: Written as never,
      rows: ofTitles,
      shard: ({ title }) => BigInt(1 + Buffer.byteLength(title as string)),
      property: 'title',
      of: 200,
      lowest: 1,
    },
  ],
]

/** A database in which another application has created the tables, and continues to write. */
export interface AdoptedDatabase {
  open(schema: Schema): Database
  /** Inserts rows of a writer that does not use Isotherm: names of columns, and literals in their order. */
  insertByOther(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly string[])[],
  ): Promise<void>
}

export async function adoptedDatabase({ dialect }: TestEngine): Promise<AdoptedDatabase> {
  const ddl = ddlOf(dialect)
  if (isCql(dialect)) {
    const engine = await sharedCassandra()
    const client = await engine.client(await engine.keyspace({ ddl }), {
      encoding: { useBigIntAsLong: true, map: Map },
    })
    return {
      open: (schema) => openDatabase({ driver: cassandra(client, { dialect }), schema }),
      async insertByOther(table, columns, rows) {
        const head = `INSERT INTO "${table}" (${columns.join(', ')})`
        const insert = (row: readonly string[]) =>
          client.execute(`${head} VALUES (${row.join(', ')})`, [], byNodeClock)
        await Promise.all(rows.map(insert))
      },
    }
  }
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl })
  return {
    open: (schema) => openDatabase({ driver: spanner(client), schema }),
    async insertByOther(table, columns, rows) {
      const values = rows.map((row) => `(${row.join(', ')})`).join(', ')
      await byOtherWriter(
        { client, dialect },
        `INSERT INTO \`${table}\` (${columns.join(', ')}) VALUES ${values}`,
      )
    },
  }
}
