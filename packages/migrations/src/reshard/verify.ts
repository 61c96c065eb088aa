import {
  type Cells,
  type Driver,
  type Reader,
  type Wire,
  keyFields,
  known,
  paired,
  present,
} from '@isotherm/core/engine'
import {
  type CompiledTable,
  type CompiledTables,
  type PlainRow,
  type RowCodec,
  RowMapping,
  type StoredRow,
  fieldRole,
  keyWires,
  rowCodec,
  snapshotsOf,
} from '@isotherm/core/tools'
import { createHash } from 'node:crypto'
import type { TablePair } from './command.js'
import { type ReshardRunOptions, refuseStopped } from './run-options.js'
import { scan } from './scan.js'

const DAY = 86_400_000

/** Finds the rows of a table that row deletion may delete, at a time that the database chooses. */
class Expiry {
  readonly #table: CompiledTable
  readonly #property: string
  readonly #before: Date
  /** The key, and the time. */
  readonly #codec: RowCodec

  private constructor(table: CompiledTable, property: string, before: Date) {
    this.#table = table
    this.#property = property
    this.#before = before
    const { layout } = table
    this.#codec = rowCodec([...new Set([...keyFields(layout), known(layout.byProperty, property)])])
  }

  /** Undefined for a table without row deletion. */
  static of(table: CompiledTable, at: Date): Expiry | undefined {
    const { rowDeletion } = table.layout.table
    if (!rowDeletion) return undefined
    return new Expiry(table, rowDeletion.property, new Date(at.getTime() - rowDeletion.days * DAY))
  }

  /** The tables of the tree whose rows take rows of this one with them. */
  static above(
    { layout: { table } }: CompiledTable,
    tables: CompiledTables,
    tree: ReadonlySet<string>,
    at: Date,
  ): Expiry[] {
    const { parent } = table
    if (parent?.onDelete !== 'cascade' || !tree.has(parent.table)) return []
    const above = tables.of(parent.table)
    const own = Expiry.of(above, at)
    return [...(own ? [own] : []), ...Expiry.above(above, tables, tree, at)]
  }

