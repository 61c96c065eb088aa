import {
  IsothermError,
  type Schema,
  checkOptions,
  describeFindings,
  firstLocation,
} from '@isotherm/core/engine'
import { type Refusal, type SchemaStatement, checkShape } from '@isotherm/core/tools'
import { DIFF_OPTIONS, type DiffOptions, bothLaidOut, compare, differOf } from './diff-schemas.js'

/** A migration that the database cannot make in place. Carries every change that is refused, not only the first. */
export class MigrationRefusedError extends IsothermError {
  override readonly name = 'MigrationRefusedError'
  readonly refusals: readonly Refusal[]

  constructor(refusals: readonly Refusal[]) {
    super(
      'MIGRATION_REFUSED',
      describeFindings('The database cannot make these changes in place', refusals),
      firstLocation(refusals),
    )
    this.refusals = refusals
  }
}

/**
 * The statements that make one schema of another, in an order in which each has what it needs. Tables and columns that the
 * second schema lacks are dropped with their data: `losesData` detects those changes of `diffSchemas`. Ask the user before
 * you run the statements.
 *
 * @throws {MigrationRefusedError} with every change that the database cannot make in place.
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for features that the dialect does not have.
 * @example
 * for (const { kind, sql } of planMigration(snapshot, schema, { dialect: googlesql })) console.log(kind, sql)
 */
export function planMigration(from: Schema, to: Schema, options: DiffOptions): SchemaStatement[] {
  checkShape('planMigration', from, to)
  checkOptions('planMigration', DIFF_OPTIONS, options)
  const { dialect } = options
  const differ = differOf(dialect)
  const [before, after] = bothLaidOut(from, to, differ, options)
  dialect.refuseUnsupported(after.schema, after.layouts)
  const { changes, refusals } = compare(before, after, differ, options)
  if (refusals.length > 0) throw new MigrationRefusedError(refusals)
  return [...differ.statements(changes, after)]
}
