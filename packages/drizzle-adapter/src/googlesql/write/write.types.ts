import type {
  Column,
  GetColumnData,
  InferInsertModel,
  Placeholder,
  Query,
  QueryPromise,
  SQL,
  SQLWrapper,
  Table,
} from 'drizzle-orm'
import type { SelectedFieldsFlat } from 'drizzle-orm/operations'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import type { PreparedQuery, WriteResult } from '../../session/prepared.js'
import type { StatementHints } from '../sql/hints.js'
import type { AnySelect, SelectFn } from '../select/select.types.js'

/** The argument of `returning`. */
export type ReturnedFields = SelectedFieldsFlat<Column>

/** A row to insert. Values may be SQL, or placeholders of a prepared statement. */
export type InsertValue<T extends Table> = {
  [Key in keyof InferInsertModel<T>]: InferInsertModel<T>[Key] | SQL | AnySelect | Placeholder
} & {}

/** The values of an update; an `undefined` column does not change. */
export type UpdateValues<T extends Table> = {
  [Key in keyof InferInsertModel<T>]?:
    | (Key extends keyof T['_']['columns'] ? GetColumnData<T['_']['columns'][Key]> : never)
    | SQL
    | Column
    | AnySelect
    | Placeholder
    | undefined
} & {}

/** All that the compiler knows of a write. */
export interface WriteState {
  readonly table: Table
  /** The returned fields of each row; undefined if only the number of rows is returned. */
  readonly row: unknown
  readonly dynamic: boolean
  readonly excluded: string
}

type WriteResultOf<S extends WriteState> = undefined extends S['row'] ? WriteResult : S['row'][]

/** A write of a table. */
export interface StartedWrite<T extends Table> {
  readonly table: T
  readonly row: undefined
  readonly dynamic: false
  readonly excluded: never
}

/** A write whose methods were used, some of them. */
export interface NarrowedWrite<S extends WriteState, Methods extends string> {
  readonly table: S['table']
  readonly row: S['row']
  readonly dynamic: S['dynamic']
  readonly excluded: Methods
}

/** A write that gives rows back. */
export interface ReturningWrite<S extends WriteState, Row> {
  readonly table: S['table']
  readonly row: Row
  readonly dynamic: S['dynamic']
  readonly excluded: S['excluded'] | 'returning'
}

/** A write that keeps all of its methods. */
export interface DynamicWrite<S extends WriteState> {
  readonly table: S['table']
  readonly row: S['row']
  readonly dynamic: true
  readonly excluded: never
}

interface WriteMethods<S extends WriteState> extends SQLWrapper, QueryPromise<WriteResultOf<S>> {
  readonly _: { readonly brand: 'write'; readonly state: S; readonly result: WriteResultOf<S> }
  /** How the statement runs. */
  statementHint(hints: StatementHints): this
  toSQL(): Query
  execute(values?: Record<string, unknown>): Promise<WriteResultOf<S>>
  /** @param name for other databases; Spanner keeps a statement by its text */
  prepare(name?: string): PreparedQuery<WriteResultOf<S>>
  /** For `batch`. */
  _prepare(): PreparedQuery<WriteResultOf<S>>
}

// Each kind of write has its own methods, and they lead to that kind.

export type InsertOf<S extends WriteState> = S['dynamic'] extends true
  ? InsertMethods<S>
  : Omit<InsertMethods<S>, S['excluded']>

/** After a method that is used once. */
type NextInsert<Self, S extends WriteState, Used extends string> = S['dynamic'] extends true
  ? Self
  : InsertOf<NarrowedWrite<S, S['excluded'] | Used>>

type ConflictMethod = 'orUpdate' | 'orIgnore' | 'onConflictDoNothing' | 'onConflictDoUpdate'

