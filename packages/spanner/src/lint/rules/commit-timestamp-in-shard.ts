import type { LintedDialect, Rule } from '@isotherm/core/tools'
import type { Column } from '@isotherm/core/engine'
import { columnOf } from '@isotherm/core/engine'
import { computedFrom, defaultText, hashedBy } from '@isotherm/core/tools'

/**
 * A generated column, or a hash of the client, that reads a commit timestamp: that time is known when the row is
 * written already. The database refuses such a column, stored or not, and a client has nothing to hash.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to
 */
export const commitTimestampInShard: Rule = {
  name: 'spanner/commit-timestamp-in-shard',
  severity: 'error',
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

/** Columns that are set to the commit timestamp, which is not known before the commit. */
function isCommitTimestamp(column: Column, dialect: LintedDialect): boolean {
  if (column.source?.kind === 'timestamp' && column.source.from === 'commit') return true
  const text = defaultText(column, dialect)
  return text?.some((node) => node.kind === 'call' && node.name === 'pending_commit_timestamp') ?? false
}
