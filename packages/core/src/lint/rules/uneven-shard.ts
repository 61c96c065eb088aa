import { itemAt, paired } from '../../known.js'
import type { Rule } from '../../engine/lint-rule.js'
import { bindingOf, type ShardFunction } from '../../model/bindings.js'
import type { ColumnType } from '../../model/column-type.js'
import type { Column } from '../../model/column.js'
import { shardBounds, type ShardSource } from '../../model/key.js'
import { count } from '../load.js'

/** Fewer than this part of the shards that an even function uses are few. */
const FEW = 0.75

/** A shard with this many times its share is far too full: the same factor as in the skew event. */
const FULL = 4

/**
 * A shard function of the user's own that fills few shards, or one of them far more than the others: products and sums of
 * character codes above all. It is run on made-up values, so this is for `lint` alone; opening a database does not wait for it.
 *
 * Source: https://docs.aws.amazon.com/keyspaces/latest/devguide/bp-partition-key-sharding.html, whose example multiplies
 */
export const unevenShard: Rule = {
  name: 'uneven-shard',
  severity: 'warning',
  hotspot: true,
  runsFunctions: true,
  check({ columns }, report) {
    for (const { property, source, inherited } of columns) {
      if (inherited) continue
      const compute = source?.kind === 'shard' ? bindingOf(source).shard : undefined
      if (source?.kind !== 'shard' || !compute) continue
      const of = source.of.flatMap((name) => columns.find((column) => column.property === name) ?? [])
      const found = verdict(source, sampleShards(source, compute, of))
      if (found !== undefined) report({ column: property, ...found })
    }
  },
}

function verdict(
  source: ShardSource,
  samples: readonly ShardSample[],
): { readonly message: string; readonly fix: string } | undefined {
  const { lowest, highest } = shardBounds(source)
  const shards = highest - lowest + 1
  const sound = samples.filter(({ failure }) => failure === undefined)
  const [sample] = samples
  if (sound.length === 0 && sample?.failure) {
    return {
      message: `compute ${sample.failure.what} for ${sample.failure.values}, which is not a shard from ${lowest} to ${highest}.`,
      fix: 'Let it give a whole number in that range for every value, or leave compute out: the built-in hash does.',
    }
  }
  // A function that is made for one form of values need not spread another.
  if (shards === 1 || sound.some((each) => isEven(each, shards))) return undefined
  const best = sound.reduce((left, right) => (right.used > left.used ? right : left))
  const isFew = best.used < FEW * best.expected
  return {
    message: isFew
      ? `compute fills ${count(best.used)} of ${count(shards)} shards with ${count(best.values)} made-up ${best.form}: an even one fills ${count(Math.floor(best.expected))}.`
      : `compute puts ${count(best.largest * 100)} % of ${count(best.values)} made-up ${best.form} into one of ${count(shards)} shards.`,
    fix: 'Leave compute out: the built-in hash spreads every value. Where the shards of rows that exist depend on it, suppress this with that reason.',
  }
}

function isEven({ used, expected, largest, values }: ShardSample, shards: number): boolean {
  // With two boolean values, one shard has a half, however even the function is.
  const fair = Math.max(1 / shards, 1 / values)
  return used >= FEW * expected && largest <= Math.min(0.9, FULL * fair)
}

// Runs a user's shard function on made-up values of the columns' types, the same values each time: several forms of each
// type, since a function may be made for one of them.

/** The result for one form of values. */
interface ShardSample {
  /** `titles`, `UUIDs`: what the values are like. */
  readonly form: string
  readonly values: number
  /** Shards that any of them got. */
  readonly used: number
  /** How many shards a function that spreads them would use, on average. */
  readonly expected: number
  /** Which part of the values the fullest shard got. */
  readonly largest: number
  /** What the function did instead of returning a shard, and for which values; undefined if it always returned one. */
  readonly failure: { readonly what: string; readonly values: string } | undefined
}

const MIN_VALUES = 4_096
const MAX_VALUES = 65_536
const VALUES_PER_SHARD = 16

/** Runs the function on some thousand values of each form. */
function sampleShards(
  source: ShardSource,
  compute: ShardFunction,
  columns: readonly Column[],
): ShardSample[] {
  const forms = columns.map(({ type }) => formsOf(type))
  const max = forms.reduce((longest, each) => Math.max(longest, each.length), 0)
  return Array.from({ length: max }, (_, at) =>
    sampleOf(
      source,
      compute,
      paired(columns, forms).map(([{ property }, of]) => ({ property, form: itemAt(of, at % of.length) })),
    ),
  )
}

interface FormedColumn {
  readonly property: string
  readonly form: Form
}

