import { NUMBER, OPERATOR, WHITE_SPACE, type Lexicon } from './lexicon.js'

/**
 * The words of CQL.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/definitions.html
 */
export const cqlLexicon: Lexicon = [
  WHITE_SPACE,
  { pattern: /(?:--|\/\/)[^\n]*|\/\*[\s\S]*?\*\//uy },
  {
    pattern: /'((?:''|[^'])*)'/uy,
    token: ([, body]) => ({ kind: 'string', text: body!.replaceAll("''", "'") }),
  },
  { pattern: /\$\$([\s\S]*?)\$\$/uy, token: ([, body]) => ({ kind: 'string', text: body! }) },
  {
    pattern: /"((?:""|[^"])*)"/uy,
    token: ([, name]) => ({ kind: 'quoted', text: name!.replaceAll('""', '"') }),
  },
  NUMBER,
  // Without quotes, a name loses its capitals.
  { pattern: /[A-Za-z]\w*/uy, token: ([text]) => ({ kind: 'word', text: text.toLowerCase() }) },
  OPERATOR,
]
