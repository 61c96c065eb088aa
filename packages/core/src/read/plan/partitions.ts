import type { OrderTerm, Position } from '../../layout/statement.js'
import type { Field, KeyOrder, TableLayout } from '../../layout/layout.js'
import { bucketAfter } from '../../keys/time-bucket.js'
import { hashShard } from '../../rows/fill.js'
import type { PlainRow } from '../../engine/codec.js'
import { bindingOf } from '../../model/bindings.js'
import { type ShardSource, shardBounds, shardCountOf } from '../../model/key.js'
import { invalidQuery } from './order.js'
import { type Bucket, type Buckets, bucketSource, bucketText, bucketsToRead } from './buckets.js'
import { type Constraint, type Constraints, fixedValue } from './constraints.js'
import { type PartitionKey, partitionFields, partitionLength } from './key-ranges.js'

/**
 * A range of keys whose rows are stored together and have an order: a shard, a partition of an engine that has partitions,
 * or all of a table that has neither.
 */
export interface Partition extends PartitionKey {
  readonly shard: number | undefined
  /** The time bucket, as text. */
  readonly bucket: string | undefined
}

/**
 * Every partition that can hold a matching row, in groups: those of one time bucket after another, where the partition key has
 * a bucket; else all of them in one group.
 */
export interface PartitionGroups {
  /** How many groups. */
  readonly count: number
  /** How many partitions each group has. */
  readonly size: number
  /** The shards that they are of; absent where the keys are not sharded. */
  readonly shards?: readonly number[]
  /** Makes the partitions of a group; groups are numbered from 0, newest bucket first or oldest first, as the order asks. */
  group(at: number): readonly Partition[]
  /** Whether rows of one group stand before those of the next, whatever they hold. */
  readonly ordered: boolean
  /** Absent where the partition key has no time bucket. */
  readonly buckets?: Buckets
  /**
   * The same order, written so that a term with one value in a whole group comes first: an order by time is an order by
   * bucket, and then by time.
   */
  readonly terms: readonly OrderTerm[]
}

/** A result from more partitions would hold and ask too many of them at once. */
export const MAX_PARTITIONS = 10_000

/**
 * The partitions that a query has to read. Nothing is read yet, and the partitions of a group are made when it is read.
 *
 * @param after groups that hold nothing after it are left out
 * @param now the current time, on which it depends how far ahead there may be rows
 * @throws {IsothermError} `INVALID_QUERY` for a partition key that the filter leaves open, and for too many partitions.
 */
export function partitionGroups(
  layout: TableLayout,
  keys: KeyOrder,
  order: readonly OrderTerm[],
  constraints: Constraints,
  after: Position | undefined,
  now: Date,
): PartitionGroups {
  const fields = partitionFields(keys)
  const bucket = fields.find(bucketSource)
  const others = fields.filter((field) => field !== bucket)
  const shards = shardsToRead(layout, keys, constraints)
  const values = others.map((field) =>
    field === keys.shard ? shards?.map(BigInt) : valuesOf(layout, field, constraints),
  )
  const open = others.filter((_, at) => values[at] === undefined)
  if (open.length > 0) throw leftOpen(layout, open)
  const choices = values as readonly (readonly unknown[])[]
  const size = choices.reduce((product, each) => product * each.length, 1)
  if (size > MAX_PARTITIONS) throw tooMany(layout, size)
  const single = new Set(others.filter((_, at) => choices[at]!.length === 1))
  const lead = bucket && leadOf(order, constraints, bucket, single)
  const buckets =
    bucket &&
    bucketsToRead(
      layout,
      bucket,
      bucketSource(bucket)!,
      withinPosition(constraints.get(bucket) ?? {}, bucket, lead, order, after),
      lead?.order ?? 'desc',
      now,
    )
  const combinations = lazily(() => combined(choices))
  const position = bucket ? fields.indexOf(bucket) : -1
  const parts = keys.key
    .slice(0, partitionLength(keys))
    .map(({ field, column }) => ({ at: fields.indexOf(field), column }))
  const shardAt = keys.shard ? fields.indexOf(keys.shard) : -1
  return {
    count: size === 0 ? 0 : (buckets?.count ?? 1),
    size,
    ...(shards && { shards }),
    group(at) {
      const value = buckets?.at(at)
      const text = value === undefined ? undefined : bucketText(value)
      return combinations().map((others): Partition => {
        const values = value === undefined ? others : others.toSpliced(position, 0, value)
        return {
          shard: shardAt < 0 ? undefined : Number(values[shardAt]),
          bucket: text,
          values,
          prefix: parts.map(({ at: of, column }) => column.encode(values[of])),
        }
      })
    },
    ordered: lead !== undefined,
    ...(buckets && { buckets }),
    terms: lead ? [lead, ...order.filter(({ field }) => field !== bucket)] : order,
  }
}

