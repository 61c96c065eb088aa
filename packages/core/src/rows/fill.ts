import type { Hash64 } from '../keys/fingerprint.js'
import {
  BUCKETS_AHEAD,
  type HashSource,
  type ShardSource,
  type TimeBucketSource,
  shardBounds,
} from '../model/key.js'
import { bucketAfter, bucketOf } from '../keys/time-bucket.js'
import type { PlainRow } from '../engine/codec.js'
import { IsothermError, shown } from '../errors.js'
import { type Field, type Fill, type TableLayout, keyFields } from '../layout/layout.js'
import { type Hashable, hashOf, shardOf } from '../keys/shard.js'
import { type ShardFunction, bindingOf } from '../model/bindings.js'
import { descriptionOf, isPlainObject } from '../options.js'
import { randomInt } from 'node:crypto'
import { preciseOf } from '../keys/precise-date.js'
import { timeUuid, uuidV4 } from '../keys/uuid.js'

type Bucket = ReturnType<typeof bucketOf>

/** Fills in the bucket of each row's time. Rows that are written together are mostly in one bucket. */
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

/** Where a row cannot be, since no bucket scan would find it there. */
interface Outside {
  readonly side: 'before' | 'after'
  /** The first bucket of a bucket scan, or the last one. */
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

  /** Undefined for a bucket that bucket scans read. */
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

/** The shortest length of a period: every time within it from its first moment on belongs to the period. */
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

// Key values that follow from other values of the row.

/**
 * The shard of a row whose hashed columns are there.
 *
 * @throws {IsothermError} `INVALID_VALUE` where a function of the model's own says something else than a shard;
 * `KEY_INCOMPLETE` where the schema has lost that function.
 */
export function hashShard(source: ShardSource, hash64: Hash64, row: PlainRow): number {
  const { of, shards, expression } = source
  const { shard: compute } = bindingOf(source)
  if (compute) return computedShard(source, compute, row)
  if (source.ownFunction) {
    throw new IsothermError(
      'KEY_INCOMPLETE',
      `The shard of ${of.join(', ')} is computed by a function of the model, which a schema that was read from a file does not have.`,
      { fix: 'Use the schema that defineSchema returned for the models.' },
    )
  }
  if (expression !== undefined)
    throw new IsothermError(
      'KEY_INCOMPLETE',
      `The shard is computed by ${JSON.stringify(expression)} alone.`,
      {
        fix: 'Give the shard, or declare `compute`, the same as a function.',
      },
    )
  const [only] = of
  return of.length === 1
    ? shardOf(row[only!] as Hashable, shards, source, hash64)
    : shardOf(
        of.map((property) => row[property] as Hashable),
        shards,
        source,
        hash64,
      )
}

function computedShard(source: ShardSource, compute: ShardFunction, row: PlainRow): number {
  const values = Object.fromEntries(source.of.map((property) => [property, row[property]]))
  const shard = Number(compute(values))
  const { lowest, highest } = shardBounds(source)
  if (Number.isSafeInteger(shard) && shard >= lowest && shard <= highest) return shard
  throw new IsothermError(
    'INVALID_VALUE',
    `compute returned ${shard}, which is not a shard from ${lowest} to ${highest}.`,
    {
      fix: 'Return the same value as the expression, and check the options shards and first.',
    },
  )
}

/** The whole hash of a row whose hashed columns are there. */
function wholeHash({ of, algorithm }: HashSource, row: PlainRow): bigint | Buffer {
  return hashOf(
    of.map((property) => row[property] as Hashable),
    algorithm,
  )
}

/** A value that follows from other values of a row: a hash shard, a whole hash, or the bucket of a time. */
export function derivedValue(fill: Derived, row: PlainRow): unknown {
  switch (fill.by) {
    case 'shard':
      return BigInt(hashShard(fill.source, fill.hash64, row))
    case 'hash':
      return wholeHash(fill.source, row)
    case 'bucket':
      return bucketOf(row[fill.source.of] as Date | string, fill.source.by)
  }
}

/**
 * Where reads look for a row, in words for a message; undefined where it is in the value that was given.
 *
 * @param field a shard, or a value that follows from others
 * @param row holds what the value follows from
 */
export function lookedForIn(field: Field, value: unknown, row: PlainRow): string | undefined {
  const fill = derivedFill(field)
  if (fill) {
    const expected = derivedValue(fill, row)
    return field.compare(value, expected) === 0 ? undefined : shownDerived(expected)
  }
  if (field.fill.by !== 'shard') return undefined
  const { lowest, highest } = shardBounds(field.fill.source)
  return (value as bigint) >= lowest && (value as bigint) <= highest ? undefined : `${lowest} to ${highest}`
}

export function shownDerived(value: unknown): string {
  if (value instanceof Date) return shownBucket(value)
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value)
}

