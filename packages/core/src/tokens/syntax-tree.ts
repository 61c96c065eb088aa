import {
  type LexicalSyntax,
  type Name,
  type Token,
  areWords,
  isName,
  isSymbol,
  isWord,
} from './lexical-syntax.js'
import { TokenReader, splitList, tokenize } from './tokens.js'

/** A type as a cast names it. */
interface SqlType {
  /** In lower case: `string`, `character varying`, `timestamp with time zone`. */
  readonly name: string
  /** The length and the array brackets of a type, as written: `(36)`, `[]`. */
  readonly size: string
}

/** Some names of types are more than one word: these follow the first. */
const TAIL = ['VARYING', 'PRECISION', 'WITH', 'WITHOUT', 'TIME', 'ZONE']

/** Reads the type that comes next; one without a name if none does. */
function readType(reader: TokenReader): SqlType {
  const words: string[] = []
  const take = (): void => {
    const token = reader.next()
    if (token) words.push(token.text)
  }
  if (isName(reader.peek())) take()
  while (TAIL.some((word) => reader.sees(word))) take()
  const limit = reader.group()
  let size = limit ? `(${limit.map(({ text }) => text).join('')})` : ''
  while (isSymbol(reader.peek(), '[') && isSymbol(reader.peek(1), ']')) {
    reader.next()
    reader.next()
    size += '[]'
  }
  return { name: words.join(' ').toLowerCase(), size }
}

/** A cast, however it was written: `CAST(x AS T)`, `SAFE_CAST(x AS T)` or `x::T`. */
export interface SqlCast {
  readonly kind: 'cast'
  /** It gives NULL where it would fail. */
  readonly safe: boolean
  readonly operand: SqlText
  readonly type: SqlType
  /** The part of a CAST after the name of the type: `FORMAT 'YYYY' AT TIME ZONE 'UTC'`, or the items of an array. */
  readonly format: readonly Token[]
}

/** A function call. `EXTRACT(part FROM x AT TIME ZONE z)` has the arguments `'part'`, `x` and `z`. */
export interface SqlCall {
  readonly kind: 'call'
  /** In lower case and without its schema: `farm_fingerprint` for `spanner.farm_fingerprint`. */
  readonly name: string
  /** The qualifier of the name: `['spanner']`. */
  readonly path: readonly string[]
  readonly args: readonly SqlText[]
}

interface SqlGroup {
  readonly kind: 'group'
  readonly bracket: '(' | '['
  readonly parts: readonly SqlText[]
}

export type SqlNode = Token | SqlCall | SqlCast | SqlGroup

/** An expression, as far as it need be understood: operators stand as symbols between their operands. */
export type SqlText = readonly SqlNode[]

/** Words that a parenthesis may follow without making a call. */
const KEYWORDS = new Set('and or not in is as then when else case from between like at zone'.split(' '))

// No engine accepts deeper nesting. Below this depth tokens are not parsed, so that visiting the tree does not overflow the
// stack.
const MAX_DEPTH = 100
const MAX_CASTS_IN_A_ROW = 10

/** The tree of any text: what closes nothing and parts nothing is a symbol like any other. */
export function parseSql(sql: string, lexicalSyntax: LexicalSyntax): SqlText {
  return parse(tokenize(sql, lexicalSyntax), 0)
}

function parse(tokens: readonly Token[], depth: number): SqlText {
  if (depth === MAX_DEPTH) return tokens
  const reader = new TokenReader(tokens)
  const nodes: SqlNode[] = []
  let casts = 0
  while (!reader.done) {
    const name = nodes.at(-1)
    if (name?.kind !== 'cast') casts = 0
    const inside = reader.group('(')
    const listed = inside ?? reader.group('[')
    if (inside && isCallable(name)) {
      nodes.pop()
      nodes.push(castOf(name, inside, depth) ?? callOf(name, pathBefore(nodes), inside, depth))
    } else if (listed) {
      nodes.push({ kind: 'group', bracket: inside ? '(' : '[', parts: parseList(listed, depth) })
    } else if (isSymbol(reader.peek(), '::') && casts < MAX_CASTS_IN_A_ROW) {
      reader.next()
      casts += 1
      nodes.push({ kind: 'cast', safe: false, operand: nodes.splice(-1), type: readType(reader), format: [] })
    } else {
      nodes.push(reader.next()!)
    }
  }
  return nodes
}

function parseList(tokens: readonly Token[], depth: number): SqlText[] {
  return splitList(tokens).map((item) => parse(item, depth + 1))
}

function isCallable(node: SqlNode | undefined): node is Name {
  return isName(node) && (node.kind === 'quoted' || !KEYWORDS.has(node.text.toLowerCase()))
}

/** Takes the names before a call's own, with their dots. */
function pathBefore(nodes: SqlNode[]): string[] {
  const path: string[] = []
  for (let name = nodes.at(-2); isName(name) && isSymbol(nodes.at(-1), '.'); name = nodes.at(-2)) {
    path.unshift(name.text)
    nodes.splice(-2)
  }
  return path
}

function castOf(name: Name, inside: readonly Token[], depth: number): SqlCast | undefined {
  const safe = isWord(name, 'SAFE_CAST')
  const reader = new TokenReader(inside)
  if (!(safe || isWord(name, 'CAST')) || !reader.seek('AS')) return undefined
  const operand = parse(inside.slice(0, -1 - reader.rest().length), depth + 1)
  return { kind: 'cast', safe, operand, type: readType(reader), format: reader.rest() }
}

function callOf(name: Name, path: readonly string[], inside: readonly Token[], depth: number): SqlCall {
  const items = parseList(inside, depth)
  const args = isWord(name, 'EXTRACT') ? items.flatMap(extractArguments) : items
  return { kind: 'call', name: name.text.toLowerCase(), path, args }
}

/** The arguments in the form of a call with commas: `extract('part', x)`. */
function extractArguments(text: SqlText): SqlText[] {
  const from = text.findIndex((node) => isWord(node, 'FROM'))
  if (from < 0) return [text]
  const [part, ...more] = text.slice(0, from)
  const named = isName(part) && more.length === 0
  const zone = indexOfZone(text)
  return [
    named ? [{ kind: 'string', text: part.text.toLowerCase() }] : text.slice(0, from),
    text.slice(from + 1, zone < 0 ? undefined : zone),
    ...(zone < 0 ? [] : [text.slice(zone + 3)]),
  ]
}

/** The index of `AT TIME ZONE` in a text. A column may have the name `at`. */
export function indexOfZone(text: SqlText): number {
  return text.findIndex((_, at) => areWords(text, at, 'AT', 'TIME', 'ZONE'))
}

/** Every node, outer nodes before inner ones. */
export function* nodesIn(text: SqlText): Generator<SqlNode> {
  for (const node of text) {
    yield node
    for (const inner of partsOf(node)) yield* nodesIn(inner)
  }
}

export function partsOf(node: SqlNode): readonly SqlText[] {
  switch (node.kind) {
    case 'call':
      return node.args
    case 'cast':
      return [node.operand]
    case 'group':
      return node.parts
    default:
      return []
  }
}
