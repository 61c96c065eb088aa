import { Column, DescTimestamp, Key, ParentKey, ShardKey, Table, type Generated } from '@isotherm/core'
import { Customer } from './customer.js'
import { Recorded } from './recorded.js'

@Table('Order', { interleaveIn: () => Customer, onDelete: 'cascade' })
export class Order extends Recorded {
  @ParentKey() customerId!: bigint
  @Key() @Column.int64() orderId!: bigint
  @Column.json({ nullable: true }) note!: { readonly pages: number } | null
}

/** The README's model. */
@Table('UserAccessLog')
export class UserAccessLog {
  @ShardKey({ shards: 64, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) lastAccess!: Generated<Date>
  @Key() @Column.int64() userId!: bigint
  @Column.string({ length: 1024, nullable: true }) page!: string | null
}
