import type { CqlParts } from '../../dialects/dialect.js'
import type { SchemaDiff } from '../schema-diff.js'
import type { LaidOut } from '../physical-schema.js'
import type { Renames } from '../renames.js'
import { refuseDropped } from './dropped-columns.js'
import { diffTables } from './diff-tables.js'
import { diffTypes } from './diff-types.js'
import { KeyspaceDiff } from './keyspace-diff.js'
import { keyspaceOf } from './physical-tables.js'
import { keyRenames } from './renames.js'

export interface KeyspaceDiffOptions {
  readonly renames: Renames
  readonly live: boolean
  /** The schemas before the first one, oldest first; asked for where it matters. */
  readonly earlier: () => readonly LaidOut[]
}

/** What has to happen to a keyspace with one schema so that it has another. */
export function diffKeyspaces(
  before: LaidOut,
  after: LaidOut,
  { has }: CqlParts,
  { renames, live, earlier }: KeyspaceDiffOptions,
): SchemaDiff {
  const diff = new KeyspaceDiff(has, keyspaceOf(before), keyspaceOf(after), live)
  const renamed = keyRenames(diff, renames)
  diffTypes(diff)
  diffTables(diff, renamed)
  refuseDropped(diff, () => earlier().map(keyspaceOf))
  return { changes: diff.changes, refusals: diff.refusals }
}
