import { IsothermError, type SqlExpression } from '@isotherm/core'
import {
  ForeignKeyBuilder,
  PgColumn,
  type PgTable,
  type PgTableExtraConfigValue,
  type PgTableWithColumns,
  check,
  pgSchema,
  pgTable,
  primaryKey,
} from 'drizzle-orm/pg-core'
import { IndexBuilder } from '../googlesql/tables/indexes.js'
import {
  Interleaving,
  TableWorkload,
  RowDeletionPolicy,
  TableSuppression,
} from '../googlesql/tables/table-options.js'
import { SpannerPgColumnBuilder } from '../postgresql/columns/common.js'
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

/** The table of a model on a PostgreSQL-dialect database. */
export type PgModelTable<M extends AnyModel, Name extends string = NameOf<M>> = PgTableWithColumns<{
  name: Name
  schema: string | undefined
  columns: {
    [Property in keyof ColumnConfigs<M, Name>]: PgColumn<ColumnConfigs<M, Name>[Property]>
  }
  dialect: 'pg'
}>

/** Makes tables of `drizzle-orm/pg-core` of models. */
export interface ToDrizzle {
  /**
   * A model as a `pgTable`: always the same one. Its keys are filled in, and its indexes, constraints and parents are those of
   * the model.
   *
   * @throws {IsothermError} `SCHEMA_INVALID` for a value that is not a model; `UNSUPPORTED_MODEL` for features that this dialect
   * does not support, for a UUID in two integers, which Drizzle has no column for, and for a second name.
   * @throws {SchemaError} with everything that is wrong with the model's columns.
   * @example
   * const orders = toDrizzle(Order)
   * await db.select().from(orders).where(eq(orders.customerId, id))
   */
  <M extends AnyModel>(model: M): PgModelTable<M>
  /** The same, with the name that the results of joins have for it. */
  <M extends AnyModel, const Name extends string>(
    model: M,
    options: ToDrizzleOptions<Name>,
  ): PgModelTable<M, Name>
  /**
   * Several models at once, by the names that the results of joins have for them.
   *
   * @example
   * const schema = toDrizzle({ customers: Customer, orders: Order })
   * const db = drizzle(database, { schema })
   */
  <const Models extends Readonly<Record<string, AnyModel>>>(
    models: Models,
  ): { readonly [Name in keyof Models & string]: PgModelTable<Models[Name], Name> }
}

const tables = new ModelTables<PgTable>((shape, model) => {
  refuseForeign(shape)
  const { schema, local } = splitName(shape.definition.name)
  const builders = shape.columns.map((column) => [column.property, builderOf(column, shape)] as const)
  const declare = (schema === undefined ? pgTable : pgSchema(schema).table) as typeof pgTable
  return declare(local, Object.fromEntries(builders), () => extrasOf(model))
})

export const toDrizzle = ((models: object, options?: ToDrizzleOptions) =>
  tables.tablesFor(models, options)) as ToDrizzle

/** Refuses models that Drizzle's PostgreSQL cannot declare, or that Spanner's does not support. */
function refuseForeign({ definition, columns, primaryKey: key }: ModelShape): void {
  const table = definition.name
  const open = columns.find(
    ({ nullable, property }) => nullable && key.some((part) => part.property === property),
  )
  if (open) {
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${table}.${open.property} is a key part that may be NULL.`,
      {
        fix: "A primary key in Spanner's PostgreSQL dialect cannot hold NULL: remove nullable.",
        table,
        column: open.property,
      },
    )
  }
  if (definition.options.foreignKeys?.some(({ enforced }) => enforced === false)) {
    throw new IsothermError('UNSUPPORTED_MODEL', `${table} has a foreign key with enforced: false.`, {
      fix: "Spanner's PostgreSQL dialect enforces all of them: remove enforced: false.",
      table,
    })
  }
}

class ModelColumnBuilder extends SpannerPgColumnBuilder {
  /** In either mode: Drizzle's own knows of stored columns alone. */
  generatedBy(as: ModelSql, mode: 'stored' | 'virtual'): void {
    this.config.generated = { as, type: 'always', mode }
  }
}

function builderOf(column: ModelColumn, { definition }: ModelShape): SpannerPgColumnBuilder {
  const { name, property, type, nullable, declaration, generated, default: defaultValue } = column
  const builder = new ModelColumnBuilder(name, dataTypeOf(type), columnTypeOf(declaration), declaration)
  const sqlOf = (expression: SqlExpression): ModelSql =>
    new ModelSql(expression, 'spanner-postgresql', `${definition.name}.${property}`)
  if (defaultValue !== undefined)
    builder.default(
      new ModelDefault(defaultValue, type, 'spanner-postgresql', `${definition.name}.${property}`),
    )
  if (generated) builder.generatedBy(sqlOf(generated.expression), generated.stored ? 'stored' : 'virtual')
  return nullable ? builder : builder.notNull()
}

/** Drizzle ignores extras that it does not know. */
function extrasOf(model: object): PgTableExtraConfigValue[]
function extrasOf(model: object): object[] {
  const extras = declaredExtras<PgColumn>(model, tables, 'spanner-postgresql')
  const { interleaving, primaryKey: key, rowDeletion, workload } = extras
  return [
    ...(interleaving ? [new Interleaving(interleaving.parent, interleaving)] : []),
    // The order of each part is the column's.
    ...(key ? [primaryKey({ columns: key.map(({ column }) => column) as [PgColumn] })] : []),
    ...extras.indexes.map((index) => new IndexBuilder(index)),
    ...extras.checks.map(({ name, value }) => check(name, value)),
    ...extras.foreignKeys.map(foreignKeyOf),
    ...(rowDeletion ? [new RowDeletionPolicy(rowDeletion.column, rowDeletion.days)] : []),
    ...(workload ? [new TableWorkload(workload)] : []),
    ...extras.suppressions.map((suppression) => new TableSuppression(suppression)),
  ]
}

function foreignKeyOf(key: DeclaredForeignKey<PgColumn>): ForeignKeyBuilder {
  const { name, columns, onDelete } = key
  return new ForeignKeyBuilder(() => ({
    name,
    columns: [...columns],
    foreignColumns: [...key.foreignColumns()],
  })).onDelete(onDelete)
}
