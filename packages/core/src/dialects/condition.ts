import type { Field } from './layout.js'
import type { Wire } from './wire.js'

export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/**
 * A filter over one table, checked and ready: turned into SQL by the dialect, into a predicate by the merge, into shards
 * and key ranges by the planner. Each comparison is unknown where the column is NULL, as in SQL.
 */
export type Condition =
  | {
      readonly kind: 'compare'
      readonly field: Field
      readonly op: Comparison
      readonly value: unknown
      readonly wires: readonly Wire[]
    }
  | {
      readonly kind: 'in'
      readonly field: Field
      readonly values: readonly unknown[]
      readonly wires: readonly (readonly Wire[])[]
    }
  | { readonly kind: 'null'; readonly field: Field }
  | { readonly kind: 'prefix'; readonly field: Field; readonly value: string }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }

export interface OrderTerm {
  readonly field: Field
  readonly order: 'asc' | 'desc'
}

/** A place in an order: the values of one row's order terms, as stored. */
export type Position = readonly (readonly Wire[])[]
