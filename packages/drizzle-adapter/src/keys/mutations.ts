import { IsothermError } from '@isotherm/core'
import {
  COMMIT_TIMESTAMP,
  type Mutation,
  type Wire,
  checkArgument,
  known,
  present,
} from '@isotherm/core/adapter'
import { type Casing, type Column, type InferInsertModel, SQL, type Table, is } from 'drizzle-orm'
import type { CasingCache } from 'drizzle-orm/casing'
import { table as tableKind } from '../arguments.js'
import { columnsOf, isInsertable } from '../drizzle-internals.js'
import { isWithoutIsotherm } from '../postgresql/columns/without-isotherm.js'
import { nameInCache } from '../session/rows.js'
import { needsDatabase, refusedText } from './column-values.js'
import { isCommitTimestamp, keysOf } from './table-keys.js'
import { kindOf } from '../schema/kinds.js'
import { checkedRows } from '../sql/checked-rows.js'
import type { Session } from '../session/session.js'

/** A row as a mutation has it: values, and no expressions. */
export type MutationRow<T extends Table> = InferInsertModel<T>

/** The names of columns in the database, which depend on the dialect. */
interface Naming {
  readonly casing: CasingCache
  /** The value of `casing`. */
  readonly namedBy: Casing | undefined
}

/** A value as it is sent; SQL where a type of the user's own makes some of it. */
type Encode = (column: Column, value: unknown) => unknown

const mapToDriverValue: Encode = (column, value) => column.mapToDriverValue(value)

type Fields = Readonly<Record<string, unknown>>

/**
 * Writes of one table that go with the commit: they cost no round trip of their own and read no rows. The transaction
 * itself does not see them. `tx.mutate(table)` makes it.
 *
 * Source: https://cloud.google.com/spanner/docs/modify-mutation-api
 */
export class TableMutations<T extends Table> {
  readonly #session: Session
  readonly #table: T
  readonly #name: string
  readonly #naming: Naming
  readonly #encode: Encode

  constructor(session: Session, table: T, naming: Naming, encode: Encode = mapToDriverValue) {
    checkArgument('tx.mutate', 'table', tableKind, table)
    this.#session = session
    this.#table = table
    this.#encode = encode
    // The cache uses the name in the database.
    this.#name = nameInCache(table)
    this.#naming = naming
  }

  /** Fails at the commit where there is a row with the same key. */
  insert(rows: MutationRow<T> | readonly MutationRow<T>[]): void {
    this.#write('insert', this.#filled(rows), insertDefault)
  }

  /** Rows with their keys, and the columns to change. Fails at the commit if there is no such row. */
  update(rows: Partial<MutationRow<T>> | readonly Partial<MutationRow<T>>[]): void {
    this.#write('update', checkedRows(this.#table, rows), updateDefault)
  }

