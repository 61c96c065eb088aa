import { type Column, type SecondaryIndex, type Table, columnOf, generatedName } from '@isotherm/core/engine'
import type { ForeignKey, IndexShard, Interleaving, KeyPart } from '@isotherm/core/tools'
import { parentConstraint } from '../ddl/names.js'
import { mirrorExpression, mirrorName } from '../sql/mirror.js'
import { quote } from '../sql/lexical-syntax.js'
import type { CatalogConstraint, CatalogIndex } from './catalog.js'
import { columnsOf, isOpaque, noteCollations, opaqueColumnsOf, refuseKey, shardSource } from './columns.js'
import { normalForm, normalName, numbersIn, presentColumns, sameForm, unwrapped } from './expression.js'
import type { Named, Scope, ScopedTable } from './scope.js'
import { columnTypeOf } from './types.js'

/** The tables of a scope, parents first and otherwise by name. */
export function tablesOf(scope: Scope): Table[] {
  const tables = new Map<string, Table>()
  const add = (table: ScopedTable): Table => {
    const known = tables.get(table.name)
    if (known) return known
    const link = parentLink(table, scope)
    const made = tableOf(table, link, link && add(link.parent), scope)
    tables.set(table.name, made)
    return made
  }
  for (const table of scope.tables) add(table)
  return [...tables.values()]
}

interface ParentLink {
  readonly constraint: CatalogConstraint
  readonly parent: ScopedTable
}

/** The foreign key by which a row needs its parent's row: of the name that Isotherm gives it, over the parent's whole key. */
function parentLink(table: ScopedTable, { tables }: Scope): ParentLink | undefined {
  const constraint = table.constraints.find(
    ({ kind, name, isPlain, onDelete }) =>
      kind === 'f' &&
      isPlain &&
      name === parentConstraint(table.name) &&
      (onDelete === 'a' || onDelete === 'c'),
  )
  const parent = tables.find(({ row }) => row.oid === constraint?.other)
  if (!constraint || !parent || parent === table || parentLinkIsCircle(table, parent, tables))
    return undefined
  const isWhole = [constraint.columns, constraint.references, table.key.slice(0, parent.key.length)].every(
    (names) => names.join('.') === parent.key.join('.'),
  )
  return isWhole ? { constraint, parent } : undefined
}

/** Two tables may each refer to the other: neither is the parent then. */
function parentLinkIsCircle(
  table: ScopedTable,
  parent: ScopedTable,
  tables: readonly ScopedTable[],
): boolean {
  const above: ScopedTable[] = [parent]
  // The list grows while it is gone through.
  for (const each of above) {
    if (each === table) return true
    const name = parentConstraint(each.name)
    const link = each.constraints.find((constraint) => constraint.kind === 'f' && constraint.name === name)
    const next = tables.find(({ row }) => row.oid === link?.other)
    if (next && !above.includes(next)) above.push(next)
  }
  return false
}

function tableOf(
  table: ScopedTable,
  link: ParentLink | undefined,
  parent: Table | undefined,
  scope: Scope,
): Table {
  refuseKey(table)
  noteCollations(table, scope.note)
  const mirrors = mirrorsOf(table, scope)
  const all = columnsOf(table, parent, scope.sequences)
  const shards = indexShardsOf(table, all, scope)
  const dropped = new Set([...mirrors.keys(), ...[...shards.values()].map(({ column }) => column)])
  const opaqueColumns = opaqueColumnsOf(table, (column) => dropped.has(column))
  const columns = all.filter(({ name }) => !dropped.has(name))
  return {
    name: table.name,
    columns,
    ...(opaqueColumns.length > 0 && { opaqueColumns }),
    primaryKey: keyOf(table, mirrors),
    indexes: table.indexes.flatMap((index) => indexOf(table, index, columns, shards.get(index.name)) ?? []),
    ...(link && { parent: interleavingOf(link) }),
    checks: table.constraints
      .filter(({ kind, isPlain }) => kind === 'c' && isPlain)
      .map(({ name, clause }) => ({ name, expression: { postgresql: checkOf(clause ?? '', columns) } })),
    foreignKeys: table.constraints.flatMap((each) =>
      each === link?.constraint ? [] : (foreignKeyOf(table, each, scope) ?? []),
    ),
    suppressions: [],
  }
}

function interleavingOf({ parent, constraint }: ParentLink): Interleaving {
  return { table: parent.name, onDelete: constraint.onDelete === 'c' ? 'cascade' : 'no action' }
}

/** The columns that a key has in front of a column that descends, each with that column. */
type Mirrors = ReadonlyMap<string, string>

function mirrorsOf(table: ScopedTable, scope: Scope): Mirrors {
  const { key, columns } = table
  const mirrors = key.flatMap((name, at): [string, string][] => {
    const behind = key[at + 1]
    const mirror = columns.find((column) => column.name === name)
    const column = columns.find((each) => each.name === behind)
    if (behind === undefined || !column || !mirror?.expression || mirror.generated !== 's') return []
    if (name !== mirrorName(behind) || usesOf(table, name, scope) > 0) return []
    const type = columnTypeOf(column.type)
    const expression = type && mirrorExpression(behind, type.kind)
    if (expression === undefined || !sameForm(normalForm(mirror.expression), normalForm(expression)))
      return []
    return [[name, behind]]
  })
  return new Map(mirrors)
}

/** The columns in front of indexes that are sharded, each with the index's name. */
type IndexShards = ReadonlyMap<string, IndexShard>

