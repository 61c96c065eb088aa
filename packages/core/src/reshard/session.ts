import { IsothermError } from '../errors.js'
import type { MadeCells, RowWrite, TransactionContext } from '../engine/driver.js'
import { HalfWritten, deletedKeys, fillIn } from '../engine/row-writes.js'
import { COMMIT_TIMESTAMP, type TableLayout, type Wire, keyFields } from '../layout/layout.js'
import { type PlainRow, keyWires } from '../engine/codec.js'
import type { CompiledTable } from '../rows/compiled-table.js'
import type { RowMapping, StoredRow } from './row-mapping.js'

/** One table of a pair as it is written now: which leads, and which follows. */
export interface DualTable {
  readonly leader: CompiledTable
  readonly follower: CompiledTable
  readonly mapping: RowMapping
  readonly parent: DualTable | undefined
}

/**
 * Columns of one table that a transaction cannot read any more: as soon as one row waits for the commit's timestamp, none
 * can be read there. Values that the transaction itself has written into them are remembered, since a waiting row may have
 * been given a value afterwards.
 *
 * Source: https://cloud.google.com/spanner/docs/commit-timestamp
 */
class UnreadColumns {
  readonly #mapping: RowMapping
  /** Timestamps that may be set by the commit. */
  readonly #timestamps: ReadonlySet<string>
  readonly #properties = new Set<string>()
  readonly #rows = new Map<string, StoredRow>()

