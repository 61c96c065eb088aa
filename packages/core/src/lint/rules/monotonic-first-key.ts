import { growsWithTime } from '../../model/column-type.js'
import { columnOf } from '../../model/table.js'
import type { Rule } from '../rule.js'

/**
 * A primary key whose first part grows with time: every insert lands after the last one, in the same split.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#primary-key-prevent-hotspots
 */
export const monotonicFirstKey: Rule = {
  name: 'monotonic-first-key',
  severity: 'error',
  check(table, report) {
    // An interleaved table starts with its parent's key: the parent answers for it.
    if (table.parent) return
    const [first, ...rest] = table.primaryKey
    const column = first && columnOf(table, first.property)
    if (!column || !growsWithTime(column.type)) return

    const steady = rest.find((part) => {
      const other = columnOf(table, part.property)
      return other && !growsWithTime(other.type)
    })
    const named = table.primaryKey.map((part) => part.property)
    const swapped = steady && [steady.property, ...named.filter((name) => name !== steady.property)]
    report({
      column: column.property,
      message:
        `The primary key starts with ${column.property}, which grows with time${first.order === 'desc' ? ' (descending is no better)' : ''}: ` +
        'every insert goes to the same split, and so to one server.',
      fix: swapped
        ? `Swap the order, primaryKey: ['${swapped.join("', '")}'], if reads fix ${steady.property}; ` +
          `else put @ShardKey({ shards: 64, of: ['${steady.property}'] }) first and read with fanOut.`
        : 'Add a key part that tells rows apart, such as @UuidV4, and put it or a @ShardKey of it first.',
    })
  },
}
