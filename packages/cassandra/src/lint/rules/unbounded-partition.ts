import { type Table, present } from '@isotherm/core/engine'
import { type Report, type Rule, bytes, count, growthOf } from '@isotherm/core/tools'
import { namesOf, partitionsOf } from '../facts/partitions.js'

/**
 * Beyond this size, compactions, repairs and reads of a partition become slow: Cassandra itself warns of larger ones.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/data-modeling_refining.html
 */
const LARGE_BYTES = 100 * 1024 ** 2
const LARGE_ROWS = 100_000

/** This many times as much is certainly too much. */
const SURELY = 10

/**
 * A partition that grows for ever, or to a size that no node is happy with: a shard, and rows in the order of their time.
 *
 * Source: https://cassandra.apache.org/doc/latest/cassandra/developing/data-modeling/data-modeling_refining.html
 */
export const unboundedPartition: Rule = {
  name: 'cassandra/unbounded-partition',
  severity: 'error',
  check(table, report, { dialect }) {
    const { columns, clustering, time, ever } = partitionsOf(table, dialect)
    const isLarge = reportLarge(table, report)
    const ends = time !== undefined || table.ttlSeconds !== undefined || ever === undefined
    if (isLarge || ends || table.parent || table.workload?.rowsPerPartition !== undefined) return
    const grows = clustering.find((column) => growthOf(table, column, dialect)?.kind === 'grows')
    if (!grows) return
    const { how } = present(growthOf(table, grows, dialect), 'growth')
    report({
      column: grows.property,
      severity: 'warning',
      message:
        `The partitions of ${namesOf(columns)} grow without limit, since ${grows.property} ${how} and nothing ends a ` +
        'partition.',
      fix:
        `Put a time bucket first, @TimeBucket({ by: 'day', of: '${grows.property}' }); let rows expire with ttlSeconds; or state in ` +
        'workload.rowsPerPartition how many rows there will be.',
    })
  },
}

function reportLarge({ workload, name, parent, rows: own }: Table, report: Report): boolean {
  const inParent = parent && own !== 'own' ? workload?.childrenPerRow : undefined
  const rows = workload?.rowsPerPartition ?? inParent
  if (rows === undefined) return false
  const size = rows * (workload?.rowBytes ?? 0)
  const excess = Math.max(rows / LARGE_ROWS, size / LARGE_BYTES)
  if (excess < 1) return false
  const held = workload?.rowBytes === undefined ? '' : `, ${bytes(size)}`
  report({
    severity: excess < SURELY ? 'warning' : undefined,
    message:
      `A partition of ${name} comes to ${count(rows)} rows${held}: beyond ${count(LARGE_ROWS)} rows, or ${bytes(LARGE_BYTES)}, ` +
      'compactions and repairs of it are slow.',
    fix: 'Put a time bucket, a smaller one, or a shard with more values into the partition key.',
  })
  return true
}
