import { type Generated, defineTable } from '@isotherm/core'

const beside = { rows: 'own' } as const

export const Customer = defineTable('Customer', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
  name: t.string({ length: 40 }),
}))

const keyOf = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => ({
  shard: t.parentKey<Generated<bigint>>(),
  id: t.parentKey<bigint>(),
})

export const Profile = defineTable('Profile', (t) => ({ ...keyOf(t), text: t.string({ nullable: true }) }), {
  interleaveIn: () => Customer,
  ...beside,
})

export const Picture = defineTable('Picture', (t) => ({ ...keyOf(t), size: t.int64().key() }), {
  interleaveIn: () => Profile,
  ...beside,
})
