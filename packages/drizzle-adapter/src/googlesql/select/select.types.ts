import type {
  Column,
  ColumnsSelection,
  DrizzleTypeError,
  Placeholder,
  Query,
  QueryPromise,
  SQL,
  SQLWrapper,
  Subquery,
  Table,
  ValidateShape,
  ValueOrArray,
  WithSubquery,
} from 'drizzle-orm'
import type { CacheConfig } from 'drizzle-orm/cache/core/types'
import type { SelectedFields as SelectedFieldsOf } from 'drizzle-orm/operations'
import type {
  AppendToNullabilityMap,
  AppendToResult,
  ApplyNullabilityToColumn,
  GetSelectTableName,
  GetSelectTableSelection,
  JoinNullability,
  JoinType,
  SelectMode,
  SelectResult,
  SelectResultFields,
} from 'drizzle-orm/query-builders/select.types'
import type { PreparedQuery } from '../../session/prepared.js'
import type { AddAliasToSelection } from '../tables/alias.js'
import type { GroupHints, JoinHints, StatementHints, TableHints } from '../sql/hints.js'
import type { Expression } from '../sql/select-sql.js'
import type { Source } from '../../sql/sources.js'

/** The fields that a select accepts: columns, expressions, subqueries of one column, tables, and objects of these. */
export type SelectedFields = SelectedFieldsOf<Column, Table>

/** All that the compiler knows of a select. */
export interface SelectState {
  /** The source of the select; undefined for plain SQL. */
  readonly table: string | undefined
  readonly selection: ColumnsSelection
  readonly mode: SelectMode
  /** By table: whether a row of it may be missing. */
  readonly nullability: Record<string, JoinNullability>
  /** Whether methods stay after they were used. */
  readonly dynamic: boolean
  /** Methods that were used. */
  readonly excluded: string
  /** Whether it belongs to a database, which can run it. */
  readonly runs: boolean
}

export type RowOf<S extends SelectState> = SelectResult<S['selection'], S['mode'], S['nullability']>

type FieldsOf<S extends SelectState> = SubqueryFields<S['selection'], S['nullability']>

/** A select, as it is to be used next: without the methods that were used, unless it is dynamic. */
export type SelectInState<S extends SelectState> = S['dynamic'] extends true
  ? Whole<S>
  : Omit<Whole<S>, S['excluded']>

type Whole<S extends SelectState> = S['runs'] extends true ? RunningSelectMethods<S> : SelectMethods<S>

/** After a method that is used once. */
type NextSelect<Self, S extends SelectState, Used extends string> = S['dynamic'] extends true
  ? Self
  : SelectInState<NarrowedSelect<S, S['excluded'] | Used>>

/** A select whose methods were used, some of them. */
export interface NarrowedSelect<S extends SelectState, Methods extends string> {
  readonly table: S['table']
  readonly selection: S['selection']
  readonly mode: S['mode']
  readonly nullability: S['nullability']
  readonly dynamic: S['dynamic']
  readonly excluded: Methods
  readonly runs: S['runs']
}

/** A select that keeps all of its methods. */
export interface DynamicSelect<S extends SelectState> {
  readonly table: S['table']
  readonly selection: S['selection']
  readonly mode: S['mode']
  readonly nullability: S['nullability']
  readonly dynamic: true
  readonly excluded: never
  readonly runs: S['runs']
}

type JoinedMode<Mode extends SelectMode> = Mode extends 'partial' ? Mode : 'multiple'

/** A select with one more source. */
export interface JoinedSelect<S extends SelectState, T extends Source, Type extends JoinType> {
  readonly table: S['table']
  readonly selection: AppendToResult<
    S['table'],
    S['selection'],
    GetSelectTableName<T>,
    GetSelectTableSelection<T> extends infer Selected extends SelectedFields ? Selected : never,
    S['mode']
  >
  readonly mode: JoinedMode<S['mode']>
  readonly nullability: AppendToNullabilityMap<S['nullability'], GetSelectTableName<T>, Type>
  readonly dynamic: S['dynamic']
  readonly excluded: S['excluded']
  readonly runs: S['runs']
}

