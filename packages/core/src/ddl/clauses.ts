import { known, present } from '../known.js'
import { constraintName } from '../model/generated.js'
import { shardBounds } from '../model/key.js'
import type { ForeignKey, Table } from '../model/table.js'
import type { IndexLayout, Made, PhysicalColumn, PhysicalKeyPart, TableLayout } from '../layout/layout.js'
import { unsupportedModel } from '../errors.js'
import { type SqlExpression, missingTextFix, sqlFor } from '../model/sql-expression.js'
import type { ChangeStream, Sequence, View } from '../model/schema.js'
import type { LexicalSyntax } from '../tokens/lexical-syntax.js'

/** The layouts of a schema's tables, by the tables' names. */
export type Layouts = ReadonlyMap<string, TableLayout>

/** The columns that hold these properties, in their order. */
export function columnsOf(layout: TableLayout, properties: readonly string[]): readonly PhysicalColumn[] {
  return properties.flatMap((property) => known(layout.byProperty, property).physical)
}

/** A foreign key as in DDL: columns in place of properties. */
export interface ColumnForeignKey {
  readonly key: ForeignKey
  readonly columns: readonly string[]
  readonly references: readonly string[]
}

export function foreignKeyColumns(layouts: Layouts, layout: TableLayout, key: ForeignKey): ColumnForeignKey {
  return {
    key,
    columns: columnsOf(layout, key.columns).map((column) => column.name),
    references: columnsOf(known(layouts, key.table), key.references).map((column) => column.name),
  }
}

/** The allowed values of a shard that the client computes. */
interface ShardCheck {
  readonly name: string
  readonly column: string
  readonly lowest: number
  readonly highest: number
}

/**
 * If the client computes the shard, a check keeps other writers inside the shards that are read. A child whose row needs
 * its parent's row relies on the parent's check.
 */
export function shardChecks({ table, fields }: TableLayout): readonly ShardCheck[] {
  return fields.flatMap(({ column, physical }) => {
    const { source, inherited } = column
    if (source?.kind !== 'shard') return []
    const [own] = physical
    if (!own.written) return []
    if (inherited && table.parent?.required !== false) return []
    return { name: constraintName(table.name, own.name, 'range'), column: own.name, ...shardBounds(source) }
  })
}

/** A column as in its definition: what a database stores of it, as plain data. */
export type DefinedColumn = Pick<PhysicalColumn, 'name' | 'type' | 'nullable' | 'made' | 'hidden'>

/** @throws {IsothermError} `UNSUPPORTED_MODEL` where an expression is given for other dialects only. */
export function requiredSql(
  expression: SqlExpression,
  dialect: string,
  object: string,
  part: string,
): string {
  const text = sqlFor(expression, dialect)
  if (text !== undefined) return text
  throw unsupportedModel(object, `has no SQL for ${part} in ${dialect}.`, missingTextFix(expression, dialect))
}

// The syntax that Spanner's dialects share, apart from their quotes.

export interface ClauseSyntax {
  readonly lexicalSyntax: LexicalSyntax
  /** The text before a list of options. */
  readonly options: 'OPTIONS' | 'WITH'
  quote(name: string): string
  literal(text: string): string
}

function nameList(names: readonly string[], { quote }: ClauseSyntax): string {
  return names.map(quote).join(', ')
}

/** A column that is computed when it is read is NOT NULL only if that is declared, whatever its expression returns. */
export function notNullClause({ nullable, made }: DefinedColumn): string[] {
  const virtual = made?.by === 'generated' && !made.stored && !made.notNull
  return nullable || virtual ? [] : ['NOT NULL']
}

export interface NamedCheck {
  readonly name: string
  /** The database makes the name up. */
  readonly unnamed?: true
  readonly expression: string
}

/** The checks of a table: those that keep its shards in their range, and its own. */
export function checksOf(layout: TableLayout, { quote, lexicalSyntax }: ClauseSyntax): NamedCheck[] {
  const { name, checks } = layout.table
  return [
    ...shardChecks(layout).map(({ name: check, column, lowest, highest }) => ({
      name: check,
      expression: `${quote(column)} >= ${lowest} AND ${quote(column)} < ${highest + 1}`,
    })),
    ...checks.map((check) => ({
      name: check.name,
      ...(check.unnamed && { unnamed: check.unnamed }),
      expression: requiredSql(check.expression, lexicalSyntax.name, name, `the check ${check.name}`),
    })),
  ]
}

export function checkClauses(layout: TableLayout, syntax: ClauseSyntax): string[] {
  return checksOf(layout, syntax).map((check) => checkClause(check, syntax))
}

export function checkClause(check: NamedCheck, syntax: ClauseSyntax): string {
  return `${nameClause(check, syntax)}CHECK (${check.expression})`
}

/** The text before a constraint with a name of its own. */
function nameClause(
  { name, unnamed }: { readonly name: string; readonly unnamed?: true },
  { quote }: ClauseSyntax,
): string {
  return unnamed ? '' : `CONSTRAINT ${quote(name)} `
}

export function foreignKeyClause(foreignKey: ColumnForeignKey, syntax: ClauseSyntax): string {
  const { key, columns, references } = foreignKey
  return [
    `${nameClause(key, syntax)}FOREIGN KEY (${nameList(columns, syntax)})`,
    `REFERENCES ${syntax.quote(key.table)} (${nameList(references, syntax)})`,
    ...(key.onDelete === 'cascade' ? ['ON DELETE CASCADE'] : []),
    ...(key.enforced === false ? ['NOT ENFORCED'] : []),
  ].join(' ')
}

