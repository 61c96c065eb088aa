import type { Condition, OrderTerm, Position } from '../dialects/condition.js'
import type { IndexLayout } from '../dialects/layout.js'
import type { Strategy } from './planning/costs.js'
import type { Include } from './children/include.js'

/** What a fan-out is asked for, checked and ready. */
export interface FanOutRequest {
  readonly condition: Condition | undefined
  readonly order: readonly OrderTerm[]
  readonly after: Position | undefined
  /** Rows wanted; undefined for all. */
  readonly limit: number | undefined
  readonly forced: Strategy | undefined
  /** The index to read by; `undefined` leaves it to the planner. */
  readonly index: IndexLayout | undefined
  /** Read each shard by itself, so that one that fails does not take the others with it. */
  readonly apart: boolean
  /** Read as of one moment even where a single call would do, to go on from there. */
  readonly pinned: boolean
  /** The children that each row brings with it. */
  readonly includes: readonly Include[]
  /** How many of the wanted rows only tell that there are more. */
  readonly lookAhead: number
}
