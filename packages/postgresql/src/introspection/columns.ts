import { type Column, type HashAlgorithm, IsothermError, generatedName, paired } from '@isotherm/core/engine'
import {
  type HashSource,
  MAX_SHARDS,
  MIN_SHARDS,
  type OpaqueColumn,
  type ShardSource,
  type ValueSource,
  canBeHashed,
  namespaceOf,
} from '@isotherm/core/tools'
import type { Table } from '@isotherm/core/engine'
import { hashExpression, shardExpression } from '../sql/hash-expression.js'
import { quote } from '../sql/lexical-syntax.js'
import { bitReversedNext } from '../sql/statements.js'
import type { CatalogColumn, CatalogSequence } from './catalog.js'
import { type NormalForm, normalForm, normalName, numbersIn, sameForm, unwrapped } from './expression.js'
import { literalValue } from './literals.js'
import { ALONE, type Named, type ScopedTable } from './scope.js'
import { columnTypeOf } from './types.js'

/** Whether a schema does not model a column: it is kept as text. A column that is computed when it is read is among them. */
export function isOpaque({ type, generated }: CatalogColumn): boolean {
  return generated === 'v' || columnTypeOf(type) === undefined
}

/** The columns of a table that no schema models. */
export function opaqueColumnsOf(
  { columns }: ScopedTable,
  isDropped: (column: string) => boolean,
): OpaqueColumn[] {
  const left = columns.filter(({ name }) => !isDropped(name))
  return left.flatMap((column, at): OpaqueColumn[] => {
    if (!isOpaque(column)) return []
    const before = left[at + 1]?.name
    return [
      {
        name: column.name,
        definition: { postgresql: definitionOf(column) },
        ...(before !== undefined && { before }),
      },
    ]
  })
}

function definitionOf({
  type,
  ownCollation,
  isNotNull,
  expression,
  generated,
  identity,
}: CatalogColumn): string {
  return [
    type,
    ...(ownCollation === null ? [] : [`COLLATE ${ownCollation}`]),
    ...(isNotNull && identity === '' ? ['NOT NULL'] : []),
    ...(identity === '' ? [] : [identityClause(identity)]),
    ...(expression === null
      ? []
      : generated === ''
        ? [`DEFAULT (${unwrapped(expression)})`]
        : [`GENERATED ALWAYS AS (${unwrapped(expression)}) ${generated === 'v' ? 'VIRTUAL' : 'STORED'}`]),
  ].join(' ')
}

/** How a column counts by itself, in the words of SQL. */
export function identityClause(identity: string): string {
  return `GENERATED ${identity === 'a' ? 'ALWAYS' : 'BY DEFAULT'} AS IDENTITY`
}

export type Sequences = readonly Named<CatalogSequence>[]

/** The columns of a table, with the recognised sources of their values; without the opaque ones. */
export function columnsOf(table: ScopedTable, parent: Table | undefined, sequences: Sequences): Column[] {
  const known = table.columns.filter((column) => !isOpaque(column))
  const plain = known.map(plainColumn)
  return paired(known, plain).map(([column, plainOne]) => {
    const own = { ...plainOne, ...madeBy(table, column, plain, sequences) }
    const inherited = inheritedFrom(parent, column.name)
    if (!inherited) return own
    // A child's column has neither the parent's default nor its sequence, nor what they mean.
    const { type, source } = inherited
    return { ...own, type, inherited: true, ...(source && { source }) }
  })
}

function plainColumn({ name, type, isNotNull }: CatalogColumn): Column {
  return {
    property: name,
    name,
    type: columnTypeOf(type)!,
    nullable: !isNotNull,
    immutable: false,
    inherited: false,
  }
}

function inheritedFrom(parent: Table | undefined, name: string): Column | undefined {
  const column = parent?.columns.find((each) => each.name === name)
  return parent?.primaryKey.some(({ property }) => property === column?.property) ? column : undefined
}

type Made = Pick<Column, 'source' | 'default' | 'generated'> & Partial<Pick<Column, 'type'>>

function madeBy(
  table: ScopedTable,
  column: CatalogColumn,
  columns: readonly Column[],
  sequences: Sequences,
): Made {
  const { expression, generated } = column
  if (expression === null) return {}
  if (generated !== '') {
    const source = keySource(table, column.name, expression, columns)
    if (source) return { source }
    return { generated: { expression: { postgresql: unwrapped(expression) }, stored: true } }
  }
  const type = columnTypeOf(column.type)!
  return (
    knownDefault(table, column, expression, sequences) ?? {
      default: literalValue(expression, type) ?? { sql: { postgresql: unwrapped(expression) } },
    }
  )
}

const UUID = normalForm('gen_random_uuid()')
const CLOCKS = [normalForm('CURRENT_TIMESTAMP'), normalForm('now()')]
const UUID_LENGTH = 36

/** The defaults that Isotherm writes itself: a UUID or its text, the clock, the next number of a sequence. */
function knownDefault(
  table: ScopedTable,
  column: CatalogColumn,
  expression: string,
  sequences: Sequences,
): Made | undefined {
  const type = columnTypeOf(column.type)!
  const form = normalForm(expression)
  if (type.kind === 'uuid' && sameForm(form, UUID)) return { source: { kind: 'uuid-v4' } }
  if (type.kind === 'string' && type.length === UUID_LENGTH && sameForm(form, UUID))
    return { source: { kind: 'uuid-v4' }, type: { kind: 'uuid' } }
  if (type.kind === 'timestamp' && CLOCKS.some((clock) => sameForm(form, clock)))
    return { source: { kind: 'timestamp', from: 'now' } }
  const sequence = type.kind === 'int64' ? reversedSequence(form, column, sequences) : undefined
  if (!sequence) return undefined
  if (!isOwn(sequence, table, column.name))
    return { source: { kind: 'bit-reversed', from: 'sequence', sequence: sequence.name } }
  return { source: { kind: 'bit-reversed', from: 'identity', ...startOf(sequence.row) } }
}

