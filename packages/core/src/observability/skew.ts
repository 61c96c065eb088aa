import { isDate, isUint8Array } from 'node:util/types'
import { itemAt } from '../known.js'
import type { PlainRow } from '../engine/codec.js'
import { canCompute } from '../layout/field.js'
import type { TableLayout } from '../layout/layout.js'
import { fingerprint } from '../keys/fingerprint.js'
import { type Hashable, hashText } from '../keys/shard.js'
import { shardCountOf } from '../model/key.js'
import type { SkewEvent } from './events.js'

/** How often a key was seen, and the sum of the squares of how often in each call. */
interface Evidence {
  count: number
  squares: number
}

/**
 * Whether the count is higher than expected, and many calls agree on it. The rows of one call are not independent: they
 * belong to one customer, or are in an order in which the rows of a shard follow each other. So a call that has many of
 * them raises the threshold accordingly.
 *
 * @param squares how far each call was from what was expected of it: the sum of the squares
 */
function isEvident(excess: number, squares: number): boolean {
  // The threshold is high, since thousands of shards are checked again and again.
  return excess > 6 * Math.sqrt(squares)
}

/** How often a shard was seen, call by call. */
interface ShardEvidence extends Evidence {
  /** The sum of how often in each call, times the rows of the call. */
  products: number
}

/** The shards that the rows of many calls were in. */
class ShardCounts {
  rows = 0
  /** The sum of the squares of the rows of each call. */
  #squares = 0
  readonly #byShard = new Map<number, ShardEvidence>()

  /** Adds the rows of one call. */
  add(shards: ReadonlyMap<number, number>, rows: number): void {
    this.rows += rows
    this.#squares += rows * rows
    for (const [shard, count] of shards) {
      let seen = this.#byShard.get(shard)
      if (!seen) this.#byShard.set(shard, (seen = { count: 0, squares: 0, products: 0 }))
      seen.count += count
      seen.squares += count * count
      seen.products += count * rows
    }
  }

  /** The shards that have this part of the rows, where another was expected, beyond what chance makes. */
  *above(share: number, expected: number): Generator<{ readonly shard: number; readonly share: number }> {
    const { rows } = this
    for (const [shard, { count, squares, products }] of this.#byShard) {
      if (count < share * rows) continue
      const deviations = squares - expected * (2 * products - expected * this.#squares)
      if (isEvident(count - expected * rows, deviations)) yield { shard, share: count / rows }
    }
  }
}

/** A finding about unused shards needs this many keys for each shard, and in all. */
const KEYS_PER_SHARD = 8
const MIN_KEYS = 256

/**
 * A table uses few shards if it uses less than this share of them: with that many keys, an even function leaves one shard
 * in 3,000 unused.
 */
const FEW = 0.75

/** The shards of different keys: a key that is written again and again gives no information about the function. */
class UsedShards {
  readonly #shards: number
  readonly #used = new Set<number>()
  /** A bit for each key, by its hash: as many as are set, or more, were different (linear counting). */
  readonly #bits: Uint8Array
  readonly #wanted: number
  #keys = 0

  constructor(shards: number) {
    this.#shards = shards
    this.#wanted = Math.max(MIN_KEYS, KEYS_PER_SHARD * shards)
    this.#bits = new Uint8Array(Math.ceil(this.#wanted / 4))
  }

  add(key: string, shard: number): void {
    this.#used.add(shard)
    const at = Number.parseInt(hashOfKey(key).slice(-12), 16) % (this.#bits.length * 8)
    const bit = 1 << (at & 7)
    const byte = this.#bits[at >> 3] ?? 0
    if ((byte & bit) !== 0) return
    this.#bits[at >> 3] = byte | bit
    this.#keys++
  }

  /** How many are used, and whether they are few; undefined as long as there are too few keys to say. */
  verdict(): { readonly used: number; readonly few: boolean } | undefined {
    const used = this.#used.size
    const few = used < FEW * this.#shards
    return few && this.#keys < this.#wanted ? undefined : { used, few }
  }
}

const COUNTERS = 64

interface Candidate extends Evidence {
  /** The shard that the key is in, if it is known. */
  readonly shard: number | undefined
}

/**
 * The most frequent of many keys in little memory (Misra and Gries, 1982): a count is never too high, and too low by a part of
 * all that is one more than the number of counters.
 */
export class HeavyHitters implements Iterable<[key: string, seen: Readonly<Candidate>]> {
  readonly #candidates = new Map<string, Candidate>()

