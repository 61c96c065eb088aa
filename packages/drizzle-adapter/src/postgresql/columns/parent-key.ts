import type { DeclaredAs } from '../../columns/declared-column.js'
import type { ColumnDeclaration } from '@isotherm/core/adapter'
import { is, type HasDefault, type IsPrimaryKey, type NotNull } from 'drizzle-orm'
import { PgColumnBuilder, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import { columnConfigOf } from '../../drizzle-internals.js'
import { SpannerPgColumn } from './common.js'

/**
 * A key part of the parent's, in a table that is interleaved in it: the parent's name and type. A shard or a hash need not
 * be given where the table has what it is made of.
 *
 * @example
 * export const orders = pgTable(
 *   'orders',
 *   { customerId: parentKey(customers.customerId), orderId: uuidV4() },
 *   () => [interleaveIn(customers, { onDelete: 'cascade' })],
 * )
 */
export function parentKey<Column extends PgColumn>(column: Column): ParentKeyBuilder<Column> {
  return new PgParentKeyBuilder(column) as never
}

type ColumnClass = new (table: PgTable, config: object) => PgColumn

/** A column of the parent's class, with what that column is made of. */
class PgParentKeyBuilder extends PgColumnBuilder {
  readonly #class: ColumnClass

  constructor(column: PgColumn) {
    super(column.keyAsName ? '' : column.name, column.dataType, column.columnType)
    this.#class = column.constructor as ColumnClass
    const declaration = is(column, SpannerPgColumn) ? inherited(column.declaration) : undefined
    const { name, keyAsName } = this.config
    // What makes a value makes it for the parent's row: the child's row has that one.
    Object.assign(this.config, columnConfigOf(column), {
      name,
      keyAsName,
      default: undefined,
      defaultFn: undefined,
      onUpdateFn: undefined,
      generated: undefined,
      generatedIdentity: undefined,
      isUnique: false,
      uniqueName: undefined,
      primaryKey: true,
      notNull: true,
      hasDefault: declaration?.source !== undefined,
      ...(declaration && { declaration }),
    })
  }

  /** Drizzle calls it when it makes the table. */
  build(table: PgTable): PgColumn {
    return new this.#class(table, this.config)
  }
}

function inherited({ type, source, binding, key = 'asc' }: ColumnDeclaration): ColumnDeclaration {
  return {
    parentKey: true,
    type: type!,
    key,
    // What the parent's row has been given is known to the caller alone.
    ...(source && (source.kind === 'shard' || source.kind === 'hash') && { source }),
    ...(binding && { binding }),
  }
}

type Base<Column extends PgColumn> = NotNull<IsPrimaryKey<PgColumnBuilder<DeclaredAs<Column>>>>

type ParentKeyBuilder<Column extends PgColumn> = Column['_']['columnType'] extends
  | 'SpannerShardKey'
  | 'SpannerHashKey'
  ? HasDefault<Base<Column>>
  : Base<Column>