/** After a set operation the rows are fixed: they can only be ordered, limited and combined again. */
export type SetOperationExcluded =
  | JoinMethod
  | 'where'
  | 'having'
  | 'groupBy'
  | 'for'
  | 'hint'
  | 'joinHint'
  | 'groupHint'

type JoinMethod =
  | 'leftJoin'
  | 'rightJoin'
  | 'innerJoin'
  | 'fullJoin'
  | 'crossJoin'
  | 'leftJoinLateral'
  | 'innerJoinLateral'
  | 'crossJoinLateral'

/** The fields of a select for a query around it. */
type SubqueryFields<Selection, Nullability extends Record<string, JoinNullability>> = {
  [Key in keyof Selection]: Selection[Key] extends SQL
    ? DrizzleTypeError<'You cannot reference this field without assigning it an alias first - use `.as(<alias>)`'>
    : Selection[Key] extends SQL.Aliased
      ? Selection[Key]
      : Selection[Key] extends Table
        ? SubqueryFields<Selection[Key]['_']['columns'], Nullability>
        : Selection[Key] extends Column
          ? ApplyNullabilityToColumn<Selection[Key], Nullability[Selection[Key]['_']['tableName']]>
          : Selection[Key] extends Subquery
            ? SQL.Aliased<ValueOf<Selection[Key]['_']['selectedFields']>>
            : Selection[Key] extends ColumnsSelection
              ? SubqueryFields<Selection[Key], Nullability>
              : never
} & {}

/** The value of a subquery with one field. */
type ValueOf<Fields> = SelectResultFields<Fields> extends infer Row ? Row[keyof Row] : never

/** A subquery, with its fields as properties. */
export type SubqueryWithSelection<Selection extends ColumnsSelection, Alias extends string> = Subquery<
  Alias,
  AddAliasToSelection<Selection, Alias>
> &
  AddAliasToSelection<Selection, Alias>

export type WithSubqueryWithSelection<
  Selection extends ColumnsSelection,
  Alias extends string,
> = WithSubquery<Alias, AddAliasToSelection<Selection, Alias>> & AddAliasToSelection<Selection, Alias>

/** The properties of a select that an outer query uses. */
export interface AnySelect<Fields = unknown, Row = unknown> extends SQLWrapper {
  readonly _: { readonly brand: 'select'; readonly selectedFields: Fields; readonly result: Row[] }
}

/** A select whose rows have the shape of another's, which a set operation asks for. */
type SameShape<Right extends AnySelect, Row> =
  Right extends AnySelect<unknown, infer Other> ? ValidateShape<Other, Row, Right> : Right

type SameShapes<Rights extends readonly AnySelect[], Row> = {
  [At in keyof Rights]: Rights[At] extends AnySelect<unknown, infer Other>
    ? ValidateShape<Other, Row, Rights[At]>
    : Rights[At]
}

type Condition<S extends SelectState> = ((fields: S['selection']) => SQL | undefined) | SQL | undefined

/** A source that cannot be what only some statements give. */
type LateralSource = Subquery

/** The methods of a select. */
export interface SelectMethods<S extends SelectState> extends SQLWrapper {
  readonly _: {
    readonly brand: 'select'
    readonly state: S
    readonly selectedFields: FieldsOf<S>
    readonly result: RowOf<S>[]
  }

