import { hash } from 'node:crypto'
import {
  type Hash64,
  type HashAlgorithm,
  type HashedColumn,
  IsothermError,
  NULL_TEXT,
  SEPARATOR,
  type ShardRange,
  shardOfHash,
} from '@isotherm/core/engine'
import { quote, quoteText } from './lexical-syntax.js'

// A hash that PostgreSQL and JavaScript both have: the first eight bytes of MD5. The functions in an expression have to be immutable,
// which casts of dates, of times and from text to bytes are not.

/** The hash by which shards are computed, as {@link md5Hash64Expression} has it in SQL. */
export const md5Hash64: Hash64 = (input) =>
  // By way of text: a buffer costs three times as much as the hash.
  BigInt.asIntN(64, BigInt(`0x${hash('md5', input, 'hex').slice(0, 16)}`))

function md5Hash64Expression(joined: string): string {
  return `('x' || substr(md5(${joined}), 1, 16))::bit(64)::bigint`
}

/**
 * The shard of a row, as the database computes it.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for columns that the database cannot hash.
 */
export function shardExpression(columns: readonly HashedColumn[], range: ShardRange): string {
  return shardOfHash(md5Hash64Expression(joinedText(columns).text), range, { mod: 'mod', abs: 'abs' })
}

/**
 * The whole hash of a row's columns: of their text, or of their bytes where one of them is bytes.
 *
 * Source: https://www.postgresql.org/docs/current/functions-binarystring.html
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for columns that the database cannot hash.
 */
export function hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string {
  const { text, isBytes } = joinedText(columns)
  return `${algorithm}(${isBytes ? text : bytesOf(text)})`
}

/** Whether the database has the hash, and can write the text of these columns: a UUID in two columns has no text. */
export function canHash(columns: readonly HashedColumn[], algorithm: HashAlgorithm | undefined): boolean {
  return algorithm !== 'farm-fingerprint' && columns.every(hasText)
}

function hasText({ type }: HashedColumn): boolean {
  return type.kind !== 'uuid' || type.storage !== 'int64-pair'
}

interface JoinedText {
  readonly text: string
  readonly isBytes: boolean
}

/** The canonical texts of columns, joined; bytes where one of them is bytes, since those need not be text. */
function joinedText(columns: readonly HashedColumn[]): JoinedText {
  const hidden = columns.find((column) => !hasText(column))
  if (hidden) {
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `PostgreSQL cannot write the text of ${hidden.name}, a UUID that is stored as two numbers.`,
      { fix: "Hash other columns, or store it as 'text'.", column: hidden.name },
    )
  }
  const isBytes = columns.some(({ type }) => type.kind === 'bytes')
  const separator = ` || ${constant(SEPARATOR, isBytes)} || `
  return { text: columns.map((column) => textOf(column, isBytes)).join(separator), isBytes }
}

function textOf(column: HashedColumn, asBytes: boolean): string {
  const text = plainText(column)
  const typed = asBytes && column.type.kind !== 'bytes' ? bytesOf(text) : text
  return column.nullable ? `coalesce(${typed}, ${constant(NULL_TEXT, asBytes)})` : typed
}

function plainText({ name, type }: HashedColumn): string {
  const column = quote(name)
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return column
    case 'uuid':
      if (type.storage === 'bytes') return `encode(${column}, 'hex')::uuid::text`
      return type.storage === 'native' ? `${column}::text` : column
    case 'timestamp':
      return `(extract(epoch from ${column} at time zone 'UTC') * 1000000)::bigint::text`
    case 'date': {
      const part = (name: string, digits: number): string =>
        `lpad(extract(${name} from ${column})::text, ${digits}, '0')`
      return `(${part('year', 4)} || '-' || ${part('month', 2)} || '-' || ${part('day', 2)})`
    }
    default:
      return `${column}::text`
  }
}

/** The bytes of a text in UTF-8, the encoding of the database. */
function bytesOf(text: string): string {
  return `decode(replace(${text}, '\\', '\\\\'), 'escape')`
}

function constant(text: string, asBytes: boolean): string {
  return asBytes ? `'\\x${Buffer.from(text).toString('hex')}'::bytea` : quoteText(text)
}
