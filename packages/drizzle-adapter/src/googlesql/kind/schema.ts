import { type OptionKinds, checkArgument, checkOptions, oneOf, text } from '@isotherm/core/adapter'
import {
  type ColumnBuilderBase,
  type ColumnsSelection,
  type SQL,
  type SQLWrapper,
  entityKind,
  sql,
} from 'drizzle-orm'
import type { TypedQueryBuilder } from 'drizzle-orm/query-builders/query-builder'
import { condition, query as aQuery } from '../../arguments.js'
import { columnsOf, selectedFieldsOf, selectionOf } from '../../drizzle-internals.js'
import { type AddAliasToSelection, SpannerViewBase, type SpannerViewWithSelection } from '../tables/alias.js'
import { QueryBuilder } from '../select/query-builder.js'
import { type BuildColumns, type SpannerTableFn, spannerTableIn } from '../tables/table.js'
import { SpannerSequence, type SpannerSequenceOptions } from '../tables/sequence.js'

export interface ViewOptions {
  /** Whose rights a query of the view needs: of who asks, or of who made it. Default: `invoker`. */
  readonly security?: 'invoker' | 'definer'
}

const VIEW_OPTIONS: OptionKinds<ViewOptions> = { security: oneOf('invoker', 'definer') }
const VIEW_NAME = text("'Adult'")

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
    checkArgument('spannerView', 'name', VIEW_NAME, name)
    this.name = name
    this.schema = schema
  }

  with(options: ViewOptions): this {
    checkOptions('spannerView.with', VIEW_OPTIONS, options)
    this.options = options
    return this
  }

  protected made(selectedFields: ColumnsSelection, query: SQL | undefined): SpannerView<TName> {
    const { name, schema, options } = this
    return fieldsOfView(new SpannerView({ name, schema, selectedFields, query }, options), name)
  }
}

/** A view that is being declared, with the fields of its query. */
class ViewBuilder<TName extends string = string> extends ViewBuilderBase<TName> {
  static readonly [entityKind]: string = 'SpannerViewBuilder'

  /** @param query a query; or what makes one, of a builder that needs no database */
  as<TSelectedFields extends ColumnsSelection>(
    query: TypedQueryBuilder<TSelectedFields> | ((qb: QueryBuilder) => TypedQueryBuilder<TSelectedFields>),
  ): SpannerViewWithSelection<TName, false, AddAliasToSelection<TSelectedFields, TName>>
  as(
    query: TypedQueryBuilder<ColumnsSelection> | ((qb: QueryBuilder) => TypedQueryBuilder<ColumnsSelection>),
  ): unknown {
    const built = typeof query === 'function' ? query(new QueryBuilder()) : query
    checkArgument(`spannerView('${this.name}')`, 'the query', aQuery, built)
    const fields = fieldsOfView(selectedFieldsOf(built), this.name)
    return this.made(fields, built.getSQL().inlineParams())
  }
}

/** A view that is being declared, with the columns that it says it has. */
class ManualViewBuilder<
  TName extends string = string,
  TColumns extends Record<string, ColumnBuilderBase> = Record<string, ColumnBuilderBase>,
> extends ViewBuilderBase<TName> {
  static readonly [entityKind]: string = 'SpannerManualViewBuilder'
  readonly #columns: ColumnsSelection

  constructor(name: TName, columns: TColumns, schema: string | undefined) {
    super(name, schema)
    this.#columns = columnsOf(spannerTableIn(undefined)(name, columns))
  }

  /** A view that exists already, and that is not created from this declaration. */
  existing(): SpannerViewWithSelection<TName, true, BuildColumns<TName, TColumns>>
  existing(): unknown {
    return this.made(this.#columns, undefined)
  }

  as(query: SQL): SpannerViewWithSelection<TName, false, BuildColumns<TName, TColumns>>
  as(query: SQL): unknown {
    checkArgument(`spannerView('${this.name}')`, 'the query', condition, query)
    return this.made(this.#columns, query.inlineParams())
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
  /** Declares a view by its columns, for a query in SQL, or for an existing view. */
  <TName extends string, TColumns extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: TColumns,
  ): ManualViewBuilder<TName, TColumns>
}

function spannerViewIn(schema: string | undefined): SpannerViewFn {
  function declare<TName extends string>(name: TName): ViewBuilder<TName>
  function declare<TName extends string, TColumns extends Record<string, ColumnBuilderBase>>(
    name: TName,
    columns: TColumns,
  ): ManualViewBuilder<TName, TColumns>
  function declare(name: string, columns?: Record<string, ColumnBuilderBase>) {
    return columns === undefined
      ? new ViewBuilder(name, schema)
      : new ManualViewBuilder(name, columns, schema)
  }
  return declare
}

export const spannerView: SpannerViewFn = spannerViewIn(undefined)

/** A named schema: objects that are declared through it are in it. */
export class SpannerSchema<TName extends string = string> implements SQLWrapper {
  static readonly [entityKind]: string = 'SpannerSchema'
  readonly schemaName: TName
  readonly table: SpannerTableFn<TName>
  readonly view: SpannerViewFn

  constructor(name: TName) {
    this.schemaName = name
    this.table = spannerTableIn(name)
    this.view = spannerViewIn(name)
  }

  sequence(name: string, options: SpannerSequenceOptions = {}): SpannerSequence {
    return new SpannerSequence(name, this.schemaName, options)
  }

  getSQL(): SQL {
    return sql`${sql.identifier(this.schemaName)}`
  }

  shouldOmitSQLParens(): boolean {
    return true
  }
}

const SCHEMA_NAME = text("'finance'")

/**
 * A named schema.
 *
 * @example
 * export const finance = spannerSchema('finance')
 * export const invoices = finance.table('Invoice', { id: uuidV4() })
 */
export function spannerSchema<TName extends string>(name: TName): SpannerSchema<TName> {
  checkArgument('spannerSchema', 'name', SCHEMA_NAME, name)
  return new SpannerSchema(name)
}
