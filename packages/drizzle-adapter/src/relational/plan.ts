import {
  Column,
  type DBQueryConfig,
  type NormalizedRelation,
  One,
  type Operators,
  type Placeholder,
  type Relation,
  SQL,
  type SQLChunk,
  type Table,
  type TableRelationalConfig,
  type TablesRelationalConfig,
  aliasedTable,
  aliasedTableColumn,
  createTableRelationsHelpers,
  extractTablesRelationalConfig,
  getOrderByOperators,
  getTableUniqueName,
  is,
  normalizeRelation,
  sql,
} from 'drizzle-orm'
import { IsothermError } from '@isotherm/core'
import {
  type OptionKinds,
  anything,
  checkOptions,
  nearName,
  shown,
  itemAt,
  present,
} from '@isotherm/core/adapter'
import { nameInCache } from '../session/rows.js'
import { rowBound } from '../sql/condition.js'
import { ScopedSql } from '../sql/sources.js'
import { nameOf } from '../drizzle-internals.js'

/** The tables that a database was made with, and how they belong together. */
export interface RelationalSchema {
  /** By the names under which they were given. */
  readonly tables: TablesRelationalConfig
  /** The names in the schema, by the tables' own. */
  readonly names: Readonly<Record<string, string>>
}

const schemas = new WeakMap<object, RelationalSchema>()

/** Computed on first use, once for a database and all of its transactions. */
export function relationalSchemaOf(fullSchema: Record<string, unknown>): RelationalSchema {
  let schema = schemas.get(fullSchema)
  if (!schema) {
    const { tables, tableNamesMap } = extractTablesRelationalConfig(fullSchema, createTableRelationsHelpers)
    schema = { tables, names: tableNamesMap }
    schemas.set(fullSchema, schema)
  }
  return schema
}

/** @throws {IsothermError} `INVALID_QUERY` for a relation to a table that the database does not know. */
function referencedTableOf(schema: RelationalSchema, relation: Relation): TableRelationalConfig {
  const { tables, names } = schema
  const table = tables[names[getTableUniqueName(relation.referencedTable)] ?? '']
  if (table) return table
  throw new IsothermError(
    'INVALID_QUERY',
    `The relation ${relation.fieldName} leads to ${relation.referencedTableName}, which is not a table of the schema.`,
    { fix: 'Add the table to the schema that drizzle() is given.' },
  )
}

/**
 * The columns by which a relation finds its rows.
 *
 * @throws {IsothermError} `INVALID_QUERY` if they are neither given nor can be inferred.
 */
export function keysOf({ tables, names }: RelationalSchema, relation: Relation): NormalizedRelation {
  try {
    return normalizeRelation(tables, names, relation)
  } catch (error) {
    throw new IsothermError('INVALID_QUERY', `${(error as Error).message}.`, {
      fix: 'Give fields and references in one(…), on this side or the other; two relations of the same tables need a relationName each.',
      cause: error,
    })
  }
}

/** The options of `findMany`; nested ones have the same properties. */
export type RelationalConfig = DBQueryConfig<'many', true>

/** One table of a relational query: the fields that are read, and which rows. */
export interface RelationalNode {
  readonly table: Table
  /** The name of the table in the query. */
  readonly alias: string
  readonly fields: readonly RelationalField[]
  readonly relations: readonly NestedRelation[]
  readonly where: SQL | undefined
  readonly orderBy: readonly (Column | SQL)[]
  /** Whether the first row is enough. `limit` is undefined then. */
  readonly isOne: boolean
  readonly limit: number | Placeholder | undefined
  readonly offset: number | Placeholder | undefined
}

export interface RelationalField {
  readonly name: string
  readonly field: Column | SQL | SQL.Aliased
}

/** Rows of another table that belong to each row of this one. */
export interface NestedRelation {
  readonly name: string
  /** Columns that are equal: the outer table's, and at the same position the nested one's. Never empty. */
  readonly outer: readonly Column[]
  readonly inner: readonly Column[]
  readonly node: RelationalNode
}

/** The parts that differ between dialects. */
interface RelationalSyntax {
  /** The operators that `where` gets in addition to the columns. */
  readonly operators: Operators
  /** A column's name in the database. */
  columnName(column: Column): string
}

/**
 * A relational query as a tree, with all of its callbacks called.
 *
 * @param isOne whether the first row is enough
 * @throws {IsothermError} `INVALID_QUERY` for names that the schema does not have, and for a table from which nothing is
 * selected.
 */
