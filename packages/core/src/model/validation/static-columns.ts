import { partitionLength, type Table } from '../table.js'
import type { Report } from './report.js'

export function checkStaticColumns(table: Table, report: Report): void {
  for (const { property, static: isStatic } of table.columns) {
    if (!isStatic) continue
    if (table.primaryKey.some((part) => part.property === property)) {
      report(
        'is static, and a key part: each row has its own.',
        'Take static away; a part of the partition key is the same in all its rows anyway.',
        property,
      )
    } else if (partitionLength(table) >= table.primaryKey.length) {
      report(
        'is static, and the table has one row a partition.',
        'Take static away, or add a key part after the partition key.',
        property,
      )
    }
  }
}
