import { ascending, isAmong } from '../../rows/predicate.js'
import type { Field, TableLayout } from '../../layout/layout.js'
import { bucketAfter, bucketOf, bucketsBetween } from '../../keys/time-bucket.js'
import { BUCKETS_AHEAD, type BucketSize, type Order, type TimeBucketSource } from '../../model/key.js'
import { invalidQuery } from './order.js'

export interface Bound {
  readonly value: unknown
  /** The bound itself is left out. */
  readonly open: boolean
}

/** The certain constraint of a filter on one field: every matching row fits it. */
export interface Constraint {
  /** The only values the field can have, NULL among them if it can be; of a partitioned key, each once, in ascending order. */
  readonly candidates?: readonly unknown[]
  readonly lower?: Bound
  readonly upper?: Bound
}

export type Constraints = ReadonlyMap<Field, Constraint>

/** Both at once. */
export function narrow(field: Field, known: Constraint, more: Constraint): Constraint {
  const lower = tighter(field, known.lower, more.lower, 1)
  const upper = tighter(field, known.upper, more.upper, -1)
  const candidates =
    known.candidates && more.candidates
      ? inBoth(field, known.candidates, more.candidates)
      : (known.candidates ?? more.candidates)
  return { ...(candidates && { candidates }), ...(lower && { lower }), ...(upper && { upper }) }
}

function tighter(field: Field, a: Bound | undefined, b: Bound | undefined, sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b
  const difference = sign * field.compare(a.value, b.value)
  if (difference === 0) return a.open ? a : b
  return difference > 0 ? a : b
}

/** The values that both lists have: lists of a filter may have thousands of values. */
function inBoth(field: Field, known: readonly unknown[], more: readonly unknown[]): readonly unknown[] {
  const others = ascending(field, more)
  return known.filter((value) => (value === null ? more.includes(null) : isAmong(field, others, value)))
}

export type Bucket = ReturnType<typeof bucketOf>

/** A query over more buckets is taken for a mistake. */
const MAX_BUCKETS = 100_000

/** The buckets that can hold matching rows, in the order in which they are read. */
export interface Buckets {
  readonly count: number
  /** Makes one of them, numbered from 0. */
  at(position: number): Bucket
  /** Absent if there are no buckets. */
  readonly ends?: readonly [first: Bucket, last: Bucket]
  /** How many of the first buckets are ahead of the clock: they have few rows. */
  readonly ahead: number
  /** The bucket of the clock, where which buckets there are depends on it. */
  readonly today?: Bucket
}

/** How a field follows from a time, where it says into which period that falls. */
export function bucketSource({ fill }: Field): TimeBucketSource | undefined {
  return fill.by === 'bucket' ? fill.source : undefined
}

/** The constraint on a bucket that follows from a filter on its time. */
export function bucketConstraint({ by }: TimeBucketSource, time: Field, of: Constraint): Constraint {
  const { candidates, lower, upper } = of
  const bucket = (value: unknown): Bucket => bucketOf(value as Date | string, by)
  return {
    // A time that is NULL has no bucket, and no row has one.
    ...(candidates && { candidates: candidates.filter((each) => each !== null).map(bucket) }),
    ...(lower && { lower: { value: bucket(lower.value), open: false } }),
    ...(upper && { upper: { value: lastBucket(upper, by, time), open: false } }),
  }
}

/** A time before the first moment of a bucket is in the bucket before it: `at < Monday` needs none of Monday's rows. */
function lastBucket({ value, open }: Bound, by: BucketSize, time: Field): Bucket {
  const bucket = bucketOf(value as Date | string, by)
  const isOfTime = typeof value !== 'string' && typeof bucket === 'string'
  const begins = time.accept(isOfTime ? new Date(`${bucket}T00:00:00Z`) : bucket)
  return open && time.compare(begins, value) === 0 ? (stepped(bucket, by, -1) ?? bucket) : bucket
}

/** Undefined beyond the calendar. */
function stepped(bucket: Bucket, by: BucketSize, step: 1 | -1): Bucket | undefined {
  const edge = bucketOf(step === 1 ? new Date('9999-12-31T23:59:59Z') : '0001-01-01', by)
  return bucketsBetween(bucket, edge, by) === 0 ? undefined : bucketAfter(bucket, by, step)
}

