import { columnOf } from '../../model/table.js'
import { computedFrom, hashedBy, isCommitTimestamp } from '../expressions.js'
import type { Rule } from '../rule.js'

/**
 * A generated column, or a hash of the client, that reads a commit timestamp: that time is known when the row is
 * written already. The database refuses such a column, stored or not, and a client has nothing to hash.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to
 */
export const commitTimestampInShard: Rule = {
  name: 'commit-timestamp-in-shard',
  severity: 'error',
  engines: ['spanner'],
  check(table, report, { dialect }) {
    const fix = 'Compute it from another column, or let the client set the time: default: "now".'
    for (const column of table.columns) {
      if (column.inherited) continue
      const read = computedFrom(table, column, dialect) ?? hashedBy(table, column)
      const commit = read?.find((each) => isCommitTimestamp(each, dialect))
      if (!commit) continue
      report({
        column: column.property,
        message:
          `${column.property} is computed from ${commit.property}, a commit timestamp, which is not known before the ` +
          'row is written.',
        fix,
      })
    }
    for (const { name, shard } of table.indexes) {
      const commit = shard?.of.find((each) => {
        const column = columnOf(table, each)
        return column && isCommitTimestamp(column, dialect)
      })
      if (commit === undefined) continue
      report({
        index: name,
        column: commit,
        message: `The shard of the index ${name} hashes ${commit}, a commit timestamp, which no generated column may read.`,
        fix: 'Hash a part of the key instead: the index may still go on with the commit timestamp.',
      })
    }
  },
}