export function planRelational(
  schema: RelationalSchema,
  table: TableRelationalConfig,
  config: RelationalConfig,
  isOne: boolean,
  words: RelationalSyntax,
): RelationalNode {
  return nodeOf(branchOf(schema, table, config, isOne), table.tsName, words)
}

/**
 * The SQL of one table of a relational query: its columns may be the table's, or the aliased ones that a callback is given.
 */
export function scopedToNode(chunks: SQLChunk[], { table, alias }: RelationalNode): SQL {
  return new ScopedSql(chunks, [table, aliasedTable(table, alias)], new Map([[nameOf(table), alias]]))
}

/** The tables that a relational query reads, by name, for the cache. */
export function tablesOf(node: RelationalNode): string[] {
  const all = ({ table, relations }: RelationalNode): string[] => {
    return [nameInCache(table), ...relations.flatMap(({ node: nested }) => all(nested))]
  }
  return [...new Set(all(node))]
}

const RELATIONAL_OPTIONS: OptionKinds<RelationalConfig> = {
  columns: anything,
  with: anything,
  extras: anything,
  where: anything,
  orderBy: anything,
  limit: anything,
  offset: anything,
}

/** More tables within tables come from a mistake, or from an attack. */
const MAX_LEVELS = 100

/** A table of the query before it has its alias, which depends on the tables within. */
interface Branch {
  readonly table: TableRelationalConfig
  readonly config: RelationalConfig
  readonly isOne: boolean
  readonly nested: readonly {
    readonly name: string
    readonly outer: readonly Column[]
    readonly inner: readonly Column[]
    readonly branch: Branch
  }[]
}

function branchOf(
  schema: RelationalSchema,
  table: TableRelationalConfig,
  config: RelationalConfig,
  isOne: boolean,
  level = 0,
): Branch {
  checkOptions(`A relational query of ${table.tsName}`, RELATIONAL_OPTIONS, config)
  if (level > MAX_LEVELS) {
    throw new IsothermError('INVALID_QUERY', `A relational query has more than ${MAX_LEVELS} levels.`, {
      fix: 'Read what lies deeper in a query of its own.',
    })
  }
  const nested = entriesOf(table, 'with', config.with).flatMap(([name, choice]) => {
    const relation = relationOf(table, name)
    if (choice === undefined || choice === false) return []
    const { fields, references } = keysOf(schema, relation)
    const inside = choice === true ? {} : (choice as RelationalConfig)
    const branch = branchOf(schema, referencedTableOf(schema, relation), inside, is(relation, One), level + 1)
    return [{ name, outer: fields, inner: references, branch }]
  })
  return { table, config, isOne, nested }
}

/** The entries that are selected by name: `{ name: true }`. */
function entriesOf(
  { tsName }: TableRelationalConfig,
  part: 'with' | 'columns',
  value: unknown,
): [string, unknown][] {
  if (value === undefined) return []
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  throw invalidPart(tsName, part, value, 'Give an object by name: { name: true }.')
}

function invalidPart(
  table: string,
  part: keyof RelationalConfig,
  value: unknown,
  fix: string,
): IsothermError {
  return new IsothermError('INVALID_QUERY', `In a query of ${table}, ${part} is ${shown(value)}.`, { fix })
}

function relationOf({ relations, tsName }: TableRelationalConfig, name: string): Relation {
  const relation = Object.hasOwn(relations, name) ? relations[name] : undefined
  if (relation) return relation
  throw new IsothermError('INVALID_QUERY', `The table ${tsName} has no relation ${name}.`, {
    fix: `Declare it with relations(${tsName}, …), and add that to the schema that drizzle() is given.`,
  })
}

function nodeOf(branch: Branch, name: string, words: RelationalSyntax): RelationalNode {
  const { table: described, config, isOne, nested } = branch
  const alias = aliasOf(branch, name, words)
  const table = tableOf(described)
  const fields = [...columnsIn(described, config), ...extrasIn(described, config, alias)]
  if (fields.length === 0 && nested.length === 0) throw nothingSelected(described)
  return {
    table,
    alias,
    fields,
    relations: nested.map(({ branch: inside, ...relation }) => ({
      ...relation,
      node: nodeOf(inside, `${alias}_${relation.name}`, words),
    })),
    where: whereIn(described, config, alias, words),
    orderBy: orderIn(described, config, alias),
    isOne,
    limit: isOne ? undefined : rowBound('limit', config.limit),
    offset: rowBound('offset', config.offset),
  }
}

function nothingSelected({ tsName }: TableRelationalConfig): IsothermError {
  return new IsothermError('INVALID_QUERY', `Nothing is selected of the table ${tsName}.`, {
    fix: 'Name columns, with or extras; without columns, all columns are selected.',
  })
}

