import { type LexicalSyntax, NUMBER, OPERATOR, WHITE_SPACE, nestedComment } from '@isotherm/core/engine'

/**
 * Quotes a name. Isotherm always quotes names: without quotes a name would lose its capitals. In `sales.Order` each part is
 * quoted separately. Names were checked when the schema was made; a name that was not cannot end its quotes either.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical#identifiers_and_quoted_identifiers
 */
export function quote(name: string): string {
  return name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
}

/** A text, as a literal. A backslash in it is a character like any other. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function unescaped(body: string): string {
  return body.replace(/''|\\([\s\S])/gu, (_, character?: string) =>
    character === undefined ? "'" : (ESCAPES[character] ?? character),
  )
}

/** Without quotes, a name loses its capitals: those of ASCII. */
function folded(name: string): string {
  return name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

/**
 * The words of Spanner's PostgreSQL dialect.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical
 */
export const spannerPostgreSqlLexicalSyntax: LexicalSyntax = {
  name: 'spanner-postgresql',
  rules: [
    WHITE_SPACE,
    { pattern: /--[^\n]*/uy },
    // A hint looks like a comment, but has a meaning. If a comment follows, it is not the end of a hint: `2 */* why */ 3`.
    { pattern: /\/\*@|\*\/(?!\*)/uy, token: ([text]) => ({ kind: 'symbol', text }) },
    { pattern: nestedComment() },
    {
      pattern: /[eE]'((?:\\[\s\S]|''|[^'\\])*)'/uy,
      token: ([, body = '']) => ({ kind: 'string', text: unescaped(body) }),
    },
    {
      pattern: /'((?:''|[^'])*)'/uy,
      token: ([, body = '']) => ({ kind: 'string', text: body.replaceAll("''", "'") }),
    },
    {
      pattern: /\$((?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?)\$([\s\S]*?)\$\1\$/uy,
      token: ([, , body = '']) => ({ kind: 'string', text: body }),
    },
    {
      pattern: /"((?:""|[^"])*)"/uy,
      token: ([, name = '']) => ({ kind: 'quoted', text: name.replaceAll('""', '"') }),
    },
    NUMBER,
    {
      pattern: /[A-Za-z_\u{80}-\u{10ffff}][\w$\u{80}-\u{10ffff}]*/uy,
      token: ([text]) => ({ kind: 'word', text: folded(text) }),
    },
    OPERATOR,
  ],
  opening: /['"`]|\/\*(?!@)|\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$/uy,
  ignoresCase: false,
  ddlComments: true,
}