export function addForeignKey(table: string, foreignKey: ColumnForeignKey, syntax: ClauseSyntax): string {
  return `ALTER TABLE ${syntax.quote(table)} ADD ${foreignKeyClause(foreignKey, syntax)}`
}

/** Nothing is deleted with a parent that need not be there. */
export function interleaveClause({ parent }: Table, { quote }: ClauseSyntax): string[] {
  if (!parent) return []
  if (parent.required === false) return [`INTERLEAVE IN ${quote(parent.table)}`]
  return [`INTERLEAVE IN PARENT ${quote(parent.table)} ON DELETE ${parent.onDelete.toUpperCase()}`]
}

export function createView(
  { name, query, security }: View,
  { lexicalSyntax, quote }: ClauseSyntax,
  create: 'CREATE' | 'CREATE OR REPLACE' = 'CREATE',
): string {
  const text = requiredSql(query, lexicalSyntax.name, name, 'its query')
  return `${create} VIEW ${quote(name)} SQL SECURITY ${security.toUpperCase()} AS ${text}`
}

/** The watched objects of a change stream; undefined if it watches nothing. */
export function watchClause(
  { watch }: ChangeStream,
  layouts: Layouts,
  syntax: ClauseSyntax,
): string | undefined {
  if (watch === 'all') return 'ALL'
  if (watch.length === 0) return undefined
  const tables = watch.map(({ table, columns }) => {
    if (columns === 'all') return syntax.quote(table)
    const names = columnsOf(known(layouts, table), columns).map((column) => column.name)
    return `${syntax.quote(table)} (${nameList(names, syntax)})`
  })
  return tables.join(', ')
}

export function createChangeStream(stream: ChangeStream, layouts: Layouts, syntax: ClauseSyntax): string {
  const watched = watchClause(stream, layouts, syntax)
  const options = optionList(stream.options, syntax)
  return [
    `CREATE CHANGE STREAM ${syntax.quote(stream.name)}`,
    ...(watched === undefined ? [] : [`FOR ${watched}`]),
    ...(options === '' ? [] : [`${syntax.options} (${options})`]),
  ].join(' ')
}

/**
 * The options of a change stream; `true` and `false` are written without quotes, and null resets an option to its default.
 */
export function optionList(
  options: Readonly<Record<string, string | null>>,
  { literal }: ClauseSyntax,
): string {
  const rendered = (value: string | null): string =>
    value === null || /^(true|false)$/.test(value) ? String(value) : literal(value)
  return Object.entries(options)
    .map(([name, value]) => `${name} = ${rendered(value)}`)
    .join(', ')
}

export type Counter = Pick<Sequence, 'startCounter' | 'skipRange'>

/** The changed options of a counter: by default, a counter begins at 1. */
export function counterChanges(
  from: Counter,
  to: Counter,
): { readonly start?: string; readonly range?: Counter['skipRange'] | 'none' } {
  const start = to.startCounter ?? '1'
  return {
    ...(start !== (from.startCounter ?? '1') && { start }),
    ...(String(to.skipRange) !== String(from.skipRange) && { range: to.skipRange ?? 'none' }),
  }
}

/** The clauses that change an identity's counter; the two ends of a range are parted by what the dialect has there. */
export function identityChanges(
  from: Made | undefined,
  to: Made | undefined,
  separator: ' ' | ', ',
): string[] {
  if (from?.by !== 'identity' || to?.by !== 'identity') return []
  const { start, range } = counterChanges(from, to)
  return [
    ...(range === undefined
      ? []
      : [range === 'none' ? 'SET NO SKIP RANGE' : `SET SKIP RANGE ${range.join(separator)}`]),
    ...(start === undefined ? [] : [`RESTART COUNTER WITH ${start}`]),
  ]
}

/** A column of an index's key, as in DDL. */
export interface IndexColumn {
  readonly property: string
  readonly column: PhysicalColumn
  readonly order: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last'
}

/**
 * The columns of an index's key. An interleaved index begins with the parent's key as the database stores it: with its
 * mirrors, where keys cannot descend.
 */
export function indexColumns(
  layouts: Layouts,
  layout: TableLayout,
  { index, key, shard }: IndexLayout,
): readonly IndexColumn[] {
  const parent = index.interleaveIn === undefined ? undefined : layouts.get(index.interleaveIn)
  const ofParent = new Set(parent?.table.primaryKey.map((part) => part.property))
  const own = key.filter(({ field }) => !ofParent.has(field.column.property))
  const parts = [...(parent ? parentColumns(layout, parent) : []), ...own.map(indexColumn)]
  return parts.map((part): IndexColumn => {
    const nulls =
      part.property === shard?.column.property
        ? undefined
        : index.parts.find(({ property }) => property === part.property)?.nulls
    return { ...part, ...(nulls && { nulls }) }
  })
}

function indexColumn({ field, column, order }: PhysicalKeyPart): IndexColumn {
  return { property: field.column.property, column, order }
}

/** The parent's key, in this table's columns of the same names. */
function parentColumns(layout: TableLayout, parent: TableLayout): IndexColumn[] {
  return parent.key.map((part) => {
    const { property } = part.field.column
    const field = known(layout.byProperty, property)
    const column =
      part.column === part.field.mirror
        ? field.mirror
        : field.physical[part.field.physical.indexOf(part.column)]
    return { property, column: present(column, `column of ${property}`), order: part.order }
  })
}
