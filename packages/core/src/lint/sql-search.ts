import type { SqlCall, SqlNode, SqlText } from '../sql/syntax-tree.js'
import { isName, isSymbol, isWord } from '../sql/token.js'
import { nodesIn, partsOf } from '../sql/walk.js'

// Questions to an expression that more than one rule asks.

/** Hash functions of both dialects, by their names without a schema. */
export const HASHES: ReadonlySet<string> = new Set(['farm_fingerprint', 'sha1', 'sha256', 'sha512', 'md5'])

export function callsIn(text: SqlText, names: ReadonlySet<string>): SqlCall[] {
  return [...nodesIn(text)].filter((node) => node.kind === 'call').filter((call) => names.has(call.name))
}

/** The expression without the parentheses and casts around it. */
export function peeled(text: SqlText): SqlText {
  const [only] = text
  if (text.length !== 1 || !only) return text
  if (only.kind === 'cast') return peeled(only.operand)
  return only.kind === 'group' && only.parts.length === 1 ? peeled(only.parts[0]!) : text
}

/** The expression without the parentheses around it. */
export function ungrouped(text: SqlText): SqlText {
  const [only] = text
  const inside = text.length === 1 && only?.kind === 'group' && only.parts.length === 1
  return inside ? ungrouped(only.parts[0]!) : text
}

/** The one call that the expression is, apart from parentheses and casts. */
export function soleCall(text: SqlText): SqlCall | undefined {
  const inner = peeled(text)
  return inner.length === 1 && inner[0]?.kind === 'call' ? inner[0] : undefined
}

/** What a concatenation begins with, constants left out; the expression itself where it is none. */
export function beginningOf(text: SqlText): SqlText {
  const inner = peeled(text)
  const call = soleCall(inner)
  const operands = call?.name === 'concat' ? call.args : split(inner, '||')
  if (operands.length < 2) return inner
  const first = operands.find((operand) => literalOf(operand) === undefined)
  return first ? beginningOf(first) : inner
}

function split(text: SqlText, symbol: string): SqlText[] {
  const operands: SqlNode[][] = [[]]
  for (const node of text) {
    if (isSymbol(node, symbol)) operands.push([])
    else operands.at(-1)!.push(node)
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
