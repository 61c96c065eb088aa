import type { Lexicon } from '@isotherm/core/engine'
import { type SqlDialect, type SqlNode, type SqlText, foldName, parseSql } from '@isotherm/core/tools'
import { type SameSql, sameTokens } from './names.js'

// Some databases give an expression back as it was written. Others give back their own reading of it, as PostgreSQL does: with
// more parentheses, with casts, `IN` as an array, `BETWEEN` as two comparisons. What is left here of an expression is what both
// writings have: so an expression that differs in its parentheses or its casts only is taken for the same.

/** Whether a model's expression and the one that a database has of it say the same. */
export function sameInDatabase({ lexicon, sql }: SqlDialect): SameSql {
  return sql.keepsExpressions
    ? sameTokens(lexicon)
    : (a, b) => a === b || sameEntries(entriesOf(a, lexicon), entriesOf(b, lexicon))
}

/** Whether a model's query and the one that a database has of it say the same. */
export function sameQueryInDatabase({ lexicon, sql }: SqlDialect): SameSql {
  if (sql.keepsExpressions) return sameTokens(lexicon)
  return (a, b) => {
    if (a === b) return true
    const [first, second] = [parted(entriesOf(a, lexicon)), parted(entriesOf(b, lexicon))]
    if (!sameEntries(first.hints, second.hints)) return false
    const [one, other] = [bare(first.query), bare(second.query)]
    // All columns are given back one by one.
    return hasStar(one) || hasStar(other) ? sameEntries(fromOn(one), fromOn(other)) : sameEntries(one, other)
  }
}

/** A word or mark that counts: `w:` names and keywords, `f:` functions, `v:` values, else symbols. */
type Entry = string

function entriesOf(sql: string, lexicon: Lexicon): readonly Entry[] {
  return signed(entries(parseSql(sql, lexicon), lexicon))
}

function sameEntries(one: readonly Entry[], other: readonly Entry[]): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

/** `LIKE`, as the database writes it: two marks, since no word of it is known here. */
const LIKE: readonly Entry[] = ['~', '~']

/** Words that a parenthesis may follow, and that are no functions. */
const CLAUSES = new Set([
  'select',
  'distinct',
  'where',
  'on',
  'using',
  'by',
  'having',
  'join',
  'union',
  'except',
  'intersect',
])

/** Types that may stand before a text to make it a value of theirs. */
const TYPED = new Set(['date', 'timestamp', 'timestamptz', 'numeric', 'bytea', 'jsonb'])

function entries(text: SqlText, lexicon: Lexicon): Entry[] {
  const found: Entry[] = []
  // Some nodes are read together with those behind them.
  let read = 0
  for (const [at, node] of text.entries()) {
    if (at < read) continue
    read = at + 1
    const [next, after] = [text[at + 1], text[at + 2]]
    if (node.kind === 'word' && next?.kind === 'string' && TYPED.has(node.text)) continue
    if (isWord(node, 'between') && next) {
      const end = text.findIndex((each, place) => place > at && isWord(each, 'and'))
      const operand = operandBefore(found)
      found.push('>=')
      for (const word of entries(text.slice(at + 1, end), lexicon)) found.push(word)
      found.push('w:and')
      for (const word of operand) found.push(word)
      found.push('<=')
      read = end + 1
    } else if (isWord(node, 'not') && isWord(next, 'like')) {
      found.splice(found.length - operandBefore(found).length, 0, 'w:not')
      for (const word of LIKE) found.push(word)
      read++
    } else if (isWord(node, 'in') && next?.kind === 'group') {
      for (const word of among('=', next.parts, lexicon)) found.push(word)
      read++
    } else if (isWord(node, 'not') && isWord(next, 'in') && after?.kind === 'group') {
      for (const word of among('<>', after.parts, lexicon)) found.push(word)
      read += 2
    } else {
      for (const word of entriesOfNode(node, lexicon)) found.push(word)
    }
  }
  return found
}

