import {
  MAX_INTERLEAVE_DEPTH,
  MAX_KEY_PARTS,
  MAX_SHARDS,
  MIN_SHARDS,
  type ShardSource,
  type TimeBucketSource,
} from './key.js'
import { type Table, columnOf, partitionLength } from './table.js'
import { type Report, propertiesOf } from './validate-names.js'
import { canBeHashed, canBeKey, describeType } from './column-type.js'
import { BUCKET_SIZES, bucketOf } from '../keys/time-bucket.js'
import type { Column } from './column.js'
import { checkCounters } from './validate-columns.js'

export function checkParent(table: Table, tables: readonly Table[], report: Report): void {
  const parent = table.parent && tables.find((other) => other.name === table.parent?.table)
  if (!parent) return
  parent.primaryKey.forEach((part, position) => {
    const own = table.primaryKey[position]
    const column = columnOf(table, part.property)
    if (own?.property === part.property && column?.inherited) return
    if (column && !column.inherited) {
      report(
        `repeats the key part of its parent ${parent.name}.`,
        `Declare it as @ParentKey() ${part.property}: its name, type and order are the parent's.`,
        part.property,
      )
    } else if (!column) {
      report(
        `is a key part of the parent ${parent.name} that the child does not have.`,
        `Add @ParentKey() ${part.property}, before the child's own key parts.`,
        part.property,
      )
    } else {
      report(
        `is key part ${position + 1} of the parent ${parent.name}, but not of the child.`,
        "A child's key starts with its parent's key, in the same order.",
        part.property,
      )
    }
  })
  let depth = 1
  let above: Table | undefined = parent
  const seen = new Set<Table>([table])
  while (above && !seen.has(above)) {
    seen.add(above)
    depth += 1
    const next: string | undefined = above.parent?.table
    above = next === undefined ? undefined : tables.find((other) => other.name === next)
  }
  if (depth > MAX_INTERLEAVE_DEPTH) {
    report(`is level ${depth} of its row tree.`, `A row tree has at most ${MAX_INTERLEAVE_DEPTH} levels.`)
  }
}

/** Checks where rows are stored: the partition key, and what an interleaved table declares about it. */
export function checkPartition(table: Table, tables: readonly Table[], report: Report): void {
  const parent = table.parent && tables.find(({ name }) => name === table.parent?.table)
  checkPartitionKey(table, parent, report)
  if (table.rows === 'own' && !table.parent) {
    report("has rows: 'own', but no parent.", "Remove rows: 'own', or add interleaveIn.")
  }
  const { ttlSeconds } = table
  if (ttlSeconds !== undefined && (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1))
    report(`has the invalid ttlSeconds ${ttlSeconds}.`, 'ttlSeconds is a whole number of seconds, from 1.')
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
      'has an empty partition key.',
      `Name the first key part at least: partitionKey: ${list(key.slice(0, 1))}.`,
    )
    return
  }
  if (partitionKey.every((property, position) => property === key[position])) return
  const outside = partitionKey.filter((property) => !key.includes(property))
  report(
    outside.length > 0
      ? `has ${outside.join(' and ')} in its partition key, but not in its primary key.`
      : `has the partition key ${list(partitionKey)}, but its primary key ${list(key)} does not begin with it.`,
    `The partition key is where the primary key begins: primaryKey: ${list([...new Set([...partitionKey, ...key])])}.`,
  )
}

/** Rows of both tables are stored in the same partitions. */
function checkInherited(partitionKey: readonly string[], parent: Table, report: Report): void {
  const length = partitionLength(parent)
  const expected = parent.partitionKey ?? parent.primaryKey.slice(0, length).map(({ property }) => property)
  if (partitionKey.join() === expected.join()) return
  report(
    `has the partition key ${list(partitionKey)}, and its parent ${parent.name} has ${list(expected)}.`,
    "Remove partitionKey, or add rows: 'own'.",
  )
}

export function list(properties: readonly string[]): string {
  return `[${properties.map((property) => `'${property}'`).join(', ')}]`
}

export function checkPrimaryKey(table: Table, report: Report): void {
  const { primaryKey } = table
  if (primaryKey.length === 0) {
    report(
      'has no primary key.',
      'Mark its key parts with @Key, @ShardKey, @UuidV4 or the other key decorators.',
    )
  }
  if (primaryKey.length > MAX_KEY_PARTS) {
    report(`has ${primaryKey.length} key parts.`, `A key has at most ${MAX_KEY_PARTS}.`)
  }
  const seen = new Set<string>()
  for (const { property } of primaryKey) {
    const column = columnOf(table, property)
    if (!column) {
      report('is in the primary key, but is not a column.', `Choose from ${propertiesOf(table)}.`, property)
    } else if (!canBeKey(column.type)) {
      report(
        `is in the primary key, but is of type ${describeType(column.type)}.`,
        'Choose another column.',
        property,
      )
    }
    if (seen.has(property)) report('is in the primary key twice.', 'Name it once.', property)
    seen.add(property)
  }
}

