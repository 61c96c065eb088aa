import { VERSION, shared } from '../copies.js'
import { itemAt } from '../known.js'
import { defineTable } from '../model/define-table.js'
import type { TableModel } from '../model/model.js'
import { keyWires } from '../engine/codec.js'
import { type CompiledTable, CompiledTables } from '../rows/compiled-table.js'
import type { Cells, Driver, Mutation, ReadRequest, Reader } from '../engine/driver.js'
import { type TransactionLife, currentTransaction, currentTransactionOn } from '../transaction/scope.js'
import { sqlOf } from '../engine/dialect.js'
import type { PhysicalColumn, Wire } from '../layout/layout.js'
import { defineSchema } from '../model/define-schema.js'
import { isOfMissingTable, missing, missingTable, movedBack } from './refusals.js'
import { FifoLock } from './fifo-lock.js'

/** The default name of the table of sequences. */
export const SEQUENCES = 'sequences'

export interface SequenceTableRow {
  readonly name: string
  /** The number that is handed out next. */
  readonly nextValue: bigint
}

/**
 * The table in which sequences are counted: a row each, `name` and `next_value`. Give it to `defineSchema` with the others.
 *
 * @example
 * export const schema = defineSchema([Invoice, sequenceTable()])
 */
export function sequenceTable(name = SEQUENCES): TableModel<SequenceTableRow> & { readonly name: string } {
  return defineTable(name, (t) => ({
    name: t.string({ length: 128 }).key(),
    nextValue: t.int64({ name: 'next_value' }),
  }))
}

/** After this many calls without a conflict, the row no longer counts as contended by other processes. */
const CALM_AFTER = 100

/** One row of the table of sequences, in one database, for all generators of this process that count by it. */
export class SequenceRow {
  readonly name: string
  readonly table: string
  readonly lock: FifoLock
  readonly #compiled: CompiledTable
  readonly #key: readonly string[]
  /** Beyond all numbers that this process has seen handed out. */
  #seen = 0n
  #isCertain = false
  #calls = CALM_AFTER

  constructor(compiled: CompiledTable, name: string, lock: FifoLock) {
    this.name = name
    this.table = compiled.layout.table.name
    this.lock = lock
    this.#compiled = compiled
    this.#key = keyWires(compiled.layout, { name }) as readonly string[]
  }

  /**
   * The number that is handed out next, locked until the transaction ends.
   *
   * @throws {IsothermError} `SEQUENCE_MISSING`; `SEQUENCE_MOVED_BACK` for a row that stands before numbers that were handed out.
   */
  async next(reader: Reader, life: TransactionLife): Promise<bigint> {
    // Read before the row is, so that numbers which others commit meanwhile do not count: the database handles those.
    const seen = this.#seen
    return this.checked(await this.find(reader, life), seen)
  }

  /**
   * The number in the row, if it is valid.
   *
   * @throws {IsothermError} `SEQUENCE_MISSING`, `SEQUENCE_MOVED_BACK`.
   */
  checked(found: bigint | undefined, seen = this.#seen): bigint {
    if (found === undefined) throw missing(this.name, this.table)
    if (found < seen) throw movedBack(this.name, this.table, found, seen)
    return found
  }

