import type { Schema } from '@isotherm/core'
import type { RenameCandidate } from '@isotherm/core/migrations'
import { choose } from '../terminal/prompts.js'
import type { ChangeRequest } from './change-request.js'
import type { Rename } from './rename-flags.js'

/**
 * Asks of every table, and then of every column, that is new whether it is one that is gone, under another name.
 *
 * @param known renames that flags have told already
 * @returns these and those that were answered
 */
export async function askRenames(request: ChangeRequest, known: readonly Rename[]): Promise<Rename[]> {
  const { from, to, dialect, target, ignore = () => false } = request
  const { renameCandidates } = await import('@isotherm/core/migrations')
  const renames = [...known]
  for (const kind of ['table', 'column'] as const) {
    // Columns of a table that has another name now are found under that name.
    const before = withTableNames(from, renames)
    const candidates = renameCandidates(before, to, { dialect, ...(target && { target }) }).filter(
      (each) => each.kind === kind && !ignore(each.table ?? each.from),
    )
    for (const group of byNewName(candidates)) {
      const open = group.filter((candidate) => !isTaken(candidate, renames))
      const answer = await askOne(open)
      if (answer) renames.push(renameOf(answer))
    }
  }
  return renames
}

async function askOne(candidates: readonly RenameCandidate[]): Promise<RenameCandidate | undefined> {
  const [first] = candidates
  if (!first) return undefined
  const { kind, table, to } = first
  return choose(
    `Is the ${kind} ${table === undefined ? to : `${table}.${to}`} new, or does another have its name now?`,
    [
      ...candidates.map((candidate) => ({
        value: candidate,
        label: `${candidate.from} is called ${to} now`,
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
