import { known, paired } from '@isotherm/core/adapter'
import type { ColumnSchema, Finding, Schema, SqlDialect, TableSchema } from '@isotherm/core'
import { type Declaration, declarationsOf, defaultSql, sqlValue } from '../source/declaration.js'
import {
  Called,
  Code,
  type Imports,
  type Value,
  type ValueRecord,
  comment,
  fits,
  lines,
  propertyName,
  stringLiteral,
} from '../source/source-text.js'
import {
  type Call,
  type DrizzleSyntax,
  chain,
  columnArgs,
  expressionOf,
  list,
  sqlCode,
} from './drizzle-syntax.js'
import { hashedColumns } from '../source/hashing.js'
import { partsOf } from '../source/naming.js'
import type { DrizzleNames } from './naming.js'

type ScalarType = Exclude<ColumnSchema['type'], { readonly kind: 'array' }>

/** How a column is declared in Drizzle's way. */
interface DrizzleColumn {
  readonly property: string
  readonly calls: readonly [Call, ...Call[]]
  /** Whether it is a key part of its own. */
  readonly isKey: boolean
  readonly note?: string
}

const SPECIAL = new Set(['shardKey', 'hashKey', 'bitReversedId', 'uuidV4', 'descTimestamp'])

export interface ColumnContext {
  readonly words: DrizzleSyntax
  readonly imports: Imports
  /** Whether each column says its name, since those without one are called otherwise. */
  readonly isNamed: boolean
  /** `customers.id`: the column of the parent that a key part is inherited from. */
  readonly parentColumn: (property: string) => Code
}

/** @param saysKey whether the columns say which of them are the key */
function drizzleColumn(
  declaration: Declaration,
  column: ColumnSchema,
  saysKey: boolean,
  context: ColumnContext,
): DrizzleColumn {
  const { property, note } = declaration
  const calls = callsOf(declaration, column, saysKey, context)
  const { words, imports } = context
  imports.add(words.from(calls[0].name), calls[0].name)
  for (const { args } of calls) for (const arg of args) if (isSql(arg)) imports.add(words.from('sql'), 'sql')
  return { property, calls, isKey: declaration.isKey, ...(note !== undefined && { note }) }
}

function callsOf(
  declaration: Declaration,
  column: ColumnSchema,
  saysKey: boolean,
  { words, isNamed, parentColumn }: ColumnContext,
): readonly [Call, ...Call[]] {
  const { builder, args, key, property } = declaration
  if (builder === 'parentKey') return [{ name: builder, args: [parentColumn(property)] }]
  const lastArg = args.at(-1)
  const declared = isRecord(lastArg) && !(builder === 'array' && args.length === 1) ? lastArg : {}
  const options = withDefaultSql(declared, column, words.dialect)
  const { name: own, ...rest } = options
  const name = typeof own === 'string' ? own : isNamed ? column.name : undefined
  if (SPECIAL.has(builder)) return [{ name: builder, args: columnArgs(name, rest) }]
  const [of] = args
  const type = builder === 'array' ? (of as ValueRecord as ScalarType) : typeFrom(builder, options)
  const head = words.special(declaration, { ...options, name }) ?? words.column(type, name)
  const array = builder === 'array' ? [{ name: 'array', args: [] }] : []
  const isKey = saysKey && key !== undefined
  // A key that is declared by its columns implies NOT NULL, which is not repeated.
  const said = words.calls(declaration, options).filter((call) => !isKey || call.name !== 'notNull')
  return [head, ...array, ...(isKey ? [{ name: 'primaryKey', args: [] }] : []), ...said]
}

/** A default is always SQL, whatever the model would declare: a column's own values depend on its mode. */
function withDefaultSql(options: ValueRecord, column: ColumnSchema, dialect: SqlDialect): ValueRecord {
  const { default: defaultValue } = options
  if (defaultValue instanceof Called && defaultValue.name === 'sql')
    return { ...options, default: defaultValue.args[0] }
  if (defaultValue === undefined || column.default === undefined || column.source?.kind === 'timestamp')
    return options
  return { ...options, default: { [dialect.name]: defaultSql(column.type, column.default, dialect) } }
}

/** The type, as the options of its builder say it. */
function typeFrom(kind: Declaration['builder'], { length, as, storage }: ValueRecord): ScalarType {
  if (kind === 'string' || kind === 'bytes') return { kind, length: (length as number | undefined) ?? 'max' }
  if (kind === 'int64') return as === 'number' ? { kind, as } : { kind }
  if (kind === 'uuid') return { kind, storage: (storage ?? 'text') as 'text' }
  return { kind } as ScalarType
}

function isRecord(value: Value | undefined): value is ValueRecord {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    !(value instanceof Code) &&
    !(value instanceof Called)
  )
}

function isSql(value: Value): boolean {
  return value instanceof Code && value.text.startsWith('sql`')
}

type Index = TableSchema['indexes'][number]
type ForeignKey = TableSchema['foreignKeys'][number]
type Chain = readonly [Call, ...Call[]]

interface ExtrasContext {
  readonly words: DrizzleSyntax
  readonly imports: Imports
  readonly schema: Schema
  /** The identifier of a table in the file. */
  identifier(table: string): string
}

