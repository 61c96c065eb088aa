import { columnOf } from '../../model/table.js'
import { growthOf } from '../growth.js'
import { described, hotLead } from '../leading.js'
import { isLight, lightly } from '../load.js'
import type { Rule } from '../rule.js'

/**
 * A primary key whose first part grows with time: every insert lands after the last one, in the same split.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#primary-key-prevent-hotspots
 */
export const monotonicFirstKey: Rule = {
  name: 'monotonic-first-key',
  severity: 'error',
  heat: true,
  engines: ['spanner'],
  check(table, report, { dialect }) {
    // An interleaved table starts with its parent's key: the parent answers for it.
    if (table.parent) return
    const lead = hotLead(table, table.primaryKey, dialect)
    if (!lead) return
    const { column, certain, growth, after } = lead
    const named = table.primaryKey.map((part) => part.property)
    const steady = named.slice(named.indexOf(column.property) + 1).find((property) => {
      const other = columnOf(table, property)
      return other && !growthOf(table, other, dialect)
    })
    const swapped = steady !== undefined && [steady, ...named.filter((name) => name !== steady)]
    const swap = swapped
      ? `Swap the order, primaryKey: ['${swapped.join("', '")}'], if reads fix ${steady}; ` +
        `else put @ShardKey({ shards: 64, of: ['${steady}'] }) first and read with fanOut.`
      : 'Add a key part that tells rows apart, such as @UuidV4, and put it or a @ShardKey of it first.'
    report({
      column: column.property,
      severity: certain && !isLight(table.expect) ? undefined : 'warning',
      message:
        `The primary key starts with ${described(lead)}: ` +
        `every insert goes to the same split, and so to one server${lightly(table.expect)}.`,
      fix:
        (growth.kind === 'hint' ? 'If it does not, say so in an exception. If it does: ' : '') +
        (after.length > 0 ? 'Give the shard more values: as many as the instance is to have nodes.' : swap),
    })
  },
}
