import type { Language } from '../../support/languages.js'

// A tokenizer of SQL and CQL, written from the databases' pages on lexical structure and without any of the code under test:
// https://cloud.google.com/spanner/docs/reference/standard-sql/lexical
// https://cloud.google.com/spanner/docs/reference/postgresql/lexical
// https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/definitions.html

export interface Token {
  /** `quoted` is a name in quotes, `word` a name without. Hints are tokens like the rest of a statement. */
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'symbol'
  /** Without its quotes and escapes. */
  readonly value: string
}

type Scan = (sql: string, at: number) => { readonly token?: Token; readonly end: number } | undefined

const SPACE = /[ \t\n\r]+/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /0x[0-9a-f]+|\d+(\.\d*)?([eE][+-]?\d+)?/y
const SYMBOL = /::|\|\||<<|>>|<=|>=|!=|@\{|[-+*/%&|^~=<>()[\]{},.:]/y

function match(pattern: RegExp, sql: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(sql)?.[0]
}

function scanner(pattern: RegExp, kind: Token['kind'] | undefined, from = 0): Scan {
  return (sql, at) => {
    const found = match(pattern, sql, at)
    if (found === undefined) return undefined
    return { end: at + found.length, ...(kind && { token: { kind, value: found.slice(from) } }) }
  }
}

/** A literal between quotes, in which a doubled quote stands for one. */
function doubled(quote: string, kind: Token['kind']): Scan {
  return (sql, at) => {
    if (sql[at] !== quote) return undefined
    let value = ''
    for (let next = at + 1; next < sql.length; next++) {
      if (sql[next] !== quote) value += sql[next]!
      else if (sql[next + 1] === quote) value += sql[next++]!
      else return { token: { kind, value }, end: next + 1 }
    }
    throw new Error(`${quote} is not closed.`)
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** A literal between quotes on one line, with backslash escapes. */
function escaped(quote: string, kind: Token['kind']): Scan {
  return (sql, at) => {
    if (sql[at] !== quote) return undefined
    if (kind === 'text' && sql.startsWith(quote.repeat(3), at)) throw new Error('A text in three quotes.')
    let value = ''
    for (let next = at + 1; next < sql.length; next++) {
      const character = sql[next]!
      if (character === '\n' || character === '\r') break
      if (character === quote) return { token: { kind, value }, end: next + 1 }
      if (character !== '\\') {
        value += character
        continue
      }
      const code = /x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}/y
      const hexadecimal = match(code, sql, next + 1)
      if (hexadecimal !== undefined) {
        value += String.fromCodePoint(Number.parseInt(hexadecimal.slice(1), 16))
        next += hexadecimal.length
        continue
      }
      const letter = sql[++next]
      if (letter === undefined || letter === '\n' || letter === '\r') break
      if (!/[\\'"`?nrtabfv]/.test(letter)) throw new Error(`\\${letter} is not an escape.`)
      value += ESCAPES[letter] ?? letter
    }
    throw new Error(`${quote} is not closed.`)
  }
}

const GOOGLE_SQL: readonly Scan[] = [
  scanner(SPACE, undefined),
  escaped('`', 'quoted'),
  escaped("'", 'text'),
  escaped('"', 'text'),
  scanner(/@[A-Za-z_][A-Za-z0-9_]*/y, 'parameter', 1),
]

const POSTGRESQL: readonly Scan[] = [
  scanner(SPACE, undefined),
  doubled('"', 'quoted'),
  doubled("'", 'text'),
  scanner(/\$\d+/y, 'parameter', 1),
]

const CQL: readonly Scan[] = [
  scanner(SPACE, undefined),
  doubled('"', 'quoted'),
  doubled("'", 'text'),
  scanner(/\?/y, 'parameter'),
]

const OWN: Readonly<Record<Language, readonly Scan[]>> = {
  googlesql: GOOGLE_SQL,
  'spanner-postgresql': POSTGRESQL,
  cql: CQL,
}

const COMMON: readonly Scan[] = [scanner(NUMBER, 'number'), scanner(WORD, 'word'), scanner(SYMBOL, 'symbol')]

/** @throws {Error} for invalid syntax, and for comments and semicolons, which no generated statement has. */
export function tokensOf(sql: string, language: Language): Token[] {
  const scans = [...OWN[language], ...COMMON]
  const tokens: Token[] = []
  let at = 0
  while (at < sql.length) {
    if (language === 'spanner-postgresql' && sql.startsWith('/*@', at)) {
      // A comment to the lexer: it ends at the first */, quoted or not.
      const end = sql.indexOf('*/', at)
      if (end < 0) throw new Error('A hint is not closed.')
      const inner = tokensOf(sql.slice(at + 3, end), language)
      tokens.push({ kind: 'symbol', value: '/*@' }, ...inner, { kind: 'symbol', value: '*/' })
      at = end + 2
      continue
    }
    const comment = match(language === 'cql' ? /--|\/\*|\/\//y : /--|\/\*|#/y, sql, at)
    if (comment !== undefined) throw new Error(`A comment begins: ${sql.slice(at, at + 40)}`)
    const found = scans.map((scan) => scan(sql, at)).find((each) => each !== undefined)
    if (!found) throw new Error(`No token begins here: ${JSON.stringify(sql.slice(at, at + 40))}`)
    if (found.token) tokens.push(found.token)
    at = found.end
  }
  return tokens
}
