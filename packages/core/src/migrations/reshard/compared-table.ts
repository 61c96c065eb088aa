import { createHash } from 'node:crypto'
import { keyWires } from '../../database/codec.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import type { Cells, Reader } from '../../database/driver.js'
import type { RowMapping, StoredRow } from '../../database/dual-writes-mapping.js'
import type { Wire } from '../../dialects/wire.js'
import type { Expiry } from './expiry.js'
import { BUCKETS, type Digest } from './fingerprints.js'

/** What rows are called that have no shard: one part of so many. */
const PARTS = 64

/** Rows that the database is about to delete, or that go with such a row. */
export interface Leaving {
  readonly own: Expiry | undefined
  readonly above: readonly Expiry[]
}

/** One of two tables that are compared, its rows told by their keys in the new one. */
export class ComparedTable {
  readonly #mapping: RowMapping
  readonly #compared: readonly string[]
  readonly #leaving: Leaving
  readonly #isSharded: boolean

  /** @param mapping to the new table: of the new table, to itself */
  constructor(mapping: RowMapping, compared: readonly string[], leaving: Leaving) {
    this.#mapping = mapping
    this.#compared = compared
    this.#leaving = leaving
    this.#isSharded = mapping.to.layout.shard !== undefined
  }

  get table(): CompiledTable {
    return this.#mapping.from
  }

  /** Without rows that the database may have deleted from one table already, and not yet from the other. */
  async digests(reader: Reader, batch: readonly Cells[]): Promise<Digest[]> {
    const { own, above } = this.#leaving
    let rows = batch.map((cells) => {
      const row = this.#mapping.fromCells(cells)
      return { row, key: keyWires(this.table.layout, row.values) }
    })
    if (own) rows = rows.filter((_, at) => !own.has(this.table.codec.decode(batch[at]!)))
    for (const expiry of above) {
      const keys = rows.map(({ key }) => key)
      const gone = await expiry.below(reader, keys)
      rows = rows.filter(({ key }) => !gone.has(key))
    }
    return rows.map(({ row, key }) => this.#digest(row, key))
  }

  #digest(row: StoredRow, own: readonly Wire[]): Digest {
    const { from, to } = this.#mapping
    // Where the row of the new table lies: not where it would have to.
    const key = from === to ? own : this.#mapping.key(row.values)
    const values = this.#compared.map((property) => row.wires.get(property))
    const hash = sha256([key, values])
    const place = sha256(key).readUInt32BE(0)
    return {
      key,
      group: this.#isSharded ? `shard ${String(key[0])}` : `part ${place % PARTS}`,
      bucket: place % BUCKETS,
      content: hash.readBigUInt64BE(0) * 2n ** 64n + hash.readBigUInt64BE(8),
    }
  }
}

function sha256(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}
