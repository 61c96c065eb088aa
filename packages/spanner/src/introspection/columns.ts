import {
  type Column,
  type HashAlgorithm,
  IsothermError,
  type LexicalSyntax,
  type Table,
  paired,
} from '@isotherm/core/engine'
import {
  type ColumnDefault,
  type HashSource,
  MAX_SHARDS,
  MIN_SHARDS,
  type OpaqueColumn,
  type ShardSource,
  type ValueSource,
  canBeHashed,
} from '@isotherm/core/tools'
import {
  type IntrospectedDialect,
  type NormalForm,
  type RecognisedType,
  meaningOf,
  normalName,
  sameForm,
} from './dialect.js'
import type { CatalogColumn, CatalogTable } from './catalog.js'
import { literalValue } from './literals.js'

// Isotherm's own hashes are recognised by printing them again: a candidate for each shard count that the text could mean,
// over the columns that it names, in their order.

/** The shard that an expression computes; undefined if it is not an expression that Isotherm would have written. */
export function shardSourceOf(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): ShardSource | undefined {
  const found = recognised(expression, columns, dialect, ranges, dialect.hashes.shardExpression)
  return found && { kind: 'shard', strategy: 'hash', ...found.as, of: found.of, computedBy: 'database' }
}

const ALGORITHMS: readonly HashAlgorithm[] = ['farm-fingerprint', 'sha256', 'sha512']

/** The whole hash that an expression computes. */
export function hashSourceOf(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): HashSource | undefined {
  const found = recognised(expression, columns, dialect, () => ALGORITHMS, dialect.hashes.hashExpression)
  return found && { kind: 'hash', algorithm: found.as, of: found.of, computedBy: 'database' }
}

/** The inputs of an expression: properties, and one of the candidates. */
function recognised<Candidate>(
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
  candidates: (form: NormalForm) => readonly Candidate[],
  print: (of: readonly Column[], as: Candidate) => string,
): { of: readonly string[]; as: Candidate } | undefined {
  const form = dialect.normalForm(expression)
  const of = hashedColumns(form, columns, dialect)
  if (of.length === 0) return undefined
  const as = candidates(form).find((each) => sameForm(dialect.normalForm(print(of, each)), form))
  return as === undefined ? undefined : { of: of.map(({ property }) => property), as }
}

/** The columns that an expression names, each once; none where one of them cannot be hashed. */
function hashedColumns(
  form: NormalForm,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): readonly Column[] {
  const byEntry = new Map(columns.map((column) => [normalName(column.name, dialect.lexicalSyntax), column]))
  const named = form.flatMap((entry) => byEntry.get(entry) ?? [])
  return named.every(({ type }) => canBeHashed(type)) ? [...new Set(named)] : []
}

/** Every range of shards that the numbers of an expression could mean. */
function ranges(form: NormalForm): Pick<ShardSource, 'shards' | 'first' | 'signed'>[] {
  const numbers = [...new Set(form.flatMap(numberOf))]
  return numbers
    .filter((shards) => shards >= MIN_SHARDS && shards <= MAX_SHARDS)
    .flatMap((shards) => [
      { shards },
      { shards, signed: true as const },
      ...numbers.map((first) => ({ shards, first })),
    ])
}

function numberOf(entry: string): number[] {
  return /^n:-?\d{1,15}$/.test(entry) ? [Number(entry.slice(2))] : []
}

export interface ColumnContext {
  readonly dialect: IntrospectedDialect
  /** The names of all sequences. */
  readonly sequences: readonly string[]
}

/** Whether a schema does not model a column: it is kept as text, in the database's syntax. */
export function isOpaque({ type, updates }: CatalogColumn, dialect: IntrospectedDialect): boolean {
  return updates || dialect.typeOf(type) === undefined
}

