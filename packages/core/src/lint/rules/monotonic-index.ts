import { growsWithTime } from '../../model/column-type.js'
import { columnOf } from '../../model/table.js'
import type { Rule } from '../rule.js'

/**
 * An index whose first part grows with time: the table may be spread, but each of its inserts also writes the end of
 * the index. Interleaving the index in a parent, or a shard in front of it, spreads those writes.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#creating-indexes
 */
export const monotonicIndex: Rule = {
  name: 'monotonic-index',
  severity: 'error',
  check(table, report) {
    for (const index of table.indexes) {
      if (index.interleaveIn !== undefined || index.shard) continue
      const column = index.parts[0] && columnOf(table, index.parts[0].property)
      if (!column || !growsWithTime(column.type)) continue
      const key = table.primaryKey.map((part) => part.property)
      const of = key.find((property) => {
        const part = columnOf(table, property)
        return part && part.source?.kind !== 'shard' && !growsWithTime(part.type)
      })
      report({
        index: index.name,
        column: column.property,
        message:
          `The index ${index.name} starts with ${column.property}, which grows with time: ` +
          'every insert into the table writes at the end of the index, so to one server.',
        fix:
          `Give the index a shard, shard: { shards: 16, of: ['${of ?? 'a key part'}'] }, put a column that ` +
          'does not grow first, or interleave the index in a parent.',
      })
    }
  },
}