function entriesOfNode(node: SqlNode, lexicon: Lexicon): Entry[] {
  switch (node.kind) {
    case 'word':
    case 'quoted':
      return node.kind === 'word' && node.text === 'like' ? [...LIKE] : [`w:${foldName(node.text, lexicon)}`]
    case 'number':
    case 'string':
      return [`v:${instant(node.text)}`]
    case 'bytes':
      return [`b:${node.text}`]
    case 'symbol':
      return [node.text === '!=' ? '<>' : node.text]
    case 'cast':
      return entries(node.operand, lexicon)
    case 'call':
      if (node.name === 'any' || node.name === 'all') return list(node.args, lexicon)
      if (CLAUSES.has(node.name)) return [`w:${node.name}`, ...list(node.args, lexicon)]
      return [...node.path.map((part) => `w:${part}`), `f:${node.name}`, ...list(node.args, lexicon)]
    case 'group':
      return list(node.parts, lexicon)
  }
}

function list(parts: readonly SqlText[], lexicon: Lexicon): Entry[] {
  return parts.flatMap((part, at) => (at === 0 ? entries(part, lexicon) : [',', ...entries(part, lexicon)]))
}

/** `IN (a, b)` is read as `= ANY (ARRAY[a, b])`, and with one value as `= a`. */
function among(comparison: '=' | '<>', parts: readonly SqlText[], lexicon: Lexicon): Entry[] {
  const isQuery = isWord(parts[0]?.[0], 'select')
  if (isQuery) return [comparison === '=' ? 'w:in' : 'w:not in', ...list(parts, lexicon)]
  return [comparison, ...(parts.length > 1 ? ['w:array'] : []), ...list(parts, lexicon)]
}

/** The column, with what it is in, that ends what was found so far. */
function operandBefore(found: readonly Entry[]): Entry[] {
  let start = found.length - 1
  while (found[start - 1] === '.') start -= 2
  return found.slice(Math.max(0, start))
}

function isWord(node: SqlNode | undefined, word: string): boolean {
  return node?.kind === 'word' && node.text === word
}

/** A moment may be given back in another time zone. */
function instant(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)$/.exec(text)
  if (!match) return text
  const [, date, time, zone = ''] = match
  const offset = zone.length === 3 ? `${zone}:00` : zone
  const at = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(at) ? text : new Date(at).toISOString()
}

/** A number's sign, where it is no operator, is a part of the number. */
function signed(found: readonly Entry[]): Entry[] {
  const result: Entry[] = []
  for (const entry of found) {
    const before = result.at(-2)
    const isSign = result.at(-1) === '-' && (before === undefined || !/^[wvb]:/.test(before))
    if (isSign && /^v:\d/.test(entry)) result[result.length - 1] = `v:-${entry.slice(2)}`
    else result.push(entry)
  }
  return result
}

interface Parted {
  readonly query: readonly Entry[]
  /** Each with how many tables come before it. */
  readonly hints: readonly Entry[]
}

/** What a query says without its hints, and what those say: the names in them are given back as texts. */
function parted(found: readonly Entry[]): Parted {
  const [query, hints]: [Entry[], Entry[]] = [[], []]
  let tables = 0
  let isHint = false
  for (const entry of found) {
    if (entry === 'w:from' || entry === 'w:join') tables++
    if (entry === '/*@' || entry === '*/') isHint = entry === '/*@'
    else if (isHint) hints.push(`${tables}:${entry.replace(/^[wv]:/, '')}`)
    else query.push(entry)
  }
  return { query, hints }
}

const SAID_ANYWAY = new Set(['w:as', 'w:asc', 'w:inner', 'w:outer'])

/** A query without the words that may be left out, without what names are in, and without aliases that are the names. */
function bare(found: readonly Entry[]): Entry[] {
  const result: Entry[] = []
  let isBehindDot = false
  for (const [at, entry] of found.entries()) {
    const isSkipped = isBehindDot
    isBehindDot = false
    if (isSkipped || SAID_ANYWAY.has(entry)) continue
    if (found[at + 1] === '.') isBehindDot = true
    else if (!entry.startsWith('w:') || result.at(-1) !== entry) result.push(entry)
  }
  return result
}

function hasStar(found: readonly Entry[]): boolean {
  return found.some((entry, at) => entry === '*' && (found[at - 1] === 'w:select' || found[at - 1] === ','))
}

function fromOn(found: readonly Entry[]): readonly Entry[] {
  return found.slice(Math.max(0, found.indexOf('w:from')))
}
