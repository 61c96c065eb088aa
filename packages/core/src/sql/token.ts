/** A word or a mark of SQL. Comments and white space are gone, so that two texts compare by their tokens. */
export interface Token {
  /** `word` is bare and may be a keyword; `quoted` is always a name. */
  readonly kind: 'word' | 'quoted' | 'string' | 'bytes' | 'number' | 'symbol'
  /** A name as the database keeps it, a literal without its quotes and escapes; of bytes, a character for each. */
  readonly text: string
}

export type Name = Token & { readonly kind: 'word' | 'quoted' }

/** A token, or whatever else stands among tokens. */
interface Tokenlike {
  readonly kind: string
  readonly text?: string
}

/** Whether a token is this keyword, given in upper case. */
export function isWord(token: Tokenlike | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text?.toUpperCase() === word
}

/** Whether these keywords stand here, one after the other. */
export function areWords(tokens: readonly Tokenlike[], at: number, ...words: readonly string[]): boolean {
  return words.every((word, ahead) => isWord(tokens[at + ahead], word))
}

export function isSymbol(token: Tokenlike | undefined, symbol: string): boolean {
  return token?.kind === 'symbol' && token.text === symbol
}

export function isName(token: Tokenlike | undefined): token is Name {
  return token?.kind === 'word' || token?.kind === 'quoted'
}
