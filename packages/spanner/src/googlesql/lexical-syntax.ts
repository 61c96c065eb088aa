import { COMMENT, type LexicalSyntax, NUMBER, OPERATOR, WHITE_SPACE } from '@isotherm/core/engine'

/**
 * Quotes a name. Isotherm always quotes names: `AT`, `HASH` and others are keywords. In `sales.Order` each part is quoted
 * separately. Names were checked when the schema was made; a name that was not cannot end its quotes either.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical#quoted_identifiers
 */
export function quote(name: string): string {
  return name
    .split('.')
    .map((part) => `\`${escaped(part).replaceAll('`', '\\`')}\``)
    .join('.')
}

/** A text, as a literal. */
export function literal(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const LAST_CODE_POINT = 0x10ffff

/** An escape that does not stand for a character is left as it is: the database refuses it, so Isotherm need not. */
function unescaped(body: string): string {
  return body.replace(
    /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/gu,
    (escape, hex?: string, short?: string, long?: string, octal?: string, character?: string) => {
      if (character !== undefined) return ESCAPES[character] ?? character
      const code = octal === undefined ? parseInt(hex ?? short ?? long ?? '', 16) : parseInt(octal, 8)
      return code > LAST_CODE_POINT ? escape : String.fromCodePoint(code)
    },
  )
}

/** A literal's bytes, one character for each: characters outside of escapes are encoded as UTF-8. */
function bytesOf(body: string, isRaw: boolean): string {
  const bytes = Buffer.from(body).toString('latin1')
  return isRaw ? bytes : unescaped(bytes)
}

function textOf(body: string, isRaw: boolean): string {
  return isRaw ? body : unescaped(body)
}

/**
 * GoogleSQL's words.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/lexical
 */
export const googleSqlLexicalSyntax: LexicalSyntax = {
  name: 'googlesql',
  rules: [
    WHITE_SPACE,
    COMMENT,
    { pattern: /#[^\n]*/uy },
    {
      // A quote that follows a backslash ends no text, not even a raw one.
      pattern: /([rR]?[bB]?|[bB][rR])("""|'''|"|')((?:\\[\s\S]|(?!\2)[^\\])*)\2/uy,
      token: ([, prefix = '', , body = '']) => {
        const isRaw = /r/i.test(prefix)
        return /b/i.test(prefix)
          ? { kind: 'bytes', text: bytesOf(body, isRaw) }
          : { kind: 'string', text: textOf(body, isRaw) }
      },
    },
    {
      pattern: /`((?:\\[\s\S]|[^`\\])*)`/uy,
      token: ([, name = '']) => ({ kind: 'quoted', text: unescaped(name) }),
    },
    NUMBER,
    { pattern: /[A-Za-z_]\w*/uy, token: ([text]) => ({ kind: 'word', text }) },
    OPERATOR,
  ],
  opening: /['"`$]|\/\*/y,
  tripleQuote: /(?:[rR]?[bB]?|[bB][rR])("""|''')/y,
  ignoresCase: true,
  ddlComments: false,
}
