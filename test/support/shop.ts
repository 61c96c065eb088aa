import {
  BitReversedId,
  Column,
  defineSchema,
  DescTimestamp,
  Index,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  type Generated,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'

@Table('UserAccessLog')
export class UserAccessLog {
  @ShardKey({ shards: 64, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) lastAccess!: Generated<Date>
  @Key() @Column.int64() userId!: bigint
  @Column.string({ length: 1024, nullable: true }) page!: string | null
}

@Table('Customer')
export class Customer {
  @UuidV4() customerId!: Generated<string>
  @Column.string({ length: 100 }) name!: string
  @Column.json({ nullable: true }) settings!: unknown
}

@Table('Order', { interleaveIn: () => Customer, onDelete: 'cascade' })
@Index({
  on: ['customerId', { property: 'placed', order: 'desc' }],
  storing: ['note'],
  interleaveIn: () => Customer,
})
@Index({ name: 'OrdersByTime', on: ['placed'], shard: { shards: 4, of: ['orderId'] } })
export class Order {
  @ParentKey() customerId!: string
  @BitReversedId() orderId!: Generated<bigint>
  @Column.timestamp({ default: 'commit' }) placed!: Generated<Date>
  @Column.string({ nullable: true }) note!: string | null
}

@Table('Line', { interleaveIn: () => Order, onDelete: 'cascade' })
export class Line {
  @ParentKey() customerId!: string
  @ParentKey() orderId!: bigint
  @Key() @Column.int64() line!: bigint
  @Column.numeric({ name: 'unit_price' }) price!: string
}

@Table('Ticket')
export class Ticket {
  @BitReversedId({ from: 'sequence', startCounter: 1000n, skipRange: [1n, 100n] })
  ticketId!: Generated<bigint>
  @Column.string({ nullable: true }) title!: string | null
}

@Table('Event')
export class Event {
  @ShardKey({ shards: 8, strategy: 'random' }) shard!: Generated<bigint>
  @DescTimestamp({ default: 'commit' }) at!: Generated<Date>
  @UuidV4() id!: Generated<string>
  @Column.bytes({ nullable: true }) body!: Buffer | null
}

/** A commit timestamp cannot descend in the PostgreSQL dialect's keys. */
@Table('Event')
class AscendingEvent {
  @ShardKey({ shards: 8, strategy: 'random' }) shard!: Generated<bigint>
  @Key() @Column.timestamp({ default: 'commit' }) at!: Generated<Date>
  @UuidV4() id!: Generated<string>
  @Column.bytes({ nullable: true }) body!: Buffer | null
}

export function eventOf(dialect: SqlDialect): typeof Event {
  return dialect.name === 'googlesql' ? Event : AscendingEvent
}

export function shopOf(dialect: SqlDialect): Schema {
  return defineSchema([UserAccessLog, Customer, Order, Line, Ticket, eventOf(dialect)])
}

export const shop = shopOf(googlesql)
