import {
  type ColumnType,
  type HashAlgorithm,
  type HashedColumn,
  NULL_TEXT,
  SEPARATOR,
  type ShardRange,
  shardOfHash,
} from '@isotherm/core/engine'
import { literal, quote } from './lexical-syntax.js'

/** The shard of a row, as the database computes it. */
export function shardExpression(columns: readonly HashedColumn[], range: ShardRange): string {
  return shardOfHash(hashExpression(columns, 'farm-fingerprint'), range, { mod: 'MOD', abs: 'ABS' })
}

const FUNCTIONS = { 'farm-fingerprint': 'FARM_FINGERPRINT', sha256: 'SHA256', sha512: 'SHA512' } as const

/**
 * The whole hash of a row's columns: of their text, or of their bytes where one of them is bytes.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/hash_functions
 */
export function hashExpression(columns: readonly HashedColumn[], algorithm: HashAlgorithm): string {
  return `${FUNCTIONS[algorithm]}(${hashedText(columns)})`
}

function hashedText(columns: readonly HashedColumn[]): string {
  const asBytes = columns.some((column) => column.type.kind === 'bytes')
  const texts = columns.map((column) => textOf(column, asBytes))
  const [only, ...others] = texts
  if (only !== undefined && others.length === 0) return only
  return `CONCAT(${texts.join(`, ${constant(SEPARATOR, asBytes)}, `)})`
}

/** The canonical text of one column; bytes where another one is bytes, since those need not be text. */
function textOf(column: HashedColumn, asBytes: boolean): string {
  const text = plainText(column)
  const typed = asBytes && column.type.kind !== 'bytes' ? `CAST(${text} AS BYTES)` : text
  return column.nullable ? `IFNULL(${typed}, ${constant(NULL_TEXT, asBytes)})` : typed
}

function plainText({ name, type }: HashedColumn): string {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return quote(name)
    case 'uuid':
      return uuidText(name, type.storage)
    case 'timestamp':
      // Not CAST(… AS STRING), which depends on the database's time zone.
      return `CAST(UNIX_MICROS(${quote(name)}) AS STRING)`
    default:
      return `CAST(${quote(name)} AS STRING)`
  }
}

/** The text of a UUID, in lower case, whatever it is stored as. */
function uuidText(name: string, storage: (ColumnType & { kind: 'uuid' })['storage']): string {
  switch (storage) {
    case 'native':
      return `CAST(${quote(name)} AS STRING)`
    case 'bytes': {
      const groups = '(.{8})(.{4})(.{4})(.{4})(.{12})'
      return `REGEXP_REPLACE(TO_HEX(${quote(name)}), '${groups}', '\\\\1-\\\\2-\\\\3-\\\\4-\\\\5')`
    }
    case 'int64-pair': {
      // `>>` fills up with zeros, whatever the sign.
      const [high, low] = [quote(`${name}_high`), quote(`${name}_low`)]
      const groups = [
        `${high} >> 32`,
        `(${high} >> 16) & 0xffff`,
        `${high} & 0xffff`,
        `${low} >> 48`,
        `${low} & 0xffffffffffff`,
      ]
      return `FORMAT('%08x-%04x-%04x-%04x-%012x', ${groups.join(', ')})`
    }
    default:
      return quote(name)
  }
}

function constant(text: string, asBytes: boolean): string {
  return `${asBytes ? 'b' : ''}${literal(text)}`
}

/** Whether the database can write the text of columns that can be hashed at all: here, always. */
export function canHash(): boolean {
  return true
}
