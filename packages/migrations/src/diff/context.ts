import { type LexicalSyntax, known } from '@isotherm/core/engine'
import type { Refusal, SchemaChange, SqlDialect, SqlParts } from '@isotherm/core/tools'
import { type SameSql, sameTokens } from '../names.js'

/**
 * When a change is made. Each phase has what it needs from those before it: obstacles are removed first, and data is
 * destroyed as late as possible.
 */
const PHASES = [
  'drop-views',
  'drop-opaque',
  'rename-tables',
  'opaque-first',
  'namespaces',
  'sequences',
  'opaque-before-tables',
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
  'opaque',
  'change-streams',
  'replace-views',
  'drop-columns',
  'drop-tables',
  'drop-sequences',
  'row-deletion',
  'create-views',
  'create-change-streams',
  'opaque-last',
  'drop-namespaces',
] as const

type Phase = (typeof PHASES)[number]

/** The inputs of one comparison, and its findings so far. */
export class DiffContext {
  readonly dialect: SqlDialect
  readonly same: SameSql
  /** The first schema is a live database, which does not return everything that was declared. */
  readonly live: boolean
  readonly refusals: Refusal[] = []
  readonly #changes = new Map<Phase, SchemaChange[]>(PHASES.map((phase) => [phase, []]))

  constructor(dialect: SqlDialect, live: boolean) {
    this.dialect = dialect
    this.same = sameTokens(dialect.lexicalSyntax)
    this.live = live
  }

  get sql(): SqlParts {
    return this.dialect.sql
  }

  get lexicalSyntax(): LexicalSyntax {
    return this.dialect.lexicalSyntax
  }

  change(phase: Phase, ...changes: readonly SchemaChange[]): void {
    known(this.#changes, phase).push(...changes)
  }

  refuse(refusal: Refusal): void {
    this.refusals.push(refusal)
  }

  /** The changes in the order in which they are to be made. */
  get changes(): SchemaChange[] {
    return [...this.#changes.values()].flat()
  }
}