  /** Every row so far, and the rows of the table that match it; `null` without a match. */
  leftJoin<T extends Source>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'left'>>,
  ): SelectInState<JoinedSelect<S, T, 'left'>>
  /** Every row of the table, and the rows so far that match it; `null` without a match. */
  rightJoin<T extends Source>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'right'>>,
  ): SelectInState<JoinedSelect<S, T, 'right'>>
  /** The rows that match each other. */
  innerJoin<T extends Source>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'inner'>>,
  ): SelectInState<JoinedSelect<S, T, 'inner'>>
  /** Every row of both sides; `null` without a match on the other side. */
  fullJoin<T extends Source>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'full'>>,
  ): SelectInState<JoinedSelect<S, T, 'full'>>
  /** Every row with every row. */
  crossJoin<T extends Source>(table: T): SelectInState<JoinedSelect<S, T, 'cross'>>
  /** A left join of a subquery that may refer to the tables before it; it is written in an UNNEST. */
  leftJoinLateral<T extends LateralSource>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'left'>>,
  ): SelectInState<JoinedSelect<S, T, 'left'>>
  /** An inner join of a subquery that may refer to the tables before it; it is written in an UNNEST. */
  innerJoinLateral<T extends LateralSource>(
    table: T,
    on: Condition<JoinedSelect<S, T, 'inner'>>,
  ): SelectInState<JoinedSelect<S, T, 'inner'>>
  /** A subquery that may refer to the tables before it, for every row; it is written in an UNNEST. */
  crossJoinLateral<T extends LateralSource>(table: T): SelectInState<JoinedSelect<S, T, 'cross'>>

  /**
   * How the table that was named last is read.
   *
   * @example
   * db.select().from(users).hint({ forceIndex: 'UsersByEmail' })
   */
  hint(hints: TableHints): this
  /** How the last join is done: `.innerJoin(pets, …).joinHint({ joinMethod: 'HASH_JOIN' })`. */
  joinHint(hints: JoinHints): this
  /** How groups are made. */
  groupHint(hints: GroupHints): this
  /** How the whole statement runs. */
  statementHint(hints: StatementHints): this

  where(where: Condition<S>): NextSelect<this, S, 'where'>
  having(having: Condition<S>): NextSelect<this, S, 'having'>
  groupBy(builder: (fields: S['selection']) => ValueOrArray<Expression>): NextSelect<this, S, 'groupBy'>
  groupBy(...columns: Expression[]): NextSelect<this, S, 'groupBy'>
  orderBy(builder: (fields: S['selection']) => ValueOrArray<Expression>): NextSelect<this, S, 'orderBy'>
  orderBy(...columns: Expression[]): NextSelect<this, S, 'orderBy'>
  limit(limit: number | bigint | Placeholder): NextSelect<this, S, 'limit'>
  offset(offset: number | bigint | Placeholder): NextSelect<this, S, 'offset'>
  /**
   * Locks the rows that it reads for the transaction, as a write would. Spanner has no other lock, and no `skip locked`.
   */
  for(strength: 'update'): NextSelect<this, S, 'for'>

  /** The rows of either query, each once. */
  union<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>
  /** The rows of both queries. */
  unionAll<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>
  /** The rows that are in both queries, each once. */
  intersect<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>
  /** The rows that are in both queries, as often as they are in both. */
  intersectAll<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>
  /** The rows that are not in the other query, each once. */
  except<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>
  /** The rows that are more frequent here than in the other query, as often as the difference. */
  exceptAll<Right extends AnySelect>(right: SetOperand<S, Right>): SetOperated<this, S>

  getSelectedFields(): FieldsOf<S>
  toSQL(): Query
  /** A subquery, for a query around it. */
  as<Alias extends string>(alias: Alias): SubqueryWithSelection<FieldsOf<S>, Alias>
  /** Keeps every method, for functions that add to a query. */
  $dynamic(): SelectInState<DynamicSelect<S>>
  /** Whether, and how, results come from the cache. */
  $withCache(config?: { config?: CacheConfig; tag?: string; autoInvalidate?: boolean } | false): this
}

/** The operand of a set operation. */
type SetOperand<S extends SelectState, Right extends AnySelect> =
  | ((operators: SetOperators) => SameShape<Right, RowOf<S>>)
  | SameShape<Right, RowOf<S>>

/** After a set operation. */
type SetOperated<Self, S extends SelectState> = S['dynamic'] extends true
  ? Self
  : SelectInState<NarrowedSelect<S, SetOperationExcluded>>

/** A select that runs when it is awaited. */
export interface RunningSelectMethods<S extends SelectState>
  extends SelectMethods<S>, QueryPromise<RowOf<S>[]> {
  execute(values?: Record<string, unknown>): Promise<RowOf<S>[]>
  /** @param name for other databases; Spanner keeps a statement by its text */
  prepare(name?: string): PreparedQuery<RowOf<S>[]>
  /** For `batch`. */
  _prepare(): PreparedQuery<RowOf<S>[]>
}

