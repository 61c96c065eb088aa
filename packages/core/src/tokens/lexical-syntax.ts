/** A word or a mark of SQL. Comments and white space are gone, so that two texts compare by their tokens. */
export interface Token {
  /** `word` is bare and may be a keyword; `quoted` is always a name. */
  readonly kind: 'word' | 'quoted' | 'string' | 'bytes' | 'number' | 'symbol'
  /** A name as the database keeps it, a literal without its quotes and escapes; of bytes, a character for each. */
  readonly text: string
}

export type Name = Token & { readonly kind: 'word' | 'quoted' }

/** A token, or any other node among tokens. */
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

/** The pattern of one kind of token, which is sticky. Text without a token is skipped. */
interface LexicalRule {
  readonly pattern: Pattern
  readonly token?: (match: RegExpExecArray) => Token
}

/** The methods of a sticky regular expression that a tokenizer needs. */
type Pattern = Pick<RegExp, 'exec' | 'lastIndex'>

/** How a dialect's text is read. */
export interface LexicalSyntax {
  /** The dialect's, by which a schema has its expressions. */
  readonly name: string
  /** How it falls into tokens: the first rule that fits counts. */
  readonly rules: readonly LexicalRule[]
  /** What begins a text, a quoted name or a comment, and is a token of one character where its end is missing. Sticky. */
  readonly opening: Pattern
  /**
   * A prefix, and three quotes that begin a string: two quotes would be an empty one. Sticky. Absent: the dialect has no
   * such strings.
   */
  readonly tripleQuote?: Pattern
  /** Whether upper and lower case are the same in a name. If not, the tokenizer has folded the case of names already. */
  readonly ignoresCase: boolean
  /** Whether a schema change may have comments. */
  readonly ddlComments: boolean
}

// Rules that the dialects share.

export const WHITE_SPACE: LexicalRule = { pattern: /\s+/uy }

export const COMMENT: LexicalRule = { pattern: /--[^\n]*|\/\*[\s\S]*?\*\//uy }

export const NUMBER: LexicalRule = {
  pattern: /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy,
  token: ([text]) => ({ kind: 'number', text }),
}

/** Operators of more than one character. Single characters need no rule. */
export const OPERATOR: LexicalRule = {
  pattern: /\|\||::|<<|>>|<=|>=|<>|!=|=>/uy,
  token: ([text]) => ({ kind: 'symbol', text }),
}

const EDGE = /\/\*|\*\//g

/** A comment that holds comments, which a regular expression cannot count. An unclosed one does not count as a comment. */
export function nestedComment(): Pattern {
  /** The ends of comments in the last text, so that many unclosed comments are searched only once. */
  let text = ''
  let ends = new Map<number, number | undefined>()
  return {
    lastIndex: 0,
    exec(sql) {
      const start = this.lastIndex
      if (!sql.startsWith('/*', start)) return null
      if (sql !== text) [text, ends] = [sql, new Map()]
      if (!ends.has(start)) addEnds(sql, start, ends)
      const end = ends.get(start)
      return end === undefined ? null : ([sql.slice(start, end)] as unknown as RegExpExecArray)
    },
  }
}

/** Adds the end of the comment that begins at `start`, and of nested comments; undefined for unclosed ones. */
function addEnds(sql: string, start: number, ends: Map<number, number | undefined>): void {
  const open: number[] = []
  EDGE.lastIndex = start
  for (let edge = EDGE.exec(sql); edge; edge = EDGE.exec(sql)) {
    if (edge[0] === '/*') open.push(edge.index)
    else {
      const at = open.pop()
      if (at !== undefined) ends.set(at, EDGE.lastIndex)
    }
    if (open.length === 0) return
  }
  for (const at of open) ends.set(at, undefined)
}