  /** A call in which the key was seen so often. */
  add(key: string, weight: number, shard?: number): void {
    const candidates = this.#candidates
    const known = candidates.get(key)
    if (known) {
      known.count += weight
      known.squares += weight * weight
      return
    }
    let count = weight
    if (candidates.size >= COUNTERS) {
      // A new key takes the same count from itself and from all the others.
      let min = weight
      for (const other of candidates.values()) min = Math.min(min, other.count)
      for (const [name, other] of candidates) {
        other.count -= min
        if (other.count === 0) candidates.delete(name)
      }
      count -= min
    }
    if (count > 0) candidates.set(key, { count, squares: weight * weight, shard })
  }

  [Symbol.iterator](): Iterator<[string, Readonly<Candidate>]> {
    return this.#candidates.entries()
  }
}

/** How many rows of one call are sampled. */
const SAMPLE = 64

/**
 * Some of the rows, one by chance from each stretch of them. Every hundredth row would be of the same shard where a writer
 * takes its shards in turn.
 */
export function sampleOf<Row>(rows: readonly Row[]): readonly Row[] {
  const { length } = rows
  if (length <= SAMPLE) return rows
  return Array.from({ length: SAMPLE }, (_, at) => {
    const from = Math.floor((at * length) / SAMPLE)
    const to = Math.floor(((at + 1) * length) / SAMPLE)
    return itemAt(rows, from + Math.floor(Math.random() * (to - from)))
  })
}

/** A decision needs this many rows; after as many as the second figure, counting begins again. */
const MIN_ROWS = 1_000
const WINDOW_ROWS = 10_000
/** This many findings are reported once; of more, the oldest may be reported again. */
const REMEMBERED = 1_000

type SkewKind = SkewEvent['by']

/**
 * Watches one table for a shard or a key that takes far more than its share, and for few shards that take all. Each is
 * reported once.
 */
export class TableSkew {
  readonly #layout: TableLayout
  readonly #shards: number | undefined
  readonly #keyProperties: readonly string[]
  /** Rows in the order of one of these are in that of their shards, or of their keys: one shard's after another's. */
  readonly #shardOrder: ReadonlySet<string>
  readonly #tell: (event: SkewEvent) => void
  readonly #reported = new Set<string>()
  readonly #tallies = { reads: new Tally(), writes: new Tally() }
  /** Kept until there is a verdict: with many shards that takes longer than a window. */
  #used: UsedShards | undefined

