import { quote, spannerPostgreSqlLexicalSyntax } from '../lexical-syntax.js'
import {
  type DefaultCall,
  type IntrospectedDialect,
  type NormalForm,
  type RecognisedRowDeletion,
  type RecognisedType,
  type TypeAliases,
  normalForm,
  sameForm,
} from '../../introspection/dialect.js'
import { type ColumnType, type ScalarType, TokenReader, isName, tokenize } from '@isotherm/core/engine'
import type { Sequence } from '@isotherm/core/tools'
import type { CatalogColumn, CatalogContext } from '../../introspection/catalog.js'
import { hashExpression, shardExpression } from '../hash-expression.js'
import { mirrorExpression, mirrorName } from '../mirror.js'

// The engine gives an expression back in its own words: `64` becomes `'64'::bigint`, `CAST(a AS text)` becomes `(a)::text`,
// `EXTRACT(epoch FROM t)` becomes `"extract"('epoch'::text, t)`.

const ALIASES: TypeAliases = {
  int8: 'bigint',
  int: 'bigint',
  varchar: 'character varying',
  timestamptz: 'timestamp with time zone',
  float8: 'double precision',
  float4: 'real',
  bool: 'boolean',
}

export function spannerPostgreSqlNormalForm(sql: string): NormalForm {
  return literals(normalForm(sql, spannerPostgreSqlLexicalSyntax, ALIASES))
}

/** Literals without the types and the signs that they are given when they are read back. */
function literals(form: NormalForm): NormalForm {
  const entries: string[] = []
  for (const entry of form) {
    const last = entries.at(-1)
    const typed = last === undefined ? undefined : typedLiteral(last, entry)
    if (typed !== undefined) entries[entries.length - 1] = typed
    else if (entry.startsWith('n:') && last === '.-' && !isOperand(entries.at(-2)))
      entries[entries.length - 1] = `n:-${entry.slice(2)}`
    else entries.push(entry)
  }
  return entries
}

const NUMERIC = new Set(['::bigint', '::numeric', '::double precision', '::real'])

/** The value of a literal after its cast; undefined if the cast stays. */
function typedLiteral(literal: string, cast: string): string | undefined {
  const text = literal.slice(2)
  if (literal.startsWith('n:')) return NUMERIC.has(cast) ? literal : undefined
  if (!literal.startsWith('s:')) return undefined
  if (NUMERIC.has(cast)) return `n:${text}`
  if (cast === '::text') return literal
  return cast === '::bytea' ? `b:${bytesOf(text)}` : undefined
}

function bytesOf(text: string): string {
  return text.startsWith('\\x') ? text.slice(2).toLowerCase() : Buffer.from(text).toString('hex')
}

function isOperand(entry: string | undefined): boolean {
  return entry !== undefined && /^(?:[wnsb]:|\??::)/.test(entry)
}

const CALLS: ReadonlyMap<string, DefaultCall> = new Map<string, DefaultCall>([
  ['w:spanner .. f:generate_uuid', 'uuid-text'],
  ['f:gen_random_uuid', 'uuid'],
  ['w:current_timestamp', 'clock'],
])

function spannerPostgreSqlDefault(expression: string, sequences: readonly string[]): DefaultCall | undefined {
  const form = spannerPostgreSqlNormalForm(expression)
  const [call, argument] = form
  if (call !== 'f:nextval' || form.length !== 2) return CALLS.get(form.join(' '))
  const sequence = sequenceIn(argument, sequences)
  return sequence === undefined ? undefined : { sequence }
}

/** The name is a text: as it is, in quotes like any other name, or with the default schema in front of it. */
function sequenceIn(argument: string | undefined, sequences: readonly string[]): string | undefined {
  if (!argument?.startsWith('s:')) return undefined
  const written = argument.slice(2).replace(/^public\./, '')
  return sequences.find((name) => name === written || name === written.replaceAll('"', ''))
}

const PLAIN: Readonly<Record<string, ScalarType>> = {
  boolean: { kind: 'bool' },
  bigint: { kind: 'int64' },
  real: { kind: 'float32' },
  'double precision': { kind: 'float64' },
  numeric: { kind: 'numeric' },
  'character varying': { kind: 'string', length: 'max' },
  text: { kind: 'string', length: 'max' },
  bytea: { kind: 'bytes', length: 'max' },
  date: { kind: 'date' },
  'timestamp with time zone': { kind: 'timestamp' },
  jsonb: { kind: 'json' },
  uuid: { kind: 'uuid', storage: 'native' },
}

