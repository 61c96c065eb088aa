import type { LintedDialect } from '../engine/lint-rule.js'
import type { Column } from '../model/column.js'
import { shardCountOf } from '../model/key.js'
import type { Table } from '../model/table.js'
import type { SqlNode, SqlText } from '../tokens/syntax-tree.js'
import { isName, isWord } from '../tokens/lexical-syntax.js'
import { fewByName, spreadsByName } from './column-names.js'
import {
  checkTexts,
  generatedText,
  literalText,
  peeled,
  remainderOf,
  soleCall,
  splitAt,
  ungrouped,
} from './expressions.js'
import type { KeyRanges } from './load.js'

/**
 * A column with so few values that rows which are in order behind each of them are written in only that many key ranges.
 */
export interface FewValues {
  readonly column: Column
  /** Undefined where only a name says that there are few. */
  readonly values: number | undefined
}

/**
 * Whether a column has fewer values than one node has ranges of keys; undefined where it may have more, or is there to
 * spread: then the number of shards is a decision, which has a rule of its own.
 */
export function fewValuesOf(
  table: Table,
  column: Column,
  dialect: LintedDialect,
  { perNode }: KeyRanges,
): FewValues | undefined {
  const values = valuesOf(table, column, dialect)
  if (values === 1) return { column, values }
  if (column.source || spreadsByName(column)) return undefined
  if (values === undefined)
    return fewByName(column) === undefined || column.generated ? undefined : { column, values }
  return values <= Math.max(perNode, table.workload?.nodes ?? 0) ? { column, values } : undefined
}

/** How many values a column can have, where its declaration bounds them. */
export function valuesOf(table: Table, column: Column, dialect: LintedDialect): number | undefined {
  const { source, type, nullable, property } = column
  const declared = table.workload?.distinct?.[property]
  if (declared !== undefined) return declared
  if (source?.kind === 'shard') return shardCountOf(source)
  const generated = generatedText(column, dialect)
  const values = generated ? valuesOfExpression(generated) : valuesOfChecks(table, column, dialect)
  const bounded = values ?? (type.kind === 'bool' ? 2 : undefined)
  // A CHECK lets NULL pass.
  return bounded === undefined ? undefined : bounded + (nullable && !generated ? 1 : 0)
}

/** The number of values of a constant, a remainder, or a choice between constants. */
function valuesOfExpression(text: SqlText): number | undefined {
  if (literalText(text) !== undefined) return 1
  const call = soleCall(text)
  if (call?.name === 'abs' && call.args[0]) return valuesOfExpression(call.args[0])
  const divisor = remainderOf(text)?.divisor
  if (divisor && literalText(divisor) === '1') return 1
  const choices = call?.name === 'if' ? call.args.slice(1) : casesOf(peeled(text))
  if (!choices || choices.length === 0) return undefined
  const constants = choices.map(literalText)
  return constants.includes(undefined) ? undefined : new Set(constants).size
}

/** The results of `CASE … WHEN … THEN x ELSE y END`, if the text is one. */
function casesOf(text: SqlText): SqlText[] | undefined {
  if (!isWord(text[0], 'CASE') || !isWord(text.at(-1), 'END')) return undefined
  const results: SqlNode[][] = []
  let isResult = false
  for (const node of text.slice(1, -1)) {
    if (isWord(node, 'THEN') || isWord(node, 'ELSE')) {
      isResult = true
      results.push([])
    } else if (isWord(node, 'WHEN')) isResult = false
    else if (isResult) results.at(-1)?.push(node)
  }
  return results
}

function valuesOfChecks(table: Table, column: Column, dialect: LintedDialect): number | undefined {
  const bounds = checkTexts(table, dialect).map((text) => boundOf(text, column))
  return bounds.length === 0 ? undefined : sizeOf(both(bounds), column)
}

/** Which values a condition leaves to a column. */
interface Bound {
  readonly values?: ReadonlySet<string>
  readonly lowest?: bigint
  readonly highest?: bigint
}

const ANY: Bound = {}

function boundOf(text: SqlText, column: Column): Bound {
  const inner = ungrouped(text)
  const either = splitAt(inner, (node) => isWord(node, 'OR'))
  if (either.length > 1) return oneOf(either.map((part) => boundOf(part, column)))
  const all = conjuncts(inner)
  return all.length > 1 ? both(all.map((part) => boundOf(part, column))) : comparisonOf(inner, column)
}

