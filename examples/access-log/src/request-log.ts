import { Column, DescTimestamp, defineSchema, ShardKey, Table, UuidV4, type Generated } from '@isotherm/core'

export const SHARDS = 64

/** One request of a web server's access log. */
@Table('RequestLog')
export class RequestLog {
  // Hashing the row's own random id keeps every shard equally warm. Hashing the client would keep one client's rows
  // together, but also all the writes of a busy crawler: right where reads by client matter more than an even load.
  @ShardKey({ shards: SHARDS, of: ['id'] }) shard!: Generated<bigint>
  // Newest first in each shard, so the newest rows of all are a short read from the top of every shard.
  @DescTimestamp() time!: Date
  // A log's times are whole seconds: this tells two requests of one client in the same second apart.
  @UuidV4() id!: Generated<string>
  @Column.string() client!: string
  // NULL where the client sent something that is no request line; then `path` is what it sent.
  @Column.string({ nullable: true }) method!: string | null
  @Column.string() path!: string
  @Column.int64() status!: bigint
  @Column.int64({ nullable: true }) bytes!: bigint | null
  @Column.string({ nullable: true }) referrer!: string | null
  @Column.string({ nullable: true }) agent!: string | null
}

export const schema = defineSchema([RequestLog])
