import { parse, stringify } from 'lossless-json'
import { isKept, type DefaultValue } from '@isotherm/core/tools'
import type { ColumnType, ScalarType } from '@isotherm/core/engine'
import type { LexicalSyntax } from '@isotherm/core/engine'
import { parseSql, type SqlNode, type SqlText } from '@isotherm/core/tools'
import { isSymbol } from '@isotherm/core/engine'
import { isWord } from '@isotherm/core/tools'
import { canonicalDecimal } from '@isotherm/core/engine'

// Literals, read back from what a database says of a default: `64`, `'64'::bigint`, `CAST('NaN' AS FLOAT64)`, `DATE '2026-08-01'`.

/** The name of a type in a cast, or before a text. */
const KINDS: Readonly<Record<string, ScalarType['kind']>> = {
  bool: 'bool',
  boolean: 'bool',
  int64: 'int64',
  bigint: 'int64',
  int8: 'int64',
  float32: 'float32',
  real: 'float32',
  float4: 'float32',
  float64: 'float64',
  'double precision': 'float64',
  float8: 'float64',
  numeric: 'numeric',
  string: 'string',
  text: 'string',
  varchar: 'string',
  'character varying': 'string',
  bytes: 'bytes',
  bytea: 'bytes',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp',
  'timestamp with time zone': 'timestamp',
  json: 'json',
  jsonb: 'json',
  uuid: 'uuid',
}

interface Literal {
  readonly form: 'word' | 'number' | 'string' | 'bytes'
  readonly text: string
  /** The type of the cast. */
  readonly as?: ScalarType['kind'] | undefined
}

/** The value of a default of this type, where its SQL is a literal; undefined for any other expression. */
export function literalValue(
  sql: string,
  type: ColumnType,
  lexicalSyntax: LexicalSyntax,
): { readonly value: DefaultValue } | undefined {
  const text = parseSql(sql, lexicalSyntax)
  const value = type.kind === 'array' ? itemsOf(text, type.of) : scalarOf(text, type)
  return value !== undefined && isKept(type, { value }) ? { value } : undefined
}

function peeled(text: SqlText): SqlText {
  const [only, ...more] = text
  if (more.length > 0 || only?.kind !== 'group' || only.bracket !== '(') return text
  const [part, ...others] = only.parts
  return part && others.length === 0 ? peeled(part) : text
}

function itemsOf(text: SqlText, of: ColumnType): readonly (string | number | boolean | null)[] | undefined {
  const inner = peeled(text)
  const [first] = inner
  if (first?.kind === 'cast' && inner.length === 1 && first.type.size.endsWith('[]')) {
    const operand = peeled(first.operand)
    const isEmpty = operand.length === 1 && operand[0]?.kind === 'string' && operand[0].text === '{}'
    return isEmpty ? [] : itemsOf(first.operand, of)
  }
  const list = inner.at(-1)
  if (list?.kind !== 'group' || list.bracket !== '[') return undefined
  if (!/^(?:array(?:<\w+>)?)?$/i.test(inner.slice(0, -1).map(textOf).join(''))) return undefined
  const parts = list.parts.filter((part) => part.length > 0)
  const items = parts.map((part) => (isNull(part) ? null : scalarOf(part, of)))
  return items.includes(undefined) ? undefined : (items as (string | number | boolean | null)[])
}

function textOf(node: SqlNode): string {
  return node.kind === 'word' || node.kind === 'symbol' ? node.text : '?'
}

function isNull(text: SqlText): boolean {
  const inner = peeled(text)
  const [only] = inner
  if (inner.length !== 1) return false
  return only?.kind === 'cast' ? isNull(only.operand) : isWord(only, 'NULL')
}

function literalOf(text: SqlText): Literal | undefined {
  const inner = peeled(text)
  const [first, second] = inner
  if (inner.length === 2 && first && second) {
    if (isSymbol(first, '-')) {
      const number = literalOf([second])
      return number?.form === 'number' && !number.text.startsWith('-')
        ? { ...number, text: `-${number.text}` }
        : undefined
    }
    const as = first.kind === 'word' ? KINDS[first.text.toLowerCase()] : undefined
    return as !== undefined && second.kind === 'string'
      ? { form: 'string', text: second.text, as }
      : undefined
  }
  if (inner.length !== 1 || !first) return undefined
  switch (first.kind) {
    case 'number':
    case 'string':
    case 'bytes':
    case 'word':
      return { form: first.kind, text: first.text }
    case 'cast': {
      const as = KINDS[first.type.name]
      const operand = literalOf(first.operand)
      if (first.safe || first.format.length > 0 || first.type.size !== '' || as === undefined)
        return undefined
      if (!operand) return undefined
      // So PostgreSQL's dialect prints a `real` below zero: `('-1.5'::numeric)::real`.
      const isReal = operand.as === 'numeric' && as === 'float32'
      return operand.as === undefined || operand.as === as || isReal ? { ...operand, as } : undefined
    }
    default:
      return undefined
  }
}

function scalarOf(sql: SqlText, type: ColumnType): string | number | boolean | undefined {
  const literal = literalOf(sql)
  if (!literal) return undefined
  const { form, text, as } = literal
  const { kind } = type
  const isText = kind === 'string' || (kind === 'uuid' && as === 'string')
  if (as !== undefined && as !== kind && !isText) return undefined
  if (isText && as !== undefined && as !== 'string' && as !== kind) return undefined
  const isNumber = form === 'number' || (form === 'string' && as !== undefined)
  switch (kind) {
    case 'bool':
      return form !== 'bytes' && /^(?:true|false)$/i.test(text) && (form === 'word' || as === 'bool')
        ? text.toLowerCase() === 'true'
        : undefined
    case 'int64':
      return isNumber && /^-?\d+$/.test(text) ? String(BigInt(text)) : undefined
    case 'float32':
    case 'float64':
      return isNumber ? floatOf(text) : undefined
    case 'numeric':
      if (isNumber && text === 'NaN') return text
      return isNumber && /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)
        ? canonicalDecimal(text.replace(/\.$/, ''))
        : undefined
    case 'bytes':
      if (form === 'bytes') return Buffer.from(text, 'latin1').toString('base64')
      return form === 'string' && as === 'bytes' && /^\\x(?:[0-9a-f]{2})*$/i.test(text)
        ? Buffer.from(text.slice(2), 'hex').toString('base64')
        : undefined
    case 'json':
      return form === 'string' && as === 'json' ? jsonOf(text) : undefined
    case 'timestamp':
      return form === 'string' ? momentOf(text) : undefined
    case 'string':
    case 'uuid':
    case 'date':
      return form === 'string' ? text : undefined
    default:
      return undefined
  }
}

const LOCAL = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d+)?([+-]\d{2})(?::(\d{2}))?$/

/** PostgreSQL prints a timestamp in the time zone of its session. */
function momentOf(text: string): string {
  const [, day, time, fraction = '', hours, minutes = '00'] = LOCAL.exec(text) ?? []
  const moment = day === undefined ? NaN : Date.parse(`${day}T${time}${hours}:${minutes}`)
  if (Number.isNaN(moment)) return text
  const digits = fraction.replace(/\.?0*$/, '')
  return `${new Date(moment).toISOString().slice(0, 19)}${digits}Z`
}

function floatOf(text: string): string | number | undefined {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return text
  const value = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN
  if (!Number.isFinite(value)) return undefined
  return Object.is(value, -0) ? '-0' : value
}

function jsonOf(text: string): string | undefined {
  try {
    return stringify(parse(text))
  } catch {
    return undefined
  }
}
