import type { PlainRow } from '@isotherm/core/tools'
import { shardOf } from '@isotherm/core/keys'
import type { SkewEvent } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import { TableSkew } from '../../../src/observability/skew.js'
import { logLayout } from '../../support/layout.js'

/** A table of so many shards by user, and the reports about it. @param type of the ids of users */
export function watched(
  shards: number,
  type: 'int64' | 'bytes' | 'string' = 'int64',
): { readonly skew: TableSkew; readonly events: SkewEvent[] } {
  const events: SkewEvent[] = []
  const layout = logLayout(googlesql, (t) => ({
    shardId: t.shardKey({ shards, of: ['userId'] }),
    at: t.descTimestamp(),
    userId:
      type === 'int64'
        ? t.int64().key()
        : type === 'bytes'
          ? t.bytes({ length: 100 }).key()
          : t.string({ length: 100 }).key(),
  }))
  return { skew: new TableSkew(layout, (event) => events.push(event)), events }
}

/** Numbers from 0 to 1 that are the same in each run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // Its low bits repeat soon.
    return (state >>> 8) / 2 ** 24
  }
}

/** The key of a user's row. */
export function rowOf(userId: bigint, shards: number): PlainRow {
  return { shardId: BigInt(shardOf(userId, shards)), at: new Date(0), userId }
}

/** A function that returns a random item. */
export function drawing<T>(from: readonly T[], random: () => number): () => T {
  return () => from[Math.floor(random() * from.length)]!
}
