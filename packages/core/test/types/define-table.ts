// Compiled, never run: `defineTable` infers the row that the class of the same table declares.
import {
  Column,
  defineTable,
  DescTimestamp,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
  type Insert,
  type JsonDocument,
  type Row,
  type TableModel,
} from '@isotherm/core'
import type { Equal, Expect } from './equal.js'

@Table('Log')
export class LogClass {
  @ShardKey({ shards: 64, of: ['userId'] })
  shardId!: Generated<bigint>

  @DescTimestamp({ default: 'now' })
  lastAccess!: Generated<Date>

  @Key()
  @Column.int64()
  userId!: bigint

  @UuidV4()
  id!: Generated<string>

  @ParentKey()
  parentId!: string

  @Column.string({ length: 1024, nullable: true })
  page!: string | null

  @Column.timestamp({ default: 'commit' })
  committed!: Generated<Date>

  @Column.timestamp({ nullable: true })
  seenAt!: Date | null

  @Column.json({ nullable: true })
  meta!: JsonDocument | null

  @Column.array({ kind: 'string', length: 'max' })
  tags!: readonly (string | null)[]

  @Column.array({ kind: 'int64' }, { nullable: true })
  counts!: readonly (bigint | null)[] | null

  @Column.bytes()
  digest!: Uint8Array

  @Column.numeric()
  price!: string
}

export const Log = defineTable('Log', (t) => ({
  shardId: t.shardKey({ shards: 64, of: ['userId'] }),
  lastAccess: t.descTimestamp({ default: 'now' }),
  userId: t.int64().key(),
  id: t.uuidV4(),
  parentId: t.parentKey<string>(),
  page: t.string({ length: 1024, nullable: true }),
  committed: t.timestamp({ default: 'commit' }),
  seenAt: t.timestamp({ nullable: true }),
  meta: t.json({ nullable: true }),
  tags: t.array({ kind: 'string', length: 'max' }),
  counts: t.array({ kind: 'int64' }, { nullable: true }),
  digest: t.bytes(),
  price: t.numeric(),
}))

type FieldsOf<Model> = Model extends TableModel<infer Fields> ? Fields : never
type LogFields = FieldsOf<typeof Log>

export type Same = [
  Expect<Equal<Row<LogFields>, Row<LogClass>>>,
  Expect<Equal<{ [Name in keyof Insert<LogFields>]: Insert<LogFields>[Name] }, Insert<LogClass>>>,
]

export const required = defineTable('Given', (t) => ({ at: t.descTimestamp(), seenAt: t.timestamp() }))
export type GivenIsRequired = Expect<
  Equal<Insert<FieldsOf<typeof required>>, { at: Date | string; seenAt: Date | string }>
>

defineTable('Bad', (t) => ({
  // @ts-expect-error: a hash shard names what it hashes
  shardId: t.shardKey({ shards: 64 }),
}))

defineTable('Bad', (t) => ({
  // @ts-expect-error: only strings and bytes have a length
  id: t.int64({ length: 8 }).key(),
}))

// @ts-expect-error: a column comes from the builder
defineTable('Bad', () => ({ id: 'string' }))

// @ts-expect-error: there is no such thing to do on delete
defineTable('Bad', (t) => ({ id: t.uuidV4() }), { onDelete: 'set null' })
