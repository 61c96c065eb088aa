import { type LexicalSyntax, isSymbol, present, tokenize } from '@isotherm/core/engine'
import { folded, indexesForced, matched, mentions, tablesRead } from '../names.js'
import { type PhysicalView, isWord } from '@isotherm/core/tools'
import type { PhysicalSchema } from '../physical-schema.js'
import type { DiffContext } from './context.js'
import type { RenamedSchema } from './renames.js'
import type { TablesDiff } from './tables.js'

/** The changes of the tables and indexes that views read. */
interface ChangedTables extends TablesDiff, Pick<RenamedSchema, 'renamed'> {
  /** Folded names of indexes that go, if only to come again; those in a named schema also without it. */
  readonly droppedIndexes: ReadonlySet<string>
}

interface ViewPair {
  readonly from: PhysicalView
  readonly to: PhysicalView
}

/**
 * A view whose query changes is replaced, and keeps its grants. A view that is an obstacle to a change of its tables, or
 * that another view reads, is dropped first and created again last.
 *
 * Source: https://cloud.google.com/spanner/docs/views#create-view-guidance
 */
export function diffViews(
  context: DiffContext,
  from: PhysicalSchema,
  to: PhysicalSchema,
  changed: TablesDiff & Pick<RenamedSchema, 'renamed'>,
): void {
  const tables = { ...changed, droppedIndexes: droppedIndexes(context) }
  const { both, gone, added } = matched(from.views, to.views)
  const reads = readsOf(context, from, to)
  const redefined = both.filter(({ from: old, to: view }) => !isSameView(context, old, view))
  const again = madeAgain(context, both, redefined, { gone, added, reads, tables })
  refuseReaders(context, both, redefined, { from, to, reads, tables, gone })

  const dropped = new Map([
    ...gone.map(({ name }) => [folded(name), undefined] as const),
    ...[...again].map(([pair, because]) => [folded(pair.from.name), because] as const),
  ])
  for (const { name } of from.views.toReversed()) {
    if (!dropped.has(folded(name))) continue
    const because = dropped.get(folded(name))
    context.change('drop-views', { kind: 'drop-view', name, ...(because !== undefined && { because }) })
  }
  for (const pair of redefined)
    if (!again.has(pair)) context.change('replace-views', { kind: 'replace-view', view: pair.to })
  const recreated = new Set([...again.keys()].map((pair) => pair.to))
  for (const view of to.views)
    if (added.includes(view) || recreated.has(view))
      context.change('create-views', { kind: 'create-view', view })
}

function droppedIndexes({ changes }: DiffContext): ReadonlySet<string> {
  const dropped = changes.flatMap((change) => (change.kind === 'drop-index' ? [change.name] : []))
  return new Set(dropped.flatMap(hintedAs))
}

/** How a hint may name an index, folded. */
function hintedAs(name: string): readonly string[] {
  return [folded(name), folded(name).slice(name.indexOf('.') + 1)]
}

type Reads = (view: PhysicalView) => ReadonlySet<string>

function readsOf({ lexicalSyntax }: DiffContext, from: PhysicalSchema, to: PhysicalSchema): Reads {
  const read = new Map<PhysicalView, ReadonlySet<string>>()
  for (const view of [...from.views, ...to.views]) read.set(view, tablesRead(view.query, lexicalSyntax))
  return (view) => present(read.get(view), `view ${view.name}`)
}

function isSameView(context: DiffContext, one: PhysicalView, other: PhysicalView): boolean {
  return one.security === other.security && context.same(one.query, other.query)
}

interface Around {
  readonly gone: readonly PhysicalView[]
  readonly added: readonly PhysicalView[]
  readonly reads: Reads
  readonly tables: ChangedTables
}

/** The views that go and come again, each with why. */
function madeAgain(
  context: DiffContext,
  both: readonly ViewPair[],
  changed: readonly ViewPair[],
  { gone, added, reads, tables }: Around,
): Map<ViewPair, string> {
  const again = new Map<ViewPair, string>()
  const later = new Set(added.map(({ name }) => folded(name)))
  const dropped = new Set(gone.map(({ name }) => folded(name)))
  const why = (pair: ViewPair): string | undefined => {
    const own = blockingReason(context, pair.from, reads, tables)
    if (own !== undefined) return own
    const source = [...reads(pair.from)].find((name) => dropped.has(name))
    if (source !== undefined) return `it reads ${source}`
    if (!changed.includes(pair)) return undefined
    if (!context.sql.ddlSyntax.alter.replaceView) return 'its query changes'
    const waits = [...reads(pair.to)].find((name) => later.has(name))
    if (waits !== undefined) return `its new query reads ${waits}`
    const reader = both.find((other) => other !== pair && reads(other.from).has(folded(pair.from.name)))
    return reader && `${reader.from.name} reads it`
  }
  for (let found = true; found;) {
    found = false
    for (const pair of both) {
      const because = again.has(pair) ? undefined : why(pair)
      if (because === undefined) continue
      again.set(pair, because)
      dropped.add(folded(pair.from.name))
      later.add(folded(pair.to.name))
      found = true
    }
  }
  return again
}

