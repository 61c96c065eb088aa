import { snapshotsOf } from '../../database/capabilities.js'
import type { CompiledTable, CompiledTables } from '../../database/compiled-table.js'
import type { Driver, Reader } from '../../database/driver.js'
import { RowMapping } from '../../database/dual-writes-mapping.js'
import { fieldRole } from '../../database/dual-writes-pair.js'
import type { Wire } from '../../dialects/wire.js'
import type { TablePair } from './command.js'
import { ComparedTable } from './compared-table.js'
import { Expiry } from './expiry.js'
import { Fingerprints, Imbalance, type Digest, type Fingerprint } from './fingerprints.js'
import { refuseStopped, type ReshardRunOptions } from './run-options.js'
import { scan } from './scan.js'

/** The rows of one shard of the new table, or of one part of 64 where it has none, in both tables. */
export interface VerifiedGroup {
  readonly group: string
  readonly from: Fingerprint
  readonly to: Fingerprint
}

/** A row that the two tables do not agree on. */
export interface RowDifference {
  /**
   * The new table lacks it, has it alone, or has it with other values; `different` is also one that two rows of the old table
   * fall together in.
   */
  readonly kind: 'missing' | 'extra' | 'different'
  /** Its key in the new table, as stored. */
  readonly key: readonly Wire[]
}

export interface VerifiedTable {
  readonly from: string
  readonly to: string
  readonly groups: readonly VerifiedGroup[]
  /** A hundred at most. */
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
/** Rows of the old table that are held in memory to say which of them differ. */
const MOST_HELD = 20_000

/**
 * Compares the old tables with the new ones, row by row, as of one moment: the same number of rows with the same content, in
 * each shard. It reads both tables once, and once more where they differ, in memory that does not grow with either.
 *
 * @throws {IsothermError} `SNAPSHOT_EXPIRED` where that takes longer than the database keeps versions, by default an hour.
 */
export async function verifyTables(
  driver: Driver,
  tables: CompiledTables,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<ReshardVerification> {
  const snapshot = await snapshotsOf(driver)()
  try {
    const readTimestamp = snapshot.readTimestamp!
    const compared = comparedTables(tables, pairs, readTimestamp)
    const verified: VerifiedTable[] = []
    for (const [at, pair] of pairs.entries()) {
      verified.push(await new Comparison(snapshot, pair, compared[at]!, options).run())
    }
    const equal = verified.every(({ groups }) => groups.every((group) => !differs(group)))
    return { readTimestamp, equal, tables: verified }
  } finally {
    snapshot.close()
  }
}

type Side = 'from' | 'to'

function comparedTables(
  tables: CompiledTables,
  pairs: readonly TablePair[],
  at: Date,
): readonly Readonly<Record<Side, ComparedTable>>[] {
  const tree = new Set(pairs.flatMap(({ from, to }) => [from, to]))
  return pairs.map(({ from, to }) => {
    const [old, made] = [tables.of(from), tables.of(to)]
    const properties = made.layout.fields
      .filter((field) => fieldRole(field, old.layout) === 'copied')
      .map((field) => field.column.property)
    const side = (table: CompiledTable): ComparedTable =>
      new ComparedTable(new RowMapping(table, made), properties, {
        own: Expiry.of(table, at),
        above: Expiry.above(table, tables, tree, at),
      })
    return { from: side(old), to: side(made) }
  })
}

function differs({ from, to }: VerifiedGroup): boolean {
  return from.rows !== to.rows || from.content !== to.content
}

class Comparison {
  readonly #reader: Reader
  readonly #pair: TablePair
  readonly #tables: Readonly<Record<Side, ComparedTable>>
  readonly #options: ReshardRunOptions

  constructor(
    reader: Reader,
    pair: TablePair,
    tables: Readonly<Record<Side, ComparedTable>>,
    options: ReshardRunOptions,
  ) {
    this.#reader = reader
    this.#pair = pair
    this.#tables = tables
    this.#options = options
  }

  async run(): Promise<VerifiedTable> {
    const [from, to] = [new Fingerprints(), new Fingerprints()]
    const imbalance = new Imbalance()
    for await (const digest of this.#digests('from')) {
      from.add(digest)
      imbalance.add(digest)
    }
    for await (const digest of this.#digests('to')) {
      to.add(digest)
      imbalance.subtract(digest)
    }
    const names = [...new Set([...from.groups, ...to.groups])].sort(byNumber)
    const groups = names.map((group) => ({ group, from: from.of(group), to: to.of(group) }))
    const differences = groups.some(differs) ? await this.#differences(imbalance) : []
    return { ...this.#pair, groups, differences }
  }

  async #differences(imbalance: Imbalance): Promise<RowDifference[]> {
    // Each of them has one difference at least.
    const explained = imbalance.buckets(MOST_DIFFERENCES, MOST_HELD)
    const differences: RowDifference[] = []
    const expected = new Map<string, Digest>()
    for await (const digest of this.#digests('from')) {
      if (!explained.has(digest.bucket)) continue
      const name = JSON.stringify(digest.key)
      if (expected.has(name)) differences.push({ kind: 'different', key: digest.key })
      expected.set(name, digest)
      if (differences.length === MOST_DIFFERENCES) return differences
    }
    for await (const { key, bucket, content } of this.#digests('to')) {
      if (!explained.has(bucket)) continue
      const name = JSON.stringify(key)
      const other = expected.get(name)
      expected.delete(name)
      if (other?.content !== content) differences.push({ kind: other ? 'different' : 'extra', key })
      if (differences.length === MOST_DIFFERENCES) return differences
    }
    for (const { key } of expected.values()) differences.push({ kind: 'missing', key })
    return differences.slice(0, MOST_DIFFERENCES)
  }

  async *#digests(side: Side): AsyncGenerator<Digest> {
    const { onProgress, signal } = this.#options
    const table = this.#tables[side]
    let rows = 0
    for await (const batch of scan(this.#reader, table.table, BATCH)) {
      refuseStopped(signal)
      rows += batch.length
      onProgress?.({ action: 'VERIFY', ...this.#pair, rows, done: side === 'from' ? 0 : 1, parts: 2 })
      yield* await table.digests(this.#reader, batch)
    }
  }
}

function byNumber(a: string, b: string): number {
  return Number(a.split(' ')[1]) - Number(b.split(' ')[1])
}
