import type { Schema } from '@isotherm/core'
import type { Renames } from '@isotherm/core/migrations'
import { CommandError } from '../command-error.js'

/** What was renamed, in the database's names. */
export type Rename =
  | { readonly kind: 'table'; readonly from: string; readonly to: string }
  /** `table` is its new name. */
  | { readonly kind: 'column'; readonly table: string; readonly from: string; readonly to: string }

/**
 * `Customer:Client` for a table, `Client.email:mail` for a column.
 *
 * @param before in which a dot may be that of a named schema
 * @throws {CommandError} for what is neither.
 */
export function parseRenames(flags: readonly string[], before: Schema): Rename[] {
  const renames = flags.map((flag) => parseRename(flag, before))
  const tables = new Map(renames.flatMap((each) => (each.kind === 'table' ? [[each.from, each.to]] : [])))
  // A table may be named as it was, too.
  return renames.map((each) =>
    each.kind === 'column' ? { ...each, table: tables.get(each.table) ?? each.table } : each,
  )
}

function parseRename(flag: string, before: Schema): Rename {
  const [, from, to] = /^([^:\s]+):([^:\s]+)$/.exec(flag) ?? []
  if (from === undefined || to === undefined) {
    throw new CommandError('USAGE', `--rename is ${JSON.stringify(flag)}.`, {
      fix: 'Write Customer:Client for a table, Client.email:mail for a column.',
    })
  }
  const dot = from.lastIndexOf('.')
  if (dot < 0 || before.tables.some(({ name }) => name === from)) return { kind: 'table', from, to }
  return { kind: 'column', table: from.slice(0, dot), from: from.slice(dot + 1), to }
}

export function renamesOf(renames: readonly Rename[]): Renames {
  const tables: Record<string, string> = {}
  const columns: Record<string, Record<string, string>> = {}
  for (const rename of renames) {
    if (rename.kind === 'table') tables[rename.from] = rename.to
    else (columns[rename.table] ??= {})[rename.from] = rename.to
  }
  return { tables, columns }
}