/** The parts between the `AND`s; not between the two of `BETWEEN x AND y`. */
function conjuncts(text: SqlText): SqlText[] {
  let isBetween = false
  return splitAt(text, (node) => {
    if (isWord(node, 'BETWEEN')) isBetween = true
    if (!isWord(node, 'AND')) return false
    const parts = !isBetween
    isBetween = false
    return parts
  })
}

function comparisonOf(text: SqlText, column: Column): Bound {
  const [left, operator, ...right] = text
  const last = text.at(-1)
  if (!left || !operator || !last) return ANY
  if (isColumn(left, column)) return comparedWith(operator, right)
  const sign = text.at(-2)
  const flipped = sign?.kind === 'symbol' ? FLIPPED[sign.text] : undefined
  return flipped !== undefined && isColumn(last, column)
    ? comparedWith({ kind: 'symbol', text: flipped }, text.slice(0, -2))
    : ANY
}

const FLIPPED: Readonly<Record<string, string>> = { '=': '=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function isColumn(node: SqlNode, column: Column): boolean {
  const [only, ...more] = peeled([node])
  return more.length === 0 && isName(only) && only.text.toLowerCase() === column.name.toLowerCase()
}

function comparedWith(operator: SqlNode, right: SqlText): Bound {
  const [first] = right
  if (isWord(operator, 'IN') && first?.kind === 'group') return valuesIn(first.parts)
  if (isWord(operator, 'BETWEEN')) {
    const [low = [], high = []] = splitAt(right, (node) => isWord(node, 'AND'))
    return both([
      comparedWith({ kind: 'symbol', text: '>=' }, low),
      comparedWith({ kind: 'symbol', text: '<=' }, high),
    ])
  }
  if (operator.kind !== 'symbol') return ANY
  if (operator.text === '=' && first?.kind === 'call' && first.name === 'any') {
    const list = first.args[0]?.find((node) => node.kind === 'group')
    return list?.kind === 'group' ? valuesIn(list.parts) : ANY
  }
  const literal = literalText(right)
  if (literal === undefined) return ANY
  if (operator.text === '=') return { values: new Set([literal]) }
  if (!/^-?\d{1,19}$/.test(literal)) return ANY
  const limit = BigInt(literal)
  switch (operator.text) {
    case '>=':
      return { lowest: limit }
    case '>':
      return { lowest: limit + 1n }
    case '<=':
      return { highest: limit }
    case '<':
      return { highest: limit - 1n }
    default:
      return ANY
  }
}

function valuesIn(parts: readonly SqlText[]): Bound {
  const literals = parts.map(literalText).filter((literal) => literal !== undefined)
  return literals.length === parts.length && parts.length > 0 ? { values: new Set(literals) } : ANY
}

function oneOf(bounds: readonly Bound[]): Bound {
  const sets = bounds.map(({ values }) => values)
  const known = sets.filter((values) => values !== undefined)
  return known.length < sets.length ? ANY : { values: new Set(known.flatMap((values) => [...values])) }
}

function both(bounds: readonly Bound[]): Bound {
  return bounds.reduce<Bound>((left, right) => {
    const values = smaller(left.values, right.values)
    const lowest = greatest(left.lowest, right.lowest)
    const highest = min(left.highest, right.highest)
    return {
      ...(values && { values }),
      ...(lowest !== undefined && { lowest }),
      ...(highest !== undefined && { highest }),
    }
  }, ANY)
}

function smaller(
  left: ReadonlySet<string> | undefined,
  right: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (!left || !right) return left ?? right
  return left.size <= right.size ? left : right
}

function greatest(left: bigint | undefined, right: bigint | undefined): bigint | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left > right ? left : right
}

function min(left: bigint | undefined, right: bigint | undefined): bigint | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return left < right ? left : right
}

const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['int64', 'int32', 'int16', 'int8', 'varint'])

function sizeOf({ values, lowest, highest }: Bound, { type }: Column): number | undefined {
  if (values) return values.size
  if (lowest === undefined || highest === undefined || !WHOLE_NUMBERS.has(type.kind)) return undefined
  return Number(highest - lowest) + 1
}
