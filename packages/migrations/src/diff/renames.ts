import { present } from '@isotherm/core/engine'
import {
  type ChangeStream,
  type DefinedColumn,
  type Made,
  type RenameCandidate,
  type RenameObstacle,
  type Renames,
  columnNameObstacle,
  counterChanges,
  namespaceOf,
  notNullClause,
  unknownName,
} from '@isotherm/core/tools'
import { byName, folded, matched, sameName } from '../names.js'
import type { LaidColumn, PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

export interface ComparedTables {
  readonly from: PhysicalTable
  readonly to: PhysicalTable
  /** Folded names of key columns that child tables have too. */
  readonly inherited: ReadonlySet<string>
  /** The columns that get another name: old name to new. */
  readonly renamed: ReadonlyMap<string, string>
}

/** The context in which one of a table's columns is compared. */
export interface ComparedColumns extends ComparedTables {
  /** Generated columns, as they were, that are still there when others change. */
  readonly lingering: readonly LaidColumn[]
}

export function keyColumns(...tables: readonly PhysicalTable[]): ReadonlySet<string> {
  return new Set(tables.flatMap(({ key }) => key.map(({ column }) => folded(column))))
}

/** The column without what only the comparison needs. */
export function defined({ name, type, nullable, made, hidden }: LaidColumn): DefinedColumn {
  return { name, type, nullable, ...(made && { made }), ...(hidden && { hidden }) }
}

export function isNotNull(column: LaidColumn): boolean {
  return notNullClause(column).length > 0
}

/** Types of one kind differ in their length only. */
export function kindOf({ type }: LaidColumn): string {
  const scalar = type.kind === 'array' ? type.of : type
  const kind = scalar.kind === 'uuid' ? (scalar.storage === 'native' ? 'uuid' : 'string') : scalar.kind
  return type.kind === 'array' ? `array of ${kind}` : kind
}

export function isSameMade(context: DiffContext, one: Made, other: Made): boolean {
  switch (one.by) {
    case 'default':
      return other.by === 'default' && context.same(one.expression, other.expression)
    case 'generated':
      return (
        other.by === 'generated' &&
        one.stored === other.stored &&
        one.notNull === other.notNull &&
        context.same(one.expression, other.expression)
      )
    case 'identity':
      return other.by === 'identity' && Object.keys(counterChanges(one, other)).length === 0
    case 'sequence':
      return other.by === 'sequence' && sameName(one.sequence, other.sequence)
    case 'commit-timestamp':
      return other.by === 'commit-timestamp'
  }
}

export function expressionOf({ made }: LaidColumn): string {
  return made?.by === 'generated' ? made.expression : ''
}

/** Less than this is not worth a question. */
const MIN_LIKENESS = 0.5

/** Tables and columns that may have got another name, the most likely first. */
export function sqlRenameCandidates(before: PhysicalSchema, after: PhysicalSchema): RenameCandidate[] {
  const { both, gone, added } = matched(before.tables, after.tables)
  return byLikelihood([
    ...gone.flatMap((old) => added.flatMap((table) => tableCandidate(old, table))),
    ...both.flatMap((tables) => columnCandidates(tables.from, tables.to)),
  ])
}

/** The old columns that a new one may be, the most likely first. */
export function oldNamesOf(
  { name }: LaidColumn,
  from: PhysicalTable,
  to: PhysicalTable,
): readonly RenameCandidate[] {
  return byLikelihood(columnCandidates(from, to).filter((candidate) => candidate.to === name))
}

function byLikelihood(candidates: readonly RenameCandidate[]): RenameCandidate[] {
  return candidates
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
}

/** The same key, and as many columns as possible that are the same. */
function tableCandidate(from: PhysicalTable, to: PhysicalTable): RenameCandidate[] {
  if (keyShape(from) !== keyShape(to) || namespaceOf(from.name) !== namespaceOf(to.name)) return []
  const { both } = matched(from.columns, to.columns)
  const same = both.filter((column) => kindOf(column.from) === kindOf(column.to)).length
  const shared = (2 * same) / (from.columns.length + to.columns.length)
  const likeness = rounded(0.75 * shared + 0.25 * likenessOfNames(from.name, to.name))
  return [{ kind: 'table', from: from.name, to: to.name, likeness }]
}

function keyShape({ key, columns }: PhysicalTable): string {
  return key.map(({ column, order }) => `${kindOf(columnNamed({ columns }, column))} ${order}`).join()
}

/** Columns outside the key that are not computed. */
function columnCandidates(from: PhysicalTable, to: PhysicalTable): RenameCandidate[] {
  const { gone, added } = matched(from.columns, to.columns)
  const key = keyColumns(from, to)
  const isPlain = ({ name, made }: LaidColumn): boolean =>
    !key.has(folded(name)) && made?.by !== 'generated' && made?.by !== 'identity'
  return gone.filter(isPlain).flatMap((old) =>
    added.filter(isPlain).flatMap((column): RenameCandidate[] => {
      if (kindOf(old) !== kindOf(column)) return []
      const likeness = rounded(
        0.5 + 0.2 * Number(sameDefinition(old, column)) + 0.3 * likenessOfNames(old.name, column.name),
      )
      return [{ kind: 'column', table: to.name, from: old.name, to: column.name, likeness }]
    }),
  )
}

function sameDefinition(one: LaidColumn, other: LaidColumn): boolean {
  const [a, b] = [one, other].map((column) => JSON.stringify({ ...defined(column), name: '' }))
  return a === b
}

/** How many pairs of neighbouring letters two names share, of all that they have. */
function likenessOfNames(one: string, other: string): number {
  const [a, b] = [pairs(one), pairs(other)]
  const shared = a.filter((pair) => b.includes(pair)).length
  return a.length + b.length === 0 ? 0 : Math.min(1, (2 * shared) / (a.length + b.length))
}

function pairs(name: string): string[] {
  const letters = folded(name)
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2))
}

