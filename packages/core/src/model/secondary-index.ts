import type { KeyPart } from './key.js'

/** An index's leading shard column, which keeps an index over a growing column cool. */
export interface IndexShard {
  /** The generated column that the table gets for it. */
  readonly column: string
  readonly shards: number
  readonly of: readonly string[]
}

export interface SecondaryIndex {
  readonly name: string
  readonly parts: readonly KeyPart[]
  readonly unique: boolean
  /** Rows in which any of the index's parts is NULL are left out. */
  readonly nullFiltered: boolean
  /** Properties kept in the index beside its parts, so that a read need not go back to the table. */
  readonly storing: readonly string[]
  /** The table (this one's parent, or an ancestor) in whose rows the index's entries are interleaved. */
  readonly interleaveIn?: string
  readonly shard?: IndexShard
}

export type IndexPart<Property extends string = string> =
  | Property
  | { readonly property: Property; readonly order?: 'asc' | 'desc' }

export interface IndexOptions<Property extends string = string> {
  /** The name in the database; by default the table's and the properties' names, joined. */
  readonly name?: string
  readonly on: readonly IndexPart<Property>[]
  readonly unique?: boolean
  readonly nullFiltered?: boolean
  readonly storing?: readonly Property[]
  /** `() => Parent`: keep the index's entries in the parent's rows, so that no single place takes all of them. */
  readonly interleaveIn?: () => object
  /** Puts a shard in front of the index: for an index over a timestamp. */
  readonly shard?: { readonly shards: number; readonly of: readonly Property[] }
}
