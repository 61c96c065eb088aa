import { mentions } from '../expressions.js'
import { folded, matched, sameName } from '../names.js'
import type { LaidColumn, PhysicalTable } from '../physical-schema.js'
import {
  defined,
  expressionOf,
  isNotNull,
  isSameMade,
  keyColumns,
  kindOf,
  type ComparedTables,
} from './column-facts.js'
import { columnRefusal } from './column-refusal.js'
import type { DiffContext } from './context.js'

/** What becomes of the columns of a table that both schemas have. */
export interface ColumnsDiff {
  /** Folded names of columns that change their type, but for its length. */
  readonly retyped: ReadonlySet<string>
  /** Folded names of columns that begin, or cease, to take NULL. */
  readonly nullability: ReadonlySet<string>
  /** Folded names of columns that go. */
  readonly gone: ReadonlySet<string>
  /** Folded names of generated columns that go, before others change. */
  readonly goneEarly: ReadonlySet<string>
}

interface ColumnPair {
  readonly from: LaidColumn
  readonly to: LaidColumn
}

export function diffColumns(context: DiffContext, tables: ComparedTables): ColumnsDiff {
  const { from, to, renamed } = tables
  const { both, gone, added } = matched(from.columns, to.columns)
  const inKey = keyColumns(from, to)
  const [retyped, nullability] = [new Set<string>(), new Set<string>()]
  const dropped = gone.filter(({ name }) => !inKey.has(folded(name)))
  const { early, late } = goneGenerated(context, dropped, both)
  const lingering = [...both.map((columns) => columns.from), ...late]
  for (const { from: before, to: model } of readersFirst(context, both)) {
    const after = withSameExpression(context, before, model)
    if (before.name !== after.name) refuseCase(context, to.name, before.name, after.name)
    if (isSameColumn(context, before, after)) continue
    const refusal = columnRefusal(context, { ...tables, lingering }, before, after)
    if (refusal) {
      context.refuse({ table: to.name, column: after.name, ...refusal })
      continue
    }
    if (kindOf(before) !== kindOf(after)) retyped.add(folded(after.name))
    if (isNotNull(before) !== isNotNull(after)) nullability.add(folded(after.name))
    context.change(isGenerated(after) ? 'alter-generated' : 'alter-columns', {
      kind: 'alter-column',
      table: to.name,
      from: defined(before),
      to: defined(after),
    })
  }
  const targets = new Set([...renamed.values()].map(folded))
  addColumns(
    context,
    to,
    added.filter(({ name }) => !inKey.has(folded(name)) && !targets.has(folded(name))),
  )
  for (const { name } of early)
    context.change('drop-generated', { kind: 'drop-column', table: to.name, column: name })
  for (const { name } of late)
    context.change('drop-columns', { kind: 'drop-column', table: to.name, column: name })
  dropColumns(context, from, to, dropped)
  return {
    retyped,
    nullability,
    gone: new Set(dropped.map(({ name }) => folded(name))),
    goneEarly: new Set(early.map(({ name }) => folded(name))),
  }
}

/** Where the database has other words for the same, its own are kept: it compares them as text. */
function withSameExpression(context: DiffContext, before: LaidColumn, after: LaidColumn): LaidColumn {
  const [old, made] = [before.made, after.made]
  return old && made && old !== made && isSameMade(context, old, made) ? { ...after, made: old } : after
}

function isSameColumn(context: DiffContext, before: LaidColumn, after: LaidColumn): boolean {
  const { columnType, hidesColumns } = context.sql.ddlSyntax.alter
  return (
    columnType(before) === columnType(after) &&
    isNotNull(before) === isNotNull(after) &&
    before.made === after.made &&
    // Not every engine tells which columns it hides.
    (!hidesColumns || context.live || before.hidden === after.hidden)
  )
}

function refuseCase(context: DiffContext, table: string, from: string, to: string): void {
  context.refuse({
    kind: 'name',
    table,
    column: to,
    message: `is ${from} in the database: a name that differs in its letters' case only is the same name.`,
    fix: `Keep it, name: '${from}'.`,
  })
}

