import { folded, matched } from '../names.js'
import type { PhysicalForeignKey, PhysicalTable } from '../physical-schema.js'
import type { ColumnsDiff } from './columns.js'
import type { DiffContext } from './context.js'
import { checkInTheWay, keyInTheWay, type ColumnsDiffs } from './dependents.js'

export function diffChecks(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  columns: ColumnsDiff,
): void {
  const table = to.name
  const { both, gone, added } = matched(from.checks, to.checks)
  for (const { name } of gone) context.change('drop-constraints', { kind: 'drop-check', table, name })
  for (const check of added) context.change('add-constraints', { kind: 'add-check', table, check })
  for (const { from: old, to: check } of both) {
    const column = checkInTheWay(check.expression, columns, context)
    if (column === undefined && context.same(old.expression, check.expression)) continue
    context.change('drop-constraints', {
      kind: 'drop-check',
      table,
      name: old.name,
      because: column === undefined ? 'it is to say something else' : `${column} changes its type`,
    })
    context.change('add-constraints', { kind: 'add-check', table, check })
  }
}

/** Source: https://cloud.google.com/spanner/docs/foreign-keys/how-to */
export function diffForeignKeys(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  diffs: ColumnsDiffs,
): void {
  const table = to.name
  const { both, gone, added } = matched(from.foreignKeys, to.foreignKeys)
  for (const { name } of gone) context.change('drop-constraints', { kind: 'drop-foreign-key', table, name })
  for (const foreignKey of added)
    context.change('add-constraints', { kind: 'add-foreign-key', table, foreignKey })
  for (const { from: old, to: foreignKey } of both) {
    const column = keyInTheWay(table, foreignKey, diffs)
    if (column === undefined && keyText(old) === keyText(foreignKey)) continue
    context.change('drop-constraints', {
      kind: 'drop-foreign-key',
      table,
      name: old.name,
      because: column === undefined ? 'it is to be another one' : `${column} changes`,
    })
    context.change('add-constraints', { kind: 'add-foreign-key', table, foreignKey })
  }
}

function keyText({ columns, table, references, onDelete, enforced }: PhysicalForeignKey): string {
  return JSON.stringify([columns.map(folded), folded(table), references.map(folded), onDelete, enforced])
}

/** Source: https://cloud.google.com/spanner/docs/ttl/working-with-ttl */
export function diffRowDeletion(context: DiffContext, from: PhysicalTable, to: PhysicalTable): void {
  const [old, policy, table] = [from.rowDeletion, to.rowDeletion, to.name]
  if (!policy) {
    // Before tables below it may keep their rows.
    if (old) context.change('drop-constraints', { kind: 'drop-row-deletion', table })
  } else if (!old) {
    // After all that would keep rows is gone.
    context.change('row-deletion', { kind: 'add-row-deletion', table, policy })
  } else if (folded(old.column) !== folded(policy.column) || old.days !== policy.days) {
    context.change('add-constraints', { kind: 'replace-row-deletion', table, policy })
  }
}
