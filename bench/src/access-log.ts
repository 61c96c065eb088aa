import type { Database } from '@google-cloud/spanner'
import {
  Column,
  compileDdl,
  defineSchema,
  DescTimestamp,
  openDatabase,
  ShardKey,
  Table,
  UuidV4,
  type Database as Isotherm,
  type Driver,
  type Generated,
  type Insert,
  type Row,
} from '@isotherm/core'
import { spanner, googlesql } from '@isotherm/spanner'
import type { BenchmarkContext } from './benchmark.js'

export const SHARDS = 64

/** The table of all benchmarks: a log that is written everywhere and read newest first. */
@Table('AccessLog')
export class AccessLog {
  @ShardKey({ shards: SHARDS, of: ['id'], name: 'ShardId' }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now', name: 'AccessedAt' }) accessedAt!: Generated<Date>
  @UuidV4({ name: 'Id' }) id!: Generated<string>
  @Column.int64({ name: 'UserId' }) userId!: bigint
  @Column.string({ length: 1024, name: 'Page' }) page!: string
  @Column.int64({ name: 'Status' }) status!: bigint
  @Column.string({ length: 1024, name: 'Referrer', nullable: true }) referrer!: string | null
}

export type Access = Row<AccessLog>
export type NewAccess = Insert<AccessLog>

export const schema = defineSchema([AccessLog])

/** An empty table, for both sides of a benchmark. */
export async function createAccessLog(
  context: BenchmarkContext,
): Promise<{ database: Database; db: Isotherm }> {
  const emulator = await context.spanner()
  const database = await emulator.database({ ddl: compileDdl(schema, { dialect: googlesql }) })
  return { database, db: openAccessLog(spanner(database)) }
}

export function openAccessLog(driver: Driver): Isotherm {
  return openDatabase({ driver, schema })
}

/** What an application knows of an access: neither its id, nor its time, nor its shard. */
export function accessAt(position: number) {
  return {
    userId: BigInt(position) * 7919n,
    page: `/docs/guide/chapter-${position % 97}`,
    status: position % 10 === 0 ? 404n : 200n,
    referrer: position % 3 === 0 ? null : `https://example.com/search?q=${position}`,
  } satisfies NewAccess
}

export type NewAccessOfUser = ReturnType<typeof accessAt>

const LOAD_BATCH = 2_000

/** Fills the table, one access a second up to now, and gives back the rows with their keys. */
export async function loadAccessLog(
  db: Isotherm,
  count: number,
  context: BenchmarkContext,
): Promise<Access[]> {
  const now = Date.now()
  const loaded: Access[] = []
  for (let from = 0; from < count; from += LOAD_BATCH) {
    const batch = Array.from({ length: Math.min(LOAD_BATCH, count - from) }, (_, at) => ({
      ...accessAt(from + at),
      accessedAt: new Date(now - (count - from - at) * 1000),
    }))
    loaded.push(...(await db.insert(AccessLog, batch)))
    context.progress('loading rows', loaded.length, count)
  }
  return loaded
}
