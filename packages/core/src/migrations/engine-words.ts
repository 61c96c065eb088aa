import { foldName } from '../sql/fold.js'
import type { SqlDialect } from '../model/sql-expression.js'
import { parseSql, type SqlNode, type SqlText } from '../sql/syntax-tree.js'
import { sameTokens, type SameSql } from './expressions.js'

// GoogleSQL gives an expression back as it was written. The PostgreSQL dialect gives back its own reading of it: with more
// parentheses, with casts, `IN` as an array, `BETWEEN` as two comparisons. What is left here of an expression is what both
// writings have: so an expression that differs in its parentheses or its casts only is taken for the same.

/** Whether a model's expression and the one that a database has of it say the same. */
export function sameInDatabase(dialect: SqlDialect): SameSql {
  return dialect === 'googlesql'
    ? sameTokens(dialect)
    : (a, b) => a === b || sameEntries(entriesOf(a), entriesOf(b))
}

/** Whether a model's query and the one that a database has of it say the same. */
export function sameQueryInDatabase(dialect: SqlDialect): SameSql {
  if (dialect === 'googlesql') return sameTokens(dialect)
  return (a, b) => {
    if (a === b) return true
    const [first, second] = [parted(entriesOf(a)), parted(entriesOf(b))]
    if (!sameEntries(first.hints, second.hints)) return false
    const [one, other] = [bare(first.query), bare(second.query)]
    // All columns are given back one by one.
    return hasStar(one) || hasStar(other) ? sameEntries(fromOn(one), fromOn(other)) : sameEntries(one, other)
  }
}

/** A word or mark that counts: `w:` names and keywords, `f:` functions, `v:` values, else symbols. */
type Entry = string

const DIALECT = 'spanner-postgresql'

function entriesOf(sql: string): readonly Entry[] {
  return signed(entries(parseSql(sql, DIALECT)))
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

function entries(text: SqlText): Entry[] {
  const found: Entry[] = []
  for (let at = 0; at < text.length; at++) {
    const [node, next, after] = [text[at]!, text[at + 1], text[at + 2]]
    if (node.kind === 'word' && next?.kind === 'string' && TYPED.has(node.text)) continue
    if (isWord(node, 'between') && next) {
      const end = text.findIndex((each, place) => place > at && isWord(each, 'and'))
      const operand = operandBefore(found)
      found.push('>=', ...entries(text.slice(at + 1, end)), 'w:and', ...operand, '<=')
      at = end
    } else if (isWord(node, 'not') && isWord(next, 'like')) {
      found.splice(found.length - operandBefore(found).length, 0, 'w:not')
      found.push(...LIKE)
      at++
    } else if (isWord(node, 'in') && next?.kind === 'group') {
      found.push(...among('=', next.parts))
      at++
    } else if (isWord(node, 'not') && isWord(next, 'in') && after?.kind === 'group') {
      found.push(...among('<>', after.parts))
      at += 2
    } else {
      found.push(...entriesOfNode(node))
    }
  }
  return found
}

function entriesOfNode(node: SqlNode): Entry[] {
  switch (node.kind) {
    case 'word':
    case 'quoted':
      return node.kind === 'word' && node.text === 'like' ? [...LIKE] : [`w:${foldName(node.text, DIALECT)}`]
    case 'number':
    case 'string':
      return [`v:${instant(node.text)}`]
    case 'bytes':
      return [`b:${node.text}`]
    case 'symbol':
      return [node.text === '!=' ? '<>' : node.text]
    case 'cast':
      return entries(node.operand)
    case 'call':
      if (node.name === 'any' || node.name === 'all') return list(node.args)
      if (CLAUSES.has(node.name)) return [`w:${node.name}`, ...list(node.args)]
      return [...node.path.map((part) => `w:${part}`), `f:${node.name}`, ...list(node.args)]
    case 'group':
      return list(node.parts)
  }
}

function list(parts: readonly SqlText[]): Entry[] {
  return parts.flatMap((part, at) => (at === 0 ? entries(part) : [',', ...entries(part)]))
}

/** `IN (a, b)` is read as `= ANY (ARRAY[a, b])`, and with one value as `= a`. */
function among(comparison: '=' | '<>', parts: readonly SqlText[]): Entry[] {
  const isQuery = isWord(parts[0]?.[0], 'select')
  if (isQuery) return [comparison === '=' ? 'w:in' : 'w:not in', ...list(parts)]
  return [comparison, ...(parts.length > 1 ? ['w:array'] : []), ...list(parts)]
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
  const [, date, time, zone] = match
  const offset = zone!.length === 3 ? `${zone}:00` : zone!
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
  for (let at = 0; at < found.length; at++) {
    const entry = found[at]!
    if (SAID_ANYWAY.has(entry)) continue
    if (found[at + 1] === '.') at++
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
