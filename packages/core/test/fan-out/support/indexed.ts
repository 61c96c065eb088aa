import type { Dialect } from '@isotherm/core'
import * as fc from 'fast-check'
import { shardOf } from '@isotherm/core/keys'
import { sampleTable, type SampleTable } from './tables.js'

/** A table with an index of every kind, each with all columns of the rows. */
export function indexedTable(dialect: Dialect): SampleTable {
  const others = (...storing: string[]) => ({ storing })
  return sampleTable(
    dialect,
    'indexes',
    [
      (t) => ({
        shardId: t.shardKey({ shards: 3, of: ['userId'] }),
        at: t.descTimestamp(),
        userId: t.int64().key(),
        page: t.string({ nullable: true }),
        ratio: t.float64({ nullable: true }),
        pair: t.uuid({ storage: 'int64-pair' }),
        day: t.date({ nullable: true }),
      }),
      {
        indexes: [
          { name: 'ByPage', on: [{ property: 'page', order: 'desc' }, 'ratio'], ...others('pair', 'day') },
          { name: 'ByPair', on: ['pair'], ...others('page', 'ratio', 'day') },
          {
            name: 'ByRatio',
            on: ['ratio'],
            shard: { shards: 4, of: ['day', 'userId'] },
            ...others('page', 'pair', 'day'),
          },
          {
            name: 'ByTime',
            on: [{ property: 'at', order: 'desc' }, 'day'],
            ...others('page', 'ratio', 'pair'),
          },
          { name: 'WithPage', on: ['page', 'day'], notNull: ['page'], ...others('ratio', 'pair') },
          { name: 'WithBoth', on: ['page', 'day'], nullFiltered: true, ...others('ratio', 'pair') },
          { name: 'Narrow', on: ['page'] },
          {
            name: 'NullsFirst',
            on: [{ property: 'page', nulls: 'first' }],
            ...others('ratio', 'pair', 'day'),
          },
          {
            name: 'PairAndPage',
            on: ['pair', { property: 'page', nulls: 'first' }],
            ...others('ratio', 'day'),
          },
          {
            name: 'NullsLast',
            on: [{ property: 'page', order: 'desc', nulls: 'last' }],
            ...others('ratio', 'pair', 'day'),
          },
        ],
      },
    ],
    { shardId: ({ userId }) => fc.constant(BigInt(shardOf(userId as bigint, 3))) },
  )
}
