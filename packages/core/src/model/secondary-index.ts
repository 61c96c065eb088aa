import { either, flag, listOf, number, oneOf, options, required, text, type OptionKinds } from '../options.js'
import { model, order, properties, property } from './declaration-kinds.js'
import type { KeyPart } from './key.js'

export interface IndexKeyPart extends KeyPart {
  /** Where NULL stands, in the dialects that let an index say so. Absent: where the dialect's order has it. */
  readonly nulls?: 'first' | 'last'
}

/** An index's leading shard column, which prevents a hotspot in an index over a growing column. */
export interface IndexShard {
  /** The generated column that the table gets for it. */
  readonly column: string
  readonly shards: number
  readonly of: readonly string[]
}

export interface SecondaryIndex {
  readonly name: string
  readonly parts: readonly IndexKeyPart[]
  readonly unique: boolean
  /** Rows in which any of the index's parts is NULL are left out. */
  readonly nullFiltered: boolean
  /** Rows in which one of these parts is NULL are left out: `WHERE … IS NOT NULL`. */
  readonly notNull: readonly string[]
  /** Properties stored in the index in addition to its parts, so that a read need not go back to the table. */
  readonly storing: readonly string[]
  /** The table (this one's parent, or an ancestor) in whose rows the index's entries are interleaved. */
  readonly interleaveIn?: string
  readonly shard?: IndexShard
}

export type IndexPart<Property extends string = string> =
  | Property
  | {
      readonly property: Property
      readonly order?: 'asc' | 'desc'
      /** PostgreSQL dialect only. Default: NULL is the highest value. */
      readonly nulls?: 'first' | 'last'
    }

export interface IndexOptions<Property extends string = string> {
  /** The name in the database; by default the table's and the properties' names, joined. */
  readonly name?: string
  readonly on: readonly IndexPart<Property>[]
  readonly unique?: boolean
  /** Leave rows out in which any part is NULL. */
  readonly nullFiltered?: boolean
  /** Leave rows out in which one of these parts is NULL. */
  readonly notNull?: readonly Property[]
  readonly storing?: readonly Property[]
  /** `() => Parent`: keep the index's entries in the parent's rows, so that no single key range takes all of them. */
  readonly interleaveIn?: () => object
  /** Puts a shard in front of the index: for an index over a timestamp. */
  readonly shard?: { readonly shards: number; readonly of: readonly Property[] }
}

const INDEX_PART: OptionKinds<Exclude<IndexPart, string>> = {
  property: required(property),
  order,
  nulls: oneOf('first', 'last'),
}
export const INDEX: OptionKinds<IndexOptions> = {
  name: text("'OrderByDate'"),
  on: required(
    listOf(
      either("a property, or { property: 'orderedAt', order: 'desc' }", property, options(INDEX_PART)),
      "a list of properties, such as ['customerId', { property: 'orderedAt', order: 'desc' }]",
    ),
  ),
  unique: flag,
  nullFiltered: flag,
  notNull: properties,
  storing: properties,
  interleaveIn: model,
  shard: options({ shards: required(number), of: required(properties) }, "{ shards: 8, of: ['customerId'] }"),
}