/**
 * An alias that none of the columns in reach is called by: a column within would be taken for the table around it. Nor is it
 * the table's own name in other letters: case means nothing to Spanner, and a subquery of the same table would hide it. Nested
 * aliases begin with the outer one and are longer, so that none hides another.
 */
function aliasOf(branch: Branch, name: string, words: RelationalSyntax): string {
  let alias = name
  while (hasColumn(branch, alias.toLowerCase(), words) || isOtherCase(alias, branch.table.dbName))
    alias += '_'
  return alias
}

function isOtherCase(alias: string, name: string): boolean {
  return alias !== name && alias.toLowerCase() === name.toLowerCase()
}

function hasColumn({ table, nested }: Branch, name: string, words: RelationalSyntax): boolean {
  const isCalled = (column: Column): boolean => words.columnName(column).toLowerCase() === name
  return (
    Object.values(table.columns).some(isCalled) || nested.some(({ branch }) => hasColumn(branch, name, words))
  )
}

/** The schema may have been given as a module's default, in which case only the columns know their table. */
function tableOf({ columns }: TableRelationalConfig): Table {
  return itemAt(Object.values(columns), 0).table
}

function aliasedColumns({ columns }: TableRelationalConfig, alias: string): Record<string, Column> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, aliasedTableColumn(column, alias)]),
  )
}

function columnsIn(table: TableRelationalConfig, config: RelationalConfig): RelationalField[] {
  const { columns } = table
  return chosenIn(table, config.columns).map((name) => ({
    name,
    field: present(columns[name], `column ${name}`),
  }))
}

/** If any is `true`, those; otherwise all except those that are `false`. */
function chosenIn(table: TableRelationalConfig, columns: RelationalConfig['columns']): string[] {
  const all = Object.keys(table.columns)
  if (columns === undefined) return all
  const entries = entriesOf(table, 'columns', columns)
  for (const [name, choice] of entries) refuseUnknownColumn(table, name, choice)
  const named = entries.filter(([, choice]) => choice !== undefined)
  if (named.length === 0) return []
  const wanted = named.flatMap(([name, choice]) => (choice === true ? [name] : []))
  return wanted.length > 0 ? wanted : all.filter((name) => !named.some(([other]) => other === name))
}

function refuseUnknownColumn(
  { tsName, columns }: TableRelationalConfig,
  name: string,
  choice: unknown,
): void {
  if (!Object.hasOwn(columns, name)) {
    const near = nearName(name, Object.keys(columns))
    throw new IsothermError('INVALID_QUERY', `The table ${tsName} has no column ${name}.`, {
      fix: near === undefined ? 'Name a column by its property.' : `Did you mean ${near}?`,
    })
  }
  if (choice === undefined || typeof choice === 'boolean') return
  throw invalidPart(tsName, 'columns', choice, `Give true or false for ${name}.`)
}

function isExpression(value: unknown): boolean {
  return is(value, SQL) || is(value, Column) || is(value, SQL.Aliased)
}

function extrasIn(
  described: TableRelationalConfig,
  { extras }: RelationalConfig,
  alias: string,
): RelationalField[] {
  if (extras === undefined) return []
  const expressions =
    typeof extras === 'function' ? extras(aliasedColumns(described, alias), { sql }) : extras
  if (
    typeof expressions !== 'object' ||
    expressions === null ||
    !Object.values(expressions).every(isExpression)
  )
    throw invalidPart(described.tsName, 'extras', expressions, 'Give SQL by name: { name: sql`…`.as(name) }.')
  return Object.entries(expressions).map(([name, extra]) => ({ name, field: extra }))
}

function whereIn(
  described: TableRelationalConfig,
  { where }: RelationalConfig,
  alias: string,
  { operators }: RelationalSyntax,
): SQL | undefined {
  const condition = typeof where === 'function' ? where(aliasedColumns(described, alias), operators) : where
  // Without a condition there would be all rows.
  if (condition !== undefined && !isExpression(condition))
    throw invalidPart(described.tsName, 'where', condition, 'Give a condition, such as eq(column, value).')
  return condition
}

function orderIn(
  described: TableRelationalConfig,
  { orderBy = [] }: RelationalConfig,
  alias: string,
): (Column | SQL)[] {
  const ordering =
    typeof orderBy === 'function' ? orderBy(aliasedColumns(described, alias), getOrderByOperators()) : orderBy
  const terms = [ordering].flat()
  if (!terms.every(isExpression))
    throw invalidPart(described.tsName, 'orderBy', ordering, 'Give columns, asc(column) or desc(column).')
  return terms
}
