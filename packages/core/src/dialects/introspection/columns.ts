import { IsothermError } from '../../errors.js'
import type { Column } from '../../model/column.js'
import type { ValueSource } from '../../model/key.js'
import type { Table } from '../../model/table.js'
import type { CatalogColumn, CatalogTable } from './catalog.js'
import { meaningOf } from './defaults.js'
import type { IntrospectedDialect, RecognisedType } from './dialect.js'
import { hashSourceOf, shardSourceOf } from './hash-source.js'

export interface ColumnContext {
  readonly dialect: IntrospectedDialect
  /** The names of all sequences. */
  readonly sequences: readonly string[]
}

/** The columns of a table, with what is recognised of where their values come from. */
export function columnsOf(table: CatalogTable, parent: Table | undefined, context: ColumnContext): Column[] {
  const plain = table.columns.map((column) => plainColumn(table.name, column, context.dialect))
  return table.columns.map((column, at) => {
    const made = { ...plain[at]!, ...madeBy(table, column, plain, context) }
    const inherited = inheritedFrom(parent, column.name)
    return inherited ? inherit(made, inherited) : made
  })
}

/** What the database says of a column, but for where its value comes from. */
function plainColumn(table: string, column: CatalogColumn, dialect: IntrospectedDialect): Column {
  const { name, nullable, hidden, updates } = column
  if (updates) throw unsupported(table, name, 'changes with every update of its row (ON UPDATE).')
  return {
    property: name,
    name,
    type: typeOf(table, column, dialect).type,
    nullable,
    immutable: false,
    inherited: false,
    ...(hidden && { hidden: true as const }),
  }
}

function typeOf(table: string, column: CatalogColumn, dialect: IntrospectedDialect): RecognisedType {
  const recognised = dialect.typeOf(column.type)
  if (recognised) return recognised
  throw unsupported(table, column.name, `is of type ${column.type}, which Isotherm does not have.`)
}

function unsupported(table: string, column: string, what: string): IsothermError {
  return new IsothermError('UNSUPPORTED', `${table}.${column} ${what}`, {
    fix: 'Declare the tables that you need as models, without it: introspection leaves no part of a table out.',
    table,
    column,
  })
}

type Made = Pick<Column, 'source' | 'default' | 'generated'> & Partial<Pick<Column, 'type'>>

function madeBy(
  table: CatalogTable,
  column: CatalogColumn,
  columns: readonly Column[],
  { dialect, sequences }: ColumnContext,
): Made {
  if (column.generated) return generatedBy(table, column, column.generated, columns, dialect)
  if (column.identity) return { source: { kind: 'bit-reversed', from: 'identity', ...column.identity } }
  const { type, commitTimestamp } = typeOf(table.name, column, dialect)
  const written = column.default === undefined ? {} : { default: { [dialect.name]: column.default } }
  if (column.allowsCommitTimestamp || commitTimestamp) {
    return { source: { kind: 'timestamp', from: 'commit' }, ...written }
  }
  if (column.default === undefined) return {}
  const call = dialect.defaultCall(column.default, sequences)
  return (call && meaningOf(call, type)) ?? written
}

function generatedBy(
  table: CatalogTable,
  { name }: CatalogColumn,
  generated: NonNullable<CatalogColumn['generated']>,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): Made {
  const { expression, stored } = generated
  const source = stored ? keySource(table, name, expression, columns, dialect) : undefined
  return source ? { source } : { generated: { expression: { [dialect.name]: expression }, stored } }
}

/** Only a key is sharded or hashed, and only at its beginning is it sharded. */
function keySource(
  { key }: CatalogTable,
  name: string,
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): ValueSource | undefined {
  const place = key.findIndex(({ column }) => column === name)
  if (place < 0) return undefined
  const others = columns.filter((column) => column.name !== name)
  return (
    (place === 0 ? shardSourceOf(expression, others, dialect) : undefined) ??
    hashSourceOf(expression, others, dialect)
  )
}

function inheritedFrom(parent: Table | undefined, name: string): Column | undefined {
  const column = parent?.columns.find((each) => each.name === name)
  return parent?.primaryKey.some(({ property }) => property === column?.property) ? column : undefined
}

/** In the child the database has neither the parent's default nor its identity, and says nothing of what they mean. */
function inherit(own: Column, { type, source }: Column): Column {
  return { ...own, type, inherited: true, ...(source && { source }) }
}
