import type { Column, Table } from 'drizzle-orm'
import { nameOf, schemaOf } from '../drizzle-internals.js'

/** `finance.Invoice` */
export function qualifiedName(table: Table): string {
  return inSchema(schemaOf(table), nameOf(table))
}

export function inSchema(schema: string | undefined, name: string): string {
  return schema === undefined || name.includes('.') ? name : `${schema}.${name}`
}

/** What Drizzle calls that which is unique without a name of its own. */
export function uniqueName(table: Table, columns: readonly Column[]): string {
  return [nameOf(table), ...columns.map(({ name }) => name), 'unique'].join('_')
}
