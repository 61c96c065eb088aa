import type { SqlDialect } from '../../model/sql-expression.js'
import { foldName } from '../../sql/fold.js'
import { parseSql, type SqlCast, type SqlNode, type SqlText } from '../../sql/syntax-tree.js'

// An engine may give an expression back in other words than it was made with: with more parentheses, casts spelled
// otherwise, literals with a type. Two expressions are the same where their normal forms are.

/**
 * `w:` names, `f:` functions, `n:` numbers, `s:` texts, `b:` bytes, `::` casts behind what they cast (`?::` those that
 * give NULL where they fail), `.` all else. Parentheses are gone: the functions and casts that they belong to stand for
 * them.
 */
export type NormalForm = readonly string[]

/** Names of types that mean the same, each with the one that stands for them. */
export type TypeAliases = Readonly<Record<string, string>>

export function normalForm(sql: string, dialect: SqlDialect, aliases: TypeAliases = {}): NormalForm {
  return entriesOf(parseSql(sql, dialect), dialect, aliases)
}

/** The entry of a name. */
export function normalName(name: string, dialect: SqlDialect): string {
  return `w:${foldName(name, dialect)}`
}

function entriesOf(text: SqlText, dialect: SqlDialect, aliases: TypeAliases): NormalForm {
  const within = (inner: SqlText): NormalForm => entriesOf(inner, dialect, aliases)
  const list = (parts: readonly SqlText[]): NormalForm =>
    parts.flatMap((part, at) => (at === 0 ? within(part) : ['.,', ...within(part)]))

  const entries = (node: SqlNode): NormalForm => {
    switch (node.kind) {
      case 'word':
      case 'quoted':
        return [normalName(node.text, dialect)]
      case 'number':
        return [`n:${node.text}`]
      case 'string':
        return [`s:${node.text}`]
      case 'bytes':
        return [`b:${node.text}`]
      case 'symbol':
        return [`.${node.text}`]
      case 'call':
        return [
          ...node.path.flatMap((name) => [normalName(name, dialect), '..']),
          `f:${node.name}`,
          ...list(node.args),
        ]
      case 'cast':
        return [...within(node.operand), castEntry(node, aliases)]
      case 'group':
        return node.bracket === '(' ? list(node.parts) : ['.[', ...list(node.parts), '.]']
    }
  }
  return text.flatMap(entries)
}

function castEntry({ safe, type, format }: SqlCast, aliases: TypeAliases): string {
  const more = format.map(({ text }) => text.toLowerCase()).join('')
  return `${safe ? '?' : ''}::${aliases[type.name] ?? type.name}${type.size}${more}`
}

export function sameForm(one: NormalForm, other: NormalForm): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}
