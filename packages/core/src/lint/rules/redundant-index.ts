import type { Rule } from '../../engine/lint-rule.js'
import type { IndexKeyPart, SecondaryIndex } from '../../model/secondary-index.js'
import { columnOf, type Table } from '../../model/table.js'

/**
 * An index that another one, or the key of the table, serves as well: its parts are how the other begins. Each write
 * pays for both.
 *
 * Source: https://cloud.google.com/spanner/docs/secondary-indexes, on what an index stores and costs
 */
export const redundantIndex: Rule = {
  name: 'redundant-index',
  severity: 'warning',
  check(table, report) {
    table.indexes.forEach((index, at) => {
      const other = table.indexes.find(
        (each, position) => each !== index && serves(table, each, index, position < at),
      )
      const server = other
        ? `the index ${other.name}`
        : servedByKey(table, index)
          ? 'the primary key'
          : undefined
      if (server === undefined) return
      report({
        index: index.name,
        message: `The index ${index.name} is how ${server} begins: whatever it finds, that finds too, and every write pays for both.`,
        fix: `Drop it, unless its entries are so much smaller that scans of it are worth a write each.`,
      })
    })
  },
}

/** Of two equal indexes, the one that was declared first stays. */
function serves(table: Table, other: SecondaryIndex, index: SecondaryIndex, earlier: boolean): boolean {
  if (!isPrefix(index.parts, other.parts) || !isSameKind(table, index, other)) return false
  const same = index.parts.length === other.parts.length
  // A unique index says more than that it finds rows.
  if (index.unique) return same && other.unique && earlier
  if (same && !other.unique && !earlier && isCovered(table, other, index)) return false
  return isCovered(table, index, other)
}

function isPrefix(parts: readonly IndexKeyPart[], of: readonly IndexKeyPart[]): boolean {
  return parts.every(({ property, order, nulls }, at) => {
    const other = of[at]
    return other?.property === property && other.order === order && other.nulls === nulls
  })
}

/** They hold the same rows in the same order. */
function isSameKind(table: Table, index: SecondaryIndex, other: SecondaryIndex): boolean {
  return (
    index.interleaveIn === other.interleaveIn &&
    index.shard?.shards === other.shard?.shards &&
    index.shard?.of.join() === other.shard?.of.join() &&
    leftOut(table, index) === leftOut(table, other)
  )
}

/** Which columns have to be NULL for a row not to be in the index. */
function leftOut(table: Table, index: SecondaryIndex): string {
  const filtered = index.nullFiltered ? index.parts.map((part) => part.property) : index.notNull
  return filtered
    .filter((property) => columnOf(table, property)?.nullable)
    .toSorted()
    .join()
}

function isCovered(table: Table, index: SecondaryIndex, other: SecondaryIndex): boolean {
  const held = [...other.parts, ...table.primaryKey].map((part) => part.property)
  return index.storing.every((property) => other.storing.includes(property) || held.includes(property))
}

function servedByKey(table: Table, index: SecondaryIndex): boolean {
  const { primaryKey } = table
  if (index.unique && index.parts.length !== primaryKey.length) return false
  if (index.shard || index.interleaveIn !== undefined || leftOut(table, index) !== '') return false
  return isPrefix(index.parts, primaryKey)
}
