import { IsothermError } from '../errors.js'
import type { Model } from '../model/model.js'
import type { Change, Insert, KeyOf, Row } from '../model/row.js'
import { keyWires, type PlainRow } from './codec.js'
import type { CompiledTable } from './compiled-table.js'
import type { TransactionContext } from './driver.js'
import { SCOPE, type Scoped, type TransactionScope } from './transaction-scope.js'
import type { DualTable, TableView } from './dual-writes.js'
import { DualSession } from './dual-writes-session.js'
import { completeKey } from './fill.js'
import type { PreparedInsert } from './insert-plan.js'
import {
  completed,
  deleteMutation,
  insertMutations,
  many,
  prepareChange,
  refuseUnstableUpsert,
  updateMutation,
  type OneOrMany,
} from './writes.js'
import { insertReturning } from './insert-statements.js'
import { updateByStatement } from './update-statements.js'
import { upsertByStatement } from './upsert-statements.js'
import { sqlOf } from '../dialects/dialect.js'

export interface WriteOptions {
  /**
   * Keep the write as a mutation until the commit: cheaper, but the transaction's own reads do not see it, so reading the
   * table afterwards is an error. Default: false, the write is a statement and later reads see it.
   */
  readonly buffered?: boolean
  /**
   * Of an insert: whether values that the database makes come back. `false` lets rows be buffered whose values it makes:
   * those fields are `undefined` then. Default: true.
   */
  readonly returning?: boolean
}

type Given = Readonly<Record<string, unknown>>

/** One read-write transaction: what `db.transaction` hands to its work. */
export class Transaction implements Scoped {
  /** @internal */
  readonly [SCOPE]: TransactionScope
  readonly #context: TransactionContext
  readonly #tables: TableView
  readonly #both: DualSession
  readonly #buffered = new Set<string>()
  readonly #awaitCommit: PreparedInsert[] = []

  constructor(scope: TransactionScope, tables: TableView) {
    this[SCOPE] = scope
    this.#context = scope.context
    this.#tables = tables
    this.#both = new DualSession(scope.context)
  }

