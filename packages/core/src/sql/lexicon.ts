import type { Token } from './token.js'

/** What one kind of token looks like. The pattern is sticky; no token stands for what is passed over. */
export interface LexicalRule {
  readonly pattern: Pattern
  readonly token?: (match: RegExpExecArray) => Token
}

/** What a tokenizer asks of a sticky regular expression. */
export type Pattern = Pick<RegExp, 'exec' | 'lastIndex'>

/** How a dialect's SQL falls into tokens: the first rule that fits counts. */
export type Lexicon = readonly LexicalRule[]

// Rules that the dialects share.

export const WHITE_SPACE: LexicalRule = { pattern: /\s+/uy }

export const COMMENT: LexicalRule = { pattern: /--[^\n]*|\/\*[\s\S]*?\*\//uy }

export const NUMBER: LexicalRule = {
  pattern: /0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy,
  token: ([text]) => ({ kind: 'number', text }),
}

/** Operators of more than one character. Those of one need no rule. */
export const OPERATOR: LexicalRule = {
  pattern: /\|\||::|<<|>>|<=|>=|<>|!=|=>/uy,
  token: ([text]) => ({ kind: 'symbol', text }),
}
