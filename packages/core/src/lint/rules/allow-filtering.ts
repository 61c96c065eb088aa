import { areWords, isName, isSymbol, isWord, type Token } from '../../sql/token.js'
import { tokenize } from '../../sql/tokenize.js'
import type { Rule } from '../rule.js'

/**
 * A statement that says `ALLOW FILTERING`: the node reads all partitions and throws away what does not match.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/dml.html#allow-filtering
 */
export const allowFiltering: Rule = {
  name: 'allow-filtering',
  severity: 'warning',
  engines: ['cassandra'],
  check() {},
  checkStatement({ name, text }, report) {
    const tokens = tokenize(text, 'cql')
    if (!tokens.some((_, at) => areWords(tokens, at, 'ALLOW', 'FILTERING'))) return
    report({
      table: tableOf(tokens) ?? name,
      message: `${name} says ALLOW FILTERING: every node reads all that it has, and throws away what does not match.`,
      fix: 'Read by the partition key, with fanOut over its shards; or keep a table of its own with the key that is asked for.',
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