function checkTimeBucket(table: Table, column: Column, source: TimeBucketSource, report: Report): void {
  const { property } = column
  // A size that there is not has been reported.
  if (!BUCKET_SIZES.includes(source.by)) return
  checkPosition(table, property, report)
  checkOf(table, property, source, report)
  const expected = source.by === 'hour' ? 'timestamp' : 'date'
  if (column.type.kind !== expected) {
    report(
      `is a bucket by ${source.by}, of type ${describeType(column.type)}.`,
      `Such a bucket is a ${expected}.`,
      property,
    )
  }
  if (source.since !== undefined && !isDay(source.since)) {
    report(
      `begins at ${JSON.stringify(source.since)}.`,
      "`since` is a valid day as YYYY-MM-DD: '2024-01-01'.",
      property,
    )
  }
  const { ahead } = source
  if (ahead !== undefined && (!Number.isSafeInteger(ahead) || ahead < 0))
    report(`is ${ahead} buckets ahead.`, '`ahead` is a whole number of buckets, from 0.', property)
}

function checkPosition(table: Table, property: string, report: Report): void {
  const key = table.primaryKey.map((part) => part.property)
  const position = key.indexOf(property)
  const length = partitionLength(table)
  if (position >= 0 && position < length) return
  const partition = key.slice(0, length).filter((part) => part !== property)
  const inherits = table.parent && table.rows !== 'own'
  report(
    position < 0
      ? 'is a time bucket, but not in the primary key.'
      : 'is a time bucket outside of the partition key, so that it does not end a partition.',
    inherits
      ? "Put the bucket in the parent's key, or give the table rows of its own: rows: 'own'."
      : `Put it there: primaryKey: ${list([...new Set([...partition, property, ...key])])}, partitionKey: ${list([...partition, property])}.`,
    property,
  )
}

const MAKE_IT_FIXED = 'Add it to the key, or declare it immutable: true.'
const HASH_ROW_COLUMNS = 'Hash the columns that identify a row.'
const wouldChange = (target: 'bucket' | 'shard'): string =>
  `which is neither a key part nor immutable: a change would leave the row in the wrong ${target}.`

function checkOf(table: Table, property: string, { of, by }: TimeBucketSource, report: Report): void {
  const time = columnOf(table, of)
  const isKey = table.primaryKey.some((part) => part.property === of)
  if (!time || of === property) {
    report(
      `is a bucket of ${of}, which is not another column.`,
      `Choose from ${propertiesOf(table)}.`,
      property,
    )
  } else if (time.source?.kind === 'time-bucket') {
    report(
      `is a bucket of ${of}, which is itself a bucket.`,
      'Name the time of which both are buckets.',
      property,
    )
  } else if (time.type.kind !== 'timestamp' && (time.type.kind !== 'date' || by === 'hour')) {
    report(
      `is a bucket by ${by} of ${of}, of type ${describeType(time.type)}.`,
      by === 'hour' ? 'Take the hour of a timestamp.' : 'Take the bucket of a timestamp or of a date.',
      property,
    )
  } else if (time.nullable) {
    report(`is a bucket of ${of}, which can be NULL.`, `Declare ${of} without nullable.`, property)
  } else if (time.generated || time.default !== undefined || isCommit(time)) {
    report(
      `is a bucket of ${of}, which the database computes: its value is not known when the key is made.`,
      `Give ${of} at the insert, or use the client's clock: default: 'now'.`,
      property,
    )
  } else if (!isKey && !time.immutable) {
    report(`is a bucket of ${of}, ${wouldChange('bucket')}`, MAKE_IT_FIXED, property)
  }
}

function isCommit({ source }: Column): boolean {
  return source?.kind === 'timestamp' && source.from === 'commit'
}

function isDay(text: string): boolean {
  if (typeof text !== 'string') return false
  try {
    return bucketOf(text, 'day') === text
  } catch {
    return false
  }
}

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
    report(
      'is signed, but also has first or expression, which sets the range as well.',
      'Keep one of them.',
      property,
    )
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
      'is computed by the database, but has a function and no expression.',
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
        `is a ${source.strategy} shard, so that uniqueness across shards is not ensured.`,
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
        HASH_ROW_COLUMNS,
        property,
      )
    } else if (hashed.source?.kind === 'time-bucket') {
      report(
        `hashes ${name}, a time bucket: all rows of one bucket would lie in one shard.`,
        HASH_ROW_COLUMNS,
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
        `hashes ${name}, which the database computes and which is spread already.`,
        'Leave the shard out, or hash another column.',
        property,
      )
    } else if (!ofIndex && !hashed.immutable && !table.primaryKey.some((part) => part.property === name)) {
      report(`hashes ${name}, ${wouldChange('shard')}`, MAKE_IT_FIXED, property)
    }
  }
}
