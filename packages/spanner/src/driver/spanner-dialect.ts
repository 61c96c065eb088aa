import {
  type DialectRuntime,
  type SqlDialectRuntime,
  isRuntime,
  kind,
  sameDialect,
} from '@isotherm/core/engine'
import { googlesqlRuntime } from '../googlesql/runtime.js'
import { spannerPostgresqlRuntime } from '../postgresql/runtime.js'

/** The option `dialect` of functions for Cloud Spanner only: a dialect, or its runtime part. */
export const SPANNER_DIALECT = /* @__PURE__ */ kind(
  'a dialect of Cloud Spanner: googlesql or spannerPostgresql',
  (value) => isRuntime(value) && runtimeOf(value) !== undefined,
)

/** The part of a dialect that runs; undefined for a dialect of another engine. */
export function runtimeOf(dialect: DialectRuntime): SqlDialectRuntime | undefined {
  return [googlesqlRuntime, spannerPostgresqlRuntime].find((each) => sameDialect(each, dialect))
}