/** Whether this process can compute the value: an expression is the database's, and a file holds no function. */
function isComputable(fill: Derived): boolean {
  if (fill.by !== 'shard' || bindingOf(fill.source).shard) return true
  return !fill.source.ownFunction && fill.source.expression === undefined
}

export type Derived = Extract<Fill, { by: 'shard' | 'hash' | 'bucket' }>

/** The properties that a value follows from. */
export function derivedFrom(fill: Derived): readonly string[] {
  return fill.by === 'bucket' ? [fill.source.of] : fill.source.of
}

/** How a field follows from the values of others; undefined where it does not. */
export function derivedFill({ fill }: Field): Derived | undefined {
  if (fill.by === 'hash' || fill.by === 'bucket') return fill
  return fill.by === 'shard' && fill.source.strategy === 'hash' ? fill : undefined
}

// What calls accept as a row, a key or a change, one rule for all of them. An object gives its own properties, inherited
// ones and what its getters compute, so that instances of models and of other classes are rows. Own properties that the
// table does not have are refused. A list, a text or null is not a row.

type PlainInput = Readonly<Record<string, unknown>>

/** The value of a property; undefined if a row does not have it. Functions that it inherits are methods, not values. */
export function valueIn(row: PlainInput, property: string): unknown {
  const value = row[property]
  return typeof value === 'function' && !Object.hasOwn(row, property) ? undefined : value
}

/**
 * The rows of a call that has to wait before it reads them, copied so that later changes of the list or a row have no
 * effect. An instance of a class is not copied: what it computes may be private to it.
 */
export function asTheyAre<Row>(rows: readonly Row[]): readonly Row[] {
  return Array.isArray(rows) ? rows.map((row: Row) => (isPlainObject(row) ? { ...row } : row)) : rows
}

/** The names of the input of a write in messages. */
export const INPUT_NAMES = {
  insert: 'row',
  update: 'change',
  upsert: 'row',
  delete: 'key',
  increment: 'change',
} as const

/**
 * @param what `row`, `key`
 * @throws {IsothermError} `INVALID_VALUE` for a value that is not an object.
 */
export function checkInput(layout: TableLayout, what: string, input: unknown, position?: number): void {
  if (isRow(input)) return
  const { name } = layout.table
  const where = position === undefined ? what : `${what} at ${position}`
  throw new IsothermError('INVALID_VALUE', `${name}: the ${where} is ${shown(input)}.`, {
    fix: `Give an object with the properties of the ${what}: { property: value }.`,
    table: name,
  })
}

/** @throws {IsothermError} `INVALID_VALUE` with the index of the first value that is not an object: a hole is not one. */
export function checkInputs(layout: TableLayout, what: string, inputs: readonly unknown[]): void {
  const { name } = layout.table
  if (!Array.isArray(inputs)) {
    throw new IsothermError('INVALID_VALUE', `${name} takes an array of rows.`, {
      fix: 'Write [row] for one.',
      table: name,
    })
  }
  for (let position = 0; position < inputs.length; position++) {
    if (!isRow(inputs[position])) checkInput(layout, what, inputs[position], position)
  }
}

function isRow(value: unknown): value is PlainInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The error for an instance of another class, such as a `Map` or a promise that was not awaited: its row would have only
 * defaults.
 */
export function noRow({ table: { name } }: TableLayout, row: object, position: number): IsothermError {
  return new IsothermError(
    'INVALID_VALUE',
    `${name}: the row at ${position} is ${descriptionOf(row)}, without a property of the table.`,
    {
      fix: 'Give an object with the properties of the row: { property: value }, or {} for a row of defaults.',
      table: name,
    },
  )
}

/** Makes the values that an insert left out. */
export type Filler = (row: PlainRow) => unknown

/** How a shard's value follows from its row. */
function shardFiller({ source, hash64 }: Extract<Fill, { by: 'shard' }>): Filler {
  const { shards } = source
  const { lowest, highest } = shardBounds(source)
  // Once per row: a bigint of each shard is made beforehand.
  const values = Array.from({ length: highest - lowest + 1 }, (_, at) => BigInt(lowest + at))
  switch (source.strategy) {
    case 'random':
      return () => values[randomInt(shards)]
    case 'round-robin': {
      let next = 0
      return () => values[next++ % shards]
    }
    case 'hash':
      return (row) => values[hashShard(source, hash64, row) - lowest]
  }
}