/** Such a column has the name that Isotherm gives it, and nothing but its index has it. */
function indexShardsOf(table: ScopedTable, columns: readonly Column[], scope: Scope): IndexShards {
  const shards = table.indexes.flatMap((index): [string, IndexShard][] => {
    const made = generatedName(index.name, 'shard')
    const column = table.columns.find((each) => each.name === made)
    if (index.row.keys[0] !== made || Number(index.row.options[0]) !== 0) return []
    if (table.key.includes(made) || usesOf(table, made, scope) !== 1) return []
    if (!column?.expression || column.generated !== 's' || !column.isNotNull) return []
    const others = columns.filter((each) => each.name !== made)
    const source = shardSource(normalForm(column.expression), others)
    if (!source || source.first !== undefined || source.signed) return []
    const shard = { column: made, shards: source.shards, of: source.of }
    return indexOf(table, index, others, shard) ? [[index.name, shard]] : []
  })
  return new Map(shards)
}

/** How many times a column is named outside its table's columns, its key, and what says who is a parent. */
function usesOf(table: ScopedTable, name: string, scope: Scope): number {
  const isOther = (owner: ScopedTable, constraint: CatalogConstraint): boolean =>
    parentLink(owner, scope)?.constraint !== constraint
  const own = table.constraints.filter((each) =>
    each.kind === 'c'
      ? normalForm(each.clause ?? '').includes(normalName(name))
      : each.columns.includes(name) && isOther(table, each),
  )
  const referring = scope.tables.filter((owner) =>
    owner.constraints.some(
      (each) => each.other === table.row.oid && each.references.includes(name) && isOther(owner, each),
    ),
  )
  const indexes = table.indexes.filter(({ row }) => [...row.keys, ...row.storing].includes(name))
  return own.length + referring.length + indexes.length
}

function keyOf({ key }: ScopedTable, mirrors: Mirrors): KeyPart[] {
  const descending = new Set(mirrors.values())
  return key
    .filter((name) => !mirrors.has(name))
    .map((name) => ({ property: name, order: descending.has(name) ? 'desc' : 'asc' }))
}

const DESCENDS = 1
const NULLS_FIRST = 2

/** Undefined for an index that no schema has. */
export function indexOf(
  { constraints }: ScopedTable,
  { row, name }: Named<CatalogIndex>,
  columns: readonly Column[],
  shard?: IndexShard,
): SecondaryIndex | undefined {
  const keys = shard ? row.keys.slice(1) : row.keys
  const options = row.options.slice(row.keys.length - keys.length)
  const isModelled = (column: string): boolean => columns.some((each) => each.name === column)
  const isOrdered = (column: string): boolean =>
    columns.some(({ name, type }) => name === column && type.kind !== 'json' && type.kind !== 'array')
  const notNull = row.filter === null ? [] : presentColumns(row.filter)
  const ofConstraint = constraints.find(({ index, kind }) => index === row.oid && kind === 'u')
  const isPlain =
    row.isPlain &&
    ofConstraint?.isPlain !== false &&
    keys.every(isOrdered) &&
    row.storing.every(isModelled) &&
    notNull?.every((column) => keys.includes(column))
  if (!isPlain || !notNull) return undefined
  return {
    name,
    parts: keys.map((property, at) => {
      const bits = Number(options[at] ?? 0)
      const [order, nulls] = [
        (bits & DESCENDS) === 0 ? ('asc' as const) : ('desc' as const),
        (bits & NULLS_FIRST) === 0 ? ('last' as const) : ('first' as const),
      ]
      // NULL is the highest value unless the index says otherwise.
      const isNatural = (order === 'asc') === (nulls === 'last')
      return { property, order, ...(!isNatural && { nulls }) }
    }),
    unique: row.isUnique,
    nullFiltered: false,
    notNull,
    storing: row.storing,
    ...(shard && { shard }),
  }
}

/** Undefined for what is not a foreign key, or is one that no schema has. */
export function foreignKeyOf(
  table: ScopedTable,
  { kind, name, isPlain, columns, other, references, onDelete }: CatalogConstraint,
  { tables }: Scope,
): ForeignKey | undefined {
  const referred = tables.find(({ row }) => row.oid === other)
  if (kind !== 'f' || !isPlain || !referred || (onDelete !== 'a' && onDelete !== 'c')) return undefined
  if (!canRefer(table, columns) || !canRefer(referred, references)) return undefined
  return {
    name,
    columns,
    table: referred.name,
    references,
    onDelete: onDelete === 'c' ? 'cascade' : 'no action',
  }
}

function canRefer({ columns }: ScopedTable, names: readonly string[]): boolean {
  return names.every((name) =>
    columns.some((column) => {
      const type = columnTypeOf(column.type)
      return column.name === name && !isOpaque(column) && type?.kind !== 'json' && type?.kind !== 'array'
    }),
  )
}

/** A check, in Isotherm's words where it is the range of a shard that the client computes. */
function checkOf(clause: string, columns: readonly Column[]): string {
  const form = normalForm(clause)
  const [lowest, end] = numbersIn(form)
  const column = columns.find(({ name, type }) => type.kind === 'int64' && form[0] === normalName(name))
  if (column && lowest !== undefined && end !== undefined) {
    const name = quote(column.name)
    const range = `${name} >= ${lowest} AND ${name} < ${end}`
    if (sameForm(normalForm(range), form)) return range
  }
  return unwrapped(clause)
}

/** Whether a table as it was read has the column as a property. */
export function hasColumn(table: Table, name: string): boolean {
  return columnOf(table, name) !== undefined
}
