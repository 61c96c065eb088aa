import 'reflect-metadata'
import { Column, DescTimestamp, Key, ShardKey, Table, type Generated } from '@isotherm/core'

// A model in an application that is compiled to CommonJS, with legacy decorators. The type of `page` comes from `emitDecoratorMetadata`.

@Table('Visit')
export class Visit {
  @ShardKey({ shards: 8, of: ['userId'] }) shardId!: Generated<bigint>
  @DescTimestamp({ default: 'now' }) at!: Generated<Date>
  @Key() @Column.int64() userId!: bigint
  @Column() page!: string
}