/** How the client makes a field's value; undefined if the caller or the database must make it. */
export function fillerOf({ fill }: Field): Filler | undefined {
  switch (fill.by) {
    case 'uuid-v4':
      return uuidV4
    case 'clock':
      return () => preciseOf(Date.now())
    case 'shard':
      return shardFiller(fill)
    case 'hash': {
      const { source } = fill
      return (row) => wholeHash(source, row)
    }
    case 'bucket': {
      const filler = new BucketFiller(fill.source)
      return (row) => filler.of(row)
    }
    case 'timeuuid':
      return timeUuid
    case 'counter':
    case 'caller':
    case 'commit-timestamp':
    case 'database':
      return undefined
  }
}

/**
 * Completes and checks a key given by a user: hash shards are computed, and compared with given ones.
 *
 * @throws {IsothermError} `KEY_INCOMPLETE` naming the parts that are missing; `INVALID_VALUE` for a shard, a hash or a bucket
 * in which the row cannot be.
 */
export function completeKey(layout: TableLayout, input: Readonly<Record<string, unknown>>): PlainRow {
  const { table } = layout
  checkInput(layout, 'key', input)
  const key: PlainRow = {}
  const derived: { readonly field: Field; readonly fill: Derived }[] = []
  for (const field of keyFields(layout)) {
    const { property, nullable } = field.column
    const value = valueIn(input, property)
    const isLeftOut = value === undefined || (value === null && !nullable)
    const fill = derivedFill(field)
    if (isLeftOut && !fill) throw incompleteKey(layout, property)
    if (!isLeftOut) key[property] = value === null ? null : field.accept(value)
    if (fill && key[property] !== null) derived.push({ field, fill })
  }
  for (const { field, fill } of derived) {
    const { property } = field.column
    if (Object.hasOwn(key, property)) {
      refuseElsewhere(field, fill, layout, key, input)
      continue
    }
    const { values, missing } = sourcesOf(fill, layout, key, input)
    if (missing !== undefined) throw incompleteKey(layout, missing)
    key[property] = derivedValue(fill, values)
  }
  for (const property of Object.keys(input)) {
    if (!layout.byProperty.has(property)) throw unknownProperty(table.name, property, layout)
  }
  return key
}

/** The accepted values that a value follows from: of the key that is being made, otherwise of the input. */
function sourcesOf(fill: Derived, layout: TableLayout, key: PlainRow, input: PlainInput) {
  const values: PlainRow = {}
  let missing: string | undefined
  for (const name of derivedFrom(fill)) {
    const isKey = Object.hasOwn(key, name)
    const value = isKey ? key[name] : valueIn(input, name)
    if (value === undefined) missing ??= name
    values[name] =
      value === undefined || value === null || isKey ? value : layout.byProperty.get(name)!.accept(value)
  }
  return { values, missing }
}

/** In another shard than the one that it hashes to, a row would not be found. */
function refuseElsewhere(
  field: Field,
  fill: Derived,
  layout: TableLayout,
  key: PlainRow,
  input: PlainInput,
): void {
  if (!isComputable(fill)) return
  const { property } = field.column
  const { values, missing } = sourcesOf(fill, layout, key, input)
  const elsewhere = missing === undefined ? lookedForIn(field, key[property], values) : undefined
  if (elsewhere === undefined) return
  const { name } = layout.table
  throw new IsothermError(
    'INVALID_VALUE',
    `${name}.${property} of the key is ${shownDerived(key[property])}, but such a row can only be in ${elsewhere}.`,
    { fix: 'Leave it out.', table: name, column: property },
  )
}

/** The fix for a key part that only the parent's row tells; undefined where this is not one. */
export function partOfParent(
  { table }: Pick<TableLayout, 'table'>,
  { column, fill }: Field,
): string | undefined {
  const { source, inherited, property } = column
  const of = source && 'of' in source ? [source.of].flat() : []
  if (!inherited || !table.parent || fill.by !== 'caller' || of.length === 0) return undefined
  return `Take ${property} from the row of ${table.parent.table}: it is computed from ${of.join(', ')} there, which ${table.name} does not inherit.`
}

export function incompleteKey(layout: TableLayout, property: string): IsothermError {
  const needed = keyFields(layout).map((field) => field.column.property)
  const field = layout.byProperty.get(property)
  return new IsothermError('KEY_INCOMPLETE', `The key of ${layout.table.name} lacks ${property}.`, {
    fix:
      (field && partOfParent(layout, field)) ??
      `Its key is ${needed.join(', ')}; a hash is not needed if the columns that it hashes are given.`,
    table: layout.table.name,
    column: property,
  })
}

export function unknownProperty(table: string, property: string, layout: TableLayout): IsothermError {
  return new IsothermError('INVALID_VALUE', `${table} has no property ${JSON.stringify(property)}.`, {
    fix: `Its properties are ${[...layout.byProperty.keys()].join(', ')}.`,
    table,
    column: property,
  })
}
