import { canBeHashed, describeType } from '../column-type.js'
import type { Column } from '../column.js'
import { MAX_SHARDS, MIN_SHARDS, type ShardSource } from '../key.js'
import { columnOf, type Table } from '../table.js'
import { checkCounters } from './counters.js'
import { propertiesOf, type Report } from './report.js'
import { checkTimeBucket } from './time-bucket.js'

export function checkSource(table: Table, column: Column, report: Report): void {
  const { source, property } = column
  if (!source || column.inherited) return
  const inKey = table.primaryKey.some((part) => part.property === property)
  if (source.kind === 'shard') {
    if (!inKey) report('is a shard, but not in the primary key.', 'Put it first in primaryKey.', property)
    checkShardCount(source.shards, report, property)
    checkFirstShard(source, report, property)
    checkOwnFunction(source, report, property)
    checkShardSources(table, source, property, report)
  }
  if (source.kind === 'hash') {
    if (!inKey) report('is a hash key, but not in the primary key.', 'Put it in primaryKey.', property)
    if (source.of.length === 0)
      report('hashes no column.', 'Name the columns that are unique together: of: [...].', property)
    checkHashed(table, source.of, report, property)
  }
  if (source.kind === 'time-bucket') checkTimeBucket(table, column, source, report)
  if (source.kind === 'bit-reversed') checkCounters(source, report, property)
}

export function checkShardCount(shards: number, report: Report, property?: string): void {
  if (Number.isSafeInteger(shards) && shards >= MIN_SHARDS && shards <= MAX_SHARDS) return
  report(
    `has ${shards} shards.`,
    `A shard count is a whole number from ${MIN_SHARDS} to ${MAX_SHARDS.toLocaleString('en')}.`,
    property,
  )
}

function checkFirstShard(source: ShardSource, report: Report, property: string): void {
  const { first, signed } = source
  if (first !== undefined && !Number.isSafeInteger(first)) {
    report(`begins at shard ${first}.`, '`first` is a whole number.', property)
  }
  if (signed && (first !== undefined || source.expression !== undefined)) {
    report('is signed, and says its range in another way as well.', 'Keep `signed`, or the other.', property)
  }
  if (source.expression !== undefined && source.computedBy === 'client') {
    report(
      'has an SQL expression, but is computed by the client.',
      "Leave computedBy: 'client' out, or give `compute` alone.",
      property,
    )
  }
}

function checkOwnFunction(source: ShardSource, report: Report, property: string): void {
  if (source.ownFunction && source.computedBy === 'database') {
    report(
      'is to be computed by the database, but has a function and no expression.',
      "Give its SQL too, expression: '…', or leave computedBy out.",
      property,
    )
  }
}

function checkShardSources(table: Table, source: ShardSource, property: string, report: Report): void {
  if (source.strategy !== 'hash') {
    const uuid = table.primaryKey.some((part) => {
      const made = columnOf(table, part.property)?.source?.kind
      return made === 'uuid-v4' || made === 'timeuuid'
    })
    if (!uuid) {
      report(
        `is a ${source.strategy} shard, which keeps nothing unique across shards.`,
        'Add a @UuidV4 key part, or hash the columns that are unique: of: [...].',
        property,
      )
    }
    return
  }
  if (source.of.length === 0) report('hashes no column.', 'Name the columns to hash: of: [...].', property)
  checkHashed(table, source.of, report, property)
}

/** `property` is the shard's; absent for an index's shard, which the database always computes, and anew on a change. */
export function checkHashed(table: Table, of: readonly string[], report: Report, property?: string): void {
  const ofIndex = property === undefined
  for (const name of of) {
    const hashed = columnOf(table, name)
    if (!hashed) {
      report(`hashes ${name}, which is not a column.`, `Choose from ${propertiesOf(table)}.`, property)
    } else if (
      hashed.property === property ||
      hashed.source?.kind === 'shard' ||
      hashed.source?.kind === 'hash'
    ) {
      report(
        `hashes ${name}, which is a ${hashed.source?.kind ?? 'shard'} itself.`,
        'Hash the columns that tell rows apart.',
        property,
      )
    } else if (hashed.source?.kind === 'time-bucket') {
      report(
        `hashes ${name}, a time bucket: the rows of a period would all lie in one shard.`,
        'Hash the columns that tell rows apart.',
        property,
      )
    } else if (!canBeHashed(hashed.type)) {
      report(
        `hashes ${name}, of type ${describeType(hashed.type)}, whose text differs between engines.`,
        'Hash integers, strings, bytes, booleans, dates, timestamps or UUIDs.',
        property,
      )
    } else if (hashed.generated) {
      report(
        `hashes ${name}, which the database generates.`,
        'Hash the columns that it is generated from.',
        property,
      )
    } else if (hashed.source?.kind === 'timestamp' && hashed.source.from === 'commit') {
      report(
        `hashes ${name}, a commit timestamp, which is not known when the key is made.`,
        'Hash another column, or set the timestamp with default: "now".',
        property,
      )
    } else if (!ofIndex && hashed.source?.kind === 'bit-reversed') {
      report(
        `hashes ${name}, which the database makes and which is spread already.`,
        'Leave the shard out, or hash another column.',
        property,
      )
    } else if (!ofIndex && !hashed.immutable && !table.primaryKey.some((part) => part.property === name)) {
      report(
        `hashes ${name}, which is neither a key part nor immutable: a change would leave the row in the wrong shard.`,
        'Add it to the key, or declare it immutable: true.',
        property,
      )
    }
  }
}
