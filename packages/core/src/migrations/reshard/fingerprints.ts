import type { Wire } from '../../dialects/wire.js'

/** How many rows there are, and a number that is the same for the same rows, in whatever order. */
export interface Fingerprint {
  readonly rows: number
  /** 128 bits in hex: the sum of the rows' SHA-256. */
  readonly content: string
}

/** A row as it is compared. */
export interface Digest {
  /** Its key in the new table, as stored. */
  readonly key: readonly Wire[]
  readonly group: string
  /** Which of `BUCKETS` finer parts it falls into, by its key. */
  readonly bucket: number
  readonly content: bigint
}

/** So many that the rows of one of them fit into memory, whatever a database can read before its versions are gone. */
export const BUCKETS = 65_536

/** The fingerprints of groups of rows. */
export class Fingerprints {
  readonly #sums = new Map<string, { rows: number; content: bigint }>()

  get groups(): readonly string[] {
    return [...this.#sums.keys()]
  }

  add({ group, content }: Digest): void {
    const sum = this.#sums.get(group) ?? { rows: 0, content: 0n }
    this.#sums.set(group, sum)
    sum.rows++
    sum.content = BigInt.asUintN(128, sum.content + content)
  }

  of(group: string): Fingerprint {
    const { rows, content } = this.#sums.get(group) ?? { rows: 0, content: 0n }
    return { rows, content: content.toString(16).padStart(32, '0') }
  }
}

/** Where two tables differ, to within a few rows, in the same memory for all tables. */
export class Imbalance {
  // What one table has and the other has not; it wraps around.
  readonly #content = new BigUint64Array(BUCKETS)
  readonly #rows = new Uint32Array(BUCKETS)

  /** A row of the old table. */
  add({ bucket, content }: Digest): void {
    this.#content[bucket]! += content
    this.#rows[bucket]!++
  }

  /** A row of the new one. */
  subtract({ bucket, content }: Digest): void {
    this.#content[bucket]! -= content
  }

  /** Buckets that differ: not more than `most`, with not more than so many rows of the old table, but for the first one. */
  buckets(most: number, mostRows: number): ReadonlySet<number> {
    const found = new Set<number>()
    let rows = 0
    for (let bucket = 0; bucket < BUCKETS && found.size < most; bucket++) {
      if (this.#content[bucket] === 0n) continue
      rows += this.#rows[bucket]!
      if (found.size > 0 && rows > mostRows) break
      found.add(bucket)
    }
    return found
  }
}
