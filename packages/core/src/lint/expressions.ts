import {
  type SqlCall,
  type SqlNode,
  type SqlText,
  nodesIn,
  parseSql,
  partsOf,
} from '../tokens/syntax-tree.js'
import { isName, isSymbol, isWord } from '../tokens/lexical-syntax.js'
import type { LintedDialect } from '../engine/lint-rule.js'
import type { Column } from '../model/column.js'
import { type SqlExpression, sqlFor } from '../model/sql-expression.js'
import { type Table, sourceColumn } from '../model/table.js'

// Questions to an expression that more than one rule asks.

/** Hash functions, by their names without a schema. */
export const HASHES: ReadonlySet<string> = new Set(['farm_fingerprint', 'sha1', 'sha256', 'sha512', 'md5'])

export function callsIn(text: SqlText, names: ReadonlySet<string>): SqlCall[] {
  return [...nodesIn(text)].filter((node) => node.kind === 'call').filter((call) => names.has(call.name))
}

/** The expression without the parentheses and casts around it. */
export function peeled(text: SqlText): SqlText {
  const [only] = text
  if (text.length !== 1 || !only) return text
  if (only.kind === 'cast') return peeled(only.operand)
  const inside = only.kind === 'group' && only.parts.length === 1 ? only.parts[0] : undefined
  return inside ? peeled(inside) : text
}

/** The expression without the parentheses around it. */
export function ungrouped(text: SqlText): SqlText {
  const [only] = text
  const parts = text.length === 1 && only?.kind === 'group' ? only.parts : []
  const [inside, ...others] = parts
  return inside && others.length === 0 ? ungrouped(inside) : text
}

/** The one call that the expression is, apart from parentheses and casts. */
export function soleCall(text: SqlText): SqlCall | undefined {
  const inner = peeled(text)
  return inner.length === 1 && inner[0]?.kind === 'call' ? inner[0] : undefined
}

/** What a concatenation begins with, without constants; for any other expression, the expression itself. */
export function beginningOf(text: SqlText): SqlText {
  const inner = peeled(text)
  const call = soleCall(inner)
  const operands = call?.name === 'concat' ? call.args : splitAt(inner, (node) => isSymbol(node, '||'))
  if (operands.length < 2) return inner
  const first = operands.find((operand) => literalOf(operand) === undefined)
  return first ? beginningOf(first) : inner
}

/** The parts of an expression between the nodes that part it. */
export function splitAt(text: SqlText, parts: (node: SqlNode) => boolean): SqlText[] {
  const operands: SqlNode[][] = [[]]
  for (const node of text) {
    if (parts(node)) operands.push([])
    else operands.at(-1)?.push(node)
  }
  return operands
}

/** The dividend and the divisor of a remainder: `MOD(x, n)` or `x % n`. */
export function remainderOf(text: SqlText): { dividend: SqlText; divisor: SqlText } | undefined {
  const inner = peeled(text)
  // Nothing else beside it: `x % n + n` is another value.
  if (inner.length === 3 && isSymbol(inner[1], '%')) {
    return { dividend: inner.slice(0, 1), divisor: inner.slice(2) }
  }
  const call = soleCall(inner)
  const [dividend, divisor] = call?.name === 'mod' ? call.args : []
  return dividend && divisor ? { dividend, divisor } : undefined
}

/** The whole number that the expression is, if it is nothing else: `64`, or `'64'::bigint`. */
export function integerOf(text: SqlText): number | undefined {
  const inner = peeled(text)
  const [only] = inner
  if (inner.length !== 1 || (only?.kind !== 'number' && only?.kind !== 'string')) return undefined
  return /^\d{1,15}$/.test(only.text) ? Number(only.text) : undefined
}

/** The text of a literal, as `EXTRACT`'s first argument is one: `'epoch'::text`. */
export function literalOf(text: SqlText | undefined): string | undefined {
  const [only] = text ? peeled(text) : []
  return only?.kind === 'string' || only?.kind === 'bytes' ? only.text : undefined
}

const CONSTANTS = /^(?:true|false|null)$/i

/** The text of a constant, a negative number or TRUE and FALSE among them: `'a'`, `-1`, `'64'::bigint`. */
export function literalText(text: SqlText): string | undefined {
  const inner = peeled(text)
  const [first, second] = inner
  if (inner.length === 2 && isSymbol(first, '-') && second?.kind === 'number') return `-${second.text}`
  if (inner.length !== 1 || !first) return undefined
  if (first.kind === 'string' || first.kind === 'bytes' || first.kind === 'number') return first.text
  return first.kind === 'word' && CONSTANTS.test(first.text) ? first.text.toUpperCase() : undefined
}

/** Names that may be columns: keywords, which no column can be called unquoted, are among them. */
export function namesIn(text: SqlText): string[] {
  if (isSequence(text)) return []
  return text.flatMap((node, at) => {
    if (isName(node)) return isSymbol(text[at - 1], '.') ? [] : [node.text]
    return partsOf(node).flatMap(namesIn)
  })
}

/** `SEQUENCE s`, as the functions of sequences take it. */
function isSequence(text: SqlText): boolean {
  return isWord(text[0], 'SEQUENCE') && isName(text[1])
}

// What a schema says in SQL: generated columns, defaults, and shards that a custom expression computes.

function textOf(expression: SqlExpression | undefined, dialect: LintedDialect): SqlText | undefined {
  const sql = expression === undefined ? undefined : sqlFor(expression, dialect.name)
  return sql === undefined || !dialect.sql ? undefined : parseSql(sql, dialect.lexicalSyntax)
}

/** How the database computes a column, where the schema has it as SQL. */
export function generatedText(column: Column, dialect: LintedDialect): SqlText | undefined {
  const adopted = column.source?.kind === 'shard' ? column.source.expression : undefined
  return textOf(column.generated?.expression ?? adopted, dialect)
}

export function defaultText(column: Column, dialect: LintedDialect): SqlText | undefined {
  return column.default && 'sql' in column.default ? textOf(column.default.sql, dialect) : undefined
}

/** What a table's CHECK constraints say. */
export function checkTexts({ checks }: Table, dialect: LintedDialect): SqlText[] {
  return checks.flatMap(({ expression }) => {
    const text = textOf(expression, dialect)
    return text ? [text] : []
  })
}

/** The columns that an expression names. Upper and lower case are the same in a name. */
function columnsNamedIn(table: Table, text: SqlText): Column[] {
  const names = new Set(namesIn(text).map((name) => name.toLowerCase()))
  return table.columns.filter((column) => names.has(column.name.toLowerCase()))
}

export function columnNamed(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())
}

/** The columns from which the database computes this one; undefined where it does not. */
export function computedFrom(table: Table, column: Column, dialect: LintedDialect): Column[] | undefined {
  if (!isComputed(column)) return undefined
  const text = generatedText(column, dialect)
  return text ? columnsNamedIn(table, text) : hashedBy(table, column)
}

/** The columns whose hash this column is, by whichever side it is computed; undefined where it is not a hash. */
export function hashedBy(table: Table, column: Column): Column[] | undefined {
  const { source } = column
  if (source?.kind !== 'shard' && source?.kind !== 'hash') return undefined
  return source.of.flatMap((property) => sourceColumn(table, column, property) ?? [])
}

/** Whether the database computes a column from others. */
export function isComputed({ generated, source }: Column): boolean {
  if (generated) return true
  return (source?.kind === 'shard' || source?.kind === 'hash') && source.computedBy === 'database'
}
