import type { Schema, TableSchema } from '@isotherm/core'
import type { Imports } from '../imports.js'
import { partsOf } from '../naming.js'
import { Code, propertyName, type Value, type ValueRecord } from '../source-text.js'
import { sqlCode, type Call } from './chain.js'
import { expressionOf } from './expressions.js'
import type { DrizzleWords } from './words.js'
import { sqlValue } from '../declaration.js'
import { hashedColumns } from '../hashing.js'

type Index = TableSchema['indexes'][number]
type ForeignKey = TableSchema['foreignKeys'][number]
type Chain = readonly [Call, ...Call[]]

export interface ExtrasContext {
  readonly words: DrizzleWords
  readonly imports: Imports
  readonly schema: Schema
  /** What a table is called in the file. */
  identifier(table: string): string
}

/** What stands in the third argument of a table. @param primaryKey whether the key is said there */
export function extrasOf(table: TableSchema, primaryKey: boolean, context: ExtrasContext): readonly Chain[] {
  const { words } = context
  const { parent, rowDeletion, expect, exceptions } = table
  const used = (name: string): string => {
    context.imports.add(words.from(name), name)
    return name
  }
  const model = (name: string): Code => new Code(context.identifier(name))
  const single = (name: string, ...args: readonly Value[]): Chain => [{ name: used(name), args }]
  const hashed = hashedColumns(table, words.dialect)
  const immutable = table.columns.filter(
    (column) =>
      words.saysImmutableApart && !column.inherited && (column.immutable || hashed.has(column.property)),
  )
  return [
    ...(parent ? [single('interleaveIn', model(parent.table), ...options(interleaveOptions(parent)))] : []),
    ...(primaryKey
      ? [
          single('primaryKey', {
            columns: table.primaryKey.map(({ property, order }) =>
              order === 'desc' && words.dialect === 'googlesql'
                ? new Code(`${used('desc')}(${own(property).text})`)
                : own(property),
            ),
          }),
        ]
      : []),
    ...(immutable.length > 0 ? [single('immutable', ...immutable.map(({ property }) => own(property)))] : []),
    ...table.indexes.map((index) => indexChain(index, table, words, model, used)),
    ...table.checks.map(({ name, expression }) => {
      used('sql')
      return single('check', name, sqlCode(expressionOf(sqlValue(expression), words.dialect)))
    }),
    ...table.foreignKeys.map((key) => foreignKeyChain(key, table, context, used)),
    ...(rowDeletion
      ? [single('rowDeletionPolicy', own(rowDeletion.property), { days: rowDeletion.days })]
      : []),
    ...(expect ? [single('expectedLoad', { ...expect })] : []),
    ...exceptions.map(({ rule, on, reason }) =>
      single('lintException', { rule, on: exceptionOn(table, on), reason }),
    ),
  ]
}

/** `t.name`: a column of the table that is being declared. */
export function own(property: string): Code {
  return columnOf('t', property)
}

export function columnOf(table: string, property: string): Code {
  const name = propertyName(property)
  return new Code(name === property ? `${table}.${name}` : `${table}[${name.replace(/^\[(.*)\]$/, '$1')}]`)
}

function interleaveOptions({ onDelete, required }: NonNullable<TableSchema['parent']>): ValueRecord {
  return {
    onDelete: onDelete === 'cascade' ? onDelete : undefined,
    requireParent: required === false ? false : undefined,
  }
}

function options(record: ValueRecord): readonly Value[] {
  return Object.values(record).some((value) => value !== undefined) ? [record] : []
}

/** An index of a table is in the table's named schema, and need not say so. */
function localName(name: string, table: TableSchema): string {
  const parts = partsOf(name)
  return parts.namespace === partsOf(table.name).namespace ? parts.name : name
}

function indexChain(
  index: Index,
  table: TableSchema,
  words: DrizzleWords,
  model: (table: string) => Code,
  used: (name: string) => string,
): Chain {
  const { name, parts, unique, nullFiltered, notNull, storing, interleaveIn, shard } = index
  const on = parts.map(({ property, order, nulls }): Code => {
    const column = own(property)
    // GoogleSQL has NULL first where it ascends, and nothing says otherwise.
    if (nulls !== undefined && words.dialect === 'spanner-postgresql')
      return new Code(`${column.text}.${order}().nulls${nulls === 'first' ? 'First' : 'Last'}()`)
    return order === 'desc' ? new Code(`${used('desc')}(${column.text})`) : column
  })
  return [
    { name: used(unique ? 'uniqueIndex' : 'index'), args: [localName(name, table)] },
    { name: 'on', args: on },
    ...(storing.length > 0 ? [{ name: 'storing', args: storing.map(own) }] : []),
    ...(nullFiltered ? [{ name: 'nullFiltered', args: [] }] : []),
    ...(notNull.length > 0 ? [{ name: 'whereNotNull', args: notNull.map(own) }] : []),
    ...(interleaveIn === undefined ? [] : [{ name: 'interleaveIn', args: [model(interleaveIn)] }]),
    ...(shard ? [{ name: 'shard', args: [{ shards: shard.shards, of: shard.of.map(own) }] }] : []),
  ]
}

function foreignKeyChain(
  { name, columns, table: other, references, onDelete, enforced }: ForeignKey,
  table: TableSchema,
  { identifier }: ExtrasContext,
  used: (name: string) => string,
): Chain {
  const foreign = other === table.name ? 't' : identifier(other)
  const config = {
    name,
    columns: columns.map(own),
    foreignColumns: references.map((property) => columnOf(foreign, property)),
  }
  return [
    { name: used('foreignKey'), args: [config] },
    ...(onDelete === 'cascade' ? [{ name: 'onDelete', args: [onDelete] }] : []),
    ...(enforced === false ? [{ name: 'notEnforced', args: [] }] : []),
  ]
}

function exceptionOn(table: TableSchema, on: string | undefined): Value | undefined {
  if (on === undefined) return undefined
  return table.columns.some(({ property }) => property === on) ? own(on) : localName(on, table)
}
