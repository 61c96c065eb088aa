import { defineSchema, defineTable, type SkewEvent } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { expect, it } from 'vitest'
import { sampledDialects, testDatabase } from '../support/spanner.js'

const SHARDS = 16
const BUSY = 7n

const Visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['userId'] }),
  at: t.timestamp().key(),
  userId: t.int64().key(),
}))

it.each(sampledDialects)(
  'the skew events in $name name the shard and the key of a busy user whose rows are written in transactions',
  async (dialect) => {
    const { db } = await testDatabase(defineSchema([Visit]), dialect)
    const events: SkewEvent[] = []
    db.on('skew', (event) => events.push(event))
    let moment = 0
    for (let call = 0; call < 80; call++) {
      const users = Array.from({ length: 30 }, (_, n) => (n < 24 ? BUSY : BigInt(1000 + n * 13)))
      const rows = users.map((userId) => ({ at: new Date(moment++), userId }))
      await db.transaction((tx) => tx.insert(Visit, rows, { buffered: true, returning: false }))
    }
    await new Promise(setImmediate)
    expect(events).toMatchObject([
      { table: 'Visit', of: 'shard', by: 'writes', shard: shardOf(BUSY, SHARDS), fairShare: 1 / SHARDS },
      { table: 'Visit', of: 'key', by: 'writes', shard: shardOf(BUSY, SHARDS) },
    ])
  },
)
