import {
  type IndexOptions,
  IsothermError,
  type TableModel,
  type TableOptions,
  defineTable,
} from '@isotherm/core'
import { ColumnBuilder, present } from '@isotherm/core/adapter'
import { type Column, SQL, type Table, is } from 'drizzle-orm'
import { columnsOf, schemaOf } from '../drizzle-internals.js'
import { sqlInSchema } from './model-sql.js'
import { columnDeclaration } from './column-declaration.js'
import {
  type DdlSyntax,
  type Declarations,
  type DeclaredSuppression,
  type DeclaredForeignKey,
  type DeclaredIndex,
  type DeclaredKey,
  type TableKind,
  inSchema,
  qualifiedName,
} from '../table-kind/table-kind.js'

export type DeclaredModel = TableModel<unknown> & { readonly name: string }

/** The context for models of tables. */
export interface ModelSetup {
  readonly kind: TableKind
  readonly words: DdlSyntax
  /** The models of other tables, which need not be there before this one. */
  modelOf(table: Table): object
}

/** The name of a column in the code: the property, not the name in the database. */
function propertyOf(column: Column): string {
  const columns = Object.entries(columnsOf(column.table))
  const found =
    columns.find(([, each]) => each === column) ?? columns.find(([, each]) => each.name === column.name)
  return found?.[0] ?? column.name
}

/** A Drizzle table as what `defineTable` makes. */
export function tableModel(table: Table, setup: ModelSetup): DeclaredModel {
  const declared = setup.kind.declarationsOf(table, setup.words)
  const key = orderedKey(declared, setup)
  return defineTable(qualifiedName(table), () => columnsFor(table, declared, key, setup), {
    ...optionsOf(table, declared, setup),
    ...(key.explicit && { primaryKey: [...key.orders.keys()] }),
    indexes: [
      ...declared.indexes.map((index) => indexOptions(table, index, setup)),
      ...declared.uniques.map(({ name, columns }) => ({
        name: inSchema(schemaOf(table), name),
        on: columns.map(propertyOf),
        unique: true,
      })),
    ],
  }) as DeclaredModel
}

/** As much of a Drizzle table as says how its rows' keys come about: other tables than its parents need not be there. */
export function keyModel(table: Table, setup: ModelSetup): DeclaredModel {
  const declared = setup.kind.keyOf(table)
  const { interleaving } = declared
  const key = orderedKey(declared, setup)
  return defineTable(qualifiedName(table), () => columnsFor(table, declared, key, setup), {
    ...(interleaving && { interleaveIn: () => setup.modelOf(interleaving.parent) }),
    ...(key.explicit && { primaryKey: [...key.orders.keys()] }),
  }) as DeclaredModel
}

function columnsFor(
  table: Table,
  declared: DeclaredKey,
  key: OrderedKey,
  setup: ModelSetup,
): Record<string, ColumnBuilder<unknown>> {
  const inherited = inheritedBy(table, declared, setup)
  const columns = Object.entries(columnsOf(table)).map(([property, column]) => {
    const declaration = inherited.has(property)
      ? { parentKey: true }
      : columnDeclaration(column, key.orders.get(property), setup.kind, setup.words)
    return [property, new ColumnBuilder<unknown>(declaration)] as const
  })
  return Object.fromEntries(columns)
}

interface OrderedKey {
  readonly explicit: boolean
  readonly orders: ReadonlyMap<string, 'asc' | 'desc'>
}

/** Key parts in order; `explicit` where `primaryKey` says the order. */
function orderedKey({ columns, primaryKeys }: DeclaredKey, { kind }: ModelSetup): OrderedKey {
  const said = primaryKeys.at(-1)
  const own = new Map(columns.map((column) => [propertyOf(column), kind.declarationOf(column).key]))
  const parts = said
    ? said.parts
    : columns.filter(({ primary }) => primary).map((column) => ({ column, order: 'asc' as const }))
  return {
    explicit: said !== undefined,
    orders: new Map(
      parts.map(({ column, order }) => {
        const property = propertyOf(column)
        // `primaryKey` need not repeat what `descTimestamp` says.
        return [property, order === 'asc' ? own.get(property) || 'asc' : order]
      }),
    ),
  }
}

