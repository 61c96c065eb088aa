import { itemAt } from '@isotherm/core/engine'
import { type Rule, count } from '@isotherm/core/tools'
import { type PartitionLimits, isLightOn, lightlyOn } from '../facts/partition-load.js'
import { namesOf, partitionsOf } from '../facts/partitions.js'

/**
 * Partitions are placed by a hash, so some nodes get more of them than others: with this many for each node, the difference
 * is small.
 */
const PARTITIONS_PER_NODE = 10

/** The maximum number of values of a key of booleans. */
const FEW = 4

/**
 * A partition key that has few values: there are only as many partitions as values, and more nodes than that have nothing
 * to do.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-design.html
 */
export function lowCardinalityPartition(limits: PartitionLimits): Rule {
  return {
    name: 'cassandra/low-cardinality-partition',
    severity: 'error',
    hotspot: true,
    check(table, report, { dialect }) {
      if (table.parent) return
      const { columns, ever } = partitionsOf(table, dialect)
      if (ever === undefined) return
      const { nodes } = table.workload ?? {}
      const wanted = nodes === undefined ? FEW + 1 : nodes * PARTITIONS_PER_NODE
      if (ever >= wanted) return
      const certain = ever <= Math.max(FEW, (nodes ?? 0) - 1)
      report({
        ...(columns.length === 1 && { column: itemAt(columns, 0).property }),
        severity: certain && !isLightOn(table.workload, limits) ? undefined : 'warning',
        message:
          `The partition key, ${namesOf(columns)}, has ${count(ever)} ${ever === 1 ? 'value' : 'values'}` +
          `${nodes === undefined ? '' : ` for ${count(nodes)} nodes`}: all rows lie in as many partitions` +
          `${lightlyOn(table.workload, limits)}.`,
        fix:
          'Add a part with many values to the partition key, such as an id that reads know; or a @ShardKey with ' +
          `${nodes === undefined ? 'as many values as the load takes (isotherm shards)' : `${count(Math.ceil(wanted / ever))} values or more`}, and read with fanOut.`,
      })
    },
  }
}