  /**
   * Inserts rows. A commit timestamp that the database sets is `undefined` in the returned rows until the transaction is
   * committed, and there afterwards.
   */
  async insert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: WriteOptions,
  ): Promise<Row<Fields>[]>
  async insert(table: string, rows: readonly Given[], options?: WriteOptions): Promise<PlainRow[]>
  async insert(model: object | string, rows: readonly Given[], options: WriteOptions = {}): Promise<unknown> {
    const { table, dual, given } = this.#target(model, rows, options)
    const supplies = await table.insertPlan.supply(given, { transaction: this })
    const prepared = table.insertPlan.prepare(given, false, supplies)
    table.skew?.keys('writes', prepared.rows)
    if (dual) await this.#both.insert(dual, prepared)
    else if (options.buffered) {
      if (prepared.needsReturning && options.returning !== false) throw cannotBuffer(table, prepared)
      this.#buffer(table)
      this.#context.buffer(insertMutations(table, prepared, 'insert'))
    } else {
      this.#refuseBuffered(table)
      await insertReturning(this.#context, table, prepared, prepared.groups)
    }
    this.#awaitCommit.push(prepared)
    return prepared.rows
  }

  /** The row with this key as this transaction sees it, or undefined; the row is locked until the commit. */
  async get<Fields extends object>(model: Model<Fields>, key: KeyOf<Fields>): Promise<Row<Fields> | undefined>
  async get(table: string, key: Given): Promise<PlainRow | undefined>
  async get(model: object | string, key: Given): Promise<unknown> {
    const table = this.#tables.of(model)
    this.#refuseBuffered(table)
    const { layout, codec } = table
    const complete = completeKey(layout, this.#tables.plain?.(table, key) ?? key)
    const keys = [keyWires(layout, complete)]
    table.skew?.keys('reads', [complete])
    const [cells] = await this.#context.read({ layout, columns: codec.columns, keys })
    return cells && codec.decode(cells)
  }

  /** Changes fields of rows that exist. @throws {IsothermError} `NOT_FOUND` where one does not. */
  async update<Fields extends object>(
    model: Model<Fields>,
    changes: OneOrMany<Change<Fields>>,
    options?: WriteOptions,
  ): Promise<void>
  async update(table: string, changes: OneOrMany<Given>, options?: WriteOptions): Promise<void>
  async update(model: object | string, changes: OneOrMany<Given>, options: WriteOptions = {}): Promise<void> {
    const { table, dual, given } = this.#target(model, many(changes), options)
    if (dual) {
      table.skew?.keys('writes', await this.#both.update(dual, given))
      return
    }
    const prepared = given.map((change) => prepareChange(table, change))
    table.skew?.keys(
      'writes',
      prepared.map(({ key }) => key),
    )
    if (options.buffered) {
      this.#buffer(table)
      this.#context.buffer(prepared.map((change) => updateMutation(table, change)))
      return
    }
    this.#refuseBuffered(table)
    await updateByStatement(this.#context, table, prepared)
  }

  /** Inserts rows, or changes those that exist; gives back what was written. */
  async upsert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: WriteOptions,
  ): Promise<Partial<Row<Fields>>[]>
  async upsert(table: string, rows: readonly Given[], options?: WriteOptions): Promise<PlainRow[]>
  async upsert(model: object | string, rows: readonly Given[], options: WriteOptions = {}): Promise<unknown> {
    const { table, dual, given } = this.#target(model, rows, options)
    refuseUnstableUpsert(table)
    const supplies = await table.insertPlan.supply(given, { transaction: this, partial: true })
    const prepared = table.insertPlan.prepare(given, true, supplies)
    table.skew?.keys('writes', prepared.rows)
    if (dual) await this.#both.upsert(dual, prepared)
    else if (options.buffered) {
      if (prepared.needsReturning && options.returning !== false) throw cannotBuffer(table, prepared)
      this.#buffer(table)
      this.#context.buffer(insertMutations(table, prepared, 'upsert'))
    } else {
      this.#refuseBuffered(table)
      await upsertByStatement(this.#context, table, prepared)
    }
    this.#awaitCommit.push(prepared)
    return prepared.rows
  }

  /** Deletes the rows with these keys; a row that does not exist is none to delete. */
  async delete<Fields extends object>(
    model: Model<Fields>,
    keys: OneOrMany<KeyOf<Fields>>,
    options?: WriteOptions,
  ): Promise<void>
  async delete(table: string, keys: OneOrMany<Given>, options?: WriteOptions): Promise<void>
  async delete(model: object | string, keys: OneOrMany<Given>, options: WriteOptions = {}): Promise<void> {
    const { table, dual, given } = this.#target(model, many(keys), options)
    if (dual) {
      table.skew?.keys('writes', await this.#both.delete(dual, given))
      return
    }
    const complete = given.map((key) => completeKey(table.layout, key))
    table.skew?.keys('writes', complete)
    if (options.buffered) {
      this.#buffer(table)
      this.#context.buffer([deleteMutation(table, complete)])
      return
    }
    this.#refuseBuffered(table)
    const { layout, dialect } = table
    const { statements } = sqlOf(dialect, 'A delete by statement')
    await this.#execute(complete.map((key) => statements.delete(layout, keyWires(layout, key))))
  }

  /** Called when the work is done. @throws {IsothermError} `CANCELLED` where it may not be committed. */
  beforeCommit(): void {
    this.#both.refuseHalfMade()
  }

  /** Called once the transaction is committed: completes the rows that were waiting for its timestamp. */
  committed(commitTimestamp: Date): void {
    for (const prepared of this.#awaitCommit) completed(prepared, commitTimestamp)
  }

  /** What a write is to: one table, or two. */
  #target(
    model: object | string,
    rows: readonly Given[],
    { buffered }: WriteOptions,
  ): {
    readonly table: CompiledTable
    readonly dual: DualTable | undefined
    readonly given: readonly Given[]
  } {
    const { plain } = this.#tables
    const table = this.#tables.of(model)
    const dual = this.#tables.dual?.(table)
    if (dual && buffered) throw cannotBufferBoth(dual)
    return { table, dual, given: plain && Array.isArray(rows) ? rows.map((row) => plain(table, row)) : rows }
  }

  async #execute(statements: Parameters<TransactionContext['execute']>[0]): Promise<number[]> {
    return statements.length === 0 ? [] : this.#context.execute(statements)
  }

  #buffer({ layout }: CompiledTable): void {
    this.#buffered.add(layout.table.name)
  }

  /** Neither reads nor statements see what is buffered: a deleted row would come back with the commit. */
  #refuseBuffered({ layout }: CompiledTable): void {
    const table = layout.table.name
    if (!this.#buffered.has(table)) return
    throw new IsothermError(
      'READ_OF_BUFFERED_TABLE',
      `${table} has buffered writes in this transaction, which reads and statements do not see.`,
      { fix: 'Read and change it before you buffer writes, or write without buffered: true.', table },
    )
  }
}

function cannotBuffer({ layout }: CompiledTable, { groups }: PreparedInsert): IsothermError {
  const [made] = groups.flatMap((group) => group.made)
  const { property } = made!.column
  return new IsothermError(
    'UNSUPPORTED',
    `Rows of ${layout.table.name} cannot be buffered: the database makes their ${property}, and a mutation gives nothing back.`,
    {
      fix: 'Leave buffered out, or do without what the database makes: returning: false.',
      table: layout.table.name,
      column: property,
    },
  )
}

function cannotBufferBoth({ leader, follower }: DualTable): IsothermError {
  const { name } = leader.layout.table
  return new IsothermError(
    'UNSUPPORTED',
    `Rows of ${name} cannot be buffered while they are written to ${follower.layout.table.name} as well.`,
    {
      fix: 'Leave buffered out: what the second table gets is told from what the first one holds.',
      table: name,
    },
  )
}
