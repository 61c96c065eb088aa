import type { ChangeStream, View } from '../../model/schema.js'
import type { SqlDialect } from '../../model/sql-expression.js'
import type { Table } from '../../model/table.js'
import type { TableLayout } from '../layout.js'
import { columnsOf, shardChecks, type ColumnForeignKey, type Layouts } from './constraints.js'
import type { DefinedColumn } from './defined-column.js'
import { requiredSql } from './refusal.js'

// What Spanner's dialects spell alike, but for their quotes.

export interface Spelling {
  readonly dialect: SqlDialect
  /** What stands before a list of options. */
  readonly options: 'OPTIONS' | 'WITH'
  quote(name: string): string
  literal(text: string): string
}

export function nameList(names: readonly string[], { quote }: Spelling): string {
  return names.map(quote).join(', ')
}

/** A column that is computed when it is read cannot be NOT NULL, whatever its expression gives. */
export function notNullClause({ nullable, made }: DefinedColumn): string[] {
  const virtual = made?.by === 'generated' && !made.stored
  return nullable || virtual ? [] : ['NOT NULL']
}

export interface SpelledCheck {
  readonly name: string
  readonly expression: string
}

/** The checks of a table: those that keep its shards in their range, and its own. */
export function checksOf(layout: TableLayout, { quote, dialect }: Spelling): SpelledCheck[] {
  const { name, checks } = layout.table
  return [
    ...shardChecks(layout).map(({ name: check, column, lowest, highest }) => ({
      name: check,
      expression: `${quote(column)} >= ${lowest} AND ${quote(column)} < ${highest + 1}`,
    })),
    ...checks.map((check) => ({
      name: check.name,
      expression: requiredSql(check.expression, dialect, name, `the check ${check.name}`),
    })),
  ]
}

export function checkClauses(layout: TableLayout, spelling: Spelling): string[] {
  return checksOf(layout, spelling).map(
    ({ name, expression }) => `CONSTRAINT ${spelling.quote(name)} CHECK (${expression})`,
  )
}

export function foreignKeyClause(foreignKey: ColumnForeignKey, spelling: Spelling): string {
  const { key, columns, references } = foreignKey
  return [
    `CONSTRAINT ${spelling.quote(key.name)} FOREIGN KEY (${nameList(columns, spelling)})`,
    `REFERENCES ${spelling.quote(key.table)} (${nameList(references, spelling)})`,
    ...(key.onDelete === 'cascade' ? ['ON DELETE CASCADE'] : []),
    ...(key.enforced === false ? ['NOT ENFORCED'] : []),
  ].join(' ')
}

export function addForeignKey(table: string, foreignKey: ColumnForeignKey, spelling: Spelling): string {
  return `ALTER TABLE ${spelling.quote(table)} ADD ${foreignKeyClause(foreignKey, spelling)}`
}

/** Nothing is deleted with a parent that need not be there. */
export function interleaveClause({ parent }: Table, { quote }: Spelling): string[] {
  if (!parent) return []
  if (parent.required === false) return [`INTERLEAVE IN ${quote(parent.table)}`]
  return [`INTERLEAVE IN PARENT ${quote(parent.table)} ON DELETE ${parent.onDelete.toUpperCase()}`]
}

export function createView(
  { name, query, security }: View,
  { dialect, quote }: Spelling,
  create: 'CREATE' | 'CREATE OR REPLACE' = 'CREATE',
): string {
  const text = requiredSql(query, dialect, name, 'its query')
  return `${create} VIEW ${quote(name)} SQL SECURITY ${security.toUpperCase()} AS ${text}`
}

/** What a change stream watches; undefined for nothing at all. */
export function watchClause(
  { watch }: ChangeStream,
  layouts: Layouts,
  spelling: Spelling,
): string | undefined {
  if (watch === 'all') return 'ALL'
  if (watch.length === 0) return undefined
  const tables = watch.map(({ table, columns }) => {
    if (columns === 'all') return spelling.quote(table)
    const names = columnsOf(layouts.get(table)!, columns).map((column) => column.name)
    return `${spelling.quote(table)} (${nameList(names, spelling)})`
  })
  return tables.join(', ')
}

export function createChangeStream(stream: ChangeStream, layouts: Layouts, spelling: Spelling): string {
  const watched = watchClause(stream, layouts, spelling)
  const options = optionList(stream.options, spelling)
  return [
    `CREATE CHANGE STREAM ${spelling.quote(stream.name)}`,
    ...(watched === undefined ? [] : [`FOR ${watched}`]),
    ...(options === '' ? [] : [`${spelling.options} (${options})`]),
  ].join(' ')
}

/** The options of a change stream; those that are true or false are no texts, and what is null goes back to the default. */
export function optionList(options: Readonly<Record<string, string | null>>, { literal }: Spelling): string {
  const spelled = (value: string | null): string =>
    value === null || /^(true|false)$/.test(value) ? String(value) : literal(value)
  return Object.entries(options)
    .map(([name, value]) => `${name} = ${spelled(value)}`)
    .join(', ')
}
