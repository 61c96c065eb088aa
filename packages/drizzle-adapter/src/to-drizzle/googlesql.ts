import { itemAt } from '@isotherm/core/adapter'
import type { SqlExpression } from '@isotherm/core'
import { Check, ForeignKeyBuilder, PrimaryKeyBuilder } from '../googlesql/tables/constraints.js'
import { type SpannerColumn, SpannerColumnBuilder } from '../googlesql/columns/common.js'
import { IndexBuilder } from '../googlesql/tables/indexes.js'
import {
  Interleaving,
  TableWorkload,
  RowDeletionPolicy,
  TableSuppression,
} from '../googlesql/tables/table-options.js'
import {
  type SpannerTable,
  type SpannerTableExtra,
  type SpannerTableWithColumns,
  spannerTableIn,
} from '../googlesql/tables/table.js'
import {
  type AnyModel,
  type ColumnConfigs,
  type ModelColumn,
  type ModelShape,
  ModelTables,
  type NameOf,
  type ToDrizzleOptions,
  columnTypeOf,
  dataTypeOf,
} from './models.js'
import { type DeclaredForeignKey, declaredExtras, splitName } from './declared.js'
import { ModelDefault, ModelSql } from '../schema/model-sql.js'

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
   * @throws {IsothermError} `SCHEMA_INVALID` for a value that is not a model; `UNSUPPORTED_MODEL` for a UUID in two integers,
   * which Drizzle has no column for, and for a second name.
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

export const toDrizzle = ((models: object, options?: ToDrizzleOptions) =>
  tables.tablesFor(models, options)) as ToDrizzle

class ModelColumnBuilder extends SpannerColumnBuilder {
  /** A key part may be NULL, unlike Drizzle's key parts. */
  nullable(): this {
    this.config.notNull = false
    return this
  }
}

function builderOf(column: ModelColumn, { definition }: ModelShape): SpannerColumnBuilder {
  const { name, property, type, nullable, declaration, generated, default: defaultValue } = column
  const builder = new ModelColumnBuilder(name, dataTypeOf(type), columnTypeOf(declaration), declaration)
  const sqlOf = (expression: SqlExpression): ModelSql =>
    new ModelSql(expression, 'googlesql', `${definition.name}.${property}`)
  if (defaultValue !== undefined)
    builder.default(new ModelDefault(defaultValue, type, 'googlesql', `${definition.name}.${property}`))
  if (generated) {
    builder.generatedAlwaysAs(sqlOf(generated.expression), { mode: generated.stored ? 'stored' : 'virtual' })
  }
  return nullable ? builder.nullable() : builder.notNull()
}

function extrasOf(model: object): SpannerTableExtra[] {
  const extras = declaredExtras<SpannerColumn>(model, tables, 'googlesql')
  const { interleaving, primaryKey, rowDeletion, workload } = extras
  return [
    ...(interleaving ? [new Interleaving(interleaving.parent, interleaving)] : []),
    ...(primaryKey ? [new PrimaryKeyBuilder(primaryKey)] : []),
    ...extras.indexes.map((index) => new IndexBuilder(index)),
    ...extras.checks.map(({ name, value }) => new Check(name, value)),
    ...extras.foreignKeys.map(foreignKeyOf),
    ...(rowDeletion ? [new RowDeletionPolicy(rowDeletion.column, rowDeletion.days)] : []),
    ...(workload ? [new TableWorkload(workload)] : []),
    ...extras.suppressions.map((suppression) => new TableSuppression(suppression)),
  ]
}

function foreignKeyOf(key: DeclaredForeignKey<SpannerColumn>): ForeignKeyBuilder {
  const { name, columns, onDelete, enforced } = key
  return new ForeignKeyBuilder({
    reference() {
      const foreignColumns = key.foreignColumns()
      return { name, columns, foreignColumns, foreignTable: itemAt(foreignColumns, 0).table }
    },
    onDelete,
    enforced,
  })
}
