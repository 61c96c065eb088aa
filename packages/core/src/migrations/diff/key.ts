import { shardBounds, type ShardSource } from '../../model/key.js'
import { folded, sameName } from '../names.js'
import type { PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

/** The way out of what only a new table can have. */
export const RESHARD =
  'Run `isotherm generate --reshard`: it plans a new table, both written for a while, the copy, and the way over to it.'

/**
 * What a table is made with for good.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#choose-a-primary-key
 */
export function diffKey(context: DiffContext, from: PhysicalTable, to: PhysicalTable): void {
  const refuse = (message: string): void => {
    context.refuse({ kind: 'primary-key', table: to.name, message, fix: RESHARD })
  }
  if (keyText(from) !== keyText(to)) {
    refuse(`has the primary key (${keyText(from)}), and is to have (${keyText(to)}).`)
  } else if (from.clientShard && to.clientShard) {
    const difference = shardDifference(from.clientShard, to.clientShard)
    if (difference !== undefined) refuse(difference)
  }
}

function keyText({ key }: PhysicalTable): string {
  return key.map(({ column, order }) => `${folded(column)}${order === 'desc' ? ' DESC' : ''}`).join(', ')
}

/** Why rows that are there would not be found any more; undefined where they would. */
function shardDifference(from: ShardSource, to: ShardSource): string | undefined {
  const [old, now] = [shardBounds(from), shardBounds(to)]
  if (now.lowest > old.lowest || now.highest < old.highest)
    return `has rows in the shards ${old.lowest} to ${old.highest}, and is to have the shards ${now.lowest} to ${now.highest}.`
  // What no row's values tell is read from all shards, which may become more.
  if (to.strategy !== 'hash') return undefined
  return computed(from) === computed(to)
    ? undefined
    : 'is to have shards that the client computes in another way: rows that are there would be looked for elsewhere.'
}

/** What a row's shard depends on. */
function computed({ strategy, shards, first = 0, signed, of, expression }: ShardSource): string {
  return JSON.stringify([strategy, shards, first, signed, of, expression])
}

/** Source: https://cloud.google.com/spanner/docs/schema-and-data-model#parent-child */
export function diffInterleaving(context: DiffContext, from: PhysicalTable, to: PhysicalTable): void {
  const [old, now] = [from.parent, to.parent]
  const table = to.name
  if (!sameName(old?.table, now?.table)) {
    context.refuse({
      kind: 'interleaving',
      table,
      message: `is interleaved in ${old?.table ?? 'no table'}, and is to be in ${now?.table ?? 'none'}.`,
      fix: `Where a table's rows lie is settled when it is made. ${RESHARD}`,
    })
  } else if (old && now && old.required !== now.required) {
    context.change('add-constraints', { kind: 'set-interleaving', table, parent: now })
  } else if (old && now && old.onDelete !== now.onDelete) {
    context.change('add-constraints', {
      kind: 'set-on-delete',
      table,
      parent: now.table,
      onDelete: now.onDelete,
    })
  }
}
