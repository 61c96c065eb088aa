import { type LexicalSyntax, NUMBER, OPERATOR, WHITE_SPACE } from '@isotherm/core/engine'

/**
 * Quotes a name. Isotherm always quotes names: without quotes a name would lose its capitals, and `order` and others are
 * keywords. A name that was not validated cannot end its quotes either.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/developing/cql/definitions.html#identifiers
 */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text, as a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * The words of CQL.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/definitions.html
 */
export const cqlLexicalSyntax: LexicalSyntax = {
  name: 'cql',
  rules: [
    WHITE_SPACE,
    { pattern: /(?:--|\/\/)[^\n]*|\/\*[\s\S]*?\*\//uy },
    {
      pattern: /'((?:''|[^'])*)'/uy,
      token: ([, body = '']) => ({ kind: 'string', text: body.replaceAll("''", "'") }),
    },
    { pattern: /\$\$([\s\S]*?)\$\$/uy, token: ([, body = '']) => ({ kind: 'string', text: body }) },
    {
      pattern: /"((?:""|[^"])*)"/uy,
      token: ([, name = '']) => ({ kind: 'quoted', text: name.replaceAll('""', '"') }),
    },
    NUMBER,
    // Without quotes, a name loses its capitals.
    { pattern: /[A-Za-z]\w*/uy, token: ([text]) => ({ kind: 'word', text: text.toLowerCase() }) },
    OPERATOR,
  ],
  opening: /['"`$]|\/\*/y,
  ignoresCase: false,
  ddlComments: true,
}