/** The third argument of a table. @param primaryKey whether the key is declared there */
export function extrasOf(table: TableSchema, primaryKey: boolean, context: ExtrasContext): readonly Chain[] {
  const { words } = context
  const { parent, rowDeletion, workload, suppressions } = table
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
              order === 'desc' && words.dialect.name === 'googlesql'
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
    ...(workload ? [single('workload', { ...workload })] : []),
    ...suppressions.map(({ rule, on, reason }) =>
      single('suppress', { rule, on: suppressionOn(table, on), reason }),
    ),
  ]
}

/** `t.name`: a column of the table that is being declared. */
function own(property: string): Code {
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

/** The name of an index without the table's named schema, which it is in by default. */
function localName(name: string, table: TableSchema): string {
  const parts = partsOf(name)
  return parts.namespace === partsOf(table.name).namespace ? parts.name : name
}

function indexChain(
  index: Index,
  table: TableSchema,
  words: DrizzleSyntax,
  model: (table: string) => Code,
  used: (name: string) => string,
): Chain {
  const { name, parts, unique, nullFiltered, notNull, storing, interleaveIn, shard } = index
  const on = parts.map(({ property, order, nulls }): Code => {
    const column = own(property)
    // In GoogleSQL, NULL comes first in ascending order, and this cannot be changed.
    if (nulls !== undefined && words.dialect.name === 'spanner-postgresql')
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

function suppressionOn(table: TableSchema, on: string | undefined): Value | undefined {
  if (on === undefined) return undefined
  return table.columns.some(({ property }) => property === on) ? own(on) : localName(on, table)
}

export interface DrizzleTableContext extends ExtrasContext {
  readonly names: DrizzleNames
  /** Whether two tables refer to each other, perhaps by way of others. */
  readonly inCircle: (table: string, other: string) => boolean
  readonly findings: readonly Finding[]
  readonly isNamed: boolean
}

/** The declaration of one table. */
export function drizzleTable(table: TableSchema, context: DrizzleTableContext): string {
  const { schema, words, imports, names, isNamed } = context
  const declarations = declarationsOf(table, { schema, dialect: words.dialect })
  const saysKey = columnsSayKey(table, declarations)
  const parentColumn = (property: string): Code => columnOf(context.identifier(table.parent!.table), property)
  const columns = paired(declarations, table.columns).map(([each, column]) =>
    drizzleColumn(each, column, saysKey, { words, imports, isNamed, parentColumn }),
  )
  const extras = extrasOf(table, !saysKey, context)
  const { namespace, name } = partsOf(table.name)
  const make = namespace === undefined ? words.table : `${known(names.namespaces, namespace)}.table`
  if (namespace === undefined) imports.add(words.from(words.table), words.table)
  const head = `export const ${context.identifier(table.name)} = ${make}(`
  const remarks = context.findings.flatMap(({ rule, message, ...found }) =>
    found.table === table.name ? comment(`isotherm lint: ${rule}: ${message}`) : [],
  )
  if (extras.length === 0 && fits(`${head}${stringLiteral(name)}, {`, { used: 0, after: 0 })) {
    const body = lines(
      '{',
      columns.map((each) => columnSource(each, 2)),
      '}',
      0,
    )
    return [...remarks, `${head}${stringLiteral(name)}, ${body})`].join('\n')
  }
  const extra = extras.map((each) => chain(each, { indent: 4, used: 4, after: 1 }))
  const isCircle = table.foreignKeys.some((key) => context.inCircle(table.name, key.table))
  const parameter = extra.some((text) => /\bt[.[]/.test(text)) ? 't' : ''
  // TypeScript cannot infer the types of two constants by way of each other.
  const returned = isCircle ? `: ${words.extra}[]` : ''
  if (isCircle) imports.add(words.from(words.extra), `type ${words.extra}`)
  const arrow = `(${parameter})${returned} => `
  const args = [
    stringLiteral(name),
    lines(
      '{',
      columns.map((each) => columnSource(each, 4)),
      '}',
      2,
    ),
    ...(extras.length === 0 ? [] : [arrow + list(extra, { indent: 2, used: arrow.length + 2, after: 1 })]),
  ]
  return [...remarks, lines(head, args, ')', 0)].join('\n')
}

/** Whether the columns in their order declare the key. */
function columnsSayKey({ primaryKey, columns }: TableSchema, declarations: readonly Declaration[]): boolean {
  const said = declarations.flatMap(({ isKey, property }) => (isKey ? [property] : []))
  if (said.join('\n') !== primaryKey.map(({ property }) => property).join('\n')) return false
  return declarations.every(({ key, builder }, at) => {
    const isPlain = key === undefined || key === 'asc'
    const isNull = columns[at]!.nullable && builder !== 'parentKey' && key !== undefined
    // Of a key that says an order of its own nothing but the whole order is right.
    return isPlain && !isNull && !(key === 'asc' && isMadeKey(builder))
  })
}

function isMadeKey(builder: Declaration['builder']): boolean {
  return ['shardKey', 'hashKey', 'bitReversedId', 'uuidV4', 'descTimestamp'].includes(builder)
}

/** A property, indented except for its first line. */
function columnSource({ property, calls, note }: DrizzleColumn, indent: number): string {
  const name = propertyName(property)
  const text = chain(calls, { indent, used: indent + name.length + 2, after: 1 })
  const remarks = note === undefined ? [] : comment(note, indent).map((line) => line.trimStart())
  return [...remarks, `${name}: ${text}`].join(`\n${' '.repeat(indent)}`)
}