function addColumns(
  context: DiffContext,
  { name: table }: PhysicalTable,
  added: readonly LaidColumn[],
): void {
  const generated = added.filter(isGenerated)
  for (const column of [
    ...added.filter((each) => !generated.includes(each)),
    ...sourcesFirst(context, generated),
  ]) {
    const { made, type, name } = column
    const given = made?.by === 'default' || made?.by === 'sequence' || made?.by === 'identity'
    const isArray = type.kind === 'array'
    if (isNotNull(column) && !isGenerated(column) && (!given || isArray)) {
      context.refuse({
        kind: 'not-null',
        table,
        column: name,
        message: isArray
          ? 'is a new array that is NOT NULL: an array can be that only from the beginning of its table.'
          : 'is new, NOT NULL and has no default, and the rows that are there would have no value.',
        fix: isArray
          ? 'Let it be nullable.'
          : 'Give it a default; or add it as nullable, fill it in all rows, and take nullable away in a migration after that.',
      })
      continue
    }
    context.change(isGenerated(column) ? 'add-generated' : 'add-columns', {
      kind: 'add-column',
      table,
      column: defined(column),
    })
  }
}

/** Generated columns, each after those that it reads. */
function sourcesFirst({ sql }: DiffContext, generated: readonly LaidColumn[]): LaidColumn[] {
  const sorted = new Set<LaidColumn>()
  const add = (column: LaidColumn, underway: readonly LaidColumn[]): void => {
    if (underway.includes(column)) return
    for (const other of generated) {
      if (other !== column && mentions(expressionOf(column), other.name, sql.name))
        add(other, [...underway, column])
    }
    sorted.add(column)
  }
  for (const column of generated) add(column, [])
  return [...sorted]
}

/**
 * Columns that both have: generated ones last, and among them those first that read others, since nobody who is read may be
 * defined otherwise.
 */
function readersFirst(context: DiffContext, both: readonly ColumnPair[]): ColumnPair[] {
  const generated = both.filter(({ from }) => isGenerated(from))
  const sorted = sourcesFirst(
    context,
    generated.map(({ from }) => from),
  ).toReversed()
  return [
    ...both.filter(({ from }) => !isGenerated(from)),
    ...sorted.map((column) => generated.find(({ from }) => from === column)!),
  ]
}

/**
 * Generated columns that go, readers first. They go early, since nobody else may change while they read it; but for those
 * that others read until they are defined otherwise.
 */
function goneGenerated(
  context: DiffContext,
  gone: readonly LaidColumn[],
  both: readonly ColumnPair[],
): { readonly early: readonly LaidColumn[]; readonly late: readonly LaidColumn[] } {
  const { name: dialect } = context.sql
  const [early, late]: [LaidColumn[], LaidColumn[]] = [[], []]
  for (const column of sourcesFirst(context, gone.filter(isGenerated)).toReversed()) {
    const readers = [...both.map(({ from }) => from), ...late]
    const isRead = readers.some((reader) => mentions(expressionOf(reader), column.name, dialect))
    if (isRead) late.push(column)
    else early.push(column)
  }
  return { early, late }
}

function dropColumns(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  gone: readonly LaidColumn[],
): void {
  for (const column of gone) {
    const { name } = column
    refuseOtherStorage(context, from, to, column)
    const reader =
      to.columns.find((each) => mentions(expressionOf(each), name, context.sql.name))?.name ??
      to.checks.find(({ expression }) => mentions(expression, name, context.sql.name))?.name
    if (reader !== undefined) {
      context.refuse({
        kind: 'in-use',
        table: to.name,
        column: name,
        message: `goes, and ${reader} still reads it.`,
        fix: `Keep the column, or change ${reader} as well.`,
      })
    }
    if (isGenerated(column)) continue
    context.change('drop-columns', { kind: 'drop-column', table: to.name, column: name, destructive: true })
  }
}

function isGenerated({ made }: LaidColumn): boolean {
  return made?.by === 'generated'
}

/** A UUID in one column, or in two, is still the same column of the model. */
function refuseOtherStorage(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  { name, of }: LaidColumn,
): void {
  const kept = to.columns.some((column) => sameName(column.of, of) && !sameName(column.name, name))
  const first = from.columns.find((column) => column.of === of)
  if (!kept || first?.name !== name) return
  context.refuse({
    kind: 'uuid-storage',
    table: to.name,
    column: of,
    message: 'is stored in another way, in other columns.',
    fix: 'Keep its storage; or add a column with the new one under another name, fill it, and drop this one after that.',
  })
}
