import { type LexicalSyntax, NUMBER, OPERATOR, WHITE_SPACE, nestedComment } from '@isotherm/core/engine'

/**
 * Quotes a name. Isotherm always quotes names: without quotes a name would lose its capitals. In `sales.Order` each part is
 * quoted separately. Names were checked when the schema was made; a name that was not cannot end its quotes either.
 *
 * Source: https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS
 */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`
}

/** A text, as a literal. With `standard_conforming_strings`, a backslash in it is a character like any other. */
export function quoteText(text: string): string {
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
 * The words of PostgreSQL.
 *
 * Source: https://www.postgresql.org/docs/current/sql-syntax-lexical.html
 */
export const postgresqlLexicalSyntax: LexicalSyntax = {
  name: 'postgresql',
  rules: [
    WHITE_SPACE,
    { pattern: /--[^\n]*/uy },
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
  opening: /['"]|\/\*|\$(?:[A-Za-z_\u{80}-\u{10ffff}][\w\u{80}-\u{10ffff}]*)?\$/uy,
  ignoresCase: false,
  ddlComments: true,
}