  constructor(layout: TableLayout, tell: (event: SkewEvent) => void) {
    const shard = layout.shard?.column
    const source = shard?.source
    this.#layout = layout
    this.#tell = tell
    if (source?.kind === 'shard') {
      this.#shards = shardCountOf(source)
      if (this.#shards > 1) this.#used = new UsedShards(this.#shards)
    }
    const hashed =
      source?.kind === 'shard' && source.strategy === 'hash' && canCompute(layout.table, shard!, source.of)
        ? source.of
        : undefined
    // The hashed columns decide on the shard, so they are the key to watch. In other tables each row is a key of its own.
    this.#keyProperties =
      hashed ??
      layout.table.primaryKey
        .map(({ property }) => property)
        .filter((property) => property !== shard?.property)
    this.#shardOrder = new Set([...(shard ? [shard.property] : []), ...(hashed ?? [])])
  }

  /** Rows, or keys of rows, that one call reads by their keys or writes. */
  keys(by: SkewKind, rows: readonly PlainRow[]): void {
    const sample = sampleOf(rows)
    const keys = new Map<string, { count: number; readonly shard: number | undefined }>()
    for (const row of sample) {
      const values = this.#keyProperties.map((property) => row[property])
      if (values.includes(undefined)) continue
      const hashed = hashText(
        values.map((value, at) => hashable(value, this.#layout, this.#keyProperties[at]!)),
      )
      // A short text is hashed only when it is reported, which is rare.
      const key = typeof hashed === 'string' && hashed.length < KEPT ? `=${hashed}` : hashOf(hashed)
      const known = keys.get(key)
      if (known) known.count++
      else keys.set(key, { count: 1, shard: this.#shardOf(row) })
    }
    for (const [key, { count, shard }] of keys) {
      this.#tallies[by].keys.add(key, count, shard)
      if (by === 'writes' && shard !== undefined) this.#used?.add(key, shard)
    }
    this.#count(by, sample)
  }

  /** Rows of all shards that a query gave back: their keys say nothing, since its filter may have named one. */
  shards(rows: readonly PlainRow[], orderedBy: string | undefined): void {
    if (this.#layout.shard === undefined) return
    if (orderedBy === undefined || !this.#shardOrder.has(orderedBy)) this.#count('reads', sampleOf(rows))
  }

  #shardOf(row: PlainRow): number | undefined {
    const property = this.#layout.shard?.column.property
    const shard = property === undefined ? undefined : row[property]
    // The database may be the only one to know.
    return shard === undefined || shard === null ? undefined : Number(shard)
  }

  #count(by: SkewKind, sample: readonly PlainRow[]): void {
    const tally = this.#tallies[by]
    const shards = new Map<number, number>()
    for (const row of sample) {
      const shard = this.#shardOf(row)
      if (shard !== undefined) shards.set(shard, (shards.get(shard) ?? 0) + 1)
    }
    tally.shards.add(shards, sample.length)
    const { rows } = tally.shards
    if (rows >= tally.nextVerdict) this.#judge(by, tally)
    if (rows >= WINDOW_ROWS) this.#tallies[by] = new Tally()
  }

  #judge(by: SkewKind, tally: Tally): void {
    tally.nextVerdict += MIN_ROWS
    const shards = this.#shards
    const { rows } = tally.shards
    if (by === 'writes') this.#judgeUsed(rows)
    if (shards !== undefined && shards > 1) {
      // Four times its share.
      for (const { shard, share } of tally.shards.above(Math.min(0.9, 4 / shards), 1 / shards))
        this.#once({ of: 'shard', by, shard, share, rows })
    }
    // One key with twice the share of a shard makes its shard a hotspot, however many keys there are.
    const limit = shards === undefined ? 0.2 : Math.min(0.5, Math.max(0.05, 2 / shards))
    for (const [key, { count, squares, shard }] of tally.keys) {
      const share = count / rows
      if (share >= limit && isEvident(count, squares))
        this.#once({ of: 'key', by, shard, keyHash: hashOfKey(key), share, rows })
    }
  }

  /** Reads of a few keys use few shards, and rightly; writes go to where the function sends them. */
  #judgeUsed(rows: number): void {
    const verdict = this.#used?.verdict()
    if (!verdict) return
    this.#used = undefined
    const { used, few } = verdict
    if (few)
      this.#once({ of: 'few-shards', by: 'writes', shard: undefined, usedShards: used, share: 1, rows })
  }

  #once(found: Omit<SkewEvent, 'table' | 'fairShare'>): void {
    const name = `${found.by}/${found.of}/${found.keyHash ?? found.shard ?? ''}`
    const isNew = !this.#reported.delete(name)
    const [oldest] = this.#reported
    if (oldest !== undefined && this.#reported.size >= REMEMBERED) this.#reported.delete(oldest)
    this.#reported.add(name)
    if (isNew) this.#tell({ table: this.#layout.table.name, fairShare: 1 / (this.#shards ?? 1), ...found })
  }
}

class Tally {
  nextVerdict = MIN_ROWS
  readonly shards = new ShardCounts()
  readonly keys = new HeavyHitters()
}

/** In characters. Longer keys would take memory. */
const KEPT = 64

/** @param key a text, or a hash, which it returns */
function hashOfKey(key: string): string {
  return key[0] === '=' ? hashOf(key.slice(1)) : key
}

/** In hexadecimal. */
function hashOf(key: string | Uint8Array): string {
  return BigInt.asUintN(64, fingerprint(key)).toString(16).padStart(16, '0')
}

/** A key may also hold floats, and on some engines collections and tuples: those count by what is stored of them. */
function hashable(value: unknown, { byProperty }: TableLayout, property: string): Hashable {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return String(value)
  if (typeof value !== 'object' || value === null || isDate(value) || isUint8Array(value))
    return value as Hashable
  return JSON.stringify(byProperty.get(property)!.physical.map((column) => column.encode(value)))
}
