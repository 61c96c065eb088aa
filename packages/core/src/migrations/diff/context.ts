import { sqlOf, type Dialect, type SqlParts } from '../../dialects/dialect.js'
import type { SchemaChange } from '../change.js'
import type { SameSql } from '../expressions.js'
import type { Refusal } from '../refusal.js'

/**
 * When a change is made. Each phase has what it needs from those before it: what stands in the way goes first, what is
 * destroyed goes as late as it can.
 */
export const PHASES = [
  'drop-views',
  'rename-tables',
  'namespaces',
  'sequences',
  'drop-change-streams',
  'drop-constraints',
  'drop-indexes',
  'drop-generated',
  'add-columns',
  'copy-columns',
  'alter-columns',
  'add-generated',
  'alter-generated',
  'create-tables',
  'create-indexes',
  'add-constraints',
  'change-streams',
  'replace-views',
  'drop-columns',
  'drop-tables',
  'drop-sequences',
  'row-deletion',
  'create-views',
  'create-change-streams',
  'drop-namespaces',
] as const

export type Phase = (typeof PHASES)[number]

/** What two schemas are compared by. */
export interface Comparison {
  readonly same: SameSql
  readonly sameQuery: SameSql
  /** The first schema is a live database, which does not give back all that it was told. */
  readonly live: boolean
}

/** What one comparison goes by, and what it has found so far. */
export class DiffContext implements Comparison {
  readonly dialect: Dialect
  readonly same: SameSql
  readonly sameQuery: SameSql
  readonly live: boolean
  readonly refusals: Refusal[] = []
  readonly #changes = new Map<Phase, SchemaChange[]>(PHASES.map((phase) => [phase, []]))

  constructor(dialect: Dialect, { same, sameQuery, live }: Comparison) {
    this.dialect = dialect
    this.same = same
    this.sameQuery = sameQuery
    this.live = live
  }

  /** @throws {IsothermError} `UNSUPPORTED` where schemas have no expressions to be compared. */
  get sql(): SqlParts {
    return sqlOf(this.dialect, 'A comparison of expressions')
  }

  change(phase: Phase, ...changes: readonly SchemaChange[]): void {
    this.#changes.get(phase)!.push(...changes)
  }

  refuse(refusal: Refusal): void {
    this.refusals.push(refusal)
  }

  /** The changes in the order in which they are to be made. */
  get changes(): SchemaChange[] {
    return [...this.#changes.values()].flat()
  }
}