/** What cannot change in a view's tables while the view exists. */
function blockingReason(
  { lexicalSyntax, sql }: DiffContext,
  view: PhysicalView,
  reads: Reads,
  { columns, renamed, droppedIndexes: indexes }: ChangedTables,
): string | undefined {
  const index = indexesForced(view.query, lexicalSyntax).find((name) => indexes.has(name))
  if (index !== undefined) return `its hint names the index ${index}`
  for (const table of reads(view)) {
    const to = renamed.get(table)
    if (to !== undefined) return `${to} gets its name`
    const diff = columns.get(table)
    // A database that cannot replace a view has written out the columns that it names by a star.
    const isOpen = !sql.ddlSyntax.alter.replaceView && namesNoColumns(view.query, lexicalSyntax)
    const [changed] = isOpen ? [...(diff?.retyped ?? []), ...(diff?.gone ?? []), ...(diff?.added ?? [])] : []
    const column =
      changed ??
      [...(diff?.retyped ?? []), ...(diff?.goneEarly ?? [])].find((name) =>
        mentions(view.query, name, lexicalSyntax),
      )
    if (column !== undefined) return `${column} changes`
  }
  return undefined
}

/** Whether a query takes columns without their names: `*`, `t.*`, `NATURAL JOIN`. */
function namesNoColumns(query: string, lexicalSyntax: LexicalSyntax): boolean {
  return tokenize(query, lexicalSyntax).some((token) => isSymbol(token, '*') || isWord(token, 'NATURAL'))
}

/** A view that goes on reading what goes. */
function refuseReaders(
  context: DiffContext,
  both: readonly ViewPair[],
  changed: readonly ViewPair[],
  {
    from,
    to,
    reads,
    tables,
    gone,
  }: Omit<Around, 'added'> & { readonly from: PhysicalSchema; readonly to: PhysicalSchema },
): void {
  const vanished = new Set([
    ...[...tables.gone, ...gone].map(({ name }) => folded(name)),
    ...tables.renamed.keys(),
  ])
  const refuse = (view: PhysicalView, what: string): void => {
    context.refuse({
      kind: 'in-use',
      table: view.name,
      message: `reads ${what}, which would no longer exist under this name.`,
      fix: 'Keep that, or change the view as well.',
    })
  }
  const left = new Set(to.tables.flatMap(({ indexes }) => indexes.flatMap(({ name }) => hintedAs(name))))
  for (const pair of both) {
    const view = pair.to
    const source = [...reads(view)].find((name) => vanished.has(name))
    if (source !== undefined) refuse(view, source)
    const index = indexesForced(view.query, context.lexicalSyntax).find(
      (name) => tables.droppedIndexes.has(name) && !left.has(name),
    )
    if (index !== undefined) refuse(view, `the index ${index}`)
    // Only the database can parse a query's columns; a view that was changed already is handled.
    if (changed.includes(pair)) continue
    for (const table of reads(view)) {
      const columns = [...(tables.columns.get(table)?.gone ?? [])].filter(
        (column) => !isElsewhere(column, table, reads(view), from, to),
      )
      const column = columns.find((name) => mentions(view.query, name, context.lexicalSyntax))
      if (column !== undefined) refuse(view, `${table}.${column}`)
    }
  }
}

/** Whether a name may be another table's column, or a view's. */
function isElsewhere(
  column: string,
  table: string,
  read: ReadonlySet<string>,
  from: PhysicalSchema,
  to: PhysicalSchema,
): boolean {
  return (
    to.views.some(({ name }) => read.has(folded(name))) ||
    [...from.tables, ...to.tables].some(
      ({ name, columns }) =>
        folded(name) !== table &&
        read.has(folded(name)) &&
        columns.some((each) => folded(each.name) === column),
    )
  )
}
