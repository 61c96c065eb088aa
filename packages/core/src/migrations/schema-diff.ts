import type { SchemaChange } from './change.js'
import type { Refusal } from './refusal.js'

export interface SchemaDiff {
  /** In the order in which they have to be made. */
  readonly changes: readonly SchemaChange[]
  /** What the database cannot do in place. Where there is any, the changes are not the whole way. */
  readonly refusals: readonly Refusal[]
}