  /** Inserts rows, or changes existing ones; columns that a row leaves out keep their values. */
  upsert(rows: MutationRow<T> | readonly MutationRow<T>[]): void {
    keysOf(this.#table, this.#naming.namedBy)?.refuseUpsert()
    this.#write('upsert', this.#filled(rows, true), insertDefault)
  }

  /** Deletes rows by the values of their keys. A row that does not exist is not an error. */
  delete(keys: Partial<MutationRow<T>> | readonly Partial<MutationRow<T>>[]): void {
    const parts = primaryKeyOf(this.#table)
    const deleted = checkedRows(this.#table, keys, 'key').map((key) =>
      parts.map((part) => this.#keyPart(key, part)),
    )
    this.#buffer(deleted.length > 0 ? [{ op: 'delete', table: this.#name, keys: deleted }] : [])
  }

  /** @param partial columns that a row leaves out, except its key, keep their values */
  #filled(rows: unknown, partial = false): readonly Fields[] {
    const checked = checkedRows(this.#table, rows)
    const keys = keysOf(this.#table, this.#naming.namedBy)
    if (!keys) return checked
    // What hashes a column with a default of its own hashes that.
    return keys.fill(
      checked.map((row) => withDefaults(row, this.#table)),
      { partial },
    )
  }

  #write(op: 'insert' | 'update' | 'upsert', rows: readonly Fields[], makeDefault: MakeDefault): void {
    const key = op === 'update' ? primaryKeyOf(this.#table).map(([property]) => property) : []
    const all = Object.entries(columnsOf(this.#table)).map(
      ([property, column]) => [property, column, this.#naming.casing.getColumnCasing(column)] as const,
    )
    // A mutation has one list of columns. Only neighbours share one: of two rows with one key, the last has to win.
    const mutations: { op: typeof op; table: string; columns: string[]; rows: Wire[][] }[] = []
    for (const row of rows) {
      const columns: string[] = []
      const values: Wire[] = []
      let changes = 0
      for (const [property, column, name] of all) {
        const value = row[property] === undefined ? makeDefault(column) : row[property]
        if (value === undefined) continue
        refuseComputed(column)
        columns.push(name)
        values.push(this.#wire(column, value))
        if (!key.includes(property)) changes++
      }
      if (changes === 0 && op === 'update') throw this.#changesNothing()
      const last = mutations.at(-1)
      if (last && haveSameItems(last.columns, columns)) last.rows.push(values)
      else mutations.push({ op, table: this.#name, columns, rows: [values] })
    }
    this.#buffer(mutations)
  }

  #keyPart(key: Fields, [property, column]: readonly [string, Column]): Wire {
    const value = key[property]
    if (value !== undefined) return this.#wire(column, value)
    throw new IsothermError('KEY_INCOMPLETE', `A key of ${this.#name} has no ${property}.`, {
      fix: 'Give all parts of the primary key.',
      table: this.#name,
      column: column.name,
    })
  }

  #wire(column: Column, value: unknown): Wire {
    if (isCommitTimestamp(value)) return COMMIT_TIMESTAMP
    const wire = value === null || is(value, SQL) ? value : this.#encode(column, value)
    if (!is(wire, SQL)) return wire as Wire
    if (needsDatabase(column, value))
      throw refusedText(column, value, 'a mutation sends the timestamp itself')
    throw new IsothermError('UNSUPPORTED_WRITE', `${this.#name}.${column.name} would be an expression.`, {
      fix: 'A mutation takes values only: use tx.insert or tx.update.',
      table: this.#name,
      column: column.name,
    })
  }

  #changesNothing(): IsothermError {
    return new IsothermError('INVALID_VALUE', `An update of ${this.#name} changes nothing but the key.`, {
      fix: 'Give the columns to change; a key cannot be changed, only deleted and inserted again.',
      table: this.#name,
    })
  }

  #buffer(mutations: readonly Mutation[]): void {
    if (mutations.length > 0) this.#session.buffer(mutations, [this.#name])
  }
}

/** The default of a column that a row leaves out; undefined: the database decides. */
type MakeDefault = (column: Column) => unknown

const insertDefault: MakeDefault = ({ defaultFn, default: constant, onUpdateFn }) =>
  defaultFn && !isWithoutIsotherm(defaultFn)
    ? defaultFn()
    : constant === undefined
      ? onUpdateFn?.()
      : undefined

function withDefaults(row: Fields, table: Table): Fields {
  const complete: Record<string, unknown> = { ...row }
  for (const [property, column] of Object.entries(columnsOf(table))) {
    if (complete[property] === undefined) complete[property] = insertDefault(column)
  }
  return complete
}

const updateDefault: MakeDefault = ({ onUpdateFn }) => onUpdateFn?.()

function haveSameItems(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at])
}

function refuseComputed(column: Column): void {
  if (isInsertable(column)) return
  throw new IsothermError('INVALID_VALUE', `The database computes ${column.name}.`, {
    fix: 'Leave it out.',
    column: column.name,
  })
}

/** The columns of a table's primary key, in its order. */
function primaryKeyOf(table: Table): readonly (readonly [string, Column])[] {
  const entries = Object.entries(columnsOf(table))
  const { columns, primaryKeys } = present(kindOf(table), 'kind of table').keyOf(table)
  const declared = primaryKeys.at(-1)?.parts.map(({ column }) => column)
  const key = declared ?? columns.filter(({ primary }) => primary)
  const byName = new Map(entries.map((entry) => [entry[1].name, entry]))
  return key.map(({ name }) => known(byName, name))
}
