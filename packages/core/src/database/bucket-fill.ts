import { BUCKETS_AHEAD, type TimeBucketSource } from '../model/key.js'
import { bucketAfter, bucketOf } from '../keys/time-bucket.js'
import type { PlainRow } from './codec.js'

type Bucket = ReturnType<typeof bucketOf>

/** Fills in the bucket of each row's time. Rows that are written together mostly lie in one. */
export class BucketFiller {
  readonly #source: TimeBucketSource
  readonly #last: Period

  constructor(source: TimeBucketSource) {
    this.#source = source
    this.#last = new Period(source)
  }

  /** @param row its time is there, and accepted */
  of(row: PlainRow): Bucket {
    return this.#last.of(timeOf(row[this.#source.of] as Date | string))
  }
}

/** Where a row cannot lie, since no walk from bucket to bucket would find it there. */
export interface Outside {
  readonly side: 'before' | 'after'
  /** The first bucket that is walked, or the last one. */
  readonly bound: string
}

/** The buckets between the first that there may be and the last that may be written by now. */
export class BucketWindow {
  readonly #source: TimeBucketSource
  readonly #first: Bucket | undefined
  readonly #now: Period
  #current: Bucket | undefined
  #last: Bucket | undefined

  constructor(source: TimeBucketSource) {
    this.#source = source
    this.#first = source.since === undefined ? undefined : bucketOf(source.since, source.by)
    this.#now = new Period(source)
  }

  /** Undefined for a bucket that walks come by. */
  outside(bucket: Date | string): Outside | undefined {
    const time = timeOf(bucket)
    if (this.#first !== undefined && time < timeOf(this.#first))
      return { side: 'before', bound: shownBucket(this.#first) }
    const last = this.#lastOfNow()
    return time > timeOf(last) ? { side: 'after', bound: shownBucket(last) } : undefined
  }

  #lastOfNow(): Bucket {
    const current = this.#now.of(Date.now())
    if (current !== this.#current || this.#last === undefined) {
      const { by, ahead = BUCKETS_AHEAD } = this.#source
      this.#current = current
      this.#last = bucketAfter(current, by, ahead)
    }
    return this.#last
  }
}

/** A bucket as people read it. */
export function shownBucket(bucket: unknown): string {
  return typeof bucket === 'string' ? bucket : (bucket as Date).toISOString()
}

/** The bucket of the last time that was asked for, and how long that lasts. */
class Period {
  readonly #by: TimeBucketSource['by']
  #bucket: Bucket | undefined
  #from = 0
  #until = 0

  constructor({ by }: TimeBucketSource) {
    this.#by = by
  }

  /** @param time in milliseconds */
  of(time: number): Bucket {
    if (this.#bucket !== undefined && time >= this.#from && time < this.#until) return this.#bucket
    const bucket = bucketOf(new Date(time), this.#by)
    this.#from = timeOf(bucket)
    this.#until = this.#from + SHORTEST[this.#by]
    this.#bucket = bucket
    return bucket
  }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** For how long, from its first moment, every time is in a period: of those that differ in length, the shortest. */
const SHORTEST: Readonly<Record<TimeBucketSource['by'], number>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 28 * DAY,
  year: 365 * DAY,
}

/** Milliseconds. A day is its first moment in UTC. */
function timeOf(at: Date | string): number {
  return typeof at === 'string' ? Date.parse(`${at}T00:00:00Z`) : at.getTime()
}
