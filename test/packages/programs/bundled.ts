import { Spanner } from '@google-cloud/spanner'
import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'

// A minimal application for bundlers.

const Visit = defineTable('Visit', (t) => ({
  shardId: t.shardKey({ shards: 8, of: ['userId'] }),
  at: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  page: t.string({ length: 100 }),
}))

const [, projectId, instance, database] = /^projects\/(.*)\/instances\/(.*)\/databases\/(.*)$/.exec(
  process.env['DATABASE'] ?? '',
) as unknown as [string, string, string, string]
const client = new Spanner({ projectId })
const db = openDatabase({
  driver: spanner(client.instance(instance).database(database)),
  schema: defineSchema([Visit]),
})

async function main(): Promise<void> {
  const [row] = await db.insert(Visit, [{ userId: 7n, page: '/'.repeat(40) }])
  const read = await db.get(Visit, row!)
  console.log(`${read?.userId} read from shard ${read?.shardId}`)
  await client.close()
}

void main()