function sampleOf(
  source: ShardSource,
  compute: ShardFunction,
  columns: readonly FormedColumn[],
): ShardSample {
  const { lowest, highest } = shardBounds(source)
  const shards = highest - lowest + 1
  const wanted = Math.min(MAX_VALUES, Math.max(MIN_VALUES, VALUES_PER_SHARD * shards))
  const random = generator(1)
  const counts = new Map<number, number>()
  const seen = new Set<string>()
  let failure: ShardSample['failure']
  for (let at = 0; at < wanted; at++) {
    const row = Object.fromEntries(columns.map(({ property, form }) => [property, form.value(random, at)]))
    const text = textOf(row)
    if (seen.has(text)) continue
    seen.add(text)
    const made = attempt(compute, row)
    if (typeof made === 'number' && made >= lowest && made <= highest)
      counts.set(made, (counts.get(made) ?? 0) + 1)
    else failure ??= { what: typeof made === 'number' ? `gives ${made}` : made, values: text }
  }
  return {
    form: [...new Set(columns.map(({ form }) => form.name))].join(' and '),
    values: seen.size,
    used: counts.size,
    expected: shards * (1 - (1 - 1 / shards) ** seen.size),
    largest: [...counts.values()].reduce((left, right) => Math.max(left, right), 0) / seen.size,
    failure,
  }
}

/** The shard, or what the function does instead. */
function attempt(compute: ShardFunction, row: Readonly<Record<string, unknown>>): number | string {
  try {
    const made: unknown = compute(row)
    const shard = typeof made === 'bigint' || typeof made === 'number' ? Number(made) : Number.NaN
    return Number.isSafeInteger(shard) ? shard : `gives ${String(made)}`
  } catch (error) {
    return `throws ${String(error)}`
  }
}

function textOf(row: Readonly<Record<string, unknown>>): string {
  return Object.entries(row)
    .map(([property, value]) => {
      const text =
        value instanceof Date ? value.toISOString() : value instanceof Uint8Array ? hex(value) : String(value)
      return `${property}: ${typeof value === 'string' ? JSON.stringify(text) : text}`
    })
    .join(', ')
}

interface Form {
  readonly name: string
  value(random: Random, at: number): unknown
}

/** A number from 0 to below 1. */
type Random = () => number

function formsOf(type: ColumnType): readonly Form[] {
  switch (type.kind) {
    case 'string':
    case 'ascii': {
      const length = type.kind === 'ascii' || type.length === 'max' ? Number.POSITIVE_INFINITY : type.length
      return [
        { name: 'titles', value: (random) => title(random).slice(0, length) },
        { name: 'UUIDs', value: (random) => uuid(random).slice(0, length) },
        { name: 'numbers', value: (_, at) => String(100_000 + at).slice(-length) },
      ]
    }
    case 'uuid':
    case 'timeuuid':
      return [{ name: 'UUIDs', value: uuid }]
    case 'bytes': {
      const length = type.length === 'max' ? 16 : Math.min(type.length, 16)
      return [{ name: 'random bytes', value: (random) => bytesOf(random, length) }]
    }
    case 'bool':
      return [{ name: 'truth values', value: (_, at) => at % 2 === 0 }]
    case 'date':
      return [{ name: 'dates', value: (random) => new Date(moment(random)).toISOString().slice(0, 10) }]
    case 'timestamp':
      return [{ name: 'times', value: (random) => new Date(moment(random)) }]
    case 'inet':
      return [{ name: 'addresses', value: (random) => [...bytesOf(random, 4)].join('.') }]
    case 'int32':
    case 'int16':
    case 'int8': {
      const values = { int32: 2 ** 31, int16: 2 ** 15, int8: 2 ** 7 }[type.kind]
      return [
        { name: 'counted numbers', value: (_, at) => (at + 1) % values },
        { name: 'random numbers', value: (random) => Math.floor(random() * values) },
      ]
    }
    default: {
      const shown = (value: number): unknown =>
        type.kind === 'int64' && type.as === 'number' ? value : BigInt(value)
      return [
        { name: 'counted numbers', value: (_, at) => shown(at + 1) },
        { name: 'random numbers', value: (random) => shown(Math.floor(random() * Number.MAX_SAFE_INTEGER)) },
      ]
    }
  }
}

/** Steele and Vigna's SplitMix in 32 bits: the same numbers on every machine. */
function generator(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

const SYLLABLES = 'an be co da el fi go ha in ju ka lo mi no or pe qui ro sa ti un ve wi xe yo ze'.split(' ')

/** Two to five words of one to three syllables. */
function title(random: Random): string {
  const upTo = (max: number): number => 1 + Math.floor(random() * max)
  const words = Array.from({ length: 1 + upTo(4) }, () => {
    const word = Array.from({ length: upTo(3) }, () => SYLLABLES[upTo(SYLLABLES.length) - 1]).join('')
    return word.charAt(0).toUpperCase() + word.slice(1)
  })
  return words.join(' ')
}

function uuid(random: Random): string {
  const bytes = bytesOf(random, 16)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x40)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function bytesOf(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(random() * 256))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const YEAR = 365 * 86_400_000

/** A time within four years. */
function moment(random: Random): number {
  return Date.UTC(2024, 0, 1) + Math.floor(random() * 4 * YEAR)
}
