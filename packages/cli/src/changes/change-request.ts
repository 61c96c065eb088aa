import type { Schema } from '@isotherm/core'
import type { Language } from '../project/language.js'
import type { Output } from '../terminal/output.js'

/** What flags say about changes. */
export interface ChangeOptions {
  readonly rename?: readonly string[]
  readonly yes?: boolean
  readonly allowDestructive?: boolean
}

/** From which schema to which. */
export interface ChangeRequest extends Language {
  readonly from: Schema
  readonly to: Schema
  /** The schemas before the first one, oldest first, where they are known. */
  readonly earlier?: readonly Schema[]
  /** Tables that are left alone. */
  readonly ignore?: (table: string) => boolean
  /** Whether `from` was read from a database. */
  readonly live?: boolean
  readonly options: ChangeOptions
  readonly output: Output
}
