import type { OrderTerm, Position } from '../../dialects/condition.js'
import type { Field, KeyOrder, TableLayout } from '../../dialects/layout.js'
import type { Wire } from '../../dialects/wire.js'
import { bucketAfter } from '../../keys/time-bucket.js'
import { invalidQuery } from '../invalid-query.js'
import { bucketSource, bucketsToWalk, type Bucket, type Buckets } from './buckets.js'
import { fixedValue, type Constraint, type Constraints } from './constraints.js'
import { partitionFields } from './key-ranges.js'
import { shardsToRead } from './shards.js'

// Where rows lie in partitions, there is no order across these: a reader has to name each of them, and merges what it gets.

/** The rows of one partition: they lie in the order of the key. */
export interface Lane {
  readonly shard?: number
  /** As text. */
  readonly bucket?: string
  /** Fields that are the same in all of its rows: those of the partition key. */
  readonly fixed: ReadonlyMap<Field, unknown>
  /** The partition key, as stored. */
  readonly wires: readonly Wire[]
}

/** The lanes of one time bucket after another; of a table without buckets, all of them at once. */
export interface BucketGroups extends Iterable<readonly Lane[]> {
  readonly count: number
  /** How many lanes each of them has. */
  readonly lanes: number
}

/** Every lane that can hold a matching row. */
export interface Lanes {
  /** Newest first or oldest first, as the order asks. Made as they are walked. */
  readonly groups: BucketGroups
  /** Whether rows of one group stand before those of the next, whatever they hold. */
  readonly ordered: boolean
  /** Absent where the partition key has no time bucket. */
  readonly buckets?: Buckets
  /**
   * The same order, spelled so that what is the same in a whole group comes first: by time is by bucket, and then by time.
   */
  readonly terms: readonly OrderTerm[]
}

/** More than so many partitions at once would be held open, and asked, for one result. */
export const MAX_LANES = 10_000

/**
 * The lanes that a query has to read. Nothing is asked for here, and nothing is made before it is walked.
 *
 * @param after lanes that hold nothing after it are left out where whole buckets are
 * @throws {IsothermError} `INVALID_QUERY` for a partition key that the filter leaves open, and for too many lanes.
 */
export function lanesOf(
  layout: TableLayout,
  keys: KeyOrder,
  order: readonly OrderTerm[],
  constraints: Constraints,
  after: Position | undefined,
): Lanes {
  const fields = partitionFields(keys)
  const bucket = fields.find(bucketSource)
  const others = fields.filter((field) => field !== bucket)
  const values = others.map((field) => valuesOf(layout, keys, field, constraints))
  const open = others.filter((_, at) => values[at] === undefined)
  if (open.length > 0) throw leftOpen(layout, open)
  const choices = values as readonly (readonly unknown[])[]
  const lanes = choices.reduce((product, each) => product * each.length, 1)
  if (lanes > MAX_LANES) throw tooMany(layout, lanes)
  const single = new Set(others.filter((_, at) => choices[at]!.length === 1))
  const lead = bucket && leadOf(order, constraints, bucket, single)
  const buckets =
    bucket &&
    bucketsToWalk(
      layout,
      bucket,
      bucketSource(bucket)!,
      withinPosition(constraints.get(bucket) ?? {}, bucket, lead, order, after),
      lead?.order ?? 'desc',
    )
  const combinations = lazily(() => combined(others, choices))
  return {
    groups: {
      count: buckets?.count ?? 1,
      lanes,
      *[Symbol.iterator]() {
        if (lanes === 0) return
        for (const each of buckets ?? [undefined])
          yield combinations().map((fixed) => laneOf(keys, fixed, bucket, each))
      },
    },
    ordered: lead !== undefined,
    ...(buckets && { buckets }),
    terms: lead ? [lead, ...order.filter(({ field }) => field !== bucket)] : order,
  }
}

/** The values of a field of the partition key that can be; undefined where they cannot be counted. */
function valuesOf(
  layout: TableLayout,
  keys: KeyOrder,
  field: Field,
  constraints: Constraints,
): readonly unknown[] | undefined {
  if (field === keys.shard) return shardsToRead(layout, keys, constraints)?.map(BigInt)
  const { candidates, lower, upper } = constraints.get(field) ?? {}
  const { kind } = field.column.type
  if (candidates) return candidates.filter((value) => isWithin(field, value, { lower, upper }))
  if (kind === 'bool') return [false, true].filter((value) => isWithin(field, value, { lower, upper }))
  if (kind === 'date' && lower && upper) return days(layout, field, { lower, upper })
  return undefined
}

