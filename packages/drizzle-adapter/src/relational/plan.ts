import { IsothermError } from '@isotherm/core'
import {
  aliasedTableColumn,
  getOrderByOperators,
  is,
  One,
  sql,
  type Column,
  type DBQueryConfig,
  type Operators,
  type Placeholder,
  type Relation,
  type SQL,
  type Table,
  type TableRelationalConfig,
} from 'drizzle-orm'
import { nameInCache } from '../session/name-in-cache.js'
import { atAlias } from './at-alias.js'
import { keysOf, referencedTableOf, type RelationalSchema } from './schema.js'

/** What `findMany` takes; nested ones have the same parts. */
export type RelationalConfig = DBQueryConfig<'many', true>

/** One table of a relational query: what is read of it, and which of its rows. */
export interface RelationalNode {
  readonly table: Table
  /** What the table is called in the query: in `where`, `orderBy` and `extras` its columns go by it. */
  readonly alias: string
  /** Columns are the table's own; expressions go by the alias. */
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
  /** Columns that are equal: the outer table's, and at the same place the nested one's. Never empty. */
  readonly outer: readonly Column[]
  readonly inner: readonly Column[]
  readonly node: RelationalNode
}

/** What differs between dialects. */
export interface RelationalWords {
  /** What `where` is given beside the columns. */
  readonly operators: Operators
  /** A column's name in the database. */
  columnName(column: Column): string
}

/**
 * A relational query as a tree, with all of its callbacks called.
 *
 * @param isOne whether the first row is enough
 * @throws {IsothermError} `INVALID_QUERY` for what the schema does not know, and for a table of which nothing is selected.
 */
export function planRelational(
  schema: RelationalSchema,
  table: TableRelationalConfig,
  config: RelationalConfig,
  isOne: boolean,
  words: RelationalWords,
): RelationalNode {
  return nodeOf(branchOf(schema, table, config, isOne), table.tsName, words)
}

/** The tables that a relational query reads, by name, for the cache. */
export function tablesOf(node: RelationalNode): string[] {
  const all = ({ table, relations }: RelationalNode): string[] => {
    return [nameInCache(table), ...relations.flatMap(({ node: nested }) => all(nested))]
  }
  return [...new Set(all(node))]
}

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
): Branch {
  const nested = Object.entries(config.with ?? {}).flatMap(([name, given]) => {
    if (!given) return []
    const relation = relationOf(table, name)
    const { fields, references } = keysOf(schema, relation)
    const inside: RelationalConfig = given === true ? {} : given
    const branch = branchOf(schema, referencedTableOf(schema, relation), inside, is(relation, One))
    return [{ name, outer: fields, inner: references, branch }]
  })
  return { table, config, isOne, nested }
}

function relationOf({ relations, tsName }: TableRelationalConfig, name: string): Relation {
  const relation = Object.hasOwn(relations, name) ? relations[name] : undefined
  if (relation) return relation
  throw new IsothermError('INVALID_QUERY', `The table ${tsName} has no relation ${name}.`, {
    fix: `Declare it with relations(${tsName}, …), and add that to the schema that drizzle() is given.`,
  })
}

function nodeOf(branch: Branch, name: string, words: RelationalWords): RelationalNode {
  const { table: described, config, isOne, nested } = branch
  const alias = aliasOf(branch, name, words)
  const table = tableOf(described)
  const fields = [...columnsIn(described, config), ...extrasIn(described, config, table, alias)]
  if (fields.length === 0 && nested.length === 0) throw nothingSelected(described)
  return {
    table,
    alias,
    fields,
    relations: nested.map(({ branch: inside, ...relation }) => ({
      ...relation,
      node: nodeOf(inside, `${alias}_${relation.name}`, words),
    })),
    where: whereIn(described, config, table, alias, words),
    orderBy: orderIn(described, config, table, alias),
    isOne,
    limit: isOne ? undefined : config.limit,
    offset: config.offset,
  }
}

function nothingSelected({ tsName }: TableRelationalConfig): IsothermError {
  return new IsothermError('INVALID_QUERY', `Nothing is selected of the table ${tsName}.`, {
    fix: 'Name something in columns, with or extras; without columns there are all of them.',
  })
}

/**
 * An alias that none of the columns in reach is called by: a column within would be taken for the table around it. Nor is it
 * the table's own name in other letters: case means nothing to Spanner, and a subquery of the same table would hide it. Nested
 * aliases begin with the outer one and are longer, so that none hides another.
 */
function aliasOf(branch: Branch, name: string, words: RelationalWords): string {
  let alias = name
  while (hasColumn(branch, alias.toLowerCase(), words) || isOtherCase(alias, branch.table.dbName))
    alias += '_'
  return alias
}

function isOtherCase(alias: string, name: string): boolean {
  return alias !== name && alias.toLowerCase() === name.toLowerCase()
}

function hasColumn({ table, nested }: Branch, name: string, words: RelationalWords): boolean {
  const isCalled = (column: Column): boolean => words.columnName(column).toLowerCase() === name
  return (
    Object.values(table.columns).some(isCalled) || nested.some(({ branch }) => hasColumn(branch, name, words))
  )
}

/** The schema may have been given as a module's default, in which case only the columns know their table. */
function tableOf({ columns }: TableRelationalConfig): Table {
  return Object.values(columns)[0]!.table
}

function aliasedColumns({ columns }: TableRelationalConfig, alias: string): Record<string, Column> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, aliasedTableColumn(column, alias)]),
  )
}

function columnsIn({ columns }: TableRelationalConfig, config: RelationalConfig): RelationalField[] {
  return chosenIn(columns, config.columns).map((name) => ({ name, field: columns[name]! }))
}

/** With a `true` among them, those; else all but those that are `false`. */
function chosenIn(columns: Readonly<Record<string, Column>>, given: RelationalConfig['columns']): string[] {
  const all = Object.keys(columns)
  if (!given) return all
  const named = Object.keys(given).filter((name) => Object.hasOwn(columns, name) && given[name] !== undefined)
  if (named.length === 0) return []
  const wanted = named.filter((name) => given[name] === true)
  return wanted.length > 0 ? wanted : all.filter((name) => !named.includes(name))
}

function extrasIn(
  described: TableRelationalConfig,
  { extras }: RelationalConfig,
  table: Table,
  alias: string,
): RelationalField[] {
  if (!extras) return []
  const given = typeof extras === 'function' ? extras(aliasedColumns(described, alias), { sql }) : extras
  return Object.entries(given).map(([name, extra]) => ({ name, field: atAlias(extra, table, alias) }))
}

function whereIn(
  described: TableRelationalConfig,
  { where }: RelationalConfig,
  table: Table,
  alias: string,
  { operators }: RelationalWords,
): SQL | undefined {
  const given = typeof where === 'function' ? where(aliasedColumns(described, alias), operators) : where
  return given && atAlias(given, table, alias)
}

function orderIn(
  described: TableRelationalConfig,
  { orderBy = [] }: RelationalConfig,
  table: Table,
  alias: string,
): (Column | SQL)[] {
  const given =
    typeof orderBy === 'function' ? orderBy(aliasedColumns(described, alias), getOrderByOperators()) : orderBy
  return [given].flat().map((each) => atAlias(each, table, alias))
}
