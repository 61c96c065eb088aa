import { type ColumnType, type ScalarType, canonicalDecimal, isSymbol } from '@isotherm/core/engine'
import { type DefaultValue, type SqlText, isKept, isWord, parseSql } from '@isotherm/core/tools'
import { postgresqlLexicalSyntax } from '../sql/lexical-syntax.js'

// Literals, read back from what PostgreSQL says of a default: `'-5'::bigint`, `1.5`, `ARRAY['a'::text]`.

type Item = string | number | boolean

/** The types of a cast through which a literal of a type may have come. */
const CASTS: Readonly<Partial<Record<ScalarType['kind'], RegExp>>> = {
  bool: /^boolean$/,
  int64: /^(?:bigint|integer|smallint)$/,
  float32: /^(?:real|double precision|numeric|bigint|integer|smallint)$/,
  float64: /^(?:double precision|numeric|bigint|integer|smallint)$/,
  numeric: /^(?:numeric|bigint|integer|smallint)$/,
  string: /^(?:text|character varying)$/,
  bytes: /^bytea$/,
  date: /^date$/,
  timestamp: /^timestamp with time zone$/,
  json: /^jsonb$/,
  uuid: /^uuid$/,
}

/** The value of a default of this type, where its SQL is a literal; undefined for any other expression. */
export function literalValue(sql: string, type: ColumnType): { readonly value: DefaultValue } | undefined {
  const text = parseSql(sql, postgresqlLexicalSyntax)
  const value =
    type.kind === 'array' ? itemsOf(text, type.of as ScalarType) : scalarOf(text, type as ScalarType)
  return value !== undefined && isKept(type, { value }) ? { value } : undefined
}

function peeled(text: SqlText): SqlText {
  const [only, ...more] = text
  if (more.length > 0 || only?.kind !== 'group' || only.bracket !== '(' || only.parts.length !== 1)
    return text
  return peeled(only.parts[0]!)
}

function itemsOf(text: SqlText, of: ScalarType): readonly (Item | null)[] | undefined {
  const inner = peeled(text)
  const [first, list] = inner
  if (first?.kind === 'cast' && inner.length === 1 && first.type.size.endsWith('[]')) {
    const [empty, ...more] = peeled(first.operand)
    return more.length === 0 && empty?.kind === 'string' && empty.text === '{}'
      ? []
      : itemsOf(first.operand, of)
  }
  // A cast of a list takes the list alone, and leaves the word before it.
  if (first && isWord(first, 'ARRAY') && list?.kind === 'cast' && inner.length === 2) {
    return list.type.size.endsWith('[]') ? itemsOf([first, ...list.operand], of) : undefined
  }
  if (!isWord(first, 'ARRAY') || list?.kind !== 'group' || list.bracket !== '[' || inner.length !== 2)
    return undefined
  const items = list.parts
    .filter((part) => part.length > 0)
    .map((part) => (isNull(part) ? null : scalarOf(part, of)))
  return items.includes(undefined) ? undefined : (items as (Item | null)[])
}

function isNull(text: SqlText): boolean {
  const [only, ...more] = peeled(text)
  if (more.length > 0) return false
  return only?.kind === 'cast' ? isNull(only.operand) : isWord(only, 'NULL')
}

interface Literal {
  readonly form: 'word' | 'number' | 'string'
  readonly text: string
}

/** A literal, within casts that do not change it. */
function literalOf(text: SqlText, casts: RegExp): Literal | undefined {
  const inner = peeled(text)
  const [first, second] = inner
  if (inner.length === 2 && isSymbol(first, '-') && second?.kind === 'number')
    return { form: 'number', text: `-${second.text}` }
  if (inner.length !== 1 || !first) return undefined
  switch (first.kind) {
    case 'word':
    case 'number':
    case 'string':
      return { form: first.kind, text: first.text }
    case 'cast':
      return casts.test(first.type.name) ? literalOf(first.operand, casts) : undefined
    default:
      return undefined
  }
}

function scalarOf(sql: SqlText, type: ScalarType): Item | undefined {
  const casts = CASTS[type.kind]
  const literal = casts && literalOf(sql, casts)
  if (!literal) return undefined
  const { form, text } = literal
  if (type.kind === 'bool')
    return form === 'word' && /^(?:true|false)$/.test(text) ? text === 'true' : undefined
  if (form === 'word') return undefined
  switch (type.kind) {
    case 'int64':
      return /^-?\d+$/.test(text) ? String(BigInt(text)) : undefined
    case 'float32':
    case 'float64':
      return floatOf(text, type.kind)
    case 'numeric':
      if (text === 'NaN') return text
      return /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? canonicalDecimal(text.replace(/\.$/, '')) : undefined
    case 'bytes':
      return /^\\x(?:[0-9a-f]{2})*$/.test(text)
        ? Buffer.from(text.slice(2), 'hex').toString('base64')
        : undefined
    case 'json':
      // As it is written, without the white space: a number may have more digits than JavaScript has.
      return text.replace(/("(?:\\.|[^"\\])*")|\s+/g, (_, string: string | undefined) => string ?? '')
    case 'timestamp':
      return momentOf(text)
    default:
      return form === 'string' ? text : undefined
  }
}

function floatOf(text: string, kind: 'float32' | 'float64'): string | number | undefined {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text
  const wide = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN
  const value = kind === 'float32' ? Math.fround(wide) : wide
  if (!Number.isFinite(value)) return undefined
  return Object.is(value, -0) ? '-0' : value
}

const LOCAL = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?([+-]\d{2})(?::(\d{2}))?$/

/** PostgreSQL prints a timestamp in the time zone of its session. */
function momentOf(text: string): string | undefined {
  const [, day, time, fraction = '', hours, minutes = '00'] = LOCAL.exec(text) ?? []
  const moment = day === undefined ? NaN : Date.parse(`${day}T${time}${hours}:${minutes}`)
  if (Number.isNaN(moment)) return undefined
  return `${new Date(moment).toISOString().slice(0, 19)}${fraction.replace(/\.?0*$/, '')}Z`
}