  constructor(mapping: RowMapping) {
    this.#mapping = mapping
    this.#timestamps = new Set(
      mapping.from.layout.fields.flatMap(({ column, fill }) =>
        fill.by === 'commit-timestamp' ? [column.property] : [],
      ),
    )
  }

  /** The properties that cannot be read. */
  get properties(): ReadonlySet<string> {
    return this.#properties
  }

  /** Rows were inserted or upserted, in this order: the last one counts where two rows of an upsert are the same. */
  wrote(rows: readonly LeaderRow[]): void {
    if (this.#timestamps.size === 0) return
    for (const { row, waits } of rows) {
      for (const property of waits) this.#properties.add(property)
      if (isComplete(this.#mapping.from.layout, row)) this.#remember(row, row, waits)
    }
  }

  /** Rows were updated. */
  changed(writes: readonly RowWrite[]): void {
    for (const write of writes) {
      if (write.op === 'delete') continue
      valuesOf(write).forEach((key, at) => this.#remember(key, this.#timestampsIn(write, at), NOTHING))
    }
  }

  #timestampsIn({ columns, rows }: RowsWritten, at: number): PlainRow {
    const written: PlainRow = {}
    for (const property of this.#timestamps) {
      const { physical, parse } = this.#mapping.from.layout.byProperty.get(property)!
      const wires = physical.map(({ name }) => rows[at]![columns.indexOf(name)])
      if (wires.every((wire) => wire !== undefined))
        written[property] = wires[0] === null ? null : parse(wires)
    }
    return written
  }

  /** Rows were deleted. @param keys as stored */
  deleted(keys: readonly (readonly Wire[])[]): void {
    for (const key of keys) this.#rows.delete(keyName(key))
  }

  /** A row as it was read, and what could not be read of it, if that is known. */
  complete(row: StoredRow): StoredRow {
    const known = this.#rows.get(keyName(keyWires(this.#mapping.from.layout, row.values)))
    return known && this.#properties.size > 0 ? merged(known, row) : row
  }

  #remember(key: PlainRow, row: PlainRow, waits: ReadonlySet<string>): void {
    const written = Object.fromEntries(
      Object.entries(row).filter(([property]) => this.#timestamps.has(property)),
    )
    const name = keyName(keyWires(this.#mapping.from.layout, key))
    const stored = this.#mapping.fromRow(written, waits)
    const known = this.#rows.get(name)
    this.#rows.set(name, known ? merged(known, stored) : stored)
  }
}

/** Merges rows with the same key: the values of the second, and those of the first that it lacks. */
function merged(first: StoredRow, second: StoredRow): StoredRow {
  return {
    wires: new Map([...first.wires, ...second.wires]),
    values: { ...first.values, ...second.values },
  }
}

const NOTHING: ReadonlySet<string> = new Set()

type RowsWritten = Exclude<RowWrite, { readonly op: 'delete' }>

/** A row that was inserted or upserted into the leader. */
interface LeaderRow {
  readonly position: number
  /** With the values that the database has made. */
  readonly row: PlainRow
  /** The properties that wait for the commit's timestamp. */
  readonly waits: ReadonlySet<string>
}

function valuesOf({ values = [] }: RowWrite): readonly PlainRow[] {
  return values
}

/** In the order of the statements. */
function leaderRows(writes: readonly RowWrite[], made: readonly MadeCells[]): readonly LeaderRow[] {
  const byIndex = new Map<number, MadeCells[]>()
  for (const cells of made) byIndex.set(cells.position, [...(byIndex.get(cells.position) ?? []), cells])
  return writes.flatMap((write) => {
    if (write.op === 'delete') return []
    const timestamps = write.layout!.fields.filter(({ fill }) => fill.by === 'commit-timestamp')
    return valuesOf(write).map((values, at): LeaderRow => {
      const position = write.positions![at]!
      const row = { ...values }
      for (const cells of byIndex.get(position) ?? []) fillIn(row, cells)
      const waiting = timestamps.filter(
        ({ physical: [first] }) => write.rows[at]![write.columns.indexOf(first.name)] === COMMIT_TIMESTAMP,
      )
      const waits =
        waiting.length === 0 ? NOTHING : new Set(waiting.map(({ column: { property } }) => property))
      return { position, row, waits }
    })
  })
}

/** Whether the whole key of a row is known. */
function isComplete(layout: TableLayout, row: PlainRow): boolean {
  return keyFields(layout).every(({ column }) => row[column.property] !== undefined)
}

function keyName(key: readonly Wire[]): string {
  return JSON.stringify(key)
}

/** Writes the leader's rows. */
type Lead = () => Promise<readonly MadeCells[]>

/**
 * Writes of one transaction to both tables of a pair. The leader is written by statement; its resulting rows are buffered
 * for the follower, whole rows at a time, so that a row which the follower lacks, or has in an older form, is correct
 * afterwards.
 */
export class DualSession {
  readonly #context: TransactionContext
  readonly #half = new HalfWritten()
  /** Rows of followers that this transaction has written or deleted, which its reads do not see. */
  readonly #written = new Map<string, boolean>()
  /** For each leader. */
  readonly #unread = new Map<string, UnreadColumns>()

  constructor(context: TransactionContext) {
    this.#context = context
  }

  /** Before the commit. @throws {IsothermError} `CANCELLED` if a call has written only a part of its rows. */
  refuseHalfWritten(): void {
    this.#half.refuse()
  }

  /** Writes rows of the leader, and what follows from them. */
  async write(dual: DualTable, writes: readonly RowWrite[]): Promise<readonly MadeCells[]> {
    let isLeaderWritten = false
    const lead = async (): Promise<readonly MadeCells[]> => {
      const made = await this.#context.write(writes)
      isLeaderWritten = true
      return made
    }
    try {
      switch (writes[0]?.op) {
        case 'insert':
          return await this.#insert(dual, writes, lead)
        case 'update':
          return await this.#update(dual, writes, lead)
        case 'upsert':
          return await this.#upsert(dual, writes, lead)
        case 'delete':
          return await this.#delete(dual, writes, lead)
        case undefined:
          return []
      }
    } catch (cause) {
      if (isLeaderWritten) this.#half.note(cause)
      throw cause
    }
  }

  async #insert(dual: DualTable, writes: readonly RowWrite[], lead: Lead): Promise<readonly MadeCells[]> {
    const made = await lead()
    const rows = leaderRows(writes, made)
    this.#unreadOf(dual).wrote(rows)
    await this.#follow(dual, followingOp(dual), followingRows(dual, rows))
    return made
  }

  async #update(dual: DualTable, writes: readonly RowWrite[], lead: Lead): Promise<readonly MadeCells[]> {
    const { leader, mapping } = dual
    const keys = writes.flatMap(valuesOf).map((key) => keyWires(leader.layout, key))
    const before = mapping.keyIsEnough ? undefined : await this.#read(dual, keys)
    const made = await lead()
    this.#unreadOf(dual).changed(writes)
    await this.#mirror(dual, keys, before)
    return made
  }

  async #upsert(dual: DualTable, writes: readonly RowWrite[], lead: Lead): Promise<readonly MadeCells[]> {
    const { leader, mapping } = dual
    const { layout } = leader
    const known = writes
      .flatMap(valuesOf)
      .filter((row) => isComplete(layout, row))
      .map((row) => keyWires(layout, row))
    const before = mapping.keyIsEnough && mapping.keepsApart ? undefined : await this.#read(dual, known)
    const made = await lead()
    const rows = leaderRows(writes, made)
    this.#unreadOf(dual).wrote(rows)
    await this.#mirror(
      dual,
      rows.flatMap(({ row }) => (isComplete(layout, row) ? [keyWires(layout, row)] : [])),
      before,
    )
    // A key that waits for the commit's timestamp finds nothing to be read.
    const waiting = followingRows(
      dual,
      rows.filter(({ row }) => !isComplete(layout, row)),
    )
    for (const { wires } of waiting) refuseMadeByDatabase(leader, wires)
    await this.#follow(dual, followingOp(dual), waiting)
    return made
  }

  async #delete(dual: DualTable, writes: readonly RowWrite[], lead: Lead): Promise<readonly MadeCells[]> {
    const { leader, follower, mapping } = dual
    const { layout } = leader
    const complete = writes.flatMap(valuesOf)
    if (complete.length === 0) return []
    const keys = complete.map((key) => keyWires(layout, key))
    const gone = mapping.keyIsEnough
      ? complete.map((key) => mapping.key(key))
      : [...(await this.#read(dual, keys)).values()].map((row) => mapping.key(row.values))
    const made = await lead()
    this.#unreadOf(dual).deleted(keys)
    if (gone.length > 0) this.#remove(follower, gone)
    return made
  }

  /** Copies the leader's rows with these keys to the follower. @param before the rows before they were written */
  async #mirror(
    dual: DualTable,
    keys: readonly (readonly Wire[])[],
    before: ReadonlyMap<string, StoredRow> | undefined,
  ): Promise<void> {
    const { follower, mapping } = dual
    const rows = { insert: [] as StoredRow[], upsert: [] as StoredRow[], update: [] as StoredRow[] }
    for (const [name, row] of await this.#read(dual, keys)) {
      const key = mapping.key(row.values)
      const old = before?.get(name)
      const oldKey = old && mapping.key(old.values)
      const hasMoved = oldKey !== undefined && keyName(oldKey) !== keyName(key)
      if (hasMoved) this.#remove(follower, [oldKey])
      if (!mapping.isWhole(row)) {
        // If the follower has no such row, the copy has not reached it yet, and brings the whole row later.
        if (hasMoved) throw waitsForCommit(dual.leader)
        if (await this.#exists(follower, key)) rows.update.push(row)
        continue
      }
      const isNew = hasMoved || (before !== undefined && !old)
      rows[isNew && !mapping.keepsApart ? 'insert' : 'upsert'].push(row)
    }
    for (const op of ['insert', 'upsert', 'update'] as const) await this.#follow(dual, op, rows[op])
  }

  async #follow(
    dual: DualTable,
    op: 'insert' | 'upsert' | 'update',
    rows: readonly StoredRow[],
  ): Promise<void> {
    if (rows.length === 0) return
    const { follower, mapping } = dual
    await this.#bringParents(dual, rows)
    this.#context.buffer(mapping.mutations(op, rows))
    for (const { values } of rows) this.#written.set(rowName(follower, mapping.key(values)), true)
  }

  #remove(follower: CompiledTable, keys: readonly (readonly Wire[])[]): void {
    this.#context.buffer([deletedKeys(follower.layout, keys)])
    for (const key of keys) this.#written.set(rowName(follower, key), false)
  }

  /** A child needs its parent's row, which the copying may not have brought yet. */
  async #bringParents({ parent, mapping }: DualTable, rows: readonly StoredRow[]): Promise<void> {
    if (!parent) return
    const { leader, follower } = parent
    const lacking = new Map<string, readonly Wire[]>()
    for (const row of rows) {
      const key = mapping.key(row.values).slice(0, follower.layout.key.length)
      if (await this.#exists(follower, key)) continue
      lacking.set(keyName(key), keyWires(leader.layout, row.values))
    }
    const found = await this.#read(parent, [...lacking.values()])
    await this.#follow(parent, 'upsert', [...found.values()])
  }

  async #exists(table: CompiledTable, key: readonly Wire[]): Promise<boolean> {
    const known = this.#written.get(rowName(table, key))
    if (known !== undefined) return known
    const columns = table.layout.key.map(({ column }) => column)
    const [cells] = await this.#context.read({ layout: table.layout, columns, keys: [key] })
    this.#written.set(rowName(table, key), cells !== undefined)
    return cells !== undefined
  }

  /** Rows of the leader by their keys' names, and locked; what cannot be read is as it was written, or left out. */
  async #read(dual: DualTable, keys: readonly (readonly Wire[])[]): Promise<Map<string, StoredRow>> {
    const rows = new Map<string, StoredRow>()
    if (keys.length === 0) return rows
    const { mapping } = dual
    const { layout } = dual.leader
    const unread = this.#unreadOf(dual)
    refuseWaitingKey(dual.leader, unread.properties)
    const fields = layout.fields.filter(({ column }) => !unread.properties.has(column.property))
    const columns = fields.flatMap(({ physical }) => physical)
    for (const cells of await this.#context.read({ layout, columns, keys })) {
      let next = 0
      const all = layout.fields.flatMap((field) =>
        field.physical.map(() => (fields.includes(field) ? cells[next++] : null)),
      )
      const row = unread.complete(mapping.fromCells(all, unread.properties))
      rows.set(keyName(keyWires(layout, row.values)), row)
    }
    return rows
  }

  #unreadOf({ leader, mapping }: DualTable): UnreadColumns {
    const { name } = leader.layout.table
    const unread = this.#unread.get(name) ?? new UnreadColumns(mapping)
    this.#unread.set(name, unread)
    return unread
  }
}

