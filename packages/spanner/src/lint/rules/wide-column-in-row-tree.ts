import { type Rule, WIDE_BYTES, bytes, wideness } from '@isotherm/core/tools'
import { childrenOf, treeOf } from '../facts/written-ranges.js'

/**
 * A wide column between the rows of a tree: a read along the tree, from one row to the next or from a row to its children,
 * passes over it, and moving the tree moves it too. In a table of its own it is read only by the queries that want it.
 *
 * Source: https://cloud.google.com/spanner/docs/whitepapers/optimizing-schema-design, on the tradeoffs of locality
 */
export const wideColumnInRowTree: Rule = {
  name: 'spanner/wide-column-in-row-tree',
  severity: 'warning',
  check(table, report, { schema }) {
    const { workload } = table
    // A declared row size is more exact than an estimate by the types.
    if (workload?.rowBytes !== undefined && workload.rowBytes <= WIDE_BYTES) return
    const children = childrenOf(schema, table)
    const busy = treeOf(schema, table).some((each) => each.workload?.writesPerSecond !== undefined)
    // At the leaves of a tree, wide rows do no harm unless the tree is busy.
    if (children.length === 0 && !(table.parent && busy)) return
    for (const column of table.columns) {
      const wide = table.primaryKey.some((part) => part.property === column.property)
        ? undefined
        : wideness(column.type)
      if (wide === undefined) continue
      const others =
        children.length > 0 ? children.map((child) => child.name).join(' and ') : 'the rest of its row tree'
      report({
        column: column.property,
        message:
          `${column.property} is wide (${wide}) and lies between ${table.name} and ${others}: reads along the tree pass ` +
          'over it, and the tree grows by it.',
        fix:
          'Put it in a table of its own with the same key, not interleaved, if it is seldom read with the rest; or give ' +
          `it a length; or say in workload.rowBytes that rows stay small (up to ${bytes(WIDE_BYTES)}).`,
      })
    }
  },
}
