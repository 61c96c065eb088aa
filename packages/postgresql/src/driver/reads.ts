import {
  IsothermError,
  type KeyRange,
  type PhysicalColumn,
  type PhysicalKeyPart,
  type ReadRequest,
  type Statement,
  SqlWriter,
  type Wire,
} from '@isotherm/core/engine'
import { quote } from '../sql/lexical-syntax.js'
import { postgresqlSyntax } from '../sql/statements.js'
import { listType } from '../sql/types.js'

// Reads by key and by key range, which are statements here.

/** The texts of reads by one key, for each list of columns, which a table keeps. */
const texts = new WeakMap<readonly PhysicalColumn[], Map<string, string>>()

/** The rows of a read, in the order of its key: all of them where it names neither keys nor ranges. */
export function readStatement(request: ReadRequest): Statement {
  const { layout, index, columns, keys, ranges, limit } = request
  const only = keys?.length === 1 ? keys[0] : undefined
  if (!only || ranges || limit !== undefined || only.includes(null)) return newStatement(request)
  let known = texts.get(columns)
  if (!known) texts.set(columns, (known = new Map()))
  const name = `${only.length} ${layout.table.name} ${index ?? ''}`
  const text = known.get(name)
  if (text === undefined) {
    const made = newStatement(request)
    known.set(name, made.text)
    return made
  }
  const key = keyOf(request)
  return {
    text,
    parameters: only.map((value, at) => ({ name: `p${at + 1}`, type: key[at]!.column.type, value })),
  }
}

function keyOf({ layout, index }: ReadRequest): readonly PhysicalKeyPart[] {
  return index === undefined ? layout.key : indexNamed(layout, index).key
}

function newStatement(request: ReadRequest): Statement {
  const { layout, index, columns, keys, ranges, limit } = request
  const key = keyOf(request)
  const writer = new SqlWriter(postgresqlSyntax)
  const wanted = [
    ...(keys ? [keyCondition(writer, key, keys)] : []),
    ...(ranges ?? []).map((range) => rangeCondition(writer, key, range)),
  ]
  const where = keys || ranges ? ` WHERE ${wanted.length > 0 ? wanted.join(' OR ') : 'FALSE'}` : ''
  // One row has a whole primary key.
  const isOne = index === undefined && keys?.length === 1 && keys[0]!.length === key.length && !ranges
  const order = isOne ? '' : ` ORDER BY ${orderOf(writer, key)}`
  const cut = limit === undefined ? '' : ` LIMIT ${writer.parameter({ kind: 'int64' }, String(limit))}`
  return writer.statement(
    `SELECT ${writer.columns(columns)} FROM ${quote(layout.table.name)}${where}${order}${cut}`,
  )
}

function indexNamed({ indexes, table }: ReadRequest['layout'], name: string) {
  const found = indexes.find(({ index }) => index.name === name)
  if (found) return found
  throw new IsothermError('INVALID_QUERY', `${table.name} has no index ${name}.`, {
    fix: 'Read by an index of the model.',
    table: table.name,
  })
}

function orderOf(writer: SqlWriter, key: readonly PhysicalKeyPart[]): string {
  return key
    .map(({ column, order }) => `${writer.column(column)}${order === 'desc' ? ' DESC' : ''}`)
    .join(', ')
}

/** Rows with one of these keys. A list for each column keeps the statement the same for any number of them. */
function keyCondition(
  writer: SqlWriter,
  key: readonly PhysicalKeyPart[],
  keys: readonly (readonly Wire[])[],
): string {
  if (keys.length === 0) return 'FALSE'
  const hasNull = keys.some((each) => each.includes(null))
  if (keys.length === 1 || hasNull) {
    const conditions = keys.map((each) => sameKey(writer, key, each))
    return conditions.length === 1 ? conditions[0]! : `(${conditions.join(' OR ')})`
  }
  const parts = key.slice(0, keys[0]!.length)
  const lists = parts.map(({ column: { type } }, at) =>
    writer.parameter(
      listType(type),
      keys.map((each) => each[at]!),
    ),
  )
  const columns = writer.columns(parts.map(({ column }) => column))
  return `(${columns}) IN (SELECT * FROM unnest(${lists.join(', ')}))`
}

function sameKey(writer: SqlWriter, key: readonly PhysicalKeyPart[], wires: readonly Wire[]): string {
  return `(${wires.map((wire, at) => writer.same(key[at]!.column, wire)).join(' AND ')})`
}

/** Keys from the start to the end of a range, whose common beginning is compared once. */
function rangeCondition(writer: SqlWriter, key: readonly PhysicalKeyPart[], range: KeyRange): string {
  const { start, end, startOpen, endOpen } = range
  let common = 0
  while (common < start.length && common < end.length && sameWireText(start[common]!, end[common]!)) common++
  // A bound that is all of the beginning stands for all keys that start with it: open, it leaves out all of them. PostgreSQL refuses
  // parameters that a statement does not use.
  if ((startOpen && start.length === common) || (endOpen && end.length === common)) return 'FALSE'
  const beginning = start.slice(0, common).map((wire, at) => writer.same(key[at]!.column, wire))
  const rest = key.slice(common)
  const conditions = [
    ...beginning,
    ...beyond(writer, rest, start.slice(common), 'after', startOpen),
    ...beyond(writer, rest, end.slice(common), 'before', endOpen),
  ]
  return conditions.length === 0 ? 'TRUE' : `(${conditions.join(' AND ')})`
}

function sameWireText(one: Wire, other: Wire): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Keys on one side of a bound, which may be the first parts of a key. None for no bound. */
function beyond(
  writer: SqlWriter,
  key: readonly PhysicalKeyPart[],
  bound: readonly Wire[],
  side: 'after' | 'before',
  isOpen: boolean,
): string[] {
  if (bound.length === 0) return []
  const alternatives = bound.flatMap((wire, at) => {
    const { column, order } = key[at]!
    const strictly = strictlyBeyond(writer, column, wire, (order === 'asc') === (side === 'after'))
    if (strictly === undefined) return []
    const equal = bound.slice(0, at).map((each, position) => writer.same(key[position]!.column, each))
    return [[...equal, strictly].join(' AND ')]
  })
  if (!isOpen) alternatives.push(bound.map((wire, at) => writer.same(key[at]!.column, wire)).join(' AND '))
  if (alternatives.length === 0) return ['FALSE']
  const first = key[0]!
  // Says nothing new, but is where a scan of the index begins or ends.
  const leading =
    bound[0] === null || first.column.nullable ? [] : [scanBound(writer, first, bound[0]!, side)]
  return [...leading, `(${alternatives.map((each) => `(${each})`).join(' OR ')})`]
}

function scanBound(
  writer: SqlWriter,
  { column, order }: PhysicalKeyPart,
  wire: Wire,
  side: 'after' | 'before',
): string {
  const isUp = (order === 'asc') === (side === 'after')
  return `${writer.column(column)} ${isUp ? '>=' : '<='} ${writer.parameter(column.type, wire)}`
}

/** Values above, or below, one of a column, of which NULL is the highest; undefined where there is none. */
function strictlyBeyond(
  writer: SqlWriter,
  column: PhysicalColumn,
  wire: Wire,
  isAbove: boolean,
): string | undefined {
  const name = writer.column(column)
  if (wire === null) return isAbove ? undefined : `${name} IS NOT NULL`
  const compared = `${name} ${isAbove ? '>' : '<'} ${writer.parameter(column.type, wire)}`
  return isAbove && column.nullable ? `(${compared} OR ${name} IS NULL)` : compared
}
