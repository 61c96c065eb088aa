import { IsothermError } from '../errors.js'
import { type Model, modelName } from '../model/model.js'
import type { Change, Insert, KeyOf, Row } from '../model/row.js'
import type { Table } from '../model/table.js'
import { generatedOutsideKey } from '../layout/layout.js'
import { type PlainRow, keyWires } from '../engine/codec.js'
import type { CompiledTable, TableView } from '../rows/compiled-table.js'
import type { TransactionContext } from '../engine/driver.js'
import { type MethodArguments, refuseExtraArguments } from '../extra-arguments.js'
import { type OptionKinds, checkOptions, flag } from '../options.js'
import { SCOPE, type Scoped, type TransactionScope } from './scope.js'
import { INPUT_NAMES, checkInput, checkInputs, completeKey } from '../rows/fill.js'
import {
  type OneOrMany,
  type PreparedRows,
  type RowOperation,
  completeRows,
  many,
  prepareRows,
} from '../write/write.js'

export interface WriteOptions {
  /**
   * Keep the write as a mutation until the commit: cheaper, but the transaction's own reads do not see it, so reading the
   * table afterwards is an error. Default: false, the write is a statement and later reads see it.
   */
  readonly buffered?: boolean
  /**
   * For an insert: whether values that the database makes are returned. `false` allows buffering rows whose values the
   * database makes: those fields are then `undefined`. Default: true.
   */
  readonly returning?: boolean
}

/** Of an update and a delete. */
export type ChangeOptions = Pick<WriteOptions, 'buffered'>

const CHANGE_OPTIONS: OptionKinds<ChangeOptions> = { buffered: flag }
const INSERT_OPTIONS: OptionKinds<WriteOptions> = { ...CHANGE_OPTIONS, returning: flag }
const OPTIONS: Readonly<Record<RowOperation, OptionKinds<WriteOptions>>> = {
  insert: INSERT_OPTIONS,
  update: CHANGE_OPTIONS,
  upsert: INSERT_OPTIONS,
  delete: CHANGE_OPTIONS,
}

type PlainInput = Readonly<Record<string, unknown>>

/** One read-write transaction: what `db.transaction` hands to its work. */
export class Transaction implements Scoped {
  /** @internal */
  readonly [SCOPE]: TransactionScope
  readonly #context: TransactionContext
  readonly #tables: TableView
  readonly #written: PreparedRows[]
  #hasBuffered = false
  /** Tables whose rows are deleted with the commit, and the tables whose rows are deleted with them. */
  readonly #bufferedDeletes = new Set<string>()

  /** @param written takes up what calls have written, which may wait for the timestamp of the commit */
  constructor(scope: TransactionScope, tables: TableView, written: PreparedRows[]) {
    refuseExtraArguments(Transaction, 'tx', ARGUMENTS)
    const { context, beforeCommit } = tables.transaction(scope.context)
    scope.beforeCommit(beforeCommit)
    this[SCOPE] = scope
    this.#context = context
    this.#tables = tables
    this.#written = written
  }

