import type { Driver } from '../database/driver.js'
import type { Tables } from './children/include.js'
import type { Observer } from '../observability/observer.js'

/** What a database lends to its fan-outs. */
export interface FanOutServices {
  readonly driver: Driver
  /** For the children that a query includes. */
  readonly tables: Tables
  /** Who is told what they do; absent, nobody is. */
  readonly observer?: Observer
  /** Cursors are signed with the first of these, and taken where any of them has signed; absent, they are not signed. */
  readonly cursorSecrets?: readonly (string | Uint8Array)[]
}
