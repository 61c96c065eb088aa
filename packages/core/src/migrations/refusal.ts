import { describeFindings, firstPlace, IsothermError } from '../errors.js'

/**
 * What the database cannot do in place.
 *
 * - `primary-key`: the key, or where its shards put the rows.
 * - `interleaving`: another parent, or one where there was none.
 * - `column-type`, `uuid-storage`: another type, or another way to store the same.
 * - `inherited-key`: a key column that child tables have too.
 * - `generated-column`, `identity`, `commit-timestamp`, `hidden`: what makes a column's value, or shows it.
 * - `not-null`: NOT NULL where rows may be without a value, and none can be given.
 * - `sequence`: what a sequence cannot unlearn.
 * - `in-use`: what others depend on, and they stay.
 * - `name`: a name that is taken, or differs in its letters' case only.
 * - `rename`: a rename that is not possible as asked for.
 * - `static`: one value for a partition in place of one for each row, or the other way.
 * - `counter`: counters in a table of other columns, or the other way.
 * - `user-type`: fields that a user type loses, or that come before others.
 * - `drop`: what the target does not take away.
 * - `dropped-column`: the name of a column that went, and was another one.
 */
export type RefusalKind =
  | 'primary-key'
  | 'interleaving'
  | 'column-type'
  | 'uuid-storage'
  | 'inherited-key'
  | 'generated-column'
  | 'identity'
  | 'commit-timestamp'
  | 'hidden'
  | 'not-null'
  | 'sequence'
  | 'in-use'
  | 'name'
  | 'rename'
  | 'static'
  | 'counter'
  | 'user-type'
  | 'drop'
  | 'dropped-column'

/** A change that is not made, and the way to it by hand. */
export interface Refusal {
  readonly kind: RefusalKind
  /** The table, or whatever else it is about: a sequence, a view. */
  readonly table: string
  readonly column?: string
  readonly message: string
  readonly fix: string
}

/** A migration that the database cannot make in place. Carries every change that is refused, not only the first. */
export class MigrationRefusedError extends IsothermError {
  override readonly name = 'MigrationRefusedError'
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    super(
      'MIGRATION_REFUSED',
      describeFindings('The database cannot make these changes in place', refusals),
      firstPlace(refusals),
    )
    this.refusals = refusals
  }
}
