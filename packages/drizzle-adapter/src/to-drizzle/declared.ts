import { type Workload, IsothermError, type Suppression, type SqlExpression } from '@isotherm/core'
import { constraintName } from '@isotherm/core/adapter'
import type { Column, Table } from 'drizzle-orm'
import { columnsOf } from '../drizzle-internals.js'
import type { ModelShape, ModelTables } from './models.js'
import { ModelSql } from '../schema/model-sql.js'

type Dialect = keyof Exclude<SqlExpression, string>

/** The declarations of a model besides its columns, with the Drizzle tables and columns that it refers to. */
interface DeclaredExtras<C extends Column> {
  readonly interleaving: DeclaredInterleaving | undefined
  /** The key, if it is declared apart from the columns. */
  readonly primaryKey: readonly DeclaredPart<C>[] | undefined
  readonly indexes: readonly DeclaredIndex<C>[]
  readonly checks: readonly { readonly name: string; readonly value: ModelSql }[]
  readonly foreignKeys: readonly DeclaredForeignKey<C>[]
  readonly rowDeletion: { readonly column: C; readonly days: number } | undefined
  readonly workload: Workload | undefined
  readonly suppressions: readonly Suppression[]
}

interface DeclaredInterleaving {
  readonly parent: Table
  readonly onDelete: 'cascade' | 'no action'
  readonly requireParent: boolean
}

interface DeclaredPart<C extends Column> {
  readonly column: C
  readonly order: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last'
}

export interface DeclaredIndex<C extends Column> {
  readonly name: string | undefined
  readonly columns: readonly DeclaredPart<C>[]
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly notNull: readonly C[]
  readonly storing: readonly C[]
  readonly interleaveIn: Table | undefined
  readonly shard: { readonly shards: number; readonly of: readonly C[] } | undefined
}

export interface DeclaredForeignKey<C extends Column> {
  readonly name: string
  readonly columns: readonly C[]
  readonly onDelete: 'cascade' | 'no action'
  readonly enforced: boolean
  /** Of the table that it refers to, which may refer to this one. */
  readonly foreignColumns: () => readonly C[]
}

/** Splits `sales.Order` into its named schema and its local name. */
export function splitName(name: string): { readonly schema: string | undefined; readonly local: string } {
  const dot = name.indexOf('.')
  return dot < 0
    ? { schema: undefined, local: name }
    : { schema: name.slice(0, dot), local: name.slice(dot + 1) }
}

/** @throws {IsothermError} `SCHEMA_INVALID` for a property that the table does not have. */
export function declaredExtras<C extends Column>(
  model: object,
  tables: ModelTables<Table>,
  dialect: Dialect,
): DeclaredExtras<C> {
  const shape = tables.shapeOf(model)
  const { name, options, indexes } = shape.definition
  const { interleaveIn, rowDeletion } = options
  const ours = columnFinder(tables.of(model), name) as FindColumn<C>
  return {
    interleaving: interleaveIn && {
      parent: tables.of(interleaveIn()),
      onDelete: options.onDelete ?? 'no action',
      requireParent: options.requireParent ?? true,
    },
    primaryKey:
      options.primaryKey &&
      shape.primaryKey.map(({ property, order }) => ({ column: ours(property), order })),
    indexes: indexes.map((index) => ({
      name: index.name,
      columns: index.on.map((part) =>
        typeof part === 'string'
          ? { column: ours(part), order: 'asc' as const }
          : {
              column: ours(part.property),
              order: part.order ?? 'asc',
              ...(part.nulls && { nulls: part.nulls }),
            },
      ),
      unique: index.unique ?? false,
      nullFiltered: index.nullFiltered ?? false,
      notNull: (index.notNull ?? []).map(ours),
      storing: (index.storing ?? []).map(ours),
      interleaveIn: index.interleaveIn && tables.of(index.interleaveIn()),
      shard: index.shard && { shards: index.shard.shards, of: index.shard.of.map(ours) },
    })),
    checks: (options.checks ?? []).map((check) => ({
      name: check.name,
      value: new ModelSql(check.expression, dialect, `The check ${check.name} of ${name}`),
    })),
    foreignKeys: (options.foreignKeys ?? []).map((key) => ({
      // The properties are in it, not the columns: as a model without Drizzle has it.
      name: key.name ?? constraintName(name, ...key.columns, 'fk'),
      columns: key.columns.map(ours),
      onDelete: key.onDelete ?? 'no action',
      enforced: key.enforced ?? true,
      foreignColumns: () => {
        const other = key.references === 'self' ? model : key.references()
        const theirs = tables.shapeOf(other)
        const find = columnFinder(tables.of(other), theirs.definition.name) as FindColumn<C>
        return (key.on ?? keyOf(theirs)).map(find)
      },
    })),
    rowDeletion: rowDeletion && { column: ours(rowDeletion.property), days: rowDeletion.days },
    workload: options.workload,
    suppressions: options.suppress ?? [],
  }
}

function keyOf({ primaryKey }: ModelShape): readonly string[] {
  return primaryKey.map(({ property }) => property)
}

type FindColumn<C extends Column> = (property: string) => C

function columnFinder(table: Table, name: string): (property: string) => Column {
  const columns = columnsOf(table)
  return (property) => {
    const column = Object.hasOwn(columns, property) ? columns[property] : undefined
    if (column) return column
    throw new IsothermError('SCHEMA_INVALID', `${name} has no property ${property}.`, {
      fix: `It has ${Object.keys(columns).join(', ')}.`,
      table: name,
      column: property,
    })
  }
}