  has(row: PlainRow): boolean {
    const time = row[this.#property] as Date | null
    return time !== null && time.getTime() <= this.#before.getTime()
  }

  /** Among rows below this table, given by their keys: those that are below an expired row. */
  async below(reader: Reader, keys: readonly (readonly Wire[])[]): Promise<ReadonlySet<readonly Wire[]>> {
    const { layout } = this.#table
    const parents = new Map<string, readonly Wire[]>()
    const nameOf = (key: readonly Wire[]): string => JSON.stringify(key.slice(0, layout.key.length))
    for (const key of keys) parents.set(nameOf(key), key.slice(0, layout.key.length))
    if (parents.size === 0) return new Set()
    const expired = new Set<string>()
    const request = { layout, columns: this.#codec.columns, keys: [...parents.values()] }
    for (const cells of await reader.read(request)) {
      const row = this.#codec.decode(cells)
      if (this.has(row)) expired.add(nameOf(keyWires(layout, row)))
    }
    return new Set(keys.filter((key) => expired.has(nameOf(key))))
  }
}

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

/** So many that the rows of one bucket fit into memory, however much a database can read before its versions are gone. */
export const BUCKETS = 65_536

/** The fingerprints of groups of rows. */
class Fingerprints {
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

/** Finds where two tables differ, to within a few rows, with the same memory for all tables. */
export class Imbalance {
  // The difference of the contents of both tables; it wraps around.
  readonly #content = new BigUint64Array(BUCKETS)
  readonly #rows = new Uint32Array(BUCKETS)

  /** A row of the old table. */
  add({ bucket, content }: Digest): void {
    this.#content[bucket] = this.#contentOf(bucket) + content
    this.#rows[bucket] = this.#rowsOf(bucket) + 1
  }

  /** A row of the new one. */
  subtract({ bucket, content }: Digest): void {
    this.#content[bucket] = this.#contentOf(bucket) - content
  }

  #contentOf(bucket: number): bigint {
    return this.#content[bucket] ?? 0n
  }

  #rowsOf(bucket: number): number {
    return this.#rows[bucket] ?? 0
  }

  /**
   * Buckets that differ: at most `max`, with at most `maxRows` rows of the old table, except that the first is always
   * taken.
   */
  buckets(max: number, maxRows: number): ReadonlySet<number> {
    const found = new Set<number>()
    let rows = 0
    for (let bucket = 0; bucket < BUCKETS && found.size < max; bucket++) {
      if (this.#content[bucket] === 0n) continue
      rows += this.#rowsOf(bucket)
      if (found.size > 0 && rows > maxRows) break
      found.add(bucket)
    }
    return found
  }
}

/** Rows without a shard are compared in this many groups. */
const PARTS = 64

/** Rows that the database is about to delete, or that go with such a row. */
interface Leaving {
  readonly own: Expiry | undefined
  readonly above: readonly Expiry[]
}

/** One of the two compared tables; its rows are identified by their keys in the new table. */
class ComparedTable {
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
    const kept = own ? batch.filter((cells) => !own.has(this.table.codec.decode(cells))) : batch
    let rows = kept.map((cells) => {
      const row = this.#mapping.fromCells(cells)
      return { row, key: keyWires(this.table.layout, row.values) }
    })
    for (const expiry of above) {
      const keys = rows.map(({ key }) => key)
      const gone = await expiry.below(reader, keys)
      rows = rows.filter(({ key }) => !gone.has(key))
    }
    return rows.map(({ row, key }) => this.#digest(row, key))
  }

  #digest(row: StoredRow, own: readonly Wire[]): Digest {
    const { from, to } = this.#mapping
    // The actual key of the row in the new table, not the key that it should have.
    const key = from === to ? own : this.#mapping.key(row.values)
    const values = this.#compared.map((property) => row.wires.get(property))
    const hash = sha256([key, values])
    const position = sha256(key).readUInt32BE(0)
    return {
      key,
      group: this.#isSharded ? `shard ${String(key[0])}` : `part ${position % PARTS}`,
      bucket: position % BUCKETS,
      content: hash.readBigUInt64BE(0) * 2n ** 64n + hash.readBigUInt64BE(8),
    }
  }
}

function sha256(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest()
}

/** The rows of one shard of the new table, or of one of 64 pieces if it has no shards, in both tables. */
export interface VerifiedGroup {
  readonly group: string
  readonly from: Fingerprint
  readonly to: Fingerprint
}

/** A row that the two tables do not agree on. */
export interface RowDifference {
  /**
   * The new table lacks the row, has it alone, or has it with other values; `different` is also a row that two rows of the
   * old table map to.
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
  /** The timestamp at which both tables were compared. */
  readonly readTimestamp: Date
  readonly equal: boolean
  readonly tables: readonly VerifiedTable[]
}

const BATCH = 1_000
const MAX_DIFFERENCES = 100
/** Rows of the old table that are held in memory to say which of them differ. */
const MAX_HELD = 20_000

/**
 * Compares the old tables with the new ones, row by row, in one snapshot: the same number of rows with the same content, in
 * each shard. It reads both tables once, and once more where they differ. Its memory does not grow with the tables.
 *
 * @throws {IsothermError} `SNAPSHOT_EXPIRED` if that takes longer than the database keeps versions, by default an hour.
 */
export async function verifyTables(
  driver: Driver,
  tables: CompiledTables,
  pairs: readonly TablePair[],
  options: ReshardRunOptions = {},
): Promise<ReshardVerification> {
  const snapshot = await snapshotsOf(driver)()
  try {
    const readTimestamp = present(snapshot.readTimestamp, 'read timestamp')
    const compared = comparedTables(tables, pairs, readTimestamp)
    const verified: VerifiedTable[] = []
    for (const [pair, tablesOfPair] of paired(pairs, compared)) {
      verified.push(await new Comparison(snapshot, pair, tablesOfPair, options).run())
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
    const explained = imbalance.buckets(MAX_DIFFERENCES, MAX_HELD)
    const differences: RowDifference[] = []
    const expected = new Map<string, Digest>()
    for await (const digest of this.#digests('from')) {
      if (!explained.has(digest.bucket)) continue
      const name = JSON.stringify(digest.key)
      if (expected.has(name)) differences.push({ kind: 'different', key: digest.key })
      expected.set(name, digest)
      if (differences.length === MAX_DIFFERENCES) return differences
    }
    for await (const { key, bucket, content } of this.#digests('to')) {
      if (!explained.has(bucket)) continue
      const name = JSON.stringify(key)
      const other = expected.get(name)
      expected.delete(name)
      if (other?.content !== content) differences.push({ kind: other ? 'different' : 'extra', key })
      if (differences.length === MAX_DIFFERENCES) return differences
    }
    for (const { key } of expected.values()) differences.push({ kind: 'missing', key })
    return differences.slice(0, MAX_DIFFERENCES)
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
