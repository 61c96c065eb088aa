import type { CqlTarget } from '../model/cql-target.js'
import type { DialectName } from '../model/sql-expression.js'
import type { ExpectedLoad, Table } from '../model/table.js'
import { count } from './load.js'
import { PARTITION_LOADS, partitionLimit, partitionShards } from './partition-load.js'
import { partitionsOf } from './partitions.js'
import type { Report } from './rule.js'

/** Whether the partitions that take inserts, or reads, at a time are too few for them. */
export function judgePartitions(table: Table, report: Report, dialect: DialectName, target: CqlTarget): void {
  const { expect } = table
  // An interleaved table lies where its parent does, which answers for it.
  if (!expect || table.parent) return
  const { columns, now } = partitionsOf(table, dialect)
  const shard = columns.find(({ source }) => source?.kind === 'shard')
  if (!shard || now === undefined) return
  for (const use of ['write', 'read'] as const) {
    const found = judged(use, now, expect, target)
    if (!found) continue
    report({
      column: shard.property,
      severity: PARTITION_LOADS[target].certain ? undefined : 'warning',
      message:
        `${found.load} end in ${count(now)} ${now === 1 ? 'partition' : 'partitions'} at a time: ` +
        `${count(found.units / now)} ${use} units a second in each, and ${partitionLimit(use, target)}.`,
      fix:
        `It takes ${count(found.needed)} partitions or more, and half as many again for peaks: isotherm shards shows the ` +
        'arithmetic. They cannot be changed later without a new table.',
    })
  }
}

interface Judged {
  readonly load: string
  readonly units: number
  readonly needed: number
}

function judged(
  use: 'write' | 'read',
  places: number,
  { writesPerSecond = 0, readsPerSecond = 0, rowBytes = 0 }: ExpectedLoad,
  target: CqlTarget,
): Judged | undefined {
  const wanted = partitionShards({ writesPerSecond, readsPerSecond, rowBytes }, target)
  const isWrite = use === 'write'
  const needed = isWrite ? wanted.forWrites : wanted.forReads
  if (needed <= places) return undefined
  const rows = count(isWrite ? writesPerSecond : readsPerSecond)
  const each = isWrite ? wanted.writeUnitsPerRow : wanted.readUnitsPerRow
  const units = each === 1 ? '' : ` of ${each} units each`
  return {
    load: `${rows} rows ${isWrite ? 'written' : 'read'} a second${units}`,
    units: isWrite ? wanted.writeUnits : wanted.readUnits,
    needed,
  }
}