/** A dynamic select, joined. It is asked of the select at hand, which may be of any state. */
export type JoinedTo<Select, T extends Source, Type extends JoinType> = Select extends {
  readonly _: { readonly state: infer S extends SelectState }
}
  ? SelectInState<JoinedSelect<S, T, Type>>
  : never

/** Any select, after `$dynamic()`. */
export interface SpannerSelectQueryBuilder extends SQLWrapper {
  readonly _: { readonly brand: 'select'; readonly selectedFields: unknown; readonly result: unknown[] }
  leftJoin<T extends Source>(table: T, on: SQL | undefined): JoinedTo<this, T, 'left'>
  rightJoin<T extends Source>(table: T, on: SQL | undefined): JoinedTo<this, T, 'right'>
  innerJoin<T extends Source>(table: T, on: SQL | undefined): JoinedTo<this, T, 'inner'>
  fullJoin<T extends Source>(table: T, on: SQL | undefined): JoinedTo<this, T, 'full'>
  crossJoin<T extends Source>(table: T): JoinedTo<this, T, 'cross'>
  hint(hints: TableHints): this
  joinHint(hints: JoinHints): this
  groupHint(hints: GroupHints): this
  statementHint(hints: StatementHints): this
  where(where: SQL | undefined): this
  having(having: SQL | undefined): this
  groupBy(...columns: Expression[]): this
  orderBy(...columns: Expression[]): this
  limit(limit: number | bigint | Placeholder): this
  offset(offset: number | bigint | Placeholder): this
  for(strength: 'update'): this
  toSQL(): Query
  $withCache(config?: { config?: CacheConfig; tag?: string; autoInvalidate?: boolean } | false): this
}

/** Any select of a database, after `$dynamic()`: `<T extends SpannerSelect>(query: T) => query.limit(10)`. */
export interface SpannerSelect extends SpannerSelectQueryBuilder, QueryPromise<unknown[]> {
  execute(values?: Record<string, unknown>): Promise<unknown[]>
  prepare(name?: string): PreparedQuery<unknown[]>
}

/** `union(left, right, …)` and its like. */
export type SetOperatorFn = <
  Left extends AnySelect<unknown, Row> & { readonly _: { readonly state: SelectState } },
  Right extends AnySelect,
  Rest extends AnySelect[],
  Row = Left['_']['result'][number],
>(
  left: Left,
  right: SameShape<Right, Row>,
  ...rest: SameShapes<Rest, Row>
) => SelectInState<NarrowedSelect<Left['_']['state'], SetOperationExcluded>>

/** The operators for a set operation's callback. */
export interface SetOperators {
  readonly union: SetOperatorFn
  readonly unionAll: SetOperatorFn
  readonly intersect: SetOperatorFn
  readonly intersectAll: SetOperatorFn
  readonly except: SetOperatorFn
  readonly exceptAll: SetOperatorFn
}

/** A select without `from`. */
export interface SpannerSelectBuilder<Selection extends SelectedFields | undefined, Runs extends boolean> {
  from<T extends Source>(source: T): SelectInState<StartedSelect<T, Selection, Runs>>
}

/** A select that reads from its first source. */
export interface StartedSelect<
  T extends Source,
  Selection extends SelectedFields | undefined,
  Runs extends boolean,
> {
  readonly table: GetSelectTableName<T>
  readonly selection: Selection extends undefined ? GetSelectTableSelection<T> : NonNullable<Selection>
  readonly mode: Selection extends undefined ? 'single' : 'partial'
  readonly nullability: GetSelectTableName<T> extends infer Name extends string
    ? Record<Name, 'not-null'>
    : {}
  readonly dynamic: false
  readonly excluded: never
  readonly runs: Runs
}

/** `select()`, `select({ … })`. */
export interface SelectFn<Runs extends boolean = true> {
  (): SpannerSelectBuilder<undefined, Runs>
  <Selection extends SelectedFields>(fields: Selection): SpannerSelectBuilder<Selection, Runs>
}