/** How the follower gets rows that are new to the leader: where two rows could have one key, the second must not take the place of the first. */
function followingOp({ mapping }: DualTable): 'insert' | 'upsert' {
  return mapping.keepsApart ? 'upsert' : 'insert'
}

function followingRows({ mapping }: DualTable, rows: readonly LeaderRow[]): readonly StoredRow[] {
  return rows.map(({ row, waits }) => mapping.fromRow(row, waits))
}

function rowName({ layout }: CompiledTable, key: readonly Wire[]): string {
  return layout.table.name + keyName(key)
}

/** Until the commit, rows whose key contains its timestamp cannot be read, nor any other rows of their table. */
function refuseWaitingKey({ layout }: CompiledTable, waiting: ReadonlySet<string>): void {
  const field = keyFields(layout).find(({ column }) => waiting.has(column.property))
  if (!field) return
  throw unsupported(
    layout.table.name,
    field.column.property,
    'waits for its commit timestamp, so no other row of the table can be written in this transaction.',
    'Write the others first, or in a transaction of their own.',
  )
}

function waitsForCommit({ layout }: CompiledTable): IsothermError {
  const { name } = layout.table
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `A row of ${name} gets another key in the other table, and a column of it cannot be read in this transaction, which has ` +
      'written a commit timestamp there.',
    { fix: 'Change the row first, or in a transaction of its own.', table: name },
  )
}