/** A vector's length is dropped: it says how many items an array has, and no `Schema` knows of that. A note says so. */
const ARRAY = /^(.+)\[\](?: vector length \d+)?$/

/**
 * The type of a text such as `character varying(36)[]`; undefined for a type that a `Schema` cannot have.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-types
 */
function spannerPostgreSqlTypeOf(syntax: string): RecognisedType | undefined {
  if (syntax === 'spanner.commit_timestamp') return { type: { kind: 'timestamp' }, commitTimestamp: true }
  const [, item] = ARRAY.exec(syntax) ?? []
  const type = scalarOf(item ?? syntax)
  return type && { type: item ? { kind: 'array', of: type } : type }
}

function scalarOf(syntax: string): ScalarType | undefined {
  const limited = /^character varying\((\d+)\)$/.exec(syntax)
  return limited ? { kind: 'string', length: Number(limited[1]) } : PLAIN[syntax]
}

/** How a database of Spanner's PostgreSQL dialect is read. */
export const introspectedSpannerPostgreSql: IntrospectedDialect = {
  lexicalSyntax: spannerPostgreSqlLexicalSyntax,
  defaultSchema: 'public',
  text: 'text',
  quote,
  normalForm: spannerPostgreSqlNormalForm,
  typeOf: spannerPostgreSqlTypeOf,
  defaultCall: spannerPostgreSqlDefault,
  rowDeletion,
  addRowDeletion: (table, policy) => `ALTER TABLE ${quote(table)} ADD TTL ${policy}`,
  readSequences,
  hashes: { shardExpression, hashExpression },
  isMirror,
}

/** From `INTERVAL '7 DAYS' ON created`. */
function rowDeletion(policy: string): RecognisedRowDeletion | undefined {
  const reader = new TokenReader(tokenize(policy, spannerPostgreSqlLexicalSyntax))
  reader.skip('INTERVAL')
  const interval = reader.next()
  const column = reader.skip('ON') ? reader.next() : undefined
  const days = interval?.kind === 'string' ? daysIn(interval.text) : undefined
  return isName(column) && days !== undefined ? { column: column.text, days } : undefined
}

const HOURS: Readonly<Record<string, number>> = { HOUR: 1, DAY: 24, WEEK: 7 * 24, MONTH: 30 * 24 }

/** The emulator writes 31 days as `1 MONTHS 24 HOURS`. */
function daysIn(interval: string): number | undefined {
  const words = interval.trim().toUpperCase().split(/\s+/)
  let hours = 0
  for (let at = 0; at < words.length; at += 2) {
    const [number = '', word = ''] = words.slice(at, at + 2)
    const unit = HOURS[word.replace(/S$/, '')]
    if (unit === undefined || !/^\d+$/.test(number)) return undefined
    hours += Number(number) * unit
  }
  return hours % 24 === 0 ? hours / 24 : undefined
}

async function readSequences({ read, nameOf }: CatalogContext): Promise<Sequence[]> {
  const rows = await read({
    view: 'sequences',
    columns: {
      sequence_schema: 'text',
      sequence_name: 'text',
      counter_start_value: 'integer',
      skip_range_min: 'integer',
      skip_range_max: 'integer',
    },
    schemaColumn: 'sequence_schema',
  })
  return rows.map((row) => {
    const { counter_start_value: start, skip_range_min: min, skip_range_max: max } = row
    return {
      name: nameOf([row.sequence_schema ?? '', row.sequence_name ?? '']),
      // Every sequence has a start in this catalogue, and 1 is the default.
      ...(start !== null && start !== 1n && { startCounter: String(start) }),
      ...(min !== null && max !== null && { skipRange: [String(min), String(max)] as const }),
    }
  })
}

function isMirror({ name, generated }: CatalogColumn, of: CatalogColumn, type: ColumnType): boolean {
  const expression = mirrorExpression(of.name, type.kind)
  if (!generated?.stored || expression === undefined || name !== mirrorName(of.name)) return false
  return sameForm(spannerPostgreSqlNormalForm(generated.expression), spannerPostgreSqlNormalForm(expression))
}
