import { columnOf } from '../../model/table.js'
import { growthOf } from '../growth.js'
import { described, hotLead } from '../leading.js'
import { isLight, lightly } from '../load.js'
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
  heat: true,
  engines: ['spanner'],
  check(table, report, { dialect }) {
    for (const index of table.indexes) {
      // One that is interleaved starts with an ancestor's key: the ancestor answers for it.
      if (index.interleaveIn !== undefined || (index.shard && index.shard.shards > 1)) continue
      // Entries that are equal so far lie in the order of the table's key.
      const lead = hotLead(table, [...index.parts, ...table.primaryKey], dialect)
      if (!lead) continue
      const of = table.primaryKey.find(({ property }) => {
        const part = columnOf(table, property)
        return part && part.source?.kind !== 'shard' && !growthOf(table, part, dialect)
      })
      report({
        index: index.name,
        column: lead.column.property,
        severity: lead.certain && !isLight(table.expect) ? undefined : 'warning',
        message:
          `The index ${index.name} starts with ${described(lead)}: every insert into the table ` +
          `writes at the end of the index, so to one server${lightly(table.expect)}.`,
        fix:
          (lead.growth.kind === 'hint' ? 'If it does not, say so in an exception. If it does: ' : '') +
          (index.shard
            ? "Give the index's shard more values: as many as the instance is to have nodes."
            : `Give the index a shard, shard: { shards: 16, of: ['${of?.property ?? 'a key part'}'] }, put a column ` +
              'that does not grow first, or interleave the index in a parent.'),
      })
    }
  },
}
