import { defineSchema, defineTable, type Schema } from '@isotherm/core'

/** A table whose number of shards is changed by a process that is killed. */
export function log(shards: number): Schema {
  return defineSchema([
    defineTable('Log', (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      text: t.string(),
    })),
  ])
}

export const [BEFORE, AFTER] = [log(2), log(5)]
