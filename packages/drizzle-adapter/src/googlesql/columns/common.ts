import { googlesqlRuntime } from '@isotherm/spanner'
import {
  anything,
  checkArgument,
  checkOptions,
  columnCodec,
  flag,
  kind,
  oneOf,
  text,
  type OptionKinds,
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
  is,
  Param,
  type ColumnBaseConfig,
  type ColumnBuilderBase,
  type ColumnBuilderBaseConfig,
  type ColumnBuilderRuntimeConfig,
  type ColumnDataType,
  type GeneratedColumnConfig,
  type HasGenerated,
  type MakeColumnConfig,
  type Placeholder,
  SQL,
  sql,
  type SQLChunk,
  type Table,
} from 'drizzle-orm'
import { onDelete } from '../../arguments.js'
import { refuseMistakes, typeOf } from '../../columns/declared-column.js'

/** Properties of a column that Drizzle does not have. */
interface SpannerColumnConfig {
  /** Its type, and how a key's value comes about. */
  readonly declaration: ColumnDeclaration
  /** The argument of `references`. */
  readonly references: readonly ColumnReference[]
  /** Absent where users see values as Isotherm has them. */
  readonly form?: ValueForm
  readonly enumValues?: readonly string[]
}

/** The form in which a value is sent: an expression, for the value or for an item, is written into the statement. */
export type Encoded = Wire | SQL | readonly Encoded[]

/** How users see the values of a column, where that is not as Isotherm has them: a `mode`, or a type of their own. */
export interface ValueForm {
  encode(value: unknown, codec: ColumnCodec): Encoded
  decode(cell: unknown, codec: ColumnCodec): unknown
  /** Of values that the database may have to read itself, by which `encode` may make an expression. */
  readonly castForm?: CastForm
}

/** Values in a form that the database reads. */
export interface CastForm {
  readonly type: WireType
  accept(value: unknown, codec: ColumnCodec): Encoded
  /** The expression of a parameter of that type. */
  cast(parameter: SQLChunk): SQL
}

/** A foreign key of one column. */
interface ColumnReference {
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

const REFERENCED = kind(
  'a function that returns a column: () => users.id',
  (value) => typeof value === 'function',
)
const REFERENCE_ACTIONS: OptionKinds<ReferenceActions> = {
  onDelete,
  name: text("'OrderCustomer'"),
  enforced: flag,
}
const GENERATED_CONFIG: OptionKinds<Partial<GeneratedColumnConfig<unknown>>> = {
  mode: oneOf('stored', 'virtual'),
  // Drizzle's own types also have these properties.
  type: anything,
  as: anything,
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
    refuseMistakes(columnType, name, declaration)
    Object.assign(this.config, { declaration, references: [], ...options } satisfies SpannerColumnConfig)
    // A key of Isotherm's is part of the primary key, and made where an insert leaves it out.
    if (declaration.key) this.primaryKey()
    // A value that is made for a column outside the key is never NULL either.
    if (declaration.key === false) this.notNull()
    if (declaration.source) this.config.hasDefault = true
  }

  /** Adds a foreign key to another table's column. */
  references(to: () => Column, actions: ReferenceActions = {}): this {
    checkArgument('references', 'to', REFERENCED, to)
    checkOptions('references', REFERENCE_ACTIONS, actions)
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
  ): HasGenerated<this, { type: 'always' }>
  override generatedAlwaysAs(
    as: SQL | T['data'] | (() => SQL),
    config?: Partial<GeneratedColumnConfig<unknown>>,
  ): this {
    checkOptions('generatedAlwaysAs', GENERATED_CONFIG, config)
    this.config.generated = { as, type: 'always', mode: config?.mode ?? 'stored' }
    return this
  }

  /** A column with many of these values, in order. An item may be NULL: declare that with `$type`. */
  array(): ArrayBuilder<T, DataOf<this>>
  array(): unknown {
    const { name, declaration, form, enumValues } = this.config
    const type = typeOf(declaration, name)
    return new SpannerColumnBuilder(
      name,
      'array',
      'SpannerArray',
      { type: { kind: 'array', of: type as ScalarType } },
      { ...(form && { form: itemsIn(form, type) }), ...(enumValues && { enumValues }) },
    )
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
  const item = columnCodec(type, googlesqlRuntime)
  const castForm = form.castForm && castItems(form.castForm, item)
  return {
    ...(castForm && { castForm }),
    encode(value, codec) {
      if (!Array.isArray(value)) return codec.encode(value)
      const items = value.map((each) => (each === null ? null : form.encode(each, item)))
      return castForm && items.some((each) => is(each, SQL)) ? castValue(castForm, value, codec) : items
    },
    decode: (cell) => (cell as unknown[]).map((each) => (each === null ? null : form.decode(each, item))),
  }
}

function castItems(form: CastForm, item: ColumnCodec): CastForm {
  return {
    type: arrayOf(form.type),
    accept: (value, codec) =>
      Array.isArray(value)
        ? value.map((each) => (each === null ? null : form.accept(each, item)))
        : codec.encode(value),
    cast(parameter) {
      const each = form.cast(sql.raw('`item`'))
      const all = sql`array(select ${each} from unnest(${parameter}) as \`item\` with offset as \`at\` order by \`at\`)`
      return sql`if(${parameter} is null, null, ${all})`
    },
  }
}

function arrayOf(of: WireType): WireType {
  return { kind: 'array', of } as WireType
}

/** A value as the expression that the database makes the column's value of. */
export function castValue(form: CastForm, value: unknown, codec: ColumnCodec): SQL {
  const encoder = { codec: { type: form.type }, mapToDriverValue: (wire: unknown) => wire }
  return form.cast(new Param(form.accept(value, codec), encoder))
}

/** A placeholder for such a value. */
export function castPlaceholder(form: CastForm, placeholder: Placeholder, codec: ColumnCodec): SQL {
  const encoder = {
    codec: { type: form.type },
    mapToDriverValue: (value: unknown) => form.accept(value, codec),
  }
  return form.cast(new Param(placeholder, encoder))
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
    const codec = columnCodec(typeOf(declaration, name), googlesqlRuntime, {
      table: getTableName(table),
      column: name,
    })
    this.codec = form ? { ...codec, decode: (cell) => form.decode(cell, codec) } : codec
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
    return this.form ? this.form.encode(value, this.codec) : this.codec.encode(value)
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
