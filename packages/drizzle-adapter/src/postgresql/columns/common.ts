import { spannerPostgresqlRuntime } from '@isotherm/spanner'
import { columnCodec, type ColumnCodec, type ColumnDeclaration } from '@isotherm/core/adapter'
import {
  entityKind,
  getTableName,
  type ColumnBaseConfig,
  type ColumnBuilderBaseConfig,
  type ColumnBuilderRuntimeConfig,
  type ColumnDataType,
} from 'drizzle-orm'
import { PgColumn, PgColumnBuilder, type PgTable } from 'drizzle-orm/pg-core'
import { refuseMistakes, typeOf } from '../../columns/declared-column.js'
import { bigintOf, fromDriver, refuseNanoseconds } from './driver-values.js'
import { withoutIsotherm } from './without-isotherm.js'

/** Properties of a column that Drizzle does not have. */
interface SpannerPgColumnConfig {
  /** Its type, and how a key's value comes about. */
  readonly declaration: ColumnDeclaration
}

type BuilderConfig = ColumnBuilderBaseConfig<ColumnDataType, string>
type ColumnConfig = ColumnBaseConfig<ColumnDataType, string>

/** A column of a `pgTable` that is Isotherm's own: a key part, or bytes. */
export class SpannerPgColumnBuilder<T extends BuilderConfig = BuilderConfig> extends PgColumnBuilder<
  T,
  SpannerPgColumnConfig
> {
  static override readonly [entityKind]: string = 'SpannerPgColumnBuilder'

  constructor(
    name: T['name'],
    dataType: T['dataType'],
    columnType: T['columnType'],
    declaration: ColumnDeclaration,
  ) {
    super(name, dataType, columnType)
    refuseMistakes(columnType, name, declaration)
    Object.assign(this.config, { declaration } satisfies SpannerPgColumnConfig)
    // A key of Isotherm's is part of the primary key, and made where an insert leaves it out.
    if (declaration.key) this.primaryKey()
    // A value that is made for a column outside the key is never NULL either.
    if (declaration.key === false) this.notNull()
    if (declaration.source) this.config.hasDefault = true
    const makeValue = withoutIsotherm(declaration, () => this.config.name)
    if (makeValue) this.config.defaultFn = makeValue
  }

  /** Drizzle calls it when it makes the table. */
  build(table: PgTable): SpannerPgColumn {
    return new SpannerPgColumn(table, this.config)
  }
}

/** Its values go to the database and come back by the codec of its type. */
export class SpannerPgColumn<T extends ColumnConfig = ColumnConfig> extends PgColumn<
  T,
  SpannerPgColumnConfig
> {
  static override readonly [entityKind]: string = 'SpannerPgColumn'
  readonly declaration: ColumnDeclaration
  readonly codec: ColumnCodec

  constructor(table: PgTable, config: ColumnBuilderRuntimeConfig<T['data'], SpannerPgColumnConfig>) {
    super(table, config)
    this.declaration = config.declaration
    this.codec = columnCodec(typeOf(config.declaration, config.name), spannerPostgresqlRuntime, {
      table: getTableName(table),
      column: config.name,
    })
  }

  override getSQLType(): string {
    return this.codec.sqlType
  }

  /** For a client of PostgreSQL, which takes bytes as they are. */
  override mapToDriverValue(value: unknown): unknown {
    const { type } = this.codec
    const wire = this.codec.encode(value)
    if (type.kind === 'timestamp') refuseNanoseconds(String(wire), this)
    return type.kind === 'bytes' ? Buffer.from(String(wire), 'base64') : wire
  }

  /** Of such a client, or of Spanner's. */
  override mapFromDriverValue(cell: unknown): unknown {
    const { type } = this.codec
    if (type.kind === 'int64' && typeof cell === 'number') return bigintOf(cell, this)
    return this.codec.decode(fromDriver(cell, type, this))
  }
}
