import { type Refusal, sameData, shardBounds } from '@isotherm/core/tools'
import { folded, sameName } from '../names.js'
import type { ClientKey, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

/** The way out of what only a new table can have. */
export function stepsToNewKey({ sql: { withoutReshard } }: DiffContext): string {
  return (
    withoutReshard ??
    'Run `isotherm generate --reshard`: it plans the new table, the writes to both tables, the copy, and the switch to the new table.'
  )
}

/**
 * The properties of a table that can never change.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#choose-a-primary-key
 *
 * @param renamed the columns that are renamed: old name, folded, to new
 */
export function diffKey(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  renamed: ReadonlyMap<string, string>,
): void {
  const [kind, table] = ['primary-key', to.name] as const
  if (keyText(from) !== keyText(to)) {
    const message = `has the primary key (${keyText(from)}), and the model has (${keyText(to)}).`
    context.refuse({ kind, table, message, fix: stepsToNewKey(context) })
    return
  }
  for (const key of to.clientKeys) {
    const difference = clientDifference(context, from, to, key, renamed)
    if (difference) context.refuse({ kind, table, column: key.column, ...difference })
  }
}

function keyText({ key }: PhysicalTable): string {
  return key.map(({ column, order }) => `${folded(column)}${order === 'desc' ? ' DESC' : ''}`).join(', ')
}

type Difference = Pick<Refusal, 'message' | 'fix'>

function different(message: string, fix: string): Difference {
  return { message, fix }
}

/** Why existing rows would not be found any more; undefined if they would. */
function clientDifference(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  { column, source, check }: ClientKey,
  renamed: ReadonlyMap<string, string>,
): Difference | undefined {
  const old = from.clientKeys.find((each) => sameName(each.column, column))?.source
  if (old?.kind === 'shard' && source.kind === 'shard') {
    const [before, after] = [shardBounds(old), shardBounds(source)]
    if (after.lowest > before.lowest || after.highest < before.highest) {
      return different(
        `has rows in the shards ${before.lowest} to ${before.highest}, and the model has the shards ${after.lowest} to ${after.highest}.`,
        stepsToNewKey(context),
      )
    }
  }
  // What no row's values tell is read from all shards, which may become more.
  if (source.kind === 'shard' && source.strategy !== 'hash') return undefined
  if (old) {
    return sameData(computed(old, renamed), computed(source))
      ? undefined
      : different(
          'would be computed differently by the client: existing rows would not be found.',
          stepsToNewKey(context),
        )
  }
  if (context.live) return checkDifference(context, from, to, check)
  // If the database computed it until now, the difference of the column is reported instead.
  if (from.columns.some(({ name, made }) => sameName(name, column) && made?.by === 'generated'))
    return undefined
  return different(
    'would be computed by the client: it might not find existing rows.',
    `${stepsToNewKey(context)} If all rows are there already, say so in the snapshot.json of the last migration.`,
  )
}

/** All that a row's value depends on. */
function computed(
  { of, ...source }: ClientKey['source'],
  renamed: ReadonlyMap<string, string> = new Map(),
): object {
  return {
    ...(source.kind === 'shard' && { first: 0 }),
    ...source,
    of: of.map((column) => folded(renamed.get(folded(column)) ?? column)),
  }
}

/** A database does not store what clients compute, apart from the range that it checks. */
function checkDifference(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  check: string | undefined,
): Difference | undefined {
  const [old, now] = [from, to].map(({ checks }) => checks.find(({ name }) => sameName(name, check)))
  return !old || !now || context.same(old.expression, now.expression)
    ? undefined
    : different(
        `has rows in the shards of the check ${old.name} (${old.expression}), and the model has others.`,
        stepsToNewKey(context),
      )
}

/** The parents before and after. Where a parent is a foreign key, none is the same as one whose row need not be there. */
function parentsOf(
  { sql }: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
): readonly [PhysicalTable['parent'], PhysicalTable['parent']] {
  const [old, now] = [from.parent, to.parent]
  if (!sql.ddlSyntax.alter.parentsAreForeignKeys) return [old, now]
  return [old ?? notRequired(now), now ?? notRequired(old)]
}

function notRequired(parent: PhysicalTable['parent']): PhysicalTable['parent'] {
  return parent && { ...parent, required: false }
}

/** Source: https://cloud.google.com/spanner/docs/schema-and-data-model#parent-child */
export function diffInterleaving(context: DiffContext, from: PhysicalTable, to: PhysicalTable): void {
  const [old, now] = parentsOf(context, from, to)
  const table = to.name
  const { parentsAreForeignKeys } = context.sql.ddlSyntax.alter
  if (now && parentsAreForeignKeys && !sameName(old?.table, now.table)) {
    context.change('add-constraints', { kind: 'set-interleaving', table, parent: now })
  } else if (!sameName(old?.table, now?.table)) {
    context.refuse({
      kind: 'interleaving',
      table,
      message: `is interleaved in ${old?.table ?? 'no table'}, and the model interleaves it in ${now?.table ?? 'no table'}.`,
      fix: `Interleaving cannot change after a table was created. ${stepsToNewKey(context)}`,
    })
  } else if (old && now && (old.required ?? true) !== (now.required ?? true)) {
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
