import type { TypeKind } from '@isotherm/core/engine'

/** The types that Cloud Spanner has, in either dialect. */
export const SPANNER_TYPES: ReadonlySet<TypeKind> = new Set([
  'bool',
  'int64',
  'float32',
  'float64',
  'numeric',
  'string',
  'bytes',
  'date',
  'timestamp',
  'json',
  'uuid',
  'array',
])
