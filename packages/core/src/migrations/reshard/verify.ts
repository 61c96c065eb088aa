import { createHash } from 'node:crypto'
import type { CompiledTables } from '../../database/compiled-table.js'
import type { Cells, Driver, Reader } from '../../database/driver.js'
import { RowMapping, type StoredRow } from '../../database/dual-writes-mapping.js'
import { fieldRole } from '../../database/dual-writes-pair.js'
import type { Wire } from '../../dialects/wire.js'
import type { TablePair } from './command.js'
import { refuseStopped, type ReshardRunOptions } from './run-options.js'
import { scan } from './scan.js'

/** How many rows there are, and a number that is the same for the same rows, in whatever order. */
export interface Fingerprint {
  readonly rows: number
  /** 128 bits in hex: the sum of the rows' SHA-256. */
  readonly content: string
}

/** The rows of one shard of the new table, or of one part of 64 where it has none, in both tables. */
export interface VerifiedGroup {
  readonly group: string
  readonly from: Fingerprint
  readonly to: Fingerprint
}

/** A row that the two tables do not agree on. */
export interface RowDifference {
  /** The new table lacks it, has it alone, or has it with other values. */
  readonly kind: 'missing' | 'extra' | 'different'
  /** Its key in the new table, as stored. */
  readonly key: readonly Wire[]
}

export interface VerifiedTable {
  readonly from: string
  readonly to: string
  readonly groups: readonly VerifiedGroup[]
  /** The first hundred of them. */
  readonly differences: readonly RowDifference[]
}

export interface ReshardVerification {
  /** As of when both tables were compared. */
  readonly readTimestamp: Date
  readonly equal: boolean
  readonly tables: readonly VerifiedTable[]
}

const BATCH = 1_000
const MOST_DIFFERENCES = 100
/** Rows of groups that differ, whose digests are held in memory to say which rows they are. */
const MOST_EXPLAINED = 1_000_000
const BUCKETS = 64

/**
 * Compares the old tables with the new ones, row by row, as of one moment: the same number of rows with the same content, in
 * each shard. It reads both tables once, and what differs once more.
 *
 * @throws {IsothermError} `SNAPSHOT_EXPIRED` where that takes longer than the database keeps versions, by default an hour.
 */
export async function verifyTables(
  driver: Driver,
  tables: CompiledTables,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<ReshardVerification> {
  const snapshot = await driver.snapshot()
  try {
    const readTimestamp = snapshot.readTimestamp!
    const verified: VerifiedTable[] = []
    for (const pair of pairs) {
      const comparison = new Comparison(snapshot, tables, pair, readTimestamp, options)
      verified.push(await comparison.run())
    }
    const equal = verified.every(({ groups }) => groups.every((group) => !differs(group)))
    return { readTimestamp, equal, tables: verified }
  } finally {
    snapshot.close()
  }
}

function differs({ from, to }: VerifiedGroup): boolean {
  return from.rows !== to.rows || from.content !== to.content
}

interface Digest {
  readonly key: readonly Wire[]
  readonly group: string
  readonly content: bigint
}

class Comparison {
  readonly #reader: Reader
  readonly #pair: TablePair
  readonly #options: ReshardRunOptions
  readonly #sides: readonly [Side, Side]

  constructor(reader: Reader, tables: CompiledTables, pair: TablePair, at: Date, options: ReshardRunOptions) {
    const [old, made] = [tables.of(pair.from), tables.of(pair.to)]
    const compared = made.layout.fields
      .filter((field) => fieldRole(field, old.layout) === 'copied')
      .map((field) => field.column.property)
    this.#reader = reader
    this.#pair = pair
    this.#options = options
    this.#sides = [
      new Side(new RowMapping(old, made), compared, at),
      new Side(new RowMapping(made, made), compared, at),
    ]
  }

  async run(): Promise<VerifiedTable> {
    const [from, to] = [new Sums(), new Sums()]
    for await (const digest of this.#digests(0)) from.add(digest)
    for await (const digest of this.#digests(1)) to.add(digest)
    const names = [...new Set([...from.groups, ...to.groups])].sort(byNumber)
    const groups = names.map((group) => ({ group, from: from.of(group), to: to.of(group) }))
    return { ...this.#pair, groups, differences: await this.#differences(groups.filter(differs)) }
  }

  async #differences(groups: readonly VerifiedGroup[]): Promise<RowDifference[]> {
    const explained = new Set<string>()
    let rows = 0
    for (const { group, from } of groups) {
      if ((rows += from.rows) <= MOST_EXPLAINED || explained.size === 0) explained.add(group)
    }
    if (explained.size === 0) return []
    const expected = new Map<string, Digest>()
    for await (const digest of this.#digests(0)) {
      if (explained.has(digest.group)) expected.set(JSON.stringify(digest.key), digest)
    }
    const differences: RowDifference[] = []
    for await (const { key, group, content } of this.#digests(1)) {
      if (!explained.has(group)) continue
      const name = JSON.stringify(key)
      const other = expected.get(name)
      expected.delete(name)
      if (other?.content !== content) differences.push({ kind: other ? 'different' : 'extra', key })
    }
    for (const { key } of expected.values()) differences.push({ kind: 'missing', key })
    return differences.slice(0, MOST_DIFFERENCES)
  }

  async *#digests(side: 0 | 1): AsyncGenerator<Digest> {
    const { onProgress, signal } = this.#options
    let rows = 0
    for await (const batch of scan(this.#reader, this.#sides[side].mapping.from, BATCH)) {
      refuseStopped(signal)
      rows += batch.length
      onProgress?.({ action: 'VERIFY', ...this.#pair, rows, done: side, parts: 2 })
      for (const cells of batch) {
        const digest = this.#sides[side].digest(cells)
        if (digest) yield digest
      }
    }
  }
}

/** One of the two tables, its rows told by their keys in the new one. */
class Side {
  readonly mapping: RowMapping
  readonly #compared: readonly string[]
  readonly #isSharded: boolean
  readonly #expiry: { readonly property: string; readonly before: Date } | undefined

  constructor(mapping: RowMapping, compared: readonly string[], at: Date) {
    this.mapping = mapping
    this.#compared = compared
    this.#isSharded = mapping.to.layout.shard !== undefined
    const { rowDeletion } = mapping.from.layout.table
    this.#expiry = rowDeletion && {
      property: rowDeletion.property,
      before: new Date(at.getTime() - rowDeletion.days * 86_400_000),
    }
  }

  /** Undefined for a row that the database may have deleted from one table, and will from the other. */
  digest(cells: Cells): Digest | undefined {
    const row = this.mapping.fromCells(cells)
    if (this.#isExpired(row)) return undefined
    const key = this.mapping.key(row.values)
    const values = this.#compared.map((property) => row.wires.get(property))
    const hash = createHash('sha256')
      .update(JSON.stringify([key, values]))
      .digest()
    const group = this.#isSharded ? `shard ${String(key[0])}` : `part ${hashed(key) % BUCKETS}`
    return { key, group, content: hash.readBigUInt64BE(0) * 2n ** 64n + hash.readBigUInt64BE(8) }
  }

  #isExpired({ wires }: StoredRow): boolean {
    if (!this.#expiry) return false
    const [time] = wires.get(this.#expiry.property)!
    return time !== null && new Date(time as string) <= this.#expiry.before
  }
}

function hashed(key: readonly Wire[]): number {
  return createHash('sha256').update(JSON.stringify(key)).digest()[0]!
}

class Sums {
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

function byNumber(a: string, b: string): number {
  return Number(a.split(' ')[1]) - Number(b.split(' ')[1])
}
