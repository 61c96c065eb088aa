import { normalForm, type NormalForm, type TypeAliases } from '../introspection/normal-form.js'

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
  return literals(normalForm(sql, 'spanner-postgresql', ALIASES))
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

/** What a literal is once it is cast; undefined where a cast stays. */
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
