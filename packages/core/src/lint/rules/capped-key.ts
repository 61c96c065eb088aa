import type { Rule } from '../../engine/lint-rule.js'
import { cappingShard } from '../../model/generated.js'

/**
 * A primary key of nothing but a shard, or shards and time buckets, whose hashed columns are outside of it: rows of one shard
 * are the same row, so the table holds as many rows as there are shards. `defineSchema` refuses such a model; this is for a
 * database that has the table already.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-design#fix_hash_the_key, "Use a hash of the unique key": the hashed
 * columns stay in the key.
 */
export const cappedKey: Rule = {
  name: 'capped-key',
  severity: 'error',
  check(table, report) {
    const shard = cappingShard(table)
    if (!shard) return
    const { property, shards, of } = shard
    const rows = shards === 1 ? 'one row' : `${shards.toLocaleString('en')} rows`
    const each = table.primaryKey.length > 1 ? ' for each value of the rest of its key' : ''
    report({
      column: property,
      message: `${table.name} holds at most ${rows}${each}: its key is ${property}, which hashes ${of.join(', ')} outside of it.`,
      fix: `Add ${of.join(', ')} to the key of a new table, and copy the rows: the key of a table that exists cannot change.`,
    })
  },
}