/** The values of a field of the partition key that can be; undefined where they cannot be counted. */
function valuesOf(
  layout: TableLayout,
  field: Field,
  constraints: Constraints,
): readonly unknown[] | undefined {
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
    if (listed.length > MAX_PARTITIONS) throw tooMany(layout, listed.length)
    if (field.compare(day, last) === 0) break
  }
  return listed
}

/**
 * The term by which the buckets are in order: the first term that distinguishes rows, if that is the bucket, or the time
 * that it is made from. Undefined if rows of different buckets mix.
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

/** Buckets behind a position are not read again. */
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

/** Every choice of one value of each list, the last list changing first. */
function combined(choices: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  return choices.reduce<(readonly unknown[])[]>(
    (made, each) => made.flatMap((values) => each.map((value) => [...values, value])),
    [[]],
  )
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

function tooMany(layout: TableLayout, partitions: number) {
  return invalidQuery(
    layout,
    `would have to be read from more than ${MAX_PARTITIONS} partitions at once: ${partitions}.`,
    'Fix more of its partition key in where, or bound its time bucket closer.',
  )
}

/** Beyond this many combinations of candidate values, working out their shards costs more than it saves. */
const MAX_COMBINATIONS = 10_000

/** How many shards a table, or an index, has; undefined where it is not sharded. */
export function shardCount(keys: KeyOrder): number | undefined {
  const source = sourceOf(keys.shard)
  return source && shardCountOf(source)
}

function sourceOf(shard: Field | undefined): ShardSource | undefined {
  const source = shard?.column.source
  return source?.kind === 'shard' ? source : undefined
}

/** The shards that can hold a matching row, in order; undefined if the table has no shards. */
export function shardsToRead(
  { byProperty, hash64 }: Pick<TableLayout, 'byProperty' | 'hash64'>,
  keys: KeyOrder,
  constraints: Constraints,
): number[] | undefined {
  const source = sourceOf(keys.shard)
  if (!source || !keys.shard) return undefined
  const own = constraints.get(keys.shard)
  const hashed = canPrune(source) ? hashedRows(byProperty, keys.shard, source, constraints) : undefined
  const among = hashed && new Set(hashed.map((row) => hashShard(source, hash64, row)))
  const { lowest, highest } = shardBounds(source)
  const shards: number[] = []
  for (let shard = lowest; shard <= highest; shard++) {
    if (among && !among.has(shard)) continue
    const value = BigInt(shard)
    if (own?.candidates && !own.candidates.includes(value)) continue
    if (own?.lower && below(value, own.lower.value as bigint, own.lower.open)) continue
    if (own?.upper && below(own.upper.value as bigint, value, own.upper.open)) continue
    shards.push(shard)
  }
  return shards
}

/** A shard that is computed in a custom way excludes no partition, unless its function is known. */
function canPrune(source: ShardSource): boolean {
  const { strategy, expression, ownFunction } = source
  const isOwn = expression !== undefined || ownFunction === true
  return strategy === 'hash' && (!isOwn || bindingOf(source).shard !== undefined)
}

function below(value: bigint, bound: bigint, open: boolean): boolean {
  return open ? value <= bound : value < bound
}

/** If the filter fixes every hashed column, the values that are hashed. */
function hashedRows(
  byProperty: ReadonlyMap<string, Field>,
  { column: { inherited } }: Field,
  source: ShardSource,
  constraints: Constraints,
): readonly PlainRow[] | undefined {
  let combinations: PlainRow[] = [{}]
  for (const property of source.of) {
    const field = byProperty.get(property)
    // A child's own column is not the one of that name from which its parent's shard is computed.
    if (!field || (inherited && !field.column.inherited)) return undefined
    const candidates = constraints.get(field)?.candidates
    if (!candidates || combinations.length * candidates.length > MAX_COMBINATIONS) return undefined
    combinations = combinations.flatMap((row) => candidates.map((value) => ({ ...row, [property]: value })))
  }
  return combinations
}
