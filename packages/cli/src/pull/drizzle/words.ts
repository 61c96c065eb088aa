import type { ColumnSchema, SqlDialect, Schema, TableSchema } from '@isotherm/core'
import type { Declaration } from '../declaration.js'
import type { Value, ValueRecord } from '../source-text.js'
import type { Call } from './chain.js'

export const ORM = 'drizzle-orm'

type ScalarType = Exclude<ColumnSchema['type'], { readonly kind: 'array' }>

/** What is called otherwise for the tables of one dialect. */
export interface DrizzleWords {
  readonly dialect: SqlDialect
  /** The adapter's entry, which has `toSchema`. */
  readonly adapter: string
  readonly table: string
  readonly schema: string
  readonly sequence: string
  readonly view: string
  /** The type of what stands in the third argument of a table. */
  readonly extra: string
  /** Where a name is imported from. */
  from(name: string): string
  /** A column of the type. */
  column(type: ScalarType, name: string | undefined): Call
  /** What a column says of itself beside its type, but for its key. */
  calls(column: Declaration, options: ValueRecord): readonly Call[]
  /** A column that is declared in a way of its own, where its options ask for one. */
  special(column: Declaration, options: ValueRecord): Call | undefined
  /** Whether a column's promise never to change is said beside the columns. */
  readonly saysImmutableApart: boolean
  sequenceOptions(sequence: Schema['sequences'][number]): ValueRecord
  readonly definer: ValueRecord
  /** What Drizzle's tables cannot say of a column, though models can. */
  undeclarable(column: ColumnSchema, declaration: Declaration): string | undefined
  undeclarableKey(key: TableSchema['foreignKeys'][number]): string | undefined
  undeclarableSequence(sequence: Schema['sequences'][number]): string | undefined
}

/** The arguments of a column: `('id', { length: 10 })`, each where there is one. */
export function columnArgs(name: string | undefined, config: ValueRecord): readonly Value[] {
  const isGiven = Object.values(config).some((value) => value !== undefined)
  return [...(name === undefined ? [] : [name]), ...(isGiven ? [config] : [])]
}
