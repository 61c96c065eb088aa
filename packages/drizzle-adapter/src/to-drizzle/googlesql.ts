import type { SqlExpression } from '@isotherm/core'
import { Check } from '../googlesql/checks.js'
import { SpannerColumnBuilder, type SpannerColumn } from '../googlesql/columns/common.js'
import { ForeignKeyBuilder } from '../googlesql/foreign-keys.js'
import { IndexBuilder } from '../googlesql/indexes.js'
import { Interleaving } from '../googlesql/interleave.js'
import { PrimaryKeyBuilder } from '../googlesql/primary-key.js'
import {
  spannerTableIn,
  type SpannerTable,
  type SpannerTableExtra,
  type SpannerTableWithColumns,
} from '../googlesql/table.js'
import { LoadExpectation, RowDeletionPolicy, TableLintException } from '../googlesql/table-options.js'
import { columnTypeOf, dataTypeOf } from './column-kinds.js'
import { declaredExtras, splitName, type DeclaredForeignKey } from './declared.js'
import type { ModelColumn, ModelShape } from './model-shape.js'
import { ModelSql } from './model-sql.js'
import { ModelTables } from './model-tables.js'
import type { AnyModel, ColumnConfigs, NameOf, ToDrizzleOptions } from './types.js'

/** The table of a model on a GoogleSQL database. */
export type SpannerModelTable<M extends AnyModel, Name extends string = NameOf<M>> = SpannerTableWithColumns<{
  name: Name
  schema: string | undefined
  columns: {
    [Property in keyof ColumnConfigs<M, Name>]: SpannerColumn<ColumnConfigs<M, Name>[Property]>
  }
  dialect: 'spanner'
}>

/** Makes tables of models. */
export interface ToDrizzle {
  /**
   * A model as a Drizzle table: always the same one. Its keys are filled in, and its indexes, constraints and parents are
   * those of the model.
   *
   * @throws {IsothermError} `SCHEMA_INVALID` for what is no model; `UNSUPPORTED` for a UUID in two integers, which no column of
   *   Drizzle's can be, and for a second name.
   * @throws {SchemaError} with everything that is wrong with the model's columns.
   * @example
   * const orders = toDrizzle(Order)
   * await db.select().from(orders).where(eq(orders.customerId, id))
   */
  <M extends AnyModel>(model: M): SpannerModelTable<M>
  /** The same, with the name that the results of joins have for it. */
  <M extends AnyModel, const Name extends string>(
    model: M,
    options: ToDrizzleOptions<Name>,
  ): SpannerModelTable<M, Name>
  /**
   * Several models at once, by the names that the results of joins have for them.
   *
   * @example
   * const schema = toDrizzle({ customers: Customer, orders: Order })
   * const db = drizzle(database, { schema })
   */
  <const Models extends Readonly<Record<string, AnyModel>>>(
    models: Models,
  ): { readonly [Name in keyof Models & string]: SpannerModelTable<Models[Name], Name> }
}

const tables = new ModelTables<SpannerTable>((shape, model) => {
  const { schema, local } = splitName(shape.definition.name)
  const builders = shape.columns.map((column) => [column.property, builderOf(column, shape)] as const)
  return spannerTableIn(schema)(local, Object.fromEntries(builders), () => extrasOf(model)) as SpannerTable
})

export const toDrizzle: ToDrizzle = (models: object, options?: ToDrizzleOptions) =>
  tables.given(models, options) as never

class ModelColumnBuilder extends SpannerColumnBuilder {
  /** A key part may be NULL, unlike those that Drizzle knows of. */
  nullable(): this {
    this.config.notNull = false
    return this
  }
}

function builderOf(column: ModelColumn, { definition }: ModelShape): SpannerColumnBuilder {
  const { name, property, type, nullable, declaration, generated, default: given } = column
  const builder = new ModelColumnBuilder(name, dataTypeOf(type), columnTypeOf(declaration), declaration)
  const sqlOf = (expression: SqlExpression): ModelSql =>
    new ModelSql(expression, 'googlesql', `${definition.name}.${property}`)
  if (given !== undefined) builder.default(sqlOf(given))
  if (generated) {
    builder.generatedAlwaysAs(sqlOf(generated.expression), { mode: generated.stored ? 'stored' : 'virtual' })
  }
  return nullable ? builder.nullable() : builder.notNull()
}

function extrasOf(model: object): SpannerTableExtra[] {
  const extras = declaredExtras<SpannerColumn>(model, tables, 'googlesql')
  const { interleaving, primaryKey, rowDeletion, expect } = extras
  return [
    ...(interleaving ? [new Interleaving(interleaving.parent, interleaving)] : []),
    ...(primaryKey ? [new PrimaryKeyBuilder(primaryKey)] : []),
    ...extras.indexes.map((index) => new IndexBuilder(index)),
    ...extras.checks.map(({ name, value }) => new Check(name, value)),
    ...extras.foreignKeys.map(foreignKeyOf),
    ...(rowDeletion ? [new RowDeletionPolicy(rowDeletion.column, rowDeletion.days)] : []),
    ...(expect ? [new LoadExpectation(expect)] : []),
    ...extras.exceptions.map((exception) => new TableLintException(exception)),
  ]
}

function foreignKeyOf(key: DeclaredForeignKey<SpannerColumn>): ForeignKeyBuilder {
  const { name, columns, onDelete, enforced } = key
  return new ForeignKeyBuilder({
    reference() {
      const foreignColumns = key.foreignColumns()
      return { name, columns, foreignColumns, foreignTable: foreignColumns[0]!.table }
    },
    onDelete,
    enforced,
  })
}
