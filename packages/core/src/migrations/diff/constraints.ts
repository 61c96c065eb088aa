import { folded } from '../names.js'
import type { PhysicalForeignKey, PhysicalTable } from '../physical-schema.js'
import type { ColumnsDiff } from './columns.js'
import type { DiffContext } from './context.js'
import { checkInTheWay, keyInTheWay, type ColumnsDiffs } from './dependents.js'
import { remake } from './remake.js'

export function diffChecks(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  remake(from.checks, to.checks, {
    drop: (gone) => context.change('drop-constraints', { kind: 'drop-check', table, ...gone }),
    add: (check) => context.change('add-constraints', { kind: 'add-check', table, check }),
    because(old, check) {
      const column = checkInTheWay(check.expression, columns, context)
      if (column !== undefined) return `${column} changes its type`
      return context.same(old.expression, check.expression) ? undefined : 'it is to say something else'
    },
  })
}

/** Source: https://cloud.google.com/spanner/docs/foreign-keys/how-to */
export function diffForeignKeys(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  diffs: ColumnsDiffs,
): void {
  const table = to.name
  remake(from.foreignKeys, to.foreignKeys, {
    drop: (gone) => context.change('drop-constraints', { kind: 'drop-foreign-key', table, ...gone }),
    add: (foreignKey) => context.change('add-constraints', { kind: 'add-foreign-key', table, foreignKey }),
    because(old, foreignKey) {
      const column = keyInTheWay(table, foreignKey, diffs)
      if (column !== undefined) return `${column} changes`
      return keyText(old) === keyText(foreignKey) ? undefined : 'it is to be another one'
    },
  })
}

function keyText({ columns, table, references, onDelete, enforced }: PhysicalForeignKey): string {
  return JSON.stringify([columns.map(folded), folded(table), references.map(folded), onDelete, enforced])
}

/**
 * Source: https://cloud.google.com/spanner/docs/ttl/working-with-ttl
 *
 * @param renamed the columns that get another name: old name, folded, to new
 */
export function diffRowDeletion(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  { goneEarly }: ColumnsDiff,
  renamed: ReadonlyMap<string, string>,
): void {
  const [old, policy, table] = [from.rowDeletion, to.rowDeletion, to.name]
  const because = old && goneEarly.has(folded(old.column)) ? `${old.column} goes` : undefined
  const isDropped = old && (!policy || because !== undefined)
  // Before tables below it may keep their rows.
  if (isDropped)
    context.change('drop-constraints', { kind: 'drop-row-deletion', table, ...(policy && { because }) })
  if (!policy) return
  if (!old || isDropped) {
    // After all that would keep rows is gone.
    context.change('row-deletion', { kind: 'add-row-deletion', table, policy, destructive: true })
  } else if (folded(old.column) !== folded(policy.column) || old.days !== policy.days) {
    const column = renamed.get(folded(old.column)) ?? old.column
    const deletesMore = folded(column) !== folded(policy.column) || old.days > policy.days
    context.change('add-constraints', {
      kind: 'replace-row-deletion',
      table,
      policy,
      ...(deletesMore && { destructive: true }),
    })
  }
}