function rounded(likeness: number): number {
  return Math.round(likeness * 100) / 100
}

/** By the folded (new) name of the table: old names of columns to new ones. */
export type ColumnRenames = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface RenamedSchema {
  readonly schema: PhysicalSchema
  /** Folded old names of tables to their new ones. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * The schema with the new names of its tables, wherever they are named: the database renames them everywhere.
 *
 * Source: https://cloud.google.com/spanner/docs/table-name-synonym
 */
export function renameTables(
  context: DiffContext,
  from: PhysicalSchema,
  to: PhysicalSchema,
  { tables = {} }: Renames,
): RenamedSchema {
  const [before, after] = [byName(from.tables), byName(to.tables)]
  const names = new Map<string, string>()
  for (const [old, name] of Object.entries(tables)) {
    const obstacle = tableObstacle(context, { old, name, from, to })
    if (obstacle)
      context.refuse({
        kind: 'rename',
        table: old,
        message: `cannot be renamed to ${name}: ${obstacle.what}.`,
        fix: obstacle.fix,
      })
    else names.set(folded(old), present(after.get(folded(name)), `table ${name}`).name)
  }
  if (names.size === 0) return { schema: from, renamed: names }
  for (const [old, to] of names) {
    const { name: table, parent } = present(before.get(old), `table ${old}`)
    context.change('rename-tables', { kind: 'rename-table', table, to, ...(parent && { parent }) })
  }
  const renamed = (name: string): string => names.get(folded(name)) ?? name
  const schema = {
    ...from,
    tables: from.tables.map((table) => renamedTable(table, renamed)),
    changeStreams: from.changeStreams.map((stream) => renamedStream(stream, renamed)),
  }
  return { schema, renamed: names }
}

function tableObstacle(
  context: DiffContext,
  {
    old,
    name,
    from,
    to,
  }: {
    readonly old: string
    readonly name: string
    readonly from: PhysicalSchema
    readonly to: PhysicalSchema
  },
): RenameObstacle | undefined {
  const [before, after] = [byName(from.tables), byName(to.tables)]
  const table = before.get(folded(old))
  if (!table) return unknownName('there is no such table', old, from.tables)
  if (!after.has(folded(name))) return unknownName('no model has that name', name, to.tables)
  if (before.has(folded(name)) || after.has(folded(old)))
    return tableKept('one of the two names belongs to another table')
  if (namespaceOf(old) !== namespaceOf(name)) return tableKept('a table stays in its named schema')
  if (namespaceOf(old) !== undefined && !context.sql.ddlSyntax.alter.renamesInNamespace)
    return tableKept('a table in a named schema keeps its name in this dialect')
  if (table.parent && table.columns.some((column) => sameName(column.name, name.split('.').at(-1))))
    return tableKept('it is interleaved in another table, and has a column of that name')
  return undefined
}

function tableKept(what: string): RenameObstacle {
  return { what, fix: 'Leave the rename out, or keep the name.' }
}

function renamedTable(table: PhysicalTable, renamed: (name: string) => string): PhysicalTable {
  const { name, parent, foreignKeys, indexes } = table
  return {
    ...table,
    name: renamed(name),
    ...(parent && { parent: { ...parent, table: renamed(parent.table) } }),
    foreignKeys: foreignKeys.map((key) => ({ ...key, table: renamed(key.table) })),
    indexes: indexes.map((index) =>
      index.interleaveIn === undefined ? index : { ...index, interleaveIn: renamed(index.interleaveIn) },
    ),
  }
}

function renamedStream(stream: ChangeStream, renamed: (name: string) => string): ChangeStream {
  if (stream.watch === 'all') return stream
  return { ...stream, watch: stream.watch.map((each) => ({ ...each, table: renamed(each.table) })) }
}

/**
 * A column cannot be renamed in place: a new one is added, filled from the old one, and altered to its final form; the old
 * one is dropped last.
 */
export function renameColumns(
  context: DiffContext,
  from: PhysicalSchema,
  to: PhysicalSchema,
  { columns = {} }: Renames,
): ColumnRenames {
  const [before, after] = [byName(from.tables), byName(to.tables)]
  const renames = new Map<string, Map<string, string>>()
  for (const [name, pairs] of Object.entries(columns)) {
    const tables = [before.get(folded(name)), after.get(folded(name))] as const
    for (const [old, now] of Object.entries(pairs)) {
      const [table, target] = tables
      const obstacle =
        table && target
          ? columnObstacle(old, now, table, target)
          : unknownName('there is no such table', name, to.tables)
      if (obstacle)
        context.refuse({
          kind: 'rename',
          table: name,
          column: old,
          message: `cannot be renamed to ${now}: ${obstacle.what}.`,
          fix: obstacle.fix,
        })
      if (!table || !target || obstacle) continue
      const [column, renamed] = [columnNamed(table, old), columnNamed(target, now)]
      renameColumn(context, target.name, column, renamed)
      const known = renames.get(folded(name)) ?? new Map<string, string>()
      renames.set(folded(name), known.set(folded(column.name), renamed.name))
    }
  }
  return renames
}

function columnNamed({ columns }: Pick<PhysicalTable, 'columns'>, name: string): LaidColumn {
  return present(
    columns.find((each) => sameName(each.name, name)),
    `column ${name}`,
  )
}

function columnObstacle(
  old: string,
  now: string,
  from: PhysicalTable,
  to: PhysicalTable,
): RenameObstacle | undefined {
  const misnamed = columnNameObstacle([old, now], [from.columns, to.columns], sameName)
  if (misnamed) return misnamed
  const what = copyObstacle(columnNamed(from, old), columnNamed(to, now), keyColumns(from, to))
  if (what === undefined) return undefined
  return {
    what,
    fix: `Keep the column's name in the database, name: '${old}', and rename the property only.`,
  }
}

/** The reason why the values of a column cannot be copied into another one. */
function copyObstacle(column: LaidColumn, target: LaidColumn, key: ReadonlySet<string>): string | undefined {
  if (key.has(folded(column.name)) || key.has(folded(target.name))) return 'a key column keeps its name'
  const made = [column.made?.by, target.made?.by]
  if (made.includes('generated')) return 'a generated column is computed, and has nothing to copy'
  if (made.includes('identity')) return 'no column can become an identity'
  if (kindOf(column) !== kindOf(target)) return 'its type changes too'
  if (target.type.kind === 'array' && isNotNull(target)) return 'an array cannot become NOT NULL'
  return undefined
}

/** Nothing may give the new column a value before the old one's is there, and so its default comes after. */
function renameColumn(context: DiffContext, table: string, from: LaidColumn, to: LaidColumn): void {
  const { made, ...rest } = defined(to)
  const commits = made?.by === 'commit-timestamp'
  const bare = { ...rest, nullable: true, ...(commits && { made }) }
  context.change('add-columns', { kind: 'add-column', table, column: bare })
  context.change('copy-columns', { kind: 'copy-column', table, from: from.name, to: to.name })
  if (isNotNull(to) || (made && !commits))
    context.change('alter-columns', { kind: 'alter-column', table, from: bare, to: defined(to) })
}
