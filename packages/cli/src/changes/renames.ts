import type { Dialect, Schema } from '@isotherm/core'
import type { Output } from '../terminal/output.js'
import type { RecordedSql, RenameCandidate, Renames } from '@isotherm/migrations'
import { CommandError } from '../command-error.js'
import { shown } from '../text.js'
import { choose } from '../terminal/prompts.js'

/** The flags about changes. */
export interface ChangeOptions {
  readonly rename?: readonly string[]
  readonly yes?: boolean
  readonly allowDataLoss?: boolean
}

/** From which schema to which. */
export interface ChangeRequest {
  readonly dialect: Dialect
  readonly from: Schema
  readonly to: Schema
  /** The schemas before the first one, oldest first, if they are known. */
  readonly earlier?: readonly Schema[]
  /** Tables that are left alone. */
  readonly ignore?: (table: string) => boolean
  /** Whether `from` was read from a database. */
  readonly live?: boolean
  /** How that database returns the SQL of its models. */
  readonly recorded?: readonly RecordedSql[]
  /** Nothing is written, so that nothing can be lost. */
  readonly dryRun?: boolean
  readonly options: ChangeOptions
  readonly output: Output
}

/** What was renamed, with the names in the database. */
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
    throw new CommandError('USAGE', `--rename is ${shown(flag)}.`, {
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

/**
 * Asks for every new table, and then for every new column, whether it is a renamed one that is missing now.
 *
 * @param known renames that were given by flags
 * @returns these, and those that were answered
 */
export async function askRenames(request: ChangeRequest, known: readonly Rename[]): Promise<Rename[]> {
  const renames = [...known]
  for (const kind of ['table', 'column'] as const) {
    const candidates = await candidatesFor(request, renames)
    for (const group of byNewName(candidates.filter((each) => each.kind === kind))) {
      const open = group.filter((candidate) => !isTaken(candidate, renames))
      const answer = await askOne(open)
      if (answer) renames.push(renameOf(answer))
    }
  }
  return renames
}

/** The possible renames, the most likely first, given the known ones. */
export async function candidatesFor(
  { from, to, dialect, ignore = () => false }: ChangeRequest,
  known: readonly Rename[],
): Promise<RenameCandidate[]> {
  const { renameCandidates } = await import('@isotherm/migrations')
  // Columns of a table that has another name now are found under that name.
  const before = withTableNames(from, known)
  return renameCandidates(before, to, { dialect }).filter(
    (each) => !ignore(each.table ?? each.from) && !isTaken(each, known),
  )
}

async function askOne(candidates: readonly RenameCandidate[]): Promise<RenameCandidate | undefined> {
  const [first] = candidates
  if (!first) return undefined
  const { kind, table, to } = first
  return choose(
    `Is the ${kind} ${table === undefined ? to : `${table}.${to}`} new, or was another one renamed to it?`,
    [
      ...candidates.map((candidate) => ({
        value: candidate,
        label: `${candidate.from} was renamed to ${to}`,
      })),
      { value: undefined, label: `${to} is new` },
    ],
  )
}

/** The candidates of each new name, the likeliest first. */
function byNewName(candidates: readonly RenameCandidate[]): (readonly RenameCandidate[])[] {
  const groups = new Map<string, RenameCandidate[]>()
  for (const candidate of candidates) {
    const key = JSON.stringify([candidate.table, candidate.to])
    groups.set(key, [...(groups.get(key) ?? []), candidate])
  }
  return [...groups.values()]
}

/** Whether either name has found its other already. */
function isTaken(candidate: RenameCandidate, renames: readonly Rename[]): boolean {
  return renames.some(
    (rename) =>
      rename.kind === candidate.kind &&
      (rename.kind === 'table' || rename.table === candidate.table) &&
      (rename.from === candidate.from || rename.to === candidate.to),
  )
}

function renameOf({ kind, table, from, to }: RenameCandidate): Rename {
  return kind === 'table' || table === undefined
    ? { kind: 'table', from, to }
    : { kind: 'column', table, from, to }
}

function withTableNames(schema: Schema, renames: readonly Rename[]): Schema {
  const names = new Map(renames.flatMap((each) => (each.kind === 'table' ? [[each.from, each.to]] : [])))
  if (names.size === 0) return schema
  const renamed = (name: string): string => names.get(name) ?? name
  return {
    ...schema,
    tables: schema.tables.map((table) => ({
      ...table,
      name: renamed(table.name),
      ...(table.parent && { parent: { ...table.parent, table: renamed(table.parent.table) } }),
      foreignKeys: table.foreignKeys.map((key) => ({ ...key, table: renamed(key.table) })),
    })),
    changeStreams: schema.changeStreams.map((stream) =>
      stream.watch === 'all'
        ? stream
        : { ...stream, watch: stream.watch.map((each) => ({ ...each, table: renamed(each.table) })) },
    ),
  }
}
