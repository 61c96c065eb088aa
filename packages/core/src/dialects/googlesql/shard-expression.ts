import { NULL_TEXT, SEPARATOR } from '../../keys/shard.js'
import type { Column } from '../../model/column.js'
import { quote } from './identifier.js'

/**
 * The shard of a row, as the database computes it: `shardOf` in SQL. `MOD` comes before `ABS`, which fails on the smallest
 * INT64; without `ABS` half of the values would be negative.
 */
export function shardExpression(columns: readonly Column[], shards: number): string {
  return `ABS(MOD(FARM_FINGERPRINT(${hashedText(columns)}), ${shards}))`
}

function hashedText(columns: readonly Column[]): string {
  if (columns.length === 1) return textOf(columns[0]!, columns[0]!.type.kind === 'bytes')
  const asBytes = columns.some((column) => column.type.kind === 'bytes')
  const separator = literal(SEPARATOR, asBytes)
  return `CONCAT(${columns.map((column) => textOf(column, asBytes)).join(`, ${separator}, `)})`
}

/** The canonical text of one column; bytes where another one is bytes, since those need not be text. */
function textOf(column: Column, asBytes: boolean): string {
  const text = plainText(column)
  const typed = asBytes && column.type.kind !== 'bytes' ? `CAST(${text} AS BYTES)` : text
  return column.nullable ? `IFNULL(${typed}, ${literal(NULL_TEXT, asBytes)})` : typed
}

function plainText({ name, type }: Column): string {
  switch (type.kind) {
    case 'string':
    case 'bytes':
    case 'uuid':
      return quote(name)
    case 'timestamp':
      // Not CAST(… AS STRING), which depends on the database's time zone.
      return `CAST(UNIX_MICROS(${quote(name)}) AS STRING)`
    default:
      return `CAST(${quote(name)} AS STRING)`
  }
}

function literal(text: string, asBytes: boolean): string {
  return `${asBytes ? 'b' : ''}'${text.replaceAll('\\', '\\\\')}'`
}
