import { entityKind, type ColumnBuilderBase, type ColumnsSelection, type SQL } from 'drizzle-orm'
import type { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { columnsOf, selectedFieldsOf, selectionOf } from '../drizzle-internals.js'
import type { AddAliasToSelection } from './aliased.types.js'
import { QueryBuilder } from './query-builders/query-builder.js'
import { spannerTableIn, type BuildColumns } from './table.js'
import { SpannerViewBase, type SpannerViewWithSelection } from './view-base.js'

export interface ViewOptions {
  /** Whose rights a query of the view needs: of who asks, or of who made it. Default: `invoker`. */
  readonly security?: 'invoker' | 'definer'
}

// Under a symbol: any other name is a field of the view.
const SECURITY = Symbol.for('isotherm:ViewSecurity')

/** A view of a Spanner database. */
export class SpannerView<
  TName extends string = string,
  TExisting extends boolean = boolean,
  TSelectedFields extends ColumnsSelection = ColumnsSelection,
> extends SpannerViewBase<TName, TExisting, TSelectedFields> {
  static override readonly [entityKind]: string = 'SpannerView'
  readonly [SECURITY]: 'invoker' | 'definer'

  constructor(
    config: {
      readonly name: TName
      readonly schema: string | undefined
      readonly selectedFields: ColumnsSelection
      readonly query: SQL | undefined
    },
    { security = 'invoker' }: ViewOptions,
  ) {
    super(config)
    this[SECURITY] = security
  }
}

/** Whose rights a query of the view needs. */
export function securityOf(view: SpannerView): 'invoker' | 'definer' {
  return view[SECURITY]
}

/** Its fields are its columns: named after the view, wherever they come from. */
function fieldsOfView<Fields extends object>(fields: Fields, name: string): Fields {
  return selectionOf(fields, {
    alias: name,
    sqlBehavior: 'error',
    sqlAliasedBehavior: 'alias',
    replaceOriginalName: true,
  })
}

abstract class ViewBuilderBase<TName extends string> {
  protected readonly name: TName
  protected readonly schema: string | undefined
  protected options: ViewOptions = {}

  constructor(name: TName, schema: string | undefined) {
    this.name = name
    this.schema = schema
  }

  with(options: ViewOptions): this {
    this.options = options
    return this
  }

  protected made(selectedFields: ColumnsSelection, query: SQL | undefined): unknown {
    const { name, schema, options } = this
    return fieldsOfView(new SpannerView({ name, schema, selectedFields, query }, options), name)
  }
}

/** A view that is being declared, with the fields of its query. */
export class ViewBuilder<TName extends string = string> extends ViewBuilderBase<TName> {
  static readonly [entityKind]: string = 'SpannerViewBuilder'

  /** @param query a query; or what makes one, of a builder that needs no database */
  as<TSelectedFields extends ColumnsSelection>(
    query: TypedQueryBuilder<TSelectedFields> | ((qb: QueryBuilder) => TypedQueryBuilder<TSelectedFields>),
  ): SpannerViewWithSelection<TName, false, AddAliasToSelection<TSelectedFields, TName>> {
    const built = typeof query === 'function' ? query(new QueryBuilder()) : query
    const fields = fieldsOfView(selectedFieldsOf(built), this.name)
    return this.made(fields, built.getSQL().inlineParams()) as never
  }
}

/** A view that is being declared, with the columns that it says it has. */
export class ManualViewBuilder<
  TName extends string = string,
  TColumns extends Record<string, ColumnBuilderBase> = Record<string, ColumnBuilderBase>,
> extends ViewBuilderBase<TName> {
  static readonly [entityKind]: string = 'SpannerManualViewBuilder'
  readonly #columns: ColumnsSelection

  constructor(name: TName, columns: TColumns, schema: string | undefined) {
    super(name, schema)
    this.#columns = columnsOf(spannerTableIn(undefined)(name, columns))
  }

  /** A view that is there already, and that nobody makes from this declaration. */
  existing(): SpannerViewWithSelection<TName, true, BuildColumns<TName, TColumns>> {
    return this.made(this.#columns, undefined) as never
  }

  as(query: SQL): SpannerViewWithSelection<TName, false, BuildColumns<TName, TColumns>> {
    return this.made(this.#columns, query.inlineParams()) as never
  }
}

/** Declares views, those of one named schema or those of none. */
export interface SpannerViewFn {
  /**
   * Declares a view.
   *
   * @example
   * export const adults = spannerView('Adult').as((qb) => qb.select().from(users).where(gte(users.age, 18n)))
   */
  <TName extends string>(name: TName): ViewBuilder<TName>
  /** Declares a view by its columns, for a query in SQL, or for a view that is there already. */
  <TName extends string, TColumns extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: TColumns,
  ): ManualViewBuilder<TName, TColumns>
}

export function spannerViewIn(schema: string | undefined): SpannerViewFn {
  const declare = (name: string, columns?: Record<string, ColumnBuilderBase>): unknown =>
    columns ? new ManualViewBuilder(name, columns, schema) : new ViewBuilder(name, schema)
  return declare as never
}

export const spannerView: SpannerViewFn = spannerViewIn(undefined)
