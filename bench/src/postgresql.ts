import { deepStrictEqual } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { compileDdl, type Database } from '@isotherm/core'
import { parseTimestamp, shardOf } from '@isotherm/core/keys'
import { pg, postgresql } from '@isotherm/postgresql'
import type { Pool } from 'pg'
import {
  AccessLog,
  type Access,
  accessAt,
  loadAccessLog,
  openAccessLog,
  schema,
  SHARDS,
} from './access-log.js'
import type { Benchmark } from './benchmark.js'
import { type Comparison, compare, inTurn } from './harness.js'

const INSERTED = 10_000
const READS = 64
/** From round to round the ratio differs by as much as the targets allow: with fewer rounds, chance would decide. */
const ROUNDS = 75
const LOADED = 200_000
const PAGE = 50

export const onPostgresql: Benchmark = {
  name: 'postgresql',
  title: `on PostgreSQL: inserts, reads by key and the newest ${PAGE} of ${LOADED.toLocaleString('en')} rows against statements over pg`,
  async run(context) {
    const server = await context.postgresql()
    const pool = server.pool('postgres')
    await pg(pool).applyDdl([...compileDdl(schema, { dialect: postgresql }), ...WITHOUT_SHARDS])
    const db = openAccessLog(pg(pool))
    const inserted = await inserts(pool, db)
    await pool.query('TRUNCATE "AccessLog"')
    const rows = await loadAccessLog(db, LOADED, context)
    await pool.query(`INSERT INTO "Plain" SELECT ${COLUMNS} FROM "AccessLog"`)
    await pool.query('VACUUM ANALYZE')
    return [inserted, ...(await reads(pool, db, rows)), ...(await pages(pool, db))]
  },
}

const COLUMNS = '"ShardId", "AccessedAt", "Id", "UserId", "Page", "Status", "Referrer"'

/** The same rows, as a table has them that knows no shards. */
const WITHOUT_SHARDS = [
  `CREATE TABLE "Plain" ("ShardId" bigint NOT NULL, "AccessedAt" timestamptz NOT NULL, "Id" varchar(36) COLLATE "C" PRIMARY KEY, ` +
    `"UserId" bigint NOT NULL, "Page" varchar(1024) NOT NULL, "Status" bigint NOT NULL, "Referrer" varchar(1024))`,
  `CREATE INDEX "Newest" ON "Plain" ("AccessedAt" DESC, "Id")`,
]

async function inserts(pool: Pool, db: Database): Promise<Comparison> {
  const accesses = Array.from({ length: INSERTED }, (_, position) => accessAt(position))
  const text =
    `INSERT INTO "AccessLog" ("AccessedAt", "Id", "UserId", "Page", "Status", "Referrer") SELECT * FROM ` +
    `unnest($1::timestamptz[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])`
  return compare({
    name: `${INSERTED.toLocaleString('en')} rows by one statement with unnest`,
    per: 'row',
    operations: INSERTED,
    turns: 1,
    rounds: ROUNDS,
    targets: { wall: 1.1 },
    raw: () => {
      const times: Date[] = []
      const ids: string[] = []
      for (let at = 0; at < INSERTED; at++) {
        times.push(new Date())
        ids.push(randomUUID())
      }
      return pool.query(text, [
        times,
        ids,
        accesses.map(({ userId }) => userId),
        accesses.map(({ page }) => page),
        accesses.map(({ status }) => status),
        accesses.map(({ referrer }) => referrer),
      ])
    },
    ours: () => db.insert(AccessLog, accesses),
  })
}

