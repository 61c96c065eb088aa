import {
  columnCodec,
  type ColumnCodec,
  type ColumnDeclaration,
  type Wire,
  type WireType,
} from '@isotherm/core/adapter'
import type { ScalarType } from '@isotherm/core'
import {
  asc,
  Column,
  ColumnBuilder,
  desc,
  entityKind,
  getTableName,
  type ColumnBaseConfig,
  type ColumnBuilderBase,
  type ColumnBuilderBaseConfig,
  type ColumnBuilderRuntimeConfig,
  type ColumnDataType,
  type GeneratedColumnConfig,
  type HasGenerated,
  type MakeColumnConfig,
  type SQL,
  type Table,
} from 'drizzle-orm'

/** What a column says of itself that Drizzle has no words for. */
export interface SpannerColumnConfig {
  /** Its type, and how a key's value comes about. */
  readonly declaration: ColumnDeclaration
  /** What `references` was given. */
  readonly references: readonly ColumnReference[]
  /** Absent where users see values as Isotherm has them. */
  readonly form?: ValueForm
  readonly enumValues?: readonly string[]
}

/** How users see the values of a column, where that is not as Isotherm has them: a `mode`, or a type of their own. */
export interface ValueForm {
  encode(value: unknown, codec: ColumnCodec): Wire
  decode(cell: unknown, codec: ColumnCodec): unknown
}

/** A foreign key of one column. */
export interface ColumnReference {
  readonly to: () => Column
  readonly actions: ReferenceActions
}

export interface ReferenceActions {
  /** Default: `no action`. */
  readonly onDelete?: 'cascade' | 'no action'
  /** The constraint's name. Default: made of the table's, the column's and `fk`. */
  readonly name?: string
  /** `false`: the database believes it without a check. Default: true. */
  readonly enforced?: boolean
}

type BuilderConfig = ColumnBuilderBaseConfig<ColumnDataType, string>
type ColumnConfig = ColumnBaseConfig<ColumnDataType, string>

/** The values of the column that a builder makes. */
type DataOf<Builder extends ColumnBuilderBase> = Builder['_'] extends { readonly $type: infer Data }
  ? Data
  : Builder['_']['data']

/** A column of a Spanner table that is being declared. */
export class SpannerColumnBuilder<T extends BuilderConfig = BuilderConfig> extends ColumnBuilder<
  T,
  SpannerColumnConfig,
  { dialect: 'spanner' }
> {
  static override readonly [entityKind]: string = 'SpannerColumnBuilder'

  constructor(
    name: T['name'],
    dataType: T['dataType'],
    columnType: T['columnType'],
    declaration: ColumnDeclaration,
    options: Pick<SpannerColumnConfig, 'form' | 'enumValues'> = {},
  ) {
    super(name, dataType, columnType)
    Object.assign(this.config, { declaration, references: [], ...options } satisfies SpannerColumnConfig)
    // A key of Isotherm's is part of the primary key, and made where an insert leaves it out.
    if (declaration.key) this.primaryKey()
    if (declaration.source) this.config.hasDefault = true
  }

  /** Adds a foreign key to another table's column. */
  references(to: () => Column, actions: ReferenceActions = {}): this {
    return this.configured({ references: [...this.config.references, { to, actions }] })
  }

  /** A unique index over this column alone. */
  unique(name?: string): this {
    this.config.isUnique = true
    this.config.uniqueName = name
    return this
  }

  /** Leaves the column out of the database's own `SELECT *`. Drizzle names its columns, and still reads it. */
  hidden(): this {
    return this.declared({ hidden: true })
  }

  /** Promises that the value is set at the insert and never changed: such a column may feed a shard's hash. */
  immutable(): this {
    return this.declared({ immutable: true })
  }

  /** The database computes the column: kept with the row, unless its mode is `virtual`. */
  override generatedAlwaysAs(
    as: SQL | T['data'] | (() => SQL),
    config?: Partial<GeneratedColumnConfig<unknown>>,
  ): HasGenerated<this, { type: 'always' }> {
    this.config.generated = { as, type: 'always', mode: config?.mode ?? 'stored' }
    return this as never
  }

  /** A column with many of these values, in order. An item may be NULL: say so with `$type` where it is. */
  array(): ArrayBuilder<T, DataOf<this>> {
    const { name, declaration, form, enumValues } = this.config
    return new SpannerColumnBuilder(
      name,
      'array',
      'SpannerArray',
      { type: { kind: 'array', of: declaration.type as ScalarType } },
      { ...(form && { form: itemsIn(form, declaration.type!) }), ...(enumValues && { enumValues }) },
    ) as never
  }

  protected declared(patch: ColumnDeclaration): this {
    return this.configured({ declaration: { ...this.config.declaration, ...patch } })
  }

  private configured(patch: Partial<SpannerColumnConfig>): this {
    Object.assign(this.config, patch)
    return this
  }

  /** Drizzle calls it when it makes the table. */
  build(table: Table): SpannerColumn {
    return new SpannerColumn(table, this.config)
  }
}

type ArrayBuilder<T extends BuilderConfig, Item> = SpannerColumnBuilder<{
  name: T['name']
  dataType: 'array'
  columnType: 'SpannerArray'
  data: Item[]
  driverParam: unknown
  enumValues: T['enumValues']
}>

/** Each item of an array in a form, NULL left as it is. */
function itemsIn(form: ValueForm, type: WireType): ValueForm {
  const item = columnCodec(type, 'googlesql')
  return {
    encode: (value, codec) =>
      Array.isArray(value)
        ? value.map((each) => (each === null ? null : form.encode(each, item)))
        : codec.encode(value),
    decode: (cell) => (cell as unknown[]).map((each) => (each === null ? null : form.decode(each, item))),
  }
}

/** A column of a Spanner table: its values go to the database and come back by the codec of its type. */
export class SpannerColumn<T extends ColumnConfig = ColumnConfig> extends Column<
  T,
  SpannerColumnConfig,
  { dialect: 'spanner' }
> {
  static override readonly [entityKind]: string = 'SpannerColumn'
  readonly declaration: ColumnDeclaration
  readonly references: readonly ColumnReference[]
  readonly codec: ColumnCodec
  readonly form: ValueForm | undefined
  override readonly enumValues: T['enumValues']

  constructor(table: Table, config: ColumnBuilderRuntimeConfig<T['data'], SpannerColumnConfig>) {
    super(table, config)
    const { declaration, references, form, enumValues, name } = config
    this.declaration = declaration
    this.references = references
    this.form = form
    this.enumValues = enumValues as T['enumValues']
    const codec = columnCodec(declaration.type!, 'googlesql', { table: getTableName(table), column: name })
    this.codec = form
      ? {
          ...codec,
          encode: (value) => form.encode(value, codec),
          decode: (cell) => form.decode(cell, codec),
        }
      : codec
  }

  /** The same as `asc(column)`. */
  asc(): SQL {
    return asc(this)
  }

  /** The same as `desc(column)`: `index('by_name').on(t.name.desc())`. */
  desc(): SQL {
    return desc(this)
  }

  override getSQLType(): string {
    return this.codec.sqlType
  }

  override mapToDriverValue(value: unknown): unknown {
    return this.codec.encode(value)
  }

  override mapFromDriverValue(cell: unknown): unknown {
    return this.codec.decode(cell)
  }
}

export type AnySpannerColumn = SpannerColumn

/** The column that a builder makes. */
export type BuildColumn<TTableName extends string, TBuilder extends ColumnBuilderBase> = SpannerColumn<
  MakeColumnConfig<TBuilder['_'], TTableName>
>