export interface InsertMethods<S extends WriteState> extends WriteMethods<S> {
  /** Changes the rows whose keys are there already: INSERT OR UPDATE. Columns that the rows leave out stay as they are. */
  orUpdate(): NextInsert<this, S, ConflictMethod>
  /** Leaves the rows whose keys are there already as they are: INSERT OR IGNORE. They are not returned. */
  orIgnore(): NextInsert<this, S, ConflictMethod>
  /**
   * Leaves rows as they are that conflict with the new ones. For the primary key it is INSERT OR IGNORE, else ON CONFLICT DO
   * NOTHING, which the emulator does not know.
   *
   * @param config `target`: the columns of the primary key, or of a unique index. Default: any of them.
   */
  onConflictDoNothing(config?: {
    readonly target?: Column | readonly Column[]
  }): NextInsert<this, S, ConflictMethod>
  /**
   * Changes the rows that conflict with the new ones: ON CONFLICT DO UPDATE, which the emulator does not know. A new row's
   * value is `` sql`excluded.name` ``.
   */
  onConflictDoUpdate(config: ConflictUpdate<S['table']>): NextInsert<this, S, ConflictMethod>
  /** The rows as they are now, with all that the database has filled in: THEN RETURN. */
  returning(): InsertOf<ReturningWrite<S, S['table']['$inferSelect']>>
  returning<Fields extends ReturnedFields>(
    fields: Fields,
  ): InsertOf<ReturningWrite<S, SelectResultFields<Fields>>>
  $dynamic(): InsertOf<DynamicWrite<S>>
}

interface ConflictUpdate<T extends Table> {
  /** The columns of the primary key, or of a unique index. */
  readonly target: Column | readonly Column[]
  readonly set: UpdateValues<T>
  /** Which of the existing rows are changed. Default: all. */
  readonly setWhere?: SQL
}

/** An insert that does not know its rows yet. */
export interface SpannerInsertBuilder<T extends Table> {
  values(row: InsertValue<T>): InsertOf<StartedWrite<T>>
  values(rows: readonly InsertValue<T>[]): InsertOf<StartedWrite<T>>
  /**
   * Inserts what a query gives. Its fields are called like the table's columns; SQL has a value for each column, in order.
   *
   * @example
   * db.insert(archive).select(db.select({ id: users.id, name: users.name }).from(users))
   */
  select(query: InsertSource<T> | SQL): InsertOf<StartedWrite<T>>
  select(
    query: (qb: {
      readonly select: SelectFn<false>
      readonly selectDistinct: SelectFn<false>
    }) => InsertSource<T> | SQL,
  ): InsertOf<StartedWrite<T>>
}

/** A query that selects a table's columns, under their names. */
type InsertSource<T extends Table> = AnySelect<
  { readonly [Key in keyof InferInsertModel<T>]: unknown },
  { readonly [Key in keyof InferInsertModel<T>]: InferInsertModel<T>[Key] }
>

export type UpdateOf<S extends WriteState> = S['dynamic'] extends true
  ? UpdateMethods<S>
  : Omit<UpdateMethods<S>, S['excluded']>

export interface UpdateMethods<S extends WriteState> extends WriteMethods<S> {
  /** Which rows. Without it, all of them. */
  where(
    where: SQL | undefined,
  ): S['dynamic'] extends true ? this : UpdateOf<NarrowedWrite<S, S['excluded'] | 'where'>>
  /** The rows as they are now: THEN RETURN. */
  returning(): UpdateOf<ReturningWrite<S, S['table']['$inferSelect']>>
  returning<Fields extends ReturnedFields>(
    fields: Fields,
  ): UpdateOf<ReturningWrite<S, SelectResultFields<Fields>>>
  $dynamic(): UpdateOf<DynamicWrite<S>>
}

/** An update that does not know its values yet. */
export interface SpannerUpdateBuilder<T extends Table> {
  set(values: UpdateValues<T>): UpdateOf<StartedWrite<T>>
}

/** A delete, which has the methods of an update. */
export type DeleteFrom<T extends Table> = UpdateOf<StartedWrite<T>>

/** The result of a dynamic write, which depends on the actual write. */
type AnyWrite = SQLWrapper &
  QueryPromise<unknown> & {
    readonly _: { readonly brand: 'write'; readonly result: unknown }
    toSQL(): Query
    execute(values?: Record<string, unknown>): Promise<unknown>
    prepare(name?: string): PreparedQuery<unknown>
  }

/** Any insert, after `$dynamic()`: `<T extends SpannerInsert>(insert: T) => insert.orIgnore()`. */
export interface SpannerInsert extends AnyWrite {
  statementHint(hints: StatementHints): this
  orUpdate(): this
  orIgnore(): this
  onConflictDoNothing(config?: { readonly target?: Column | readonly Column[] }): this
}

/** Any update, after `$dynamic()`. */
export interface SpannerUpdate extends AnyWrite {
  statementHint(hints: StatementHints): this
  where(where: SQL | undefined): this
}

/** Any delete, after `$dynamic()`. */
export type SpannerDelete = SpannerUpdate