  async find(reader: Reader, life: TransactionLife): Promise<bigint | undefined> {
    const { codec, dialect, layout } = this.#compiled
    // A read is cheaper than a statement, but of two that have read a row, to change it, one is aborted.
    const isContended = this.#isContended(life)
    const read = isContended
      ? reader.query(sqlOf(dialect, 'A locked read').statements.getLocked(layout, this.#key), codec.types)
      : reader.read(this.request())
    const [cells] = await read.catch((error: unknown) => {
      throw isOfMissingTable(error) ? missingTable(this.table, error) : error
    })
    return cells && this.decode(cells)
  }

  request(): ReadRequest {
    const { layout, codec } = this.#compiled
    return { layout, columns: codec.columns, keys: [this.#key] }
  }

  decode(cells: Cells): bigint {
    return this.#compiled.codec.decode(cells)['nextValue'] as bigint
  }

  /** The column of the number. */
  get counter(): PhysicalColumn {
    return itemAt(this.#compiled.codec.columns, 1)
  }

  /** The condition that the row holds this number. */
  holding(number: bigint): Readonly<Record<string, Wire>> {
    return { [this.counter.name]: String(number) }
  }

  write(op: 'insert' | 'update', next: bigint): Mutation {
    const { layout, codec } = this.#compiled
    const columns = codec.columns.map((column) => column.name)
    return { op, table: this.table, layout, columns, rows: [[this.name, String(next)]] }
  }

  /** The value of the row, unless another process has written it since; undefined if this process does not know it. */
  get lastSeen(): bigint | undefined {
    return this.#isCertain ? this.#seen : undefined
  }

  /** Remembers the committed number. */
  committed(next: bigint): void {
    if (next > this.#seen) this.#seen = next
    this.#isCertain = true
  }

  /** The row is to be read again: the outcome of a write is unknown. */
  forget(): void {
    this.#isCertain = false
  }

  #isContended({ attempts }: TransactionLife): boolean {
    this.#calls = attempts > 1 ? 0 : this.#calls + 1
    return this.#calls < CALM_AFTER
  }
}

interface SharedRows {
  readonly tables: Map<string, CompiledTable>
  readonly rows: Map<string, SequenceRow>
  /** Where no two transactions may be open, one for all rows. */
  readonly lock: FifoLock
}

// Copies of one version have it in common, so that no two rows stand for one sequence.
const sharedRows = shared(`sequences.${VERSION}`, () => new WeakMap<object, SharedRows>())

/** The row of a sequence: the same one for all who ask, whichever driver of the database they have. */
export function sequenceRow(driver: Driver, table: string, name: string): SequenceRow {
  const rows = sharedRowsOf(driver)
  const key = JSON.stringify([table, name])
  let row = rows.rows.get(key)
  if (!row) {
    row = new SequenceRow(
      compiledTable(rows, driver, table),
      name,
      isSingle(driver) ? rows.lock : new FifoLock(),
    )
    rows.rows.set(key, row)
  }
  return row
}

/**
 * Whether a transaction for a row would wait for the caller's own transaction, which waits for it.
 *
 * @param row absent: it locks no row that another transaction needs
 */
export function wouldWaitForCaller(driver: Driver, row?: SequenceRow): boolean {
  const current = currentTransaction()
  if (!current) return false
  if (row && (row.lock.waitsFor(current) || row.lock.isEntering(current))) return true
  return isSingle(driver) && currentTransactionOn(driver) !== undefined
}

/** The FIFO lock for transactions of generators, on a database that runs one transaction at a time. */
export function lockOf(driver: Driver): FifoLock | undefined {
  return isSingle(driver) ? sharedRowsOf(driver).lock : undefined
}

function isSingle({ lacks }: Driver): boolean {
  return lacks.includes('concurrent-transactions')
}

function sharedRowsOf(driver: Driver): SharedRows {
  const identity = driver.client ?? driver
  let rows = sharedRows.get(identity)
  if (!rows) {
    rows = { tables: new Map(), rows: new Map(), lock: new FifoLock() }
    sharedRows.set(identity, rows)
  }
  return rows
}

function compiledTable({ tables }: SharedRows, { dialect }: Driver, table: string): CompiledTable {
  let compiled = tables.get(table)
  if (!compiled) {
    const [namespace] = table.includes('.') ? table.split('.') : []
    const schema = defineSchema(
      [sequenceTable(table)],
      namespace === undefined ? {} : { namespaces: [namespace] },
    )
    compiled = new CompiledTables(schema, dialect).of(table)
    tables.set(table, compiled)
  }
  return compiled
}
