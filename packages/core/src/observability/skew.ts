import type { PlainRow } from '../database/codec.js'
import type { TableLayout } from '../dialects/layout.js'
import { fingerprint } from '../keys/fingerprint.js'
import { hashText, type Hashable } from '../keys/shard.js'
import { shardBounds } from '../model/key.js'
import type { SkewEvent } from './events.js'
import { isEvident, ShardCounts } from './evidence.js'
import { HeavyHitters } from './heavy-hitters.js'
import { sampleOf } from './sample.js'

/** A verdict needs so many rows; after as many as the second figure, counting begins again. */
const LEAST_ROWS = 1_000
const WINDOW_ROWS = 10_000
/** So many findings are told once; of more, the oldest may be told again. */
const REMEMBERED = 1_000

type Way = SkewEvent['by']

/** Watches one table for a shard or a key that takes far more than its share. Each is told of once. */
export class TableSkew {
  readonly #layout: TableLayout
  readonly #shards: number | undefined
  readonly #keyProperties: readonly string[]
  /** Rows in the order of one of these are in that of their shards, or of their keys: one shard's after another's. */
  readonly #shardOrder: ReadonlySet<string>
  readonly #tell: (event: SkewEvent) => void
  readonly #told = new Set<string>()
  readonly #tallies = { reads: new Tally(), writes: new Tally() }

  constructor(layout: TableLayout, tell: (event: SkewEvent) => void) {
    const shard = layout.shard?.column
    const source = shard?.source
    this.#layout = layout
    this.#tell = tell
    if (source?.kind === 'shard') {
      const { lowest, highest } = shardBounds(source)
      this.#shards = highest - lowest + 1
    }
    const hashed = source?.kind === 'shard' && source.strategy === 'hash' ? source.of : undefined
    // What is hashed decides on the shard: that is what runs hot. Elsewhere each row is a key of its own.
    this.#keyProperties =
      hashed ??
      layout.table.primaryKey
        .map(({ property }) => property)
        .filter((property) => property !== shard?.property)
    this.#shardOrder = new Set([...(shard ? [shard.property] : []), ...(hashed ?? [])])
  }

  /** Rows, or keys of rows, that one call reads by their keys or writes. */
  keys(by: Way, rows: readonly PlainRow[]): void {
    const sample = sampleOf(rows)
    const keys = new Map<string, { count: number; readonly shard: number | undefined }>()
    for (const row of sample) {
      const values = this.#keyProperties.map((property) => row[property] as Hashable | undefined)
      if (values.some((value) => value === undefined)) continue
      const keyHash = hashOfKey(values as Hashable[])
      const known = keys.get(keyHash)
      if (known) known.count++
      else keys.set(keyHash, { count: 1, shard: this.#shardOf(row) })
    }
    const tally = this.#tallies[by]
    for (const [keyHash, { count, shard }] of keys) tally.keys.add(keyHash, count, shard)
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

  #count(by: Way, sample: readonly PlainRow[]): void {
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

  #judge(by: Way, tally: Tally): void {
    tally.nextVerdict += LEAST_ROWS
    const shards = this.#shards
    const { rows } = tally.shards
    if (shards !== undefined && shards > 1) {
      // Four times its share.
      for (const { shard, share } of tally.shards.above(Math.min(0.9, 4 / shards), 1 / shards))
        this.#once({ of: 'shard', by, shard, share, rows })
    }
    // One key with twice the share of a shard makes its shard hot, however many keys there are.
    const limit = shards === undefined ? 0.2 : Math.min(0.5, Math.max(0.05, 2 / shards))
    for (const [keyHash, seen] of tally.keys) {
      const share = seen.count / rows
      if (share >= limit && isEvident(seen.count, seen.squares))
        this.#once({ of: 'key', by, shard: seen.shard, keyHash, share, rows })
    }
  }

  #once(found: Omit<SkewEvent, 'table' | 'fairShare'>): void {
    const name = `${found.by}/${found.of}/${found.keyHash ?? found.shard}`
    const isNew = !this.#told.delete(name)
    const [oldest] = this.#told
    if (oldest !== undefined && this.#told.size >= REMEMBERED) this.#told.delete(oldest)
    this.#told.add(name)
    if (isNew) this.#tell({ table: this.#layout.table.name, fairShare: 1 / (this.#shards ?? 1), ...found })
  }
}

class Tally {
  nextVerdict = LEAST_ROWS
  readonly shards = new ShardCounts()
  readonly keys = new HeavyHitters()
}

function hashOfKey(values: readonly Hashable[]): string {
  return BigInt.asUintN(64, fingerprint(hashText(values.map(hashable))))
    .toString(16)
    .padStart(16, '0')
}

/** Keys may hold what no shard is made of. */
function hashable(value: Hashable): Hashable {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? String(value) : value
}
