import { areWords, isName, isSymbol, type Token } from './token.js'

/** Goes through the tokens of a statement, from clause to clause. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length
  }

  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead]
  }

  next(): Token | undefined {
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
    while (isName(this.peek())) {
      parts.push(this.next()!.text)
      if (!isSymbol(this.peek(), '.')) break
      this.next()
    }
    return parts
  }

  /** What stands between the parentheses, or other brackets, that come next; undefined if none do. */
  group(opening: '(' | '[' = '('): Token[] | undefined {
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

  rest(): Token[] {
    return this.#tokens.slice(this.#at)
  }
}

/** By how much a token goes deeper into parentheses and brackets. */
function depthOf(token: Token | undefined): -1 | 0 | 1 {
  if (isSymbol(token, '(') || isSymbol(token, '[')) return 1
  return isSymbol(token, ')') || isSymbol(token, ']') ? -1 : 0
}

/** The items of a list, which commas outside parentheses and brackets part. */
export function splitList(tokens: readonly Token[]): Token[][] {
  const items: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    depth += depthOf(token)
    if (depth === 0 && isSymbol(token, ',')) items.push([])
    else items.at(-1)!.push(token)
  }
  return items.filter((item) => item.length > 0)
}

/** The names in a list such as `(a, b DESC)`. */
export function listedNames(tokens: readonly Token[]): string[] {
  return splitList(tokens).flatMap(([first]) => (isName(first) ? [first.text] : []))
}
