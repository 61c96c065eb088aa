import {
  type HashAlgorithm,
  type HashedColumn,
  IsothermError,
  NULL_TEXT,
  SEPARATOR,
  type ShardRange,
  shardOfHash,
} from '@isotherm/core/engine'
import { literal, quote } from './lexical-syntax.js'

/**
 * The shard of a row, as the database computes it.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for columns that the database cannot hash.
 */
export function shardExpression(columns: readonly HashedColumn[], range: ShardRange): string {
  return shardOfHash(hashExpression(columns, 'farm-fingerprint'), range, { mod: 'mod', abs: 'abs' })
}

/**
 * The whole hash of a row's columns: of their text, or of their bytes where one of them is bytes.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/functions
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for columns that the database cannot hash.
 */
export function hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string {
  const hidden = columns.find((column) => !hasText(column))
  if (hidden) {
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `Spanner's PostgreSQL dialect cannot write the text of ${hidden.name}, a UUID that is stored as numbers or bytes.`,
      { fix: "Hash other columns, or store it as 'text'.", column: hidden.name },
    )
  }
  const asBytes = columns.some((column) => column.type.kind === 'bytes')
  const texts = columns.map((column) => textOf(column, asBytes))
  const joined = join(texts, ` || ${constant(SEPARATOR, asBytes)} || `)
  if (algorithm === 'farm-fingerprint') return `spanner.farm_fingerprint(${joined})`
  if (asBytes) return `${algorithm}(${joined})`
  return `${algorithm}(${texts.length === 1 ? joined : `(${joined})`}::bytea)`
}

/** In halves: each `||` is a level of its own, and an expression may have 20. */
function join(texts: readonly string[], separator: string): string {
  if (texts.length <= 3) return texts.join(separator)
  const half = Math.ceil(texts.length / 2)
  return [texts.slice(0, half), texts.slice(half)].map((part) => `(${join(part, separator)})`).join(separator)
}

/**
 * Whether the database can write the hashed text of these columns. No function makes hexadecimal digits, so the text of a
 * UUID cannot be made from numbers or bytes.
 */
export function canHash(columns: readonly HashedColumn[]): boolean {
  return columns.every(hasText)
}

function hasText({ type }: HashedColumn): boolean {
  return type.kind !== 'uuid' || (type.storage !== 'bytes' && type.storage !== 'int64-pair')
}

/**
 * The canonical text of one column; bytes where another one is bytes, since those need not be text. PostgreSQL's own cast
 * to `bytea` would take a backslash for an escape; Spanner's takes the text's UTF-8 as it is, but not that of a literal.
 */
function textOf(column: HashedColumn, asBytes: boolean): string {
  const text = plainText(column)
  const typed = asBytes && column.type.kind !== 'bytes' ? `${text}::bytea` : text
  if (!column.nullable) return typed
  const absent = constant(NULL_TEXT, asBytes)
  // Not coalesce, since EXTRACT of NULL ends the emulator.
  if (column.type.kind === 'timestamp')
    return `CASE WHEN ${quote(column.name)} IS NULL THEN ${absent} ELSE ${typed} END`
  return `coalesce(${typed}, ${absent})`
}

function plainText({ name, type }: HashedColumn): string {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return quote(name)
    case 'uuid':
      return type.storage === 'native' ? `${quote(name)}::text` : quote(name)
    case 'timestamp':
      // Not ::text, which depends on the database's time zone.
      return `(EXTRACT(epoch FROM ${quote(name)}) * 1000000)::bigint::text`
    default:
      return `${quote(name)}::text`
  }
}

function constant(text: string, asBytes: boolean): string {
  return asBytes ? `'\\x${Buffer.from(text).toString('hex')}'::bytea` : literal(text)
}
