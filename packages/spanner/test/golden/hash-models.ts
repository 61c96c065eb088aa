import { defineTable } from '@isotherm/core'

/** The whole hash as a key, before the columns that are unique, or alone. */
export const hashKeyModels = [
  defineTable('Fingerprints', (t) => ({
    hash: t.hashKey({ of: ['url'] }),
    url: t.string({ length: 2000 }).key(),
  })),
  defineTable('Digests', (t) => ({
    hash: t.hashKey({ of: ['tenant', 'url'], algorithm: 'sha256' }),
    tenant: t.int64().key(),
    url: t.string({ length: 2000 }).key(),
  })),
  defineTable('DigestAlone', (t) => ({
    hash: t.hashKey({ of: ['url'], algorithm: 'sha256', name: 'url_hash' }),
    url: t.string({ length: 2000, immutable: true }),
  })),
  defineTable('DigestOfBytes', (t) => ({
    hash: t.hashKey({ of: ['blob', 'at', 'note'], algorithm: 'sha512' }),
    blob: t.bytes({ length: 100 }).key(),
    at: t.timestamp().key(),
    note: t.string({ length: 20, immutable: true, nullable: true }),
  })),
  // A hash that only the client can compute.
  defineTable('DigestByClient', (t) => ({
    hash: t.hashKey({ of: ['region', 'city'], algorithm: 'sha256' }),
    region: t.string({ length: 20, immutable: true }),
    city: t.string({ length: 20, immutable: true }),
  })),
]

/** Shards of existing tables. */
export const adoptedModels = [
  defineTable('FromOne', (t) => ({
    shardId: t.shardKey({ shards: 200, first: 1, of: ['title'] }),
    title: t.string({ length: 100 }).key(),
  })),
  defineTable('FromOneByClient', (t) => ({
    shardId: t.shardKey({ shards: 200, first: 1, strategy: 'random' }),
    id: t.uuidV4(),
  })),
  defineTable('Signed', (t) => ({
    shardId: t.shardKey({ shards: 16, signed: true, of: ['title'] }),
    title: t.string({ length: 100 }).key(),
  })),
  defineTable('SignedByClient', (t) => ({
    shardId: t.shardKey({ shards: 16, signed: true, of: ['title'], computedBy: 'client' }),
    title: t.string({ length: 100 }).key(),
  })),
  defineTable('SomebodyElses', (t) => ({
    shardId: t.shardKey({
      shards: 10,
      of: ['userId'],
      expression: { googlesql: 'MOD(ABS(`userId`), 10)', 'spanner-postgresql': 'mod(abs("userId"), 10)' },
      compute: ({ userId }) => (userId as bigint) % 10n,
    }),
    userId: t.int64().key(),
  })),
]
