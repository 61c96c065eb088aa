import { partitionLength, type Table } from '../table.js'
import type { Report } from './report.js'

/** Where rows lie: the partition key, and what an interleaved table says of it. */
export function checkPartition(table: Table, tables: readonly Table[], report: Report): void {
  const parent = table.parent && tables.find(({ name }) => name === table.parent?.table)
  checkPartitionKey(table, parent, report)
  if (table.rows === 'own' && !table.parent) {
    report(
      'has rows of its own, and no parent that they could lie with.',
      "Take rows: 'own' away, or add interleaveIn.",
    )
  }
  const { timeToLive } = table
  if (timeToLive !== undefined && (!Number.isSafeInteger(timeToLive) || timeToLive < 1))
    report(`lets rows live ${timeToLive} seconds.`, 'timeToLive is a whole number of seconds, from 1.')
}

function checkPartitionKey(table: Table, parent: Table | undefined, report: Report): void {
  const { partitionKey } = table
  if (!partitionKey) return
  if (parent && table.rows !== 'own') {
    checkInherited(partitionKey, parent, report)
    return
  }
  const key = table.primaryKey.map(({ property }) => property)
  if (partitionKey.length === 0) {
    report(
      'has a partition key of nothing.',
      `Name the first key part at least: partitionKey: ${list(key.slice(0, 1))}.`,
    )
    return
  }
  if (partitionKey.every((property, place) => property === key[place])) return
  const outside = partitionKey.filter((property) => !key.includes(property))
  report(
    outside.length > 0
      ? `has ${outside.join(' and ')} in its partition key, and not in its primary key.`
      : `has the partition key ${list(partitionKey)}, with which its primary key ${list(key)} does not begin.`,
    `The partition key is where the primary key begins: primaryKey: ${list([...new Set([...partitionKey, ...key])])}.`,
  )
}

/** Rows of both lie in the same partitions. */
function checkInherited(partitionKey: readonly string[], parent: Table, report: Report): void {
  const length = partitionLength(parent)
  const expected = parent.partitionKey ?? parent.primaryKey.slice(0, length).map(({ property }) => property)
  if (partitionKey.join() === expected.join()) return
  report(
    `has the partition key ${list(partitionKey)}, and its parent ${parent.name} has ${list(expected)}.`,
    "Leave partitionKey to the parent, or say rows: 'own'.",
  )
}

export function list(properties: readonly string[]): string {
  return `[${properties.map((property) => `'${property}'`).join(', ')}]`
}