/** Values that the database makes for such a row cannot be read, and would be made again for the other table. */
function refuseMadeByDatabase({ layout }: CompiledTable, wires: StoredRow['wires']): void {
  const made = layout.fields.find(
    ({ column, physical }) =>
      !wires.has(column.property) && physical.some((each) => each.written && each.made),
  )
  if (!made) return
  throw unsupported(
    layout.table.name,
    made.column.property,
    'is made by the database, for a row whose key waits for its commit timestamp.',
    'Give it a value, or insert the row.',
  )
}

function unsupported(table: string, column: string, what: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED_WRITE', `${table}.${column} ${what}`, { fix, table, column })
}

/** The additional writes beside rows of the leader; undefined if only a transaction can determine them. */
export function writtenBeside(dual: DualTable, writes: readonly RowWrite[]): readonly RowWrite[] | undefined {
  const { follower, mapping, parent } = dual
  const op = writes[0]?.op
  if (op === 'delete') {
    if (!mapping.keyIsEnough) return undefined
    const keys = writes.flatMap(valuesOf).map((key) => mapping.key(key))
    return [deletedKeys(follower.layout, keys)]
  }
  // If the client knows all values, it can make both rows without reading from the database.
  if (op !== 'insert' || parent || writes.some(({ made = [] }) => made.length > 0)) return undefined
  const rows = [...leaderRows(writes, [])].sort((one, other) => one.position - other.position)
  const positions = rows.map(({ position }) => position)
  return mapping.mutations(followingOp(dual), followingRows(dual, rows), positions)
}