/** A bucket for people. */
export function bucketText(bucket: Bucket): string {
  return typeof bucket === 'string' ? bucket : `${bucket.toISOString().slice(0, 13)}:00Z`
}

/**
 * The buckets to read. An end that the filter leaves open is the table's own: `since`, and as far ahead of the clock as an
 * insert may write.
 *
 * @throws {IsothermError} `INVALID_QUERY` if nothing says how far back to read, and for too many buckets.
 */
export function bucketsToRead(
  layout: TableLayout,
  field: Field,
  source: TimeBucketSource,
  { candidates, lower, upper }: Constraint,
  order: Order,
  now: Date,
): Buckets {
  const { by } = source
  const min = lower && firstFrom(lower, by, field)
  const greatest = upper && lastUpTo(upper, by, field)
  // A bound with no bucket beyond it.
  if ((lower && !min) || (upper && !greatest)) return listed([])
  const isWithin = (bucket: Bucket): boolean =>
    (!min || field.compare(bucket, min) >= 0) && (!greatest || field.compare(bucket, greatest) <= 0)
  if (candidates) {
    const found = candidates.filter(
      (each): each is Bucket =>
        // A value that does not begin a bucket is not the bucket of any row.
        each !== null && field.compare(each, bucketOf(each as Bucket, by)) === 0 && isWithin(each as Bucket),
    )
    return listed(order === 'asc' ? found : found.toReversed())
  }
  const since = source.since === undefined ? undefined : bucketOf(source.since, by)
  const from =
    min !== undefined && since !== undefined && field.compare(min, since) < 0 ? since : (min ?? since)
  if (from === undefined) throw endless(layout, source)
  const today = bucketOf(now, by)
  const to = greatest ?? bucketAfter(today, by, source.ahead ?? BUCKETS_AHEAD)
  const count = bucketsBetween(from, to, by) + 1
  if (count <= 0) return listed([])
  if (count > MAX_BUCKETS) throw tooMany(layout, source, count)
  const clock = { count, today }
  if (order === 'asc') return counted(from, to, by, { ...clock, ahead: 0 })
  return counted(to, from, by, {
    ...clock,
    ahead: Math.min(count, Math.max(0, bucketsBetween(today, to, by))),
  })
}

function listed(buckets: readonly Bucket[]): Buckets {
  const [first] = buckets
  return {
    count: buckets.length,
    ahead: 0,
    ...(first !== undefined && { ends: [first, buckets.at(-1)!] }),
    at: (position) => buckets[position]!,
  }
}

function counted(
  first: Bucket,
  last: Bucket,
  by: BucketSize,
  clock: Pick<Buckets, 'count' | 'ahead' | 'today'>,
): Buckets {
  const step = Math.sign(bucketsBetween(first, last, by))
  return {
    ...clock,
    ends: [first, last],
    at: (position) => bucketAfter(first, by, position * step),
  }
}

/** The first bucket within a bound, which need not be one itself. */
function firstFrom({ value, open }: Bound, by: BucketSize, field: Field): Bucket | undefined {
  const bucket = bucketOf(value as Bucket, by)
  return !open && field.compare(bucket, value) === 0 ? bucket : stepped(bucket, by, 1)
}

function lastUpTo({ value, open }: Bound, by: BucketSize, field: Field): Bucket | undefined {
  const bucket = bucketOf(value as Bucket, by)
  return open && field.compare(bucket, value) === 0 ? stepped(bucket, by, -1) : bucket
}

function endless(layout: TableLayout, { of, by }: TimeBucketSource) {
  return invalidQuery(
    layout,
    `is scanned bucket by bucket, one each ${by}, and the query sets no limit for how far back.`,
    `Limit it in the query, where({ ${of}: { gte: … } }), or give its time bucket the day of the first row: since.`,
  )
}

function tooMany(layout: TableLayout, { of, by }: TimeBucketSource, count: number) {
  return invalidQuery(
    layout,
    `would be scanned over ${count} buckets, one each ${by}; ${MAX_BUCKETS} is the most.`,
    `Bound ${of} on both sides, closer to each other.`,
  )
}

const latest = new WeakMap<TableLayout, number>()

/** The clock; after it was set back, as it was before that: rows that were written then stay in sight. */
export function clockOf(layout: TableLayout): Date {
  const time = Math.max(Date.now(), latest.get(layout) ?? 0)
  latest.set(layout, time)
  return new Date(time)
}