  /**
   * Inserts rows. A commit timestamp that the database sets is `undefined` in the returned rows until the transaction is
   * committed, and there afterwards.
   */
  insert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: WriteOptions,
  ): Promise<Row<Fields>[]>
  insert(table: string, rows: readonly PlainInput[], options?: WriteOptions): Promise<PlainRow[]>
  insert(model: object | string, rows: readonly PlainInput[], options?: WriteOptions): Promise<unknown> {
    return this.#write('insert', model, rows, options)
  }

  /** The row with this key as this transaction sees it, or undefined; the row is locked until the commit. */
  get<Fields extends object>(model: Model<Fields>, key: KeyOf<Fields>): Promise<Row<Fields> | undefined>
  get(table: string, key: PlainInput): Promise<PlainRow | undefined>
  get(model: object | string, key: PlainInput): Promise<unknown> {
    return this.#call('get', model, async () => {
      const table = this.#tables.of(model)
      this.#refuseBuffered(table)
      const { layout, codec } = table
      checkInput(layout, 'key', key)
      const complete = completeKey(layout, this.#tables.plain(table, [key])[0]!)
      const keys = [keyWires(layout, complete)]
      table.skew?.keys('reads', [complete])
      const [cells] = await this.#context.read({ layout, columns: codec.columns, keys })
      return cells && codec.decode(cells)
    })
  }

  /** Changes fields of rows that exist. @throws {IsothermError} `NOT_FOUND` where one does not. */
  update<Fields extends object>(
    model: Model<Fields>,
    changes: OneOrMany<Change<Fields>>,
    options?: ChangeOptions,
  ): Promise<void>
  update(table: string, changes: OneOrMany<PlainInput>, options?: ChangeOptions): Promise<void>
  update(model: object | string, changes: OneOrMany<PlainInput>, options?: ChangeOptions): Promise<unknown> {
    return this.#write('update', model, many(changes), options)
  }

  /** Inserts rows, or changes those that exist; returns what was written. */
  upsert<Fields extends object>(
    model: Model<Fields>,
    rows: readonly Insert<Fields>[],
    options?: WriteOptions,
  ): Promise<Partial<Row<Fields>>[]>
  upsert(table: string, rows: readonly PlainInput[], options?: WriteOptions): Promise<PlainRow[]>
  upsert(model: object | string, rows: readonly PlainInput[], options?: WriteOptions): Promise<unknown> {
    return this.#write('upsert', model, rows, options)
  }

  /** Deletes the rows with these keys; a row that does not exist is ignored. */
  delete<Fields extends object>(
    model: Model<Fields>,
    keys: OneOrMany<KeyOf<Fields>>,
    options?: ChangeOptions,
  ): Promise<void>
  delete(table: string, keys: OneOrMany<PlainInput>, options?: ChangeOptions): Promise<void>
  delete(model: object | string, keys: OneOrMany<PlainInput>, options?: ChangeOptions): Promise<unknown> {
    return this.#write('delete', model, many(keys), options)
  }

  #write(
    op: RowOperation,
    model: object | string,
    inputs: readonly PlainInput[],
    options: WriteOptions = {},
  ): Promise<unknown> {
    const isNew = op === 'insert' || op === 'upsert'
    return this.#call(op, model, async () => {
      checkOptions(`tx.${op}`, OPTIONS[op], options)
      const tables = this.#tables
      const table = tables.of(model)
      checkInputs(table.layout, INPUT_NAMES[op], inputs)
      const prepared = await prepareRows(op, table, tables.plain(table, inputs), { transaction: this })
      const { rows, writes, made } = prepared
      table.skew?.keys('writes', rows)
      if (options.buffered) {
        if (made !== undefined && options.returning !== false) throw cannotBuffer(table, made)
        const [generated] = generatedOutsideKey(table.layout)
        if (op === 'update' && generated !== undefined && writes.length > 0)
          throw cannotFind(table, generated)
        this.#buffer(table, op)
      } else this.#refuseBuffered(table, isNew)
      completeRows(prepared, { made: await this.#context.write(writes, options) })
      this.#written.push(prepared)
      return isNew ? rows : undefined
    })
  }

  #call<T>(method: string, model: object | string, work: () => Promise<T>): Promise<T> {
    return this[SCOPE].call(() => `tx.${method}(${modelName(model)})`, work)
  }

  #buffer({ layout: { table } }: CompiledTable, op: RowOperation): void {
    this[SCOPE].noteBuffered(table.name)
    this.#hasBuffered = true
    if (op === 'delete') this.#bufferedDeletes.add(table.name)
  }

  /**
   * Refuses reads and statements of a table whose rows the commit changes: buffered rows, and rows whose parents are
   * deleted.
   *
   * @param adds whether rows are added, whose parents have to exist already
   */
  #refuseBuffered({ layout: { table } }: CompiledTable, adds = false): void {
    this[SCOPE].refuseBuffered(table.name)
    if (!this.#hasBuffered) return
    const parents = [...ancestors(table, this.#tables), ...table.foreignKeys.map((key) => key.table)]
    for (const parent of parents)
      if (adds || this.#bufferedDeletes.has(parent)) this[SCOPE].refuseBuffered(parent)
  }
}

/** The tables in whose rows those of a table lie, the nearest first. */
function ancestors({ parent }: Table, tables: TableView): readonly string[] {
  return parent ? [parent.table, ...ancestors(tables.of(parent.table).layout.table, tables)] : []
}

/** @param outside what the database computes the key from */
function cannotFind({ layout }: CompiledTable, outside: string): IsothermError {
  const { name } = layout.table
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `Updates of ${name} cannot be buffered: the database computes its key from ${outside}, which a mutation would write instead of comparing it.`,
    { fix: 'Leave buffered out.', table: name, column: outside },
  )
}

/** @param property whose values the database makes */
function cannotBuffer({ layout }: CompiledTable, property: string): IsothermError {
  return new IsothermError(
    'UNSUPPORTED_WRITE',
    `Rows of ${layout.table.name} cannot be buffered: the database makes their ${property}, which a mutation does not return.`,
    {
      fix: 'Leave buffered out, or add returning: false.',
      table: layout.table.name,
      column: property,
    },
  )
}

const ARGUMENTS: MethodArguments<Transaction> = {
  sync: {},
  async: {
    insert: ['model', 'rows', 'options'],
    get: ['model', 'key'],
    update: ['model', 'changes', 'options'],
    upsert: ['model', 'rows', 'options'],
    delete: ['model', 'keys', 'options'],
  },
  fix: 'Leave it out. Several rows are one list, and the time limit of all calls is an option of db.transaction.',
}
