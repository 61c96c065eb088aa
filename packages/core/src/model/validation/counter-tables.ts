import type { Table } from '../table.js'
import type { Report } from './report.js'

/**
 * A table of counters has nothing else beside its key, and its rows come to be by being counted.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/cql/types.html#counters
 */
export function checkCounterTable(table: Table, report: Report): void {
  const beside = table.columns.filter(
    ({ property }) => !table.primaryKey.some((part) => part.property === property),
  )
  const counters = beside.filter(({ type }) => type.kind === 'counter')
  if (counters.length === 0) return
  const others = beside.filter(({ type }) => type.kind !== 'counter')
  if (others.length > 0) {
    report(
      `has counters beside other columns: ${others.map(({ property }) => property).join(', ')}.`,
      'A counter table has nothing else beside its key: put the counters in a table of their own, with the same key.',
    )
  }
  for (const { property, source, default: given, generated } of counters) {
    if (source || given !== undefined || generated)
      report('is a counter, which nobody sets.', 'Take away what makes its value: it begins at 0.', property)
  }
  if (table.timeToLive !== undefined)
    report(
      'has counters that are to vanish, and no counter does.',
      'Take timeToLive away, and delete rows that are done with.',
    )
}
