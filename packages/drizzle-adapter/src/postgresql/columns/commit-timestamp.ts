import { sql, type HasDefault, type SQL } from 'drizzle-orm'
import { SpannerPgColumnBuilder } from './common.js'

/**
 * The moment at which the transaction took effect that wrote the row: put in where an insert leaves it out. An update does it
 * by `pendingCommitTimestamp()`. `returning` cannot tell the value, which nobody knows before the commit.
 *
 * @example
 * changedAt: commitTimestamp().notNull(),
 */
export function commitTimestamp(): CommitTimestampBuilder<''>
export function commitTimestamp<Name extends string>(name: Name): CommitTimestampBuilder<Name>
export function commitTimestamp(name = ''): unknown {
  return new SpannerPgColumnBuilder(name, 'date', 'SpannerCommitTimestamp', {
    type: { kind: 'timestamp' },
    source: { kind: 'timestamp', from: 'commit' },
  })
}

/** The commit timestamp of the transaction, for an `update` or an `insert` of a column that takes one. */
export function pendingCommitTimestamp(): SQL<Date> {
  return sql`spanner.pending_commit_timestamp()`
}

type CommitTimestampBuilder<Name extends string> = HasDefault<
  SpannerPgColumnBuilder<{
    name: Name
    dataType: 'date'
    columnType: 'SpannerCommitTimestamp'
    data: Date
    driverParam: string
    enumValues: undefined
  }>
>