/** The columns that are the parent's key parts. */
function inheritedBy(table: Table, { interleaving, columns }: DeclaredKey, setup: ModelSetup): Set<string> {
  if (!interleaving) return new Set()
  const { kind, words } = setup
  const { parent } = interleaving
  const inherited = kind.isTable(parent) ? [...orderedKey(kind.keyOf(parent), setup).orders.keys()] : []
  for (const property of inherited) {
    const theirs = present(columnsOf(parent)[property], `column ${property}`)
    const ours = columnsOf(table)[property]
    const alike = columns.find((column) => words.columnName(column) === words.columnName(theirs))
    // A missing one is reported with all other problems of the schema.
    if (!ours && !alike) continue
    if (ours && ours === alike && areAlike(ours, theirs, kind)) continue
    throw new IsothermError(
      'SCHEMA_INVALID',
      `${qualifiedName(table)} is interleaved in ${qualifiedName(parent)}, whose key part ${property} it declares in another way.`,
      {
        fix: `Declare it as ${property}: parentKey(…), of the parent's column: its name and type are the parent's.`,
        table: qualifiedName(table),
        column: property,
      },
    )
  }
  return new Set(inherited)
}

function areAlike(ours: Column, theirs: Column, { dialect }: TableKind): boolean {
  if (ours.getSQLType() !== theirs.getSQLType()) return false
  return dialect.name === 'spanner-postgresql' || ours.notNull === theirs.notNull
}

function optionsOf(table: Table, declared: Declarations, setup: ModelSetup): TableOptions {
  const { interleaving, rowDeletion, workload, suppressions } = declared
  const { kind, words } = setup
  return {
    ...(interleaving && {
      interleaveIn: () => setup.modelOf(interleaving.parent),
      onDelete: interleaving.onDelete,
      requireParent: interleaving.requireParent,
    }),
    checks: declared.checks.map(({ name, value }) => ({
      name,
      ...(isOfDatabase(name) && { unnamed: true }),
      expression: sqlInSchema(value, kind.dialects, () => (is(value, SQL) ? words.expression(value) : value)),
    })),
    foreignKeys: declared.foreignKeys.map((key) => foreignKeyOptions(key, setup)),
    ...(rowDeletion && {
      rowDeletion: { property: propertyOf(rowDeletion.column), days: rowDeletion.days },
    }),
    ...(workload && { workload }),
    suppress: suppressions.map((suppression) => suppressionOf(table, suppression, declared)),
  }
}

/**
 * Whether Spanner has given a constraint its name, which Drizzle's tables cannot show otherwise. Such a name may be longer
 * than one that a user can give.
 */
function isOfDatabase(name: string): boolean {
  return /^(?:CK|FK)_.+_[0-9A-F]{16}_\d+$/.test(name)
}

function foreignKeyOptions(
  { name, columns, foreignTable, foreignColumns, onDelete, enforced }: DeclaredForeignKey,
  { modelOf }: ModelSetup,
) {
  return {
    ...(name !== undefined && { name, ...(isOfDatabase(name) && { unnamed: true }) }),
    columns: columns.map(propertyOf),
    references: () => modelOf(foreignTable),
    on: foreignColumns.map(propertyOf),
    onDelete,
    enforced,
  }
}

function suppressionOf(
  table: Table,
  { rule, on, reason }: DeclaredSuppression,
  { indexes, uniques }: Declarations,
) {
  if (on === undefined) return { rule, reason }
  if (typeof on !== 'string') return { rule, on: propertyOf(on), reason }
  const isIndex = [...indexes, ...uniques].some(({ name }) => name === on)
  return { rule, on: isIndex ? inSchema(schemaOf(table), on) : on, reason }
}

function indexOptions(table: Table, index: DeclaredIndex, { modelOf }: ModelSetup): IndexOptions {
  const { name, columns, unique, nullFiltered, notNull, storing, interleaveIn, shard } = index
  return {
    ...(name !== undefined && { name: inSchema(schemaOf(table), name) }),
    on: columns.map(({ column, order, nulls }) => ({
      property: propertyOf(column),
      order,
      ...(nulls && { nulls }),
    })),
    unique,
    nullFiltered,
    notNull: notNull.map(propertyOf),
    storing: storing.map(propertyOf),
    ...(interleaveIn && { interleaveIn: () => modelOf(interleaveIn) }),
    ...(shard && { shard: { shards: shard.shards, of: shard.of.map(propertyOf) } }),
  }
}
