import { isSymbol } from '@isotherm/core/engine'
import { type SqlCast, type SqlNode, type SqlText, isWord, parseSql } from '@isotherm/core/tools'
import { postgresqlLexicalSyntax } from '../sql/lexical-syntax.js'

// PostgreSQL returns an expression in its own words: `64` becomes `(64)::bigint`, `a::text` `(a)::text`, `-1` `'-1'::integer`. It has
// no function that words a given text so without making an object of it. So two expressions are the same if their normal forms are.

/**
 * One entry for each name, literal and operator, and for each end of a call and of a cast. Parentheses around operators are left out,
 * and with them the difference between `(a - b) - c` and `a - (b - c)`: expressions that Isotherm writes do not have them.
 */
export type NormalForm = readonly string[]

export function normalForm(sql: string): NormalForm {
  return entriesOf(parseSql(sql, postgresqlLexicalSyntax))
}

/** The entry of a name. */
export function normalName(name: string): string {
  return `name ${name}`
}

export function sameForm(one: NormalForm, other: NormalForm): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

/** The numbers among the literals. */
export function numbersIn(form: NormalForm): number[] {
  return form.flatMap((entry) => (/^number -?\d{1,15}$/.test(entry) ? [Number(entry.slice(7))] : []))
}

/** Types of texts, between which PostgreSQL casts by itself, and says so. */
const TEXTS = new Set(['text', 'character varying'])
const NUMBERS = new Set(['bigint', 'integer', 'smallint', 'numeric', 'real', 'double precision'])

function entriesOf(text: SqlText): string[] {
  const entries: string[] = []
  for (let at = 0; at < text.length; at++) {
    const node = text[at]!
    const [next, last] = [text[at + 1], entries.at(-1)]
    if (isSymbol(node, '-') && next?.kind === 'number' && !isOperand(last)) {
      entries.push(`number -${next.text}`)
      at++
    } else if (isWord(node, 'AT') && isWord(next, 'TIME') && isWord(text[at + 2], 'ZONE')) {
      // As the tree has it where it stands in EXTRACT without parentheses.
      entries.push(',')
      at += 2
    } else {
      for (const entry of nodeEntries(node)) entries.push(entry)
    }
  }
  return entries
}

function isOperand(entry: string | undefined): boolean {
  return entry !== undefined && /^(?:name |number |string |\)|::)/.test(entry)
}

function nodeEntries(node: SqlNode): string[] {
  switch (node.kind) {
    case 'word':
    case 'quoted':
      return [normalName(node.text)]
    case 'number':
    case 'string':
    case 'bytes':
      return [`${node.kind} ${node.text}`]
    case 'symbol':
      return [node.text]
    case 'call':
      return [`${[...node.path, node.name].join('.')}(`, ...listEntries(node.args), ')']
    case 'cast':
      return castEntries(node)
    case 'group':
      return node.bracket === '(' ? listEntries(node.parts) : ['[', ...listEntries(node.parts), ']']
  }
}

function listEntries(parts: readonly SqlText[]): string[] {
  return parts.flatMap((part, at) => (at === 0 ? entriesOf(part) : [',', ...entriesOf(part)]))
}

function castEntries({ operand, type }: SqlCast): string[] {
  const entries = entriesOf(operand)
  const [only = ''] = entries
  if (TEXTS.has(type.name) && type.size === '') return entries
  if (NUMBERS.has(type.name) && type.size === '' && entries.length === 1) {
    if (only.startsWith('number ')) return entries
    if (only.startsWith('string ')) return [`number ${only.slice('string '.length)}`]
  }
  return ['::', ...entries, `::${type.name}${type.size}`]
}

/** An expression without the parentheses around all of it. */
export function unwrapped(sql: string): string {
  const [only, ...more] = parseSql(sql, postgresqlLexicalSyntax)
  const isGroup =
    more.length === 0 && only?.kind === 'group' && only.bracket === '(' && only.parts.length === 1
  return isGroup && sql.startsWith('(') && sql.endsWith(')') ? sql.slice(1, -1) : sql
}

/** The columns of a filter that says no more than that they are not NULL; undefined for another filter. */
export function presentColumns(filter: string): readonly string[] | undefined {
  const form = normalForm(filter)
  const names: string[] = []
  for (let at = 0; at < form.length; at += 5) {
    const [name = '', ...rest] = form.slice(at, at + 5)
    if (!name.startsWith('name ')) return undefined
    const words = rest.join(' ')
    if (words !== 'name is name not name null name and' && words !== 'name is name not name null')
      return undefined
    if ((rest.length === 4) === at + 5 >= form.length) return undefined
    names.push(name.slice('name '.length))
  }
  return names
}
