import { defineSchema, defineTable, type Schema, type SchemaOptions, type SqlDialect } from '@isotherm/core'
import type { Renames } from '@isotherm/migrations'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'

/** Two schemas and the statements that lead from one to the other. */
export interface PlanCase {
  readonly name: string
  readonly from: Schema
  readonly to: Schema
  readonly renames?: Renames
  /** Without the dialects that cannot make the change. */
  readonly statements: { readonly [Name in SqlDialect['name']]?: readonly string[] }
  /** Dialects whose emulator rejects statements that the service accepts: then only the text is tested. */
  readonly notInEmulator?: readonly SqlDialect[]
}

export const both: readonly SqlDialect[] = [googlesql, spannerPostgresql]

type Columns = Parameters<typeof defineTable>[1]
type Options = Parameters<typeof defineTable>[2]

/** A schema of one table `T` with the key `id`. */
export function table(columns: Columns, options?: Options, rest?: SchemaOptions): Schema {
  return defineSchema([tableT(columns, options)], rest)
}

export function tableT(columns: Columns, options?: Options): object {
  return defineTable('T', (t) => ({ id: t.int64().key(), ...columns(t) }), options as never)
}
