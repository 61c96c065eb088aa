import type { Condition, OrderTerm, Position } from '../../layout/statement.js'
import type { IndexLayout } from '../../layout/layout.js'
import type { Strategy } from './costs.js'
import type { Include, Tables } from './include.js'
import type { Driver } from '../../engine/driver.js'
import type { Observer } from '../../observability/observer.js'
import type { Telemetry } from '../../observability/telemetry.js'

/** A fan-out's request, checked and ready. */
export interface FanOutRequest {
  readonly condition: Condition | undefined
  readonly order: readonly OrderTerm[]
  readonly after: Position | undefined
  /** Rows wanted; undefined for all. */
  readonly limit: number | undefined
  readonly forced: Strategy | undefined
  /** The index to read by; `undefined` leaves it to the planner. */
  readonly index: IndexLayout | undefined
  /** Read each shard by a call of its own, so that a shard that fails does not affect the others. */
  readonly apart: boolean
  /** Read a snapshot even if a single call would be enough, to go on at its timestamp. */
  readonly consistentPages: boolean
  /** The children that each row brings with it. */
  readonly includes: readonly Include[]
  /** How many of the wanted rows only tell that there are more. */
  readonly lookAhead: number
}

/** The services of a database for its fan-outs. */
export interface FanOutServices {
  readonly driver: Driver
  /** For the children that a query includes. */
  readonly tables: Tables
  /** Receives the events of these tables; absent, there are no listeners. */
  readonly observer?: Observer
  /** Where spans are sent; absent, no spans are made. */
  readonly telemetry?: Telemetry | undefined
  /** Cursors are signed with the first of these, and taken where any of them has signed; absent, they are not signed. */
  readonly cursorSecrets?: readonly (string | Uint8Array)[]
}