/** The columns of a table that no schema models. */
export function opaqueColumnsOf(
  table: CatalogTable,
  dialect: IntrospectedDialect,
  gone: (column: string) => boolean,
): OpaqueColumn[] {
  const left = table.columns.filter(({ name }) => !gone(name))
  return left.flatMap((column, at): OpaqueColumn[] => {
    if (!isOpaque(column, dialect)) return []
    if (column.definition === undefined) throw withoutDefinition(table.name, column)
    const before = left[at + 1]?.name
    const definition = { [dialect.lexicalSyntax.name]: column.definition }
    return [{ name: column.name, definition, ...(before !== undefined && { before }) }]
  })
}

function withoutDefinition(table: string, { name, type }: CatalogColumn): IsothermError {
  return unsupported(table, name, `is of type ${type}, which Isotherm does not model, and the DDL lacks it.`)
}

/** The columns of a table, with the recognised sources of their values; without the opaque ones. */
export function columnsOf(table: CatalogTable, parent: Table | undefined, context: ColumnContext): Column[] {
  const known = table.columns.filter((column) => !isOpaque(column, context.dialect))
  const plain = known.map((column) => plainColumn(table.name, column, context.dialect))
  return paired(known, plain).map(([column, plainOne]) => {
    const made = { ...plainOne, ...madeBy(table, column, plain, context) }
    const inherited = inheritedFrom(parent, column.name)
    return inherited ? inherit(made, inherited) : made
  })
}

/** The facts that the database stores about a column, except the source of its value. */
function plainColumn(table: string, column: CatalogColumn, dialect: IntrospectedDialect): Column {
  const { name, nullable, hidden } = column
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
  throw unsupported(table, column.name, `is of type ${column.type}, which Isotherm does not support.`)
}

export function unsupported(table: string, column: string, what: string): IsothermError {
  return new IsothermError('UNSUPPORTED_OBJECT', `${table}.${column} ${what}`, {
    fix: 'Declare the tables that you need as models: introspection never leaves a part of a table out.',
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
  const written =
    column.default === undefined ? {} : { default: defaultOf(column.default, type, dialect.lexicalSyntax) }
  if (column.allowsCommitTimestamp || commitTimestamp) {
    return { source: { kind: 'timestamp', from: 'commit' }, ...written }
  }
  if (column.default === undefined) return {}
  const call = dialect.defaultCall(column.default, sequences)
  return (call && meaningOf(call, type)) ?? written
}

/** A literal is a value; whatever else the database says is SQL. */
function defaultOf(text: string, type: Column['type'], lexicalSyntax: LexicalSyntax): ColumnDefault {
  return literalValue(text, type, lexicalSyntax) ?? { sql: { [lexicalSyntax.name]: text } }
}

function generatedBy(
  table: CatalogTable,
  { name, nullable }: CatalogColumn,
  generated: NonNullable<CatalogColumn['generated']>,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): Made {
  const { expression, stored } = generated
  const source = stored ? keySource(table, name, expression, columns, dialect) : undefined
  if (source) return { source }
  const notNull = !stored && !nullable && { notNull: true as const }
  return { generated: { expression: { [dialect.lexicalSyntax.name]: expression }, stored, ...notNull } }
}

/** Only a key is sharded or hashed, and only at its beginning is it sharded. */
function keySource(
  { key }: CatalogTable,
  name: string,
  expression: string,
  columns: readonly Column[],
  dialect: IntrospectedDialect,
): ValueSource | undefined {
  const position = key.findIndex(({ column }) => column === name)
  if (position < 0) return undefined
  const others = columns.filter((column) => column.name !== name)
  return (
    (position === 0 ? shardSourceOf(expression, others, dialect) : undefined) ??
    hashSourceOf(expression, others, dialect)
  )
}

function inheritedFrom(parent: Table | undefined, name: string): Column | undefined {
  const column = parent?.columns.find((each) => each.name === name)
  return parent?.primaryKey.some(({ property }) => property === column?.property) ? column : undefined
}

/** In the child, the database stores neither the parent's default nor its identity, nor what they mean. */
function inherit(own: Column, { type, source }: Column): Column {
  return { ...own, type, inherited: true, ...(source && { source }) }
}
