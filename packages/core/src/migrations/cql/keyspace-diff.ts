import type { CqlCapabilities } from '../../dialects/cql/capabilities.js'
import type { SchemaChange } from '../change.js'
import type { Refusal } from '../refusal.js'
import type { Keyspace } from './physical-tables.js'

/**
 * In which order changes are made: what stands in the way goes first, what is needed comes before those who need it, and what
 * is destroyed goes as late as it can.
 */
const ORDER = [
  'drop-index',
  'create-type',
  'add-type-field',
  'rename-key-column',
  'add-column',
  'set-table-options',
  'create-table',
  'create-index',
  'drop-column',
  'drop-table',
  'drop-type',
] as const satisfies readonly SchemaChange['kind'][]

type KeyspaceChange = Extract<SchemaChange, { readonly kind: (typeof ORDER)[number] }>

/** The way out of what only a new table can have. */
export const NEW_TABLE =
  'Make a table of another name; let the application write both; copy the rows, a partition at a time; read from the new one; then drop the old one.'

/** What one comparison goes by, and what it has found so far. */
export class KeyspaceDiff {
  readonly has: CqlCapabilities
  /** The first keyspace is a live one, which tells nothing of what clients compute. */
  readonly live: boolean
  readonly from: Keyspace
  readonly to: Keyspace
  readonly refusals: Refusal[] = []
  readonly #changes: KeyspaceChange[] = []

  constructor(has: CqlCapabilities, from: Keyspace, to: Keyspace, live: boolean) {
    this.has = has
    this.from = from
    this.to = to
    this.live = live
  }

  change(...changes: readonly KeyspaceChange[]): void {
    this.#changes.push(...changes)
  }

  refuse(refusal: Refusal): void {
    this.refusals.push(refusal)
  }

  /** The changes in the order in which they are to be made. */
  get changes(): SchemaChange[] {
    return this.#changes.toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
  }
}

/** What both have, what only the first has, and what only the second has: names are quoted, and keep their capitals. */
export function matchedByName<T extends { readonly name: string }>(
  from: readonly T[],
  to: readonly T[],
): {
  readonly both: readonly (readonly [T, T])[]
  readonly gone: readonly T[]
  readonly added: readonly T[]
} {
  const [before, after] = [from, to].map((things) => new Map(things.map((thing) => [thing.name, thing])))
  return {
    both: to.flatMap((thing) => {
      const old = before!.get(thing.name)
      return old ? [[old, thing] as const] : []
    }),
    gone: from.filter(({ name }) => !after!.has(name)),
    added: to.filter(({ name }) => !before!.has(name)),
  }
}
