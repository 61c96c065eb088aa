import type { Table } from 'drizzle-orm'
import { originalNameOf, schemaOf } from '../drizzle-internals.js'

/** What the cache and mutations call a table: its name in the database, with its schema's. */
export function nameInCache(table: Table): string {
  const schema = schemaOf(table)
  return schema === undefined ? originalNameOf(table) : `${schema}.${originalNameOf(table)}`
}
