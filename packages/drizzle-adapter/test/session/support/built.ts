import { SpannerDialect } from '@isotherm/drizzle-adapter'
import type { SQL } from 'drizzle-orm'
import type { BuiltQuery } from '../../../src/drizzle-internals.js'

const dialect = new SpannerDialect()

/** The text of SQL as GoogleSQL has it. */
export function built(sql: SQL): BuiltQuery {
  return dialect.toQuery(sql)
}
