import { BUCKET_SIZES, bucketOf } from '../../keys/time-bucket.js'
import type { Column } from '../column.js'
import { describeType } from '../column-type.js'
import type { TimeBucketSource } from '../key.js'
import { columnOf, partitionLength, type Table } from '../table.js'
import { list } from './partition-key.js'
import { propertiesOf, type Report } from './report.js'

export function checkTimeBucket(
  table: Table,
  column: Column,
  source: TimeBucketSource,
  report: Report,
): void {
  const { property } = column
  // A size that there is not has been reported.
  if (!BUCKET_SIZES.includes(source.by)) return
  checkPlace(table, property, report)
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
      "`since` is a day that there is, as YYYY-MM-DD: '2024-01-01'.",
      property,
    )
  }
  const { ahead } = source
  if (ahead !== undefined && (!Number.isSafeInteger(ahead) || ahead < 0))
    report(`is ${ahead} buckets ahead.`, '`ahead` is a whole number of buckets, from 0.', property)
}

function checkPlace(table: Table, property: string, report: Report): void {
  const key = table.primaryKey.map((part) => part.property)
  const place = key.indexOf(property)
  const length = partitionLength(table)
  if (place >= 0 && place < length) return
  const partition = key.slice(0, length).filter((part) => part !== property)
  const inherits = table.parent && table.rows !== 'own'
  report(
    place < 0
      ? 'is a time bucket, but not in the primary key.'
      : 'is a time bucket outside of the partition key, which it ends nowhere.',
    inherits
      ? "Put the bucket in the parent's key, or give the table rows of its own: rows: 'own'."
      : `Put it there: primaryKey: ${list([...new Set([...partition, property, ...key])])}, partitionKey: ${list([...partition, property])}.`,
    property,
  )
}

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
    report(`is a bucket of ${of}, which is a bucket itself.`, 'Name the time that both are of.', property)
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
      `is a bucket of ${of}, which the database makes: it is not known when the key is made.`,
      `Give ${of} at the insert, or let the client's clock: default: 'now'.`,
      property,
    )
  } else if (!isKey && !time.immutable) {
    report(
      `is a bucket of ${of}, which is neither a key part nor immutable: a change would leave the row in the wrong bucket.`,
      'Add it to the key, or declare it immutable: true.',
      property,
    )
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
