import { defineTable } from '@isotherm/core'

/** Who has been where, newest first in each of 64 shards. */
export const UserAccessLog = defineTable('UserAccessLog', (t) => ({
  shardId: t.shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  page: t.string({ length: 1024, nullable: true }),
}))

export const Customer = defineTable('Customer', (t) => ({
  customerId: t.uuidV4(),
  name: t.string({ length: 100 }),
  settings: t.json({ nullable: true }),
}))