/** Values as rows have them: integers of 64 bits, and times with microseconds, neither of which the client's own types have. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  20: BigInt,
  1184: (text) => parseTimestamp(`${text.replace(' ', 'T')}:00`),
}
const types = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}

interface RawAccess {
  readonly ShardId: bigint
  readonly AccessedAt: Access['accessedAt']
  readonly Id: string
  readonly UserId: bigint
  readonly Page: string
  readonly Status: bigint
  readonly Referrer: string | null
}

function fromRaw(row: RawAccess): Access {
  return {
    shardId: row.ShardId,
    accessedAt: row.AccessedAt,
    id: row.Id,
    userId: row.UserId,
    page: row.Page,
    status: row.Status,
    referrer: row.Referrer,
  }
}

async function select(pool: Pool, text: string, values: readonly unknown[]): Promise<Access[]> {
  const { rows } = await pool.query<RawAccess>({ text, values: values as unknown[], types })
  return rows.map(fromRaw)
}

type Get = (access: Access) => Promise<Access | undefined>

async function reads(pool: Pool, db: Database, rows: readonly Access[]): Promise<Comparison[]> {
  const text =
    `SELECT ${COLUMNS} FROM "AccessLog" WHERE "ShardId" = $1::bigint AND "AccessedAt_desc" = $2::bigint ` +
    `AND "AccessedAt" = $3::timestamptz AND "Id" = $4::text`
  const raw: Get = async ({ id, accessedAt }) => {
    const shard = shardOf(id, SHARDS, { dialect: postgresql })
    const descending = -BigInt(accessedAt.getTime()) * 1_000n
    const [found] = await select(pool, text, [shard, descending, accessedAt, id])
    return found
  }
  const ours: Get = ({ id, accessedAt }) => db.get(AccessLog, { id, accessedAt })
  deepStrictEqual(await ours(rows[0]!), await raw(rows[0]!), 'Both sides read the same.')
  const comparisons: Comparison[] = []
  for (const width of [1, 8]) {
    comparisons.push(
      await compare({
        name: `one row by its key, ${width === 1 ? 'one after another' : `${width} in flight`}`,
        per: 'read',
        operations: READS,
        turns: 8,
        rounds: ROUNDS,
        targets: width === 1 ? { cpu: 1.15 } : {},
        raw: inTurn(rows, READS, width, raw),
        ours: inTurn(rows, READS, width, ours),
      }),
    )
  }
  return comparisons
}

async function pages(pool: Pool, db: Database): Promise<Comparison[]> {
  const ordered = db.fanOut(AccessLog).orderBy('accessedAt', 'desc').limit(PAGE)
  let cursor: string | undefined
  for (let page = 1; page < 10; page++) cursor = (await ordered.after(cursor).page()).next
  const before = (await ordered.after(cursor).page()).rows[0]!
  const measured = { per: 'page', operations: 1, turns: 4, targets: {} } as const
  const sides: readonly (readonly [
    name: string,
    raw: () => Promise<Access[]>,
    ours: () => Promise<Access[]>,
  ])[] = [
    [
      `newest ${PAGE}, against a table without shards and an index`,
      () => select(pool, `SELECT ${COLUMNS} FROM "Plain" ORDER BY "AccessedAt" DESC, "Id" LIMIT ${PAGE}`, []),
      async () => (await ordered.page()).rows,
    ],
    [
      'page 10, against the same',
      () =>
        select(
          pool,
          `SELECT ${COLUMNS} FROM "Plain" WHERE "AccessedAt" <= $1 ORDER BY "AccessedAt" DESC, "Id" LIMIT ${PAGE}`,
          [before.accessedAt],
        ),
      async () => (await ordered.after(cursor).page()).rows,
    ],
    [
      `newest ${PAGE}, against a query for each of ${SHARDS} shards`,
      async () => {
        const found = await Promise.all(
          Array.from({ length: SHARDS }, (_, shard) =>
            select(
              pool,
              `SELECT ${COLUMNS} FROM "AccessLog" WHERE "ShardId" = $1 ORDER BY "AccessedAt_desc", "Id" LIMIT ${PAGE}`,
              [shard],
            ),
          ),
        )
        const rows = found.flat().sort((a, b) => b.accessedAt.getTime() - a.accessedAt.getTime())
        return rows.slice(0, PAGE)
      },
      async () => (await ordered.page()).rows,
    ],
  ]
  const comparisons: Comparison[] = []
  for (const [name, raw, ours] of sides) {
    deepStrictEqual(await ours(), await raw(), 'Both sides read the same.')
    comparisons.push(await compare({ name, ...measured, raw, ours }))
  }
  return comparisons
}
