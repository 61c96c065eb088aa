import { describeType, innerTypes, isComposite, typesWithin, type TypeKind } from '../model/column-type.js'
import type { SqlDialect } from '../model/sql-expression.js'
import type { Table } from '../model/table.js'
import { unsupported } from './ddl/refusal.js'

/** The types that Cloud Spanner has, in either dialect. */
export const SPANNER_KINDS: ReadonlySet<TypeKind> = new Set([
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

/** What holds the same values, where something does. */
const INSTEAD: { readonly [Kind in TypeKind]?: string } = {
  int32: 'int64',
  int16: 'int64',
  int8: 'int64',
  varint: 'numeric',
  decimal: 'numeric',
  time: 'an int64 of nanoseconds, or a string',
  duration: 'int64 for months, days and nanoseconds',
  inet: 'string',
  timeuuid: 'a timestamp and a @UuidV4',
  ascii: 'string',
  counter: 'int64, changed in a transaction',
  set: 'array, or json',
  map: 'json',
  tuple: 'a column for each of its values, or json',
  udt: 'a column for each of its fields, or json',
  vector: 'array of float32',
}

/**
 * What a table has for Cassandra alone.
 *
 * @param kinds the types that the dialect has
 * @throws {IsothermError} `UNSUPPORTED` naming the column, and what to use instead.
 */
export function refuseForeignTypes(table: Table, kinds: ReadonlySet<TypeKind>, dialect: SqlDialect): void {
  for (const { type, property, static: isStatic } of table.columns) {
    const foreign = typesWithin(type).find(({ kind }) => !kinds.has(kind))
    if (foreign) {
      throw unsupported(
        table.name,
        `is of type ${describeType(type)}, which ${dialect} does not have.`,
        `Use ${INSTEAD[foreign.kind] ?? 'another type'}.`,
        property,
      )
    }
    if (innerTypes(type).some(isComposite)) {
      throw unsupported(
        table.name,
        `is an ${describeType(type)}, and ${dialect} has no arrays of arrays.`,
        'Use json, or a table of its own.',
        property,
      )
    }
    if (isStatic) {
      throw unsupported(
        table.name,
        `is static, and ${dialect} has one value a row.`,
        'Keep it in a parent table, in which this one is interleaved.',
        property,
      )
    }
    if (isComposite(type) && table.primaryKey.some((part) => part.property === property)) {
      throw unsupported(
        table.name,
        `is a key part of type ${describeType(type)}.`,
        `No key in ${dialect} has that type: choose another column.`,
        property,
      )
    }
  }
  if (table.timeToLive !== undefined) {
    throw unsupported(
      table.name,
      `lets rows live ${table.timeToLive} seconds, which ${dialect} does not count from the write.`,
      `Use rowDeletion: a timestamp column, and days: ${Math.ceil(table.timeToLive / 86_400)}.`,
    )
  }
}
