import type { ChangeStream } from '../../model/schema.js'
import { namespaceOf } from '../../model/schema.js'
import { byName, folded, sameName } from '../names.js'
import type { LaidColumn, PhysicalSchema, PhysicalTable } from '../physical-schema.js'
import type { Renames } from '../renames.js'
import type { DiffContext } from './context.js'
import { defined, isNotNull, keyColumns, kindOf } from './column-facts.js'

/** By the folded (new) name of the table: old names of columns to new ones. */
export type ColumnRenames = ReadonlyMap<string, ReadonlyMap<string, string>>

export interface RenamedSchema {
  readonly schema: PhysicalSchema
  /** Folded old names of tables to their new ones. */
  readonly renamed: ReadonlyMap<string, string>
}

/**
 * The schema as it is once its tables have their new names, in all places that name them: the database sees to those.
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
    const obstacle = tableObstacle(context, {
      old,
      name,
      wanted: after.has(folded(name)),
      taken: before.has(folded(name)) || after.has(folded(old)),
      table: before.get(folded(old)),
    })
    if (obstacle === undefined) names.set(folded(old), after.get(folded(name))!.name)
    else
      context.refuse({
        kind: 'rename',
        table: old,
        message: `is to be renamed to ${name}: ${obstacle}.`,
        fix: 'Leave the rename out, or keep the name.',
      })
  }
  if (names.size === 0) return { schema: from, renamed: names }
  for (const [old, name] of names)
    context.change('rename-tables', { kind: 'rename-table', table: before.get(old)!.name, to: name })
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
    wanted,
    taken,
    table,
  }: {
    readonly old: string
    readonly name: string
    readonly wanted: boolean
    readonly taken: boolean
    readonly table: PhysicalTable | undefined
  },
): string | undefined {
  if (!table) return 'there is no such table'
  if (!wanted) return 'no model has that name'
  if (taken) return 'one of the two names belongs to another table'
  if (namespaceOf(old) !== namespaceOf(name)) return 'a table stays in its named schema'
  if (namespaceOf(old) !== undefined && !context.sql.ddlSyntax.alter.renamesInNamespace)
    return 'a table in a named schema keeps its name in this dialect'
  if (table.parent && table.columns.some((column) => sameName(column.name, name.split('.').at(-1))))
    return 'it is interleaved in another table, and has a column of that name'
  return undefined
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
 * A column gets no other name in place: a new one is added, filled from the old one, and made what it is to be; the old one
 * goes last.
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
    const tables = { from: before.get(folded(name)), to: after.get(folded(name)) }
    for (const [old, now] of Object.entries(pairs)) {
      const column = tables.from?.columns.find((each) => sameName(each.name, old))
      const target = tables.to?.columns.find((each) => sameName(each.name, now))
      const obstacle =
        tables.from && tables.to
          ? columnObstacle({ from: tables.from, to: tables.to }, column, target)
          : 'there is no such table'
      if (obstacle !== undefined) {
        context.refuse({
          kind: 'rename',
          table: name,
          column: old,
          message: `is to be renamed to ${now}: ${obstacle}.`,
          fix: `Keep the column's name in the database, name: '${old}', and call the property what you like.`,
        })
        continue
      }
      renameColumn(context, tables.to!.name, column!, target!)
      const known = renames.get(folded(name)) ?? new Map<string, string>()
      renames.set(folded(name), known.set(folded(column!.name), target!.name))
    }
  }
  return renames
}

function columnObstacle(
  { from, to }: { readonly from: PhysicalTable; readonly to: PhysicalTable },
  column: LaidColumn | undefined,
  target: LaidColumn | undefined,
): string | undefined {
  if (!column) return 'there is no such column'
  if (!target) return 'no model has a column of that name'
  if (from.columns.some(({ name }) => sameName(name, target.name))) return 'there is a column of that name'
  if (to.columns.some(({ name }) => sameName(name, column.name))) return 'the model still has the old one'
  const key = keyColumns(from, to)
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