/** PostgreSQL names a sequence as `search_path` asks for; which one it is, the dependencies of the default tell. */
const NEXT = withoutSequence(normalForm(bitReversedNext('any')))

function withoutSequence(form: NormalForm): NormalForm {
  const start = form.indexOf('nextval(')
  return form.toSpliced(start + 1, form.indexOf(')', start) - start - 1)
}

function reversedSequence(
  form: NormalForm,
  column: CatalogColumn,
  sequences: Sequences,
): Sequences[number] | undefined {
  const [oid, ...more] = column.sequences
  if (more.length > 0 || !form.includes('nextval(') || !sameForm(withoutSequence(form), NEXT))
    return undefined
  return sequences.find(({ row }) => row.oid === oid && row.isPlain)
}

/** Whether a sequence is the one that Isotherm makes for a column that counts by itself. */
function isOwn({ row, name }: Sequences[number], table: ScopedTable, column: string): boolean {
  const namespace = namespaceOf(table.name)
  const own = generatedName(table.name, column, 'seq')
  return (
    row.owner === table.row.oid &&
    row.ownerColumn === column &&
    name === (namespace === undefined ? own : `${namespace}.${own}`)
  )
}

/** Every sequence has a start in the catalogue, and 1 is the default. */
export function startOf({ start }: CatalogSequence): { readonly startCounter?: string } {
  return start === '1' ? {} : { startCounter: start }
}

/** Only a key is sharded or hashed, and only at its beginning is it sharded. */
function keySource(
  { key }: ScopedTable,
  name: string,
  expression: string,
  columns: readonly Column[],
): ValueSource | undefined {
  const at = key.indexOf(name)
  if (at < 0) return undefined
  const others = columns.filter((column) => column.name !== name)
  const form = normalForm(expression)
  return (at === 0 ? shardSource(form, others) : undefined) ?? hashSource(form, others)
}

// Isotherm's own hashes are recognised by writing them again: a candidate for each shard count that the text could mean, over the
// columns that it names, in their order.

export function shardSource(form: NormalForm, columns: readonly Column[]): ShardSource | undefined {
  const found = recognised(form, columns, ranges(form), shardExpression)
  return found && { kind: 'shard', strategy: 'hash', ...found.as, of: found.of, computedBy: 'database' }
}

const ALGORITHMS: readonly HashAlgorithm[] = ['sha256', 'sha512']

function hashSource(form: NormalForm, columns: readonly Column[]): HashSource | undefined {
  const found = recognised(form, columns, ALGORITHMS, hashExpression)
  return found && { kind: 'hash', algorithm: found.as, of: found.of, computedBy: 'database' }
}

function recognised<Candidate>(
  form: NormalForm,
  columns: readonly Column[],
  candidates: readonly Candidate[],
  write: (of: readonly Column[], as: Candidate) => string,
): { readonly of: readonly string[]; readonly as: Candidate } | undefined {
  const of = hashedColumns(form, columns)
  if (of.length === 0) return undefined
  const as = candidates.find((each) => sameForm(normalForm(write(of, each)), form))
  return as === undefined ? undefined : { of: of.map(({ property }) => property), as }
}

/** The columns that an expression names, each once; none where one of them cannot be hashed. */
function hashedColumns(form: NormalForm, columns: readonly Column[]): readonly Column[] {
  const byEntry = new Map(columns.map((column) => [normalName(column.name), column]))
  const named = form.flatMap((entry) => byEntry.get(entry) ?? [])
  return named.every(({ type }) => canBeHashed(type)) ? [...new Set(named)] : []
}

/** Every range of shards that the numbers of an expression could mean. */
function ranges(form: NormalForm): Pick<ShardSource, 'shards' | 'first' | 'signed'>[] {
  const numbers = [...new Set(numbersIn(form))]
  return numbers
    .filter((shards) => shards >= MIN_SHARDS && shards <= MAX_SHARDS)
    .flatMap((shards) => [
      { shards },
      { shards, signed: true as const },
      ...numbers.map((first) => ({ shards, first })),
    ])
}

/** @throws {IsothermError} `UNSUPPORTED_OBJECT` naming the table and the column, for a key with a column that no schema models. */
export function refuseKey({ name: table, key, columns }: ScopedTable): void {
  const part = columns.find((column) => key.includes(column.name) && isOpaque(column))
  if (!part) return
  throw new IsothermError(
    'UNSUPPORTED_OBJECT',
    `${table}.${part.name} is a key part of type ${part.type}, which Isotherm does not model.`,
    {
      fix: `Change its type, to bigint for example, or keep the tables of your models in a schema of their own: ${ALONE}`,
      table,
      column: part.name,
    },
  )
}

/** Says where text is in another order than that of its bytes, in which Isotherm merges rows. */
export function noteCollations({ name, columns }: ScopedTable, note: (text: string) => void): void {
  const others = columns.filter((column) => !isOpaque(column) && column.collation !== null)
  if (others.length === 0) return
  const list = others.map((column) => `${quote(column.name)} (${column.collation})`).join(', ')
  note(
    `${name} has text whose order is not that of its bytes: ${list}. Models have COLLATE "C" alone, in whose order rows ` +
      'are merged: give such columns that collation before a key or an index with them is read in order.',
  )
}
