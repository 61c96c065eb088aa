import { typeOf } from '../../columns/declared-column.js'
import type { ScalarType } from '@isotherm/core'
import { isComposite, type ColumnDeclaration, type WireType } from '@isotherm/core/adapter'
import { is, SQL, StringChunk, type Column } from 'drizzle-orm'
import { PgArray } from 'drizzle-orm/pg-core'
import { SpannerPgColumn } from './common.js'
import { arrayOfArrays, wireTypeOf } from './codec.js'

/** The type of a `pgTable`'s column, and how its values are made. */
export function pgDeclaration(column: Column): ColumnDeclaration {
  if (is(column, SpannerPgColumn)) return column.declaration
  const type = schemaTypeOf(column)
  if (/^spanner\.commit_timestamp$/i.test(column.getSQLType().trim())) {
    return { type, source: { kind: 'timestamp', from: 'commit' } }
  }
  return { type, ...identityOf(column) }
}

/** The type of a column in a schema, which says more than the form in which its values are sent. */
function schemaTypeOf(column: Column): WireType {
  // For example for an array's items.
  if (is(column, SpannerPgColumn)) return typeOf(column.declaration, column.name)
  if (is(column, PgArray)) {
    const of = schemaTypeOf(column.baseColumn)
    if (isComposite(of)) throw arrayOfArrays(column)
    return { kind: 'array', of }
  }
  const type = wireTypeOf(column)
  return isComposite(type) ? type : scalarType(column, type)
}

function scalarType(column: Column, type: ScalarType): ScalarType {
  if (type.kind === 'int64' && column.dataType === 'number') return { kind: 'int64', as: 'number' }
  if (column.columnType === 'PgUUID') return { kind: 'uuid' }
  if (type.kind !== 'string') return type
  // PostgreSQL's char(n) is text that it pads, which Spanner does not.
  const length = /^(?:var)?char(?:acter varying)? ?\((\d+)\)$/i.exec(column.getSQLType().trim())?.[1]
  return length === undefined ? type : { kind: 'string', length: Number(length) }
}

function identityOf({ generatedIdentity }: Column): ColumnDeclaration {
  if (!generatedIdentity) return {}
  const start = (generatedIdentity as IdentityConfig).sequenceOptions?.startWith
  return {
    source: {
      kind: 'bit-reversed',
      from: 'identity',
      ...(start !== undefined && { startCounter: String(start) }),
    },
  }
}

/** As Drizzle keeps what `generatedByDefaultAsIdentity` was given. */
export interface IdentityConfig {
  readonly type: 'always' | 'byDefault'
  readonly sequenceName?: string
  readonly sequenceOptions?: SequenceConfig
}

/** The options of a Drizzle sequence. */
export interface SequenceConfig {
  readonly increment?: number | string
  readonly minValue?: number | string
  readonly maxValue?: number | string
  readonly startWith?: number | string
  readonly cache?: number | string
  readonly cycle?: boolean
}

/** The generator of a column's values, if its default is a function that Isotherm knows. */
export function sourceOfDefault({ default: value, columnType }: Column): ColumnDeclaration['source'] {
  const text = is(value, SQL) ? plainText(value) : undefined
  if (text === undefined) return undefined
  if (columnType === 'PgUUID' && /^(?:gen_random_uuid|spanner\.generate_uuid)\(\)$/i.test(text)) {
    return { kind: 'uuid-v4' }
  }
  const sequence = /^nextval\('((?:[^']|'')+)'(?:::regclass)?\)$/i.exec(text)?.[1]
  if (sequence === undefined) return undefined
  const name = sequence.replaceAll("''", "'").replaceAll('"', '')
  return { kind: 'bit-reversed', from: 'sequence', sequence: name }
}

/** SQL that is nothing but text; undefined for any other. */
function plainText(sql: SQL): string | undefined {
  if (!sql.queryChunks.every((chunk) => is(chunk, StringChunk))) return undefined
  return sql.queryChunks
    .map(({ value }) => value.join(''))
    .join('')
    .trim()
}
