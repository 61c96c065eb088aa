import { shardBounds } from '../../model/key.js'
import type { Refusal } from '../refusal.js'
import { sameData } from '../same-data.js'
import { NEW_TABLE, type KeyspaceDiff } from './keyspace-diff.js'
import { renamedKeyColumn } from './rename-candidates.js'
import type { KeyspaceKey, KeyspaceTable } from './physical-tables.js'

/**
 * What a table is made with for good.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/alter-table.html
 *
 * @param renamed the key columns that get another name: old name to new
 */
export function diffKey(
  diff: KeyspaceDiff,
  from: KeyspaceTable,
  to: KeyspaceTable,
  renamed: ReadonlyMap<string, string>,
): void {
  const [kind, table] = ['primary-key', to.name] as const
  const [before, after] = [keyText(from, renamed), keyText(to)]
  if (before !== after) {
    const message = `has the primary key (${keyText(from)}), and is to have (${after}).`
    const other = diff.has.renamesKeyColumns ? renamedKeyColumn(from, to) : undefined
    const rename = other
      ? `If ${other.from} is called ${other.to} now, say so: --rename ${table}.${other.from}:${other.to}. Otherwise: `
      : ''
    diff.refuse({ kind, table, message, fix: `${rename}${NEW_TABLE}` })
    return
  }
  if (diff.live) return
  for (const key of to.clientKeys) {
    const refusal = clientDifference(from, key, renamed)
    if (refusal) diff.refuse({ kind, table, column: key.column, ...refusal })
  }
}

/** As CQL has it: the partition key in brackets of its own. */
export function keyText(
  { key, partition }: KeyspaceTable,
  renamed: ReadonlyMap<string, string> = new Map(),
): string {
  const names = key.map(({ name }) => renamed.get(name) ?? name)
  const clustering = key
    .slice(partition)
    .map(({ order }, at) => `${names[partition + at]!}${order === 'desc' ? ' DESC' : ''}`)
  return [`(${names.slice(0, partition).join(', ')})`, ...clustering].join(', ')
}

type Difference = Pick<Refusal, 'message' | 'fix'>

/** Why rows that are there would not be found any more; undefined where they would. */
function clientDifference(
  from: KeyspaceTable,
  { column, source }: KeyspaceKey,
  renamed: ReadonlyMap<string, string>,
): Difference | undefined {
  const old = from.clientKeys.find((each) => (renamed.get(each.column) ?? each.column) === column)?.source
  if (!old) {
    return {
      message:
        'is to be computed by the client: rows that are there need not be where it will look for them.',
      fix: `${NEW_TABLE} If all rows are there already, say so in the snapshot.json of the last migration.`,
    }
  }
  if (old.kind === 'shard' && source.kind === 'shard') {
    const [before, after] = [shardBounds(old), shardBounds(source)]
    if (after.lowest > before.lowest || after.highest < before.highest) {
      return {
        message: `has rows in the shards ${before.lowest} to ${before.highest}, and is to have the shards ${after.lowest} to ${after.highest}.`,
        fix: NEW_TABLE,
      }
    }
    // What no row's values tell is read from all shards, which may become more.
    if (source.strategy !== 'hash') return undefined
  }
  if (sameData(computed(old, renamed), computed(source))) return undefined
  return {
    message: 'is to be computed in another way: rows that are there would be looked for elsewhere.',
    fix: NEW_TABLE,
  }
}

/** All that a row's value depends on: not how far a walk goes, nor whether the database could compute it. */
function computed(source: KeyspaceKey['source'], renamed: ReadonlyMap<string, string> = new Map()): object {
  const named = (column: string): string => renamed.get(column) ?? column
  if (source.kind === 'time-bucket') return { kind: source.kind, by: source.by, of: named(source.of) }
  const { computedBy: _, ...rest } = source
  return { ...(source.kind === 'shard' && { first: 0 }), ...rest, of: source.of.map(named) }
}
