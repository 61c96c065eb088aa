import type { Schema, Table } from '@isotherm/core/engine'
import { type Rule, bytes, count } from '@isotherm/core/tools'
import { childrenOf } from '../facts/written-ranges.js'

/**
 * How large a row with everything interleaved in it may grow and still be kept together. The documentation names a
 * limit of a split's size without its value; it used to advise staying under about 4 GiB. Half of that leaves room.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#create-interleaved-tables
 */
const ROW_TREE_BYTES = 2 * 1024 ** 3

interface Tree {
  /** A lower bound: undeclared sizes are not counted. */
  readonly bytes: number
  readonly terms: readonly string[]
}

/**
 * A row that with everything interleaved in it outgrows a split. Spanner keeps a row tree together as long as it can;
 * a tree beyond that size is cut, and reads and transactions within it cost what interleaving was to save.
 *
 * Source: https://cloud.google.com/spanner/docs/schema-and-data-model#create-interleaved-tables
 */
export const rowTreeSize: Rule = {
  name: 'spanner/row-tree-size',
  severity: 'warning',
  check(table, report, { schema }) {
    // The root answers for its tree.
    if (table.parent) return
    const tree = treeUnder(schema, table, 1)
    if (tree.bytes <= ROW_TREE_BYTES) return
    report({
      message:
        `One row of ${table.name} with what is interleaved in it comes to ${bytes(tree.bytes)} or more ` +
        `(${tree.terms.join(' + ')}), and a row tree is assumed to stay in one split up to ${bytes(ROW_TREE_BYTES)}.`,
      fix:
        'Put a part of the key of the largest table (a month, a shard) into the key of its parent, so that a tree holds less; ' +
        'or make it a table of its own.',
    })
  },
}

/** The tree under a number of rows of a table. */
function treeUnder(schema: Schema, table: Table, rows: number): Tree {
  const own = table.workload?.rowBytes ?? 0
  let total = rows * own
  const terms = own > 0 ? [`${rows === 1 ? '' : `${count(rows)} × `}${bytes(own)} of ${table.name}`] : []
  for (const child of childrenOf(schema, table)) {
    const each = child.workload?.childrenPerRow
    if (each === undefined) continue
    const below = treeUnder(schema, child, rows * each)
    total += below.bytes
    for (const term of below.terms) terms.push(term)
  }
  return { bytes: total, terms }
}