function isWithin(field: Field, value: unknown, { lower, upper }: Bounds): boolean {
  if (value === null) return false
  const fromLower = lower ? field.compare(value, lower.value) : 1
  const toUpper = upper ? field.compare(upper.value, value) : 1
  return (lower?.open ? fromLower > 0 : fromLower >= 0) && (upper?.open ? toUpper > 0 : toUpper >= 0)
}

interface Bounds {
  readonly lower: Constraint['lower']
  readonly upper: Constraint['upper']
}

/** Calendar days are few enough to be asked one by one. */
function days(layout: TableLayout, field: Field, bounds: Bounds): readonly string[] {
  const [first, last] = [bounds.lower!.value as string, bounds.upper!.value as string]
  const listed: string[] = []
  for (let day: Bucket = first; field.compare(day, last) <= 0; day = bucketAfter(day, 'day', 1)) {
    if (isWithin(field, day, bounds)) listed.push(day as string)
    if (listed.length > MAX_LANES) throw tooMany(layout, listed.length)
    if (field.compare(day, last) === 0) break
  }
  return listed
}

/**
 * By what the buckets stand in order: the term that tells rows apart first, where that is the bucket, or the time that it is
 * of. Undefined where rows of different buckets mix.
 */
function leadOf(
  order: readonly OrderTerm[],
  constraints: Constraints,
  bucket: Field,
  single: ReadonlySet<Field>,
): OrderTerm | undefined {
  const first = order.find(({ field }) => !fixedValue(constraints, field) && !single.has(field))
  const { of } = bucketSource(bucket)!
  const leads = first && (first.field === bucket || first.field.column.property === of)
  return leads ? { field: bucket, order: first.order } : undefined
}

/** Buckets that lie behind a position are not walked again. */
function withinPosition(
  constraint: Constraint,
  bucket: Field,
  lead: OrderTerm | undefined,
  order: readonly OrderTerm[],
  after: Position | undefined,
): Constraint {
  const at = order.findIndex(({ field }) => field === bucket)
  if (!lead || !after || at < 0) return constraint
  const bound = { value: bucket.parse(after[at]!), open: false }
  const { lower, upper } = constraint
  if (lead.order === 'asc')
    return !lower || bucket.compare(lower.value, bound.value) < 0
      ? { ...constraint, lower: bound }
      : constraint
  return !upper || bucket.compare(upper.value, bound.value) > 0 ? { ...constraint, upper: bound } : constraint
}

type Fixed = readonly (readonly [field: Field, value: unknown])[]

/** Every choice of one value for each field, the last one changing first. */
function combined(fields: readonly Field[], choices: readonly (readonly unknown[])[]): readonly Fixed[] {
  return fields.reduce<Fixed[]>(
    (made, field, at) =>
      made.flatMap((each) => choices[at]!.map((value): Fixed => [...each, [field, value]])),
    [[]],
  )
}

function laneOf(keys: KeyOrder, others: Fixed, bucket: Field | undefined, value: Bucket | undefined): Lane {
  const fixed = new Map<Field, unknown>(others)
  if (bucket) fixed.set(bucket, value)
  const shard = keys.shard && fixed.get(keys.shard)
  return {
    ...(shard !== undefined && { shard: Number(shard) }),
    ...(value !== undefined && { bucket: bucketText(value) }),
    fixed,
    wires: keys.key.slice(0, keys.partition).map(({ field, column }) => column.encode(fixed.get(field))),
  }
}

/** A bucket for people. */
export function bucketText(bucket: Bucket): string {
  return typeof bucket === 'string' ? bucket : `${bucket.toISOString().slice(0, 13)}:00Z`
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

function leftOpen(layout: TableLayout, open: readonly Field[]) {
  const names = open.map(({ column }) => column.property).join(' and ')
  const days = open.find(({ column }) => column.type.kind === 'date')?.column.property
  const listed = days === undefined ? '' : ` Days may be bounded on both sides: ${days}: { gte: …, lte: … }.`
  return invalidQuery(
    layout,
    `is read by whole partition keys, and the filter leaves ${names} open.`,
    `Add ${names} to where, as a value or as a list of them: { in: […] }.${listed}`,
  )
}

export function tooMany(layout: TableLayout, lanes: number) {
  return invalidQuery(
    layout,
    `would have to be read from more than ${MAX_LANES} partitions at once: ${lanes}.`,
    'Fix more of its partition key in where, or bound its time bucket closer.',
  )
}
