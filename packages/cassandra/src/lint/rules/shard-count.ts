import { type Workload, type Rule, count } from '@isotherm/core/tools'
import { type PartitionLimits, partitionLimit, shardsFor } from '../facts/partition-load.js'
import { partitionsOf } from '../facts/partitions.js'

/**
 * Too few partitions for the writes, or the reads, that a table expects: a shard is a partition, together with the day or
 * the bucket beside it, and every read of all rows asks each.
 *
 * @param limits `certain`: higher loads are throttled
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-sharding.html
 */
export function shardCount(limits: PartitionLimits): Rule {
  const { partitionLoad } = limits
  return {
    name: 'cassandra/shard-count',
    severity: 'error',
    hotspot: true,
    check(table, report, { dialect }) {
      const { workload } = table
      // An interleaved table is stored with its parent, which is checked instead.
      if (!workload || table.parent) return
      const { columns, now } = partitionsOf(table, dialect)
      const shard = columns.find(({ source }) => source?.kind === 'shard')
      if (!shard || now === undefined) return
      for (const use of ['write', 'read'] as const) {
        const found = judged(use, now, workload, limits)
        if (!found) continue
        report({
          column: shard.property,
          severity: partitionLoad.certain ? undefined : 'warning',
          message:
            `${found.load} end in ${count(now)} ${now === 1 ? 'partition' : 'partitions'} at a time: ` +
            `${count(found.units / now)} ${use} units a second in each, and ${partitionLimit(use, partitionLoad)}.`,
          fix:
            `Use ${count(found.needed)} partitions or more, and half as many again for peaks: isotherm shards shows the ` +
            'arithmetic. The number cannot be changed later without a new table.',
        })
      }
    },
  }
}

interface Judged {
  readonly load: string
  readonly units: number
  readonly needed: number
}

function judged(
  use: 'write' | 'read',
  partitions: number,
  { writesPerSecond = 0, readsPerSecond = 0, rowBytes = 0 }: Workload,
  limits: PartitionLimits,
): Judged | undefined {
  const wanted = shardsFor({ writesPerSecond, readsPerSecond, rowBytes }, limits)
  const isWrite = use === 'write'
  const needed = isWrite ? wanted.forWrites : wanted.forReads
  if (needed <= partitions) return undefined
  const rows = count(isWrite ? writesPerSecond : readsPerSecond)
  const each = isWrite ? wanted.writeUnitsPerRow : wanted.readUnitsPerRow
  const units = each === 1 ? '' : ` of ${each} units each`
  return {
    load: `${rows} rows ${isWrite ? 'written' : 'read'} a second${units}`,
    units: isWrite ? wanted.writeUnits : wanted.readUnits,
    needed,
  }
}
