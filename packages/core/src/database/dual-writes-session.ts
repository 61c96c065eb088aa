import { IsothermError } from '../errors.js'
import { keyFields } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import { keyWires, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import type { DualTable } from './dual-writes.js'
import { WholeWrites } from './dual-writes-guard.js'
import type { StoredRow } from './dual-writes-mapping.js'
import { isComplete, keyName, NOTHING, UnreadColumns, waitingIn } from './dual-writes-unread.js'
import { completeKey } from './fill.js'
import type { PreparedInsert } from './insert-plan.js'
import { insertReturning } from './insert-statements.js'
import { updateByStatement } from './update-statements.js'
import { upsertByStatement } from './upsert-statements.js'
import { deletedKeys, prepareChange } from './writes.js'
import { sqlOf } from '../dialects/dialect.js'

type Given = Readonly<Record<string, unknown>>

/**
 * Writes of one transaction to both tables of a pair. The leader is written by statement; what it then holds is buffered for
 * the follower, whole rows at a time, so that a row which the follower lacks, or has in an older form, is right afterwards.
 */
export class DualSession {
  readonly #context: TransactionContext
  readonly #writes: WholeWrites
  /** Rows of followers that this transaction has written or deleted, which its reads do not see. */
  readonly #written = new Map<string, boolean>()
  /** Of each leader. */
  readonly #unread = new Map<string, UnreadColumns>()

  constructor(context: TransactionContext) {
    this.#writes = new WholeWrites(context)
    this.#context = this.#writes.context
  }

  insert(dual: DualTable, prepared: PreparedInsert): Promise<void> {
    return this.#writes.whole(() => this.#insert(dual, prepared))
  }

  update(dual: DualTable, given: readonly Given[]): Promise<readonly PlainRow[]> {
    return this.#writes.whole(() => this.#update(dual, given))
  }

  upsert(dual: DualTable, prepared: PreparedInsert): Promise<void> {
    return this.#writes.whole(() => this.#upsert(dual, prepared))
  }

  delete(dual: DualTable, given: readonly Given[]): Promise<readonly PlainRow[]> {
    return this.#writes.whole(() => this.#delete(dual, given))
  }

  /** Before the commit. @throws {IsothermError} `CANCELLED` where a write was left half made. */
  refuseHalfMade(): void {
    this.#writes.refuseHalfMade()
  }

  async #insert(dual: DualTable, prepared: PreparedInsert): Promise<void> {
    const { leader } = dual
    await insertReturning(this.#context, leader, prepared, prepared.groups)
    this.#unreadOf(dual).wrote(prepared)
    const { op, rows } = followingRows(dual, prepared)
    await this.#follow(dual, op, rows)
  }

  async #update(dual: DualTable, given: readonly Given[]): Promise<readonly PlainRow[]> {
    const { leader, mapping } = dual
    const prepared = given.map((change) => prepareChange(leader, change))
    const keys = prepared.map(({ key }) => keyWires(leader.layout, key))
    const before = mapping.keyIsEnough ? undefined : await this.#read(dual, keys)
    await updateByStatement(this.#context, leader, prepared)
    this.#unreadOf(dual).changed(prepared)
    await this.#mirror(dual, keys, before)
    return prepared.map(({ key }) => key)
  }

  async #upsert(dual: DualTable, prepared: PreparedInsert): Promise<void> {
    const { leader, mapping } = dual
    const { layout } = leader
    const known = prepared.rows.filter((row) => isComplete(layout, row)).map((row) => keyWires(layout, row))
    const before = mapping.keyIsEnough && mapping.keepsApart ? undefined : await this.#read(dual, known)
    await upsertByStatement(this.#context, leader, prepared)
    this.#unreadOf(dual).wrote(prepared)
    const complete = prepared.rows.filter((row) => isComplete(layout, row))
    await this.#mirror(
      dual,
      complete.map((row) => keyWires(layout, row)),
      before,
    )
    // A key that waits for the commit's timestamp finds nothing to be read.
    const pending = waitingIn(prepared)
    const waiting = prepared.rows.flatMap((row, place) =>
      isComplete(layout, row) ? [] : [mapping.fromRow(row, pending.get(place) ?? NOTHING)],
    )
    for (const { wires } of waiting) refuseMadeHere(leader, wires)
    await this.#follow(dual, mapping.keepsApart ? 'upsert' : 'insert', waiting)
  }

  async #delete(dual: DualTable, given: readonly Given[]): Promise<readonly PlainRow[]> {
    const { leader, follower, mapping } = dual
    const { layout, dialect } = leader
    const complete = given.map((key) => completeKey(layout, key))
    if (complete.length === 0) return complete
    const keys = complete.map((key) => keyWires(layout, key))
    const gone = mapping.keyIsEnough
      ? complete.map((key) => mapping.key(key))
      : [...(await this.#read(dual, keys)).values()].map((row) => mapping.key(row.values))
    const { statements } = sqlOf(dialect, 'A delete by statement')
    await this.#context.execute(keys.map((key) => statements.delete(layout, key)))
    this.#unreadOf(dual).deleted(keys)
    if (gone.length > 0) this.#remove(follower, gone)
    return complete
  }

  /** What the leader holds under these keys goes to the follower. @param before the rows before they were written */
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
        // Where the follower has no such row, the copying has not come there yet, and brings the whole of it later.
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

/** What the follower gets of rows that are new to the leader. */
export function followingRows(
  { mapping }: DualTable,
  prepared: PreparedInsert,
): { readonly op: 'insert' | 'upsert'; readonly rows: readonly StoredRow[] } {
  const pending = waitingIn(prepared)
  return {
    // Where two rows could have one key, the second must not take the place of the first.
    op: mapping.keepsApart ? 'upsert' : 'insert',
    rows: prepared.rows.map((row, place) => mapping.fromRow(row, pending.get(place) ?? NOTHING)),
  }
}

function rowName({ layout }: CompiledTable, key: readonly Wire[]): string {
  return layout.table.name + keyName(key)
}

/** Until the commit nobody can read rows whose key waits for its timestamp, nor any others of their table. */
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
    'UNSUPPORTED',
    `A row of ${name} gets another key in the other table, and a column of it cannot be read in this transaction, which has ` +
      'written a commit timestamp there.',
    { fix: 'Change the row first, or in a transaction of its own.', table: name },
  )
}

/** What the database makes of such a row cannot be read, and would be made anew for the other table. */
function refuseMadeHere({ layout }: CompiledTable, wires: StoredRow['wires']): void {
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
  return new IsothermError('UNSUPPORTED', `${table}.${column} ${what}`, { fix, table, column })
}
