import { randomUUID } from 'node:crypto'
import type { Spanner } from '@google-cloud/spanner'
import type { Access, NewAccessOfUser } from './access-log.js'

// The table of `access-log.ts` as it is read and written with only the vendor's client.

export const COLUMNS = ['ShardId', 'AccessedAt', 'Id', 'UserId', 'Page', 'Status', 'Referrer']

/** 64-bit integers must be wrapped: as JavaScript numbers they lose digits or throw. */
export const AS_JSON = { json: true, jsonOptions: { wrapNumbers: true } }

/** Once the emulator has been started: loaded any earlier, the client takes Ctrl+C for itself. */
export async function spannerClass(): Promise<typeof Spanner> {
  return (await import('@google-cloud/spanner')).Spanner
}

/** The row to write; the database computes the shard. */
export function toRaw({ int }: typeof Spanner, access: NewAccessOfUser) {
  return {
    AccessedAt: new Date(),
    Id: randomUUID(),
    UserId: int(access.userId),
    Page: access.page,
    Status: int(access.status),
    Referrer: access.referrer,
  }
}

interface Wrapped {
  readonly value: string
}

/** A row as the client reads it with `AS_JSON`. */
export interface RawAccess {
  readonly ShardId: Wrapped
  readonly AccessedAt: Access['accessedAt']
  readonly Id: string
  readonly UserId: Wrapped
  readonly Page: string
  readonly Status: Wrapped
  readonly Referrer: string | null
}

export function fromRaw(row: RawAccess): Access {
  return {
    shardId: BigInt(row.ShardId.value),
    accessedAt: row.AccessedAt,
    id: row.Id,
    userId: BigInt(row.UserId.value),
    page: row.Page,
    status: BigInt(row.Status.value),
    referrer: row.Referrer,
  }
}
