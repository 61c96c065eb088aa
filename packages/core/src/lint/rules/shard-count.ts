import { shardBounds } from '../../model/key.js'
import { shardColumnOf, type Table } from '../../model/table.js'
import { judgePartitions } from '../judge-partitions.js'
import { placesOf } from '../places.js'
import type { Report, Rule, RuleContext } from '../rule.js'
import { judgeSplits } from '../split-load.js'

/**
 * Too few shards for the writes that a table expects, or far more than its instance has use for. On Spanner a shard ends in
 * one split that takes all its inserts, where a growing column follows it; on Cassandra it is a partition. Every read of the
 * whole asks each shard.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#fix_hash_the_key,
 * https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-sharding.html
 */
export const shardCount: Rule = {
  name: 'shard-count',
  severity: 'error',
  heat: true,
  check(table, report, context) {
    if (context.target) judgePartitions(table, report, context.dialect, context.target)
    else judgeShards(table, report, context)
  },
}

function judgeShards(table: Table, report: Report, { dialect }: RuleContext): void {
  const { expect, primaryKey } = table
  if (!expect) return
  const column = table.parent ? undefined : shardColumnOf(table)
  if (column?.source?.kind === 'shard') {
    const { lowest, highest } = shardBounds(column.source)
    const places = placesOf(table, primaryKey, dialect)
    const at = { column: column.property }
    judgeSplits({ what: column.property, shards: highest - lowest + 1, places, at }, expect, report)
  }
  for (const { name, shard, parts } of table.indexes) {
    if (!shard) continue
    const ends = placesOf(table, [...parts, ...primaryKey], dialect)
    const places = ends === undefined ? undefined : shard.shards * ends
    judgeSplits(
      { what: `the shard of the index ${name}`, shards: shard.shards, places, at: { index: name } },
      expect,
      report,
    )
  }
}
