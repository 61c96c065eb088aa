import { defineTable, type ColumnBuilder, type TableBuilder } from '@isotherm/core'

export type Declared = Parameters<typeof defineTable>[1]
export type TableOptions = Parameters<typeof defineTable>[2]

/** A table of posts by day and shard, with further columns beside its key. */
export function postsWith(more: Declared, options: TableOptions = {}) {
  return defineTable(
    'post',
    (t) => ({
      day: t.date().key(),
      shard: t.shardKey({ strategy: 'random', shards: 20 }),
      at: t.descTimestamp({ default: 'now' }),
      id: t.uuidV4(),
      ...more(t),
    }),
    { partitionKey: ['day', 'shard'], ...(options as object) },
  )
}

export const title = (t: TableBuilder): { readonly title: ColumnBuilder<string | null> } => ({
  title: t.string({ nullable: true }),
})
