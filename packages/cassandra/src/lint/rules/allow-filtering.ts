import { type Token, areWords, isName, isSymbol, tokenize } from '@isotherm/core/engine'
import { type Rule, isWord } from '@isotherm/core/tools'
import { cqlLexicalSyntax } from '../../cql/identifier.js'

/**
 * A statement that says `ALLOW FILTERING`: the node reads all partitions and throws away what does not match.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/dml.html#allow-filtering
 */
export const allowFiltering: Rule = {
  name: 'cassandra/allow-filtering',
  severity: 'warning',
  checkStatement({ name, text }, report) {
    const tokens = tokenize(text, cqlLexicalSyntax)
    if (!tokens.some((_, at) => areWords(tokens, at, 'ALLOW', 'FILTERING'))) return
    report({
      table: tableOf(tokens) ?? name,
      message: `${name} uses ALLOW FILTERING: every node reads all of its rows, and discards those that do not match.`,
      fix: 'Read by the partition key, with fanOut over its shards; or keep another table whose key has the filtered columns.',
    })
  },
}

function tableOf(tokens: readonly Token[]): string | undefined {
  const from = tokens.findIndex((token) => isWord(token, 'FROM'))
  if (from < 0) return undefined
  const qualified = isSymbol(tokens[from + 2], '.')
  const token = tokens[from + (qualified ? 3 : 1)]
  return isName(token) ? token.text : undefined
}
