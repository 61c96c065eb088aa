import { type Table, itemAt, present } from '@isotherm/core/engine'
import { type Report, type Rule, growthOf } from '@isotherm/core/tools'
import { type PartitionLimits, isLightOn, lightlyOn, shardsFor } from '../facts/partition-load.js'
import { type Partitions, namesOf, partitionsOf } from '../facts/partitions.js'

/** The number of shards that is suggested if the load is unknown. */
const SHARDS = 64

/**
 * A partition key of time alone: a date, or a time bucket. Every insert of a day goes to one partition, and the next day to
 * another one.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-sharding.html
 */
export function timePartition(limits: PartitionLimits): Rule {
  return {
    name: 'cassandra/time-partition',
    severity: 'error',
    hotspot: true,
    check(table, report, { dialect }) {
      // An interleaved table is stored in its parent's partitions, or in partitions with the same key: the parent is
      // checked instead.
      if (table.parent) return
      const partitions = partitionsOf(table, dialect)
      const { time, now, columns } = partitions
      if (time === undefined) {
        reportMoments(table, partitions, report)
        return
      }
      if (now !== 1) return
      const how = present(growthOf(table, time, dialect), 'growth')
      const period = how.kind === 'stands' ? how.how : 'is the same for all rows of one day'
      report({
        column: time.property,
        severity: isLightOn(table.workload, limits) ? 'warning' : undefined,
        message:
          `The partition key is ${namesOf(columns)}${columns.length === 1 ? ', which' : `, where ${time.property}`} ${period}: ` +
          `every insert of that time goes to one partition, and so to the same replicas${lightlyOn(table.workload, limits)}.`,
        fix: shardFix(table, partitions, limits),
      })
    },
  }
}

function shardFix(table: Table, { columns, clustering }: Partitions, limits: PartitionLimits): string {
  const shard = columns.find(({ source }) => source?.kind === 'shard')
  if (shard) return `Give ${shard.property} more values.`
  const { writesPerSecond, rowBytes = 0, readsPerSecond = 0 } = table.workload ?? {}
  const shards =
    writesPerSecond === undefined
      ? SHARDS
      : shardsFor({ writesPerSecond, rowBytes, readsPerSecond, headroom: 0.5 }, limits).shards
  const hashed = clustering.find(({ source, type }) => source === undefined && type.kind !== 'timestamp')
  const random = `@ShardKey({ strategy: 'random', shards: ${shards} })`
  const behind = `behind ${itemAt(columns, -1).property}, as the last part of the partition key, and read with fanOut.`
  return hashed
    ? `Put @ShardKey({ shards: ${shards}, of: ['${hashed.property}'] }) ${behind} Where no read knows ${hashed.property}, ${random} spreads as well.`
    : `Put ${random} ${behind} Where reads know a value of the row, make that a clustering column and the shard a hash ` +
        'of it, of: […]: they then ask one partition of the day.'
}

/** Not a hotspot, but not an order either: partitions are placed by the hash of their key. */
function reportMoments({ workload }: Table, { columns }: Partitions, report: Report): void {
  const [column, ...others] = columns
  if (column?.type.kind !== 'timestamp' || others.length > 0 || workload?.distinct?.[column.property]) return
  report({
    column: column.property,
    severity: 'warning',
    message:
      `The partition key is ${column.property} alone, a time: almost every row has its own partition, and partitions ` +
      'have no order, so that a range of times cannot be read.',
    fix: `Put a time bucket of it, and a shard, into the partition key: primaryKey: ['day', 'shard', '${column.property}'].`,
  })
}
