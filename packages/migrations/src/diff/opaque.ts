import { type OpaqueObject, type SqlColumn, isComputedColumn } from '@isotherm/core/tools'
import { byName, folded, matched, mentions, sameName } from '../names.js'
import type { PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import type { DiffContext } from './context.js'

// Objects that Isotherm does not model are compared as text. A statement that names a dropped column is an obstacle to
// dropping it.

/** The columns that go before a table's other changes are made, by the folded name of their table. */
type GoneColumns = ReadonlyMap<string, ReadonlySet<string>>

export function diffOpaque(context: DiffContext, from: PhysicalSchema, to: PhysicalSchema): void {
  const before = byName(from.tables)
  const remade = new Map<string, Set<string>>()
  const gone = new Map<string, Set<string>>()
  for (const table of to.tables) {
    const old = before.get(folded(table.name))
    // Tables that are stored in the same way are the same object.
    if (!old || old === table) continue
    refuseOtherKind(context, old, table)
    remade.set(folded(table.name), diffOpaqueColumns(context, old, table))
    const names = matched([...old.columns, ...old.opaqueColumns], [...table.columns, ...table.opaqueColumns])
    const goneColumns = new Set(names.gone.map(({ name }) => folded(name)))
    gone.set(folded(table.name), goneColumns)
    refuseReaders(context, old, table, goneColumns)
  }
  diffStatements(context, from, to, { remade, gone })
}

/** A column that is modelled in one schema and opaque in the other may be the same column: it cannot be decided. */
function refuseOtherKind(context: DiffContext, from: PhysicalTable, to: PhysicalTable): void {
  const pairs = [
    [from.columns, to.opaqueColumns, 'is a declared column, and cannot become an opaque one.'],
    [from.opaqueColumns, to.columns, 'is an opaque column, and cannot become a declared one.'],
  ] as const
  for (const [old, now, message] of pairs) {
    for (const { name } of now) {
      if (!old.some((column) => sameName(column.name, name))) continue
      context.refuse({
        kind: 'column-type',
        table: to.name,
        column: name,
        message,
        fix: 'Declare it as it was, or give the new column another name.',
      })
    }
  }
}

/** @returns folded names of the columns that are dropped and created again */
function diffOpaqueColumns(context: DiffContext, from: PhysicalTable, to: PhysicalTable): Set<string> {
  const { lexicalSyntax } = context
  const table = to.name
  const { both, gone, added } = matched<SqlColumn>(from.opaqueColumns, to.opaqueColumns)
  const remade = new Set<string>()
  const drop = (column: SqlColumn): void => {
    if (isComputedColumn(column, lexicalSyntax))
      context.change('drop-generated', { kind: 'drop-column', table, column: column.name })
    else
      context.change('drop-columns', {
        kind: 'drop-column',
        table,
        column: column.name,
        dataLoss: true,
      })
  }
  const add = (column: SqlColumn): void =>
    context.change('add-generated', { kind: 'add-opaque-column', table, column })
  for (const column of gone) drop(column)
  for (const column of added) add(column)
  for (const { from: old, to: column } of both) {
    if (context.same(old.definition, column.definition)) continue
    if (!isComputedColumn(old, lexicalSyntax)) {
      context.refuse({
        kind: 'column-type',
        table,
        column: column.name,
        message: `is opaque, and would become ${column.definition}: its values would be lost.`,
        fix: 'Add a column under another name, fill it, and drop this one in a migration after that.',
      })
      continue
    }
    drop(old)
    add(column)
    remade.add(folded(column.name))
  }
  return remade
}

/** Columns that go while an opaque one is computed from them. */
function refuseReaders(
  context: DiffContext,
  from: PhysicalTable,
  to: PhysicalTable,
  gone: ReadonlySet<string>,
): void {
  for (const { name } of from.columns.filter((column) => gone.has(folded(column.name)))) {
    const reader = to.opaqueColumns.find(({ definition }) =>
      mentions(definition, name, context.lexicalSyntax),
    )
    if (reader) refuseGone(context, to.name, name, `the opaque column ${reader.name}`)
  }
}

function refuseGone(context: DiffContext, table: string, column: string | undefined, reader: string): void {
  context.refuse({
    kind: 'in-use',
    table,
    ...(column !== undefined && { column }),
    message: `would be dropped, but ${reader} still reads it.`,
    fix: 'Keep it, or change what reads it as well.',
  })
}

interface ChangedColumns {
  readonly remade: GoneColumns
  readonly gone: GoneColumns
}

function diffStatements(
  context: DiffContext,
  from: PhysicalSchema,
  to: PhysicalSchema,
  changed: ChangedColumns,
): void {
  const { both, gone, added } = matched(from.opaque, to.opaque)
  for (const object of gone.toReversed())
    drop(context, object, object.change === 'refuse' ? { dataLoss: true } : {})
  for (const object of added) create(context, object)
  const left = byName(to.tables)
  for (const { from: old, to: object } of both) {
    for (const table of from.tables) {
      if (!mentionsPath(object.create, table.name, context)) continue
      if (!left.has(folded(table.name))) refuseGone(context, table.name, undefined, object.name)
      const columns = changed.gone.get(folded(table.name)) ?? []
      const column = [...columns].find((name) => mentions(object.create, name, context.lexicalSyntax))
      if (column !== undefined) refuseGone(context, table.name, column, object.name)
    }
    const column = [...changed.remade]
      .filter(([table]) => mentionsPath(old.create, table, context))
      .flatMap(([, columns]) => [...columns])
      .find((name) => mentions(old.create, name, context.lexicalSyntax))
    const same = context.same(old.compared, object.compared)
    if (same && column === undefined) continue
    const because = same ? `${column} changes` : 'its definition changes'
    if (!same && object.change === 'set') create(context, object)
    else if (object.change === 'remake' && old.drop !== undefined) {
      drop(context, old, { because })
      create(context, object)
    } else refuseChange(context, object, because)
  }
}

/** Whether a statement contains the last part of a name. */
function mentionsPath(create: string, name: string, { lexicalSyntax }: DiffContext): boolean {
  return mentions(create, name.slice(name.indexOf('.') + 1), lexicalSyntax)
}

function drop(
  context: DiffContext,
  object: OpaqueObject,
  why: { readonly dataLoss?: true; readonly because?: string },
): void {
  const { name, drop: statement } = object
  if (statement !== undefined) {
    context.change('drop-opaque', { kind: 'drop-opaque', name, statement, ...why })
    return
  }
  context.refuse({
    kind: 'drop',
    table: name,
    message:
      'is an opaque statement that was removed from the models, but it has no statement that undoes it.',
    fix: 'Keep it; or give it `drop`, the statement that undoes it, generate, and remove it after that.',
  })
}

const PHASES = {
  first: 'opaque-first',
  'before tables': 'opaque-before-tables',
  'after tables': 'opaque',
  last: 'opaque-last',
} as const

function create(context: DiffContext, { name, create: statement, runs }: OpaqueObject): void {
  context.change(PHASES[runs], { kind: 'create-opaque', name, statement })
}

function refuseChange(context: DiffContext, { name }: OpaqueObject, because: string): void {
  context.refuse({
    kind: 'drop',
    table: name,
    message: `would have to be dropped and created again, since ${because}: Isotherm does not know what would be lost.`,
    fix: 'Write the change by hand into a migration of its own, and the new text into the schema.',
  })
}
