import type { DialectName, Schema } from '@isotherm/core'
import type { Output } from '../terminal/output.js'

/** What flags say about changes. */
export interface ChangeOptions {
  readonly rename?: readonly string[]
  readonly yes?: boolean
  readonly allowDestructive?: boolean
}

/** From which schema to which. */
export interface ChangeRequest {
  readonly from: Schema
  readonly to: Schema
  readonly dialect: DialectName
  /** Tables that are left alone. */
  readonly ignore?: (table: string) => boolean
  /** Whether `from` was read from a database. */
  readonly live?: boolean
  readonly options: ChangeOptions
  readonly output: Output
}
