import { type LexicalSyntax, type Token, areWords, isName, isSymbol } from './lexical-syntax.js'

/**
 * A name as it compares with others. In GoogleSQL upper and lower case are the same; in the PostgreSQL dialect they are
 * not, and its tokens have lost the case that does not count.
 */
export function foldName(name: string, { ignoresCase }: LexicalSyntax): string {
  return ignoresCase ? name.toLowerCase() : name
}

/** Goes through the tokens of a statement, from clause to clause. */
export class TokenReader<T extends Token = Token> {
  readonly #tokens: readonly T[]
  #at = 0

  constructor(tokens: readonly T[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length
  }

  peek(ahead = 0): T | undefined {
    return this.#tokens[this.#at + ahead]
  }

  next(): T | undefined {
    return this.#tokens[this.#at++]
  }

  /** Whether these keywords come next. */
  sees(...words: readonly string[]): boolean {
    return areWords(this.#tokens, this.#at, ...words)
  }

  /** Passes these keywords if they come next. */
  skip(...words: readonly string[]): boolean {
    if (!this.sees(...words)) return false
    this.#at += words.length
    return true
  }

  /** Passes everything up to and with these keywords, outside parentheses; stays where it is if they do not come. */
  seek(...words: readonly string[]): boolean {
    const start = this.#at
    while (!this.done) {
      if (this.skip(...words)) return true
      this.skipOne()
    }
    this.#at = start
    return false
  }

  /** The parts of a name such as `sales.Order`; none if no name comes next. */
  path(): string[] {
    const parts: string[] = []
    for (let token = this.peek(); token && isName(token); token = this.peek()) {
      parts.push(token.text)
      this.next()
      if (!isSymbol(this.peek(), '.')) break
      this.next()
    }
    return parts
  }

  /** The tokens between the next parentheses, or other brackets; undefined if none follow. */
  group(opening: '(' | '[' = '('): T[] | undefined {
    if (!isSymbol(this.peek(), opening)) return undefined
    const start = this.#at + 1
    const closed = this.skipOne()
    return this.#tokens.slice(start, closed ? this.#at - 1 : this.#at)
  }

  /** Passes one token, or a whole pair of parentheses or brackets; false where nothing closes it. */
  skipOne(): boolean {
    let depth = 0
    do depth += depthOf(this.next())
    while (depth > 0 && !this.done)
    return depth <= 0
  }

  rest(): T[] {
    return this.#tokens.slice(this.#at)
  }
}

/** By how much a token goes deeper into parentheses and brackets. */
function depthOf(token: Token | undefined): -1 | 0 | 1 {
  if (isSymbol(token, '(') || isSymbol(token, '[')) return 1
  return isSymbol(token, ')') || isSymbol(token, ']') ? -1 : 0
}

/** The items of a list, which commas outside parentheses and brackets part. */
export function splitList<T extends Token>(tokens: readonly T[]): T[][] {
  const items: T[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth += depthOf(token)
    if (depth === 0 && isSymbol(token, ',')) items.push([])
    else items.at(-1)?.push(token)
  }
  return items.filter((item) => item.length > 0)
}

/** The names in a list such as `(a, b DESC)`. */
export function listedNames(tokens: readonly Token[]): string[] {
  return splitList(tokens).flatMap(([first]) => (isName(first) ? [first.text] : []))
}

/**
 * The tokens of any text. What no rule fits, such as a quote that nothing closes, is a symbol of one character: the text
 * comes from a live database or from the author of a model, and is the database's to refuse.
 */
export function tokenize(sql: string, lexicalSyntax: LexicalSyntax): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    const { length, token } = tokenAt(sql, at, lexicalSyntax)
    if (token) tokens.push(token)
    at += length
  }
  return tokens
}

/** A token, and its position in the text. */
export interface PlacedToken extends Token {
  readonly start: number
  readonly end: number
}

export function placedTokens(sql: string, lexicalSyntax: LexicalSyntax): PlacedToken[] {
  return [...eachToken(sql, lexicalSyntax)]
}

/** The same one by one, for those who need only the first ones of a long text. */
export function* eachToken(sql: string, lexicalSyntax: LexicalSyntax): Generator<PlacedToken> {
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, lexicalSyntax)
    if (token) yield { ...token, start: at, end: at + length }
    at += length
  }
}

/** The part of a text that these tokens are, in one line and without comments. */
export function textOf(sql: string, tokens: readonly PlacedToken[]): string {
  let text = ''
  let end = tokens[0]?.start ?? 0
  for (const token of tokens) {
    text += `${token.start > end ? ' ' : ''}${sql.slice(token.start, token.end)}`
    end = token.end
  }
  return text
}

/** The token at a position of a text, and its length; no token for white space and comments. */
export function tokenAt(
  sql: string,
  at: number,
  lexicalSyntax: LexicalSyntax,
): { length: number; token?: Token } {
  for (const { pattern, token } of lexicalSyntax.rules) {
    pattern.lastIndex = at
    const match = pattern.exec(sql)
    if (match && match[0].length > 0)
      return { length: match[0].length, ...(token && { token: token(match) }) }
  }
  const text = String.fromCodePoint(sql.codePointAt(at) ?? 0)
  return { length: text.length, token: { kind: 'symbol', text } }
}

/**
 * A schema change as the database takes it: GoogleSQL's have no comments. The PostgreSQL dialect's may, and some of them are
 * hints.
 */
export function withoutComments(sql: string, lexicalSyntax: LexicalSyntax): string {
  if (lexicalSyntax.ddlComments) return sql
  let text = ''
  for (let at = 0; at < sql.length;) {
    const { length, token } = tokenAt(sql, at, lexicalSyntax)
    const piece = sql.slice(at, at + length)
    text += token || piece.trim() === '' ? piece : ' '
    at += length
  }
  return text.trim()
}
