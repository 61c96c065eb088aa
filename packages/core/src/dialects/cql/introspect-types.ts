import type { ColumnType, ElementType, ScalarType } from '../../model/column-type.js'
import { isName, isSymbol, type Token } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'

const SCALARS: Readonly<Record<string, ScalarType>> = {
  ascii: { kind: 'ascii' },
  bigint: { kind: 'int64' },
  blob: { kind: 'bytes', length: 'max' },
  boolean: { kind: 'bool' },
  counter: { kind: 'counter' },
  date: { kind: 'date' },
  decimal: { kind: 'decimal' },
  double: { kind: 'float64' },
  duration: { kind: 'duration' },
  float: { kind: 'float32' },
  inet: { kind: 'inet' },
  int: { kind: 'int32' },
  smallint: { kind: 'int16' },
  text: { kind: 'string', length: 'max' },
  time: { kind: 'time' },
  timestamp: { kind: 'timestamp' },
  timeuuid: { kind: 'timeuuid' },
  tinyint: { kind: 'int8' },
  uuid: { kind: 'uuid' },
  varchar: { kind: 'string', length: 'max' },
  varint: { kind: 'varint' },
}

/**
 * A type as the catalogue spells it: `frozen<map<text, "address">>`.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/create-table.html
 *
 * @param userTypes names of those that the keyspace has
 * @returns undefined for one that Isotherm does not have
 */
export function columnTypeOf(text: string, userTypes: ReadonlySet<string>): ColumnType | undefined {
  const reading = { tokens: tokenize(text, 'cql').flatMap(unshifted), at: 0, userTypes }
  const type = readType(reading)
  return reading.at === reading.tokens.length ? type : undefined
}

interface Reading {
  readonly tokens: readonly Token[]
  at: number
  readonly userTypes: ReadonlySet<string>
}

/** Two that close are one operator where numbers are shifted. */
function unshifted(token: Token): Token[] {
  return isSymbol(token, '>>') ? ['>', '>'].map((text) => ({ kind: 'symbol', text })) : [token]
}

function readType(reading: Reading): ColumnType | undefined {
  const token = reading.tokens[reading.at++]
  if (!isName(token)) return undefined
  if (token.kind === 'word' && isSymbol(reading.tokens[reading.at], '<')) return readOf(token.text, reading)
  const scalar = token.kind === 'word' ? SCALARS[token.text] : undefined
  return scalar ?? (reading.userTypes.has(token.text) ? { kind: 'udt', name: token.text } : undefined)
}

/** What stands between `<` and `>`. */
function readOf(word: string, reading: Reading): ColumnType | undefined {
  reading.at++
  const parts: ColumnType[] = []
  let dimensions: number | undefined
  for (;;) {
    const token = reading.tokens[reading.at]
    if (token?.kind === 'number') {
      dimensions = Number(token.text)
      reading.at++
    } else {
      const part = readType(reading)
      if (!part) return undefined
      parts.push(part)
    }
    const end = reading.tokens[reading.at++]
    if (isSymbol(end, '>')) break
    if (!isSymbol(end, ',')) return undefined
  }
  return composite(word, parts as ElementType[], dimensions)
}

function composite(
  word: string,
  parts: readonly ElementType[],
  dimensions: number | undefined,
): ColumnType | undefined {
  const [first, second] = parts
  if (!first) return undefined
  switch (word) {
    case 'frozen':
      return first.kind === 'tuple' ? first : ({ ...first, frozen: true } as ColumnType)
    case 'list':
      return { kind: 'array', of: first }
    case 'set':
      return { kind: 'set', of: first }
    case 'map':
      return second && { kind: 'map', key: first as ScalarType, of: second }
    case 'tuple':
      return { kind: 'tuple', of: parts }
    case 'vector':
      return first.kind === 'float32' && dimensions !== undefined
        ? { kind: 'vector', of: 'float32', dimensions }
        : undefined
    default:
      return undefined
  }
}
