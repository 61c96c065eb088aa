import type { Supplies, TransactionScope } from '@isotherm/core/adapter'
import { SQL } from 'drizzle-orm'

/** What is known of a statement once it is run. */
export interface Execution {
  /** Values of its placeholders. */
  readonly values: Readonly<Record<string, unknown>> | undefined
  /** Numbers of the application's counters. */
  readonly supplies: Supplies | undefined
}

/** @param scope the transaction that the statement is a part of */
type Supply = (
  values: Execution['values'],
  scope: TransactionScope | undefined,
) => Promise<Supplies> | undefined

/**
 * A write whose values are made anew for each execution: those of `$defaultFn`, of `$onUpdate` and of keys would be the same
 * every time otherwise.
 */
export class OwnValues extends SQL {
  /** Without an execution, as the statement is looked at. */
  readonly build: (execution?: Execution) => SQL
  /** Whether, without an execution, there are values that cannot be made. */
  readonly isSketch: boolean
  /** Fetches what has to be waited for. */
  readonly supply: Supply | undefined

  constructor(
    build: (execution?: Execution) => SQL,
    { isSketch, supply }: Partial<Pick<OwnValues, 'isSketch' | 'supply'>> = {},
  ) {
    super([build()])
    this.build = build
    this.isSketch = isSketch ?? false
    this.supply = supply
  }

  /** The same, and more around it. */
  within(around: (sql: SQL) => SQL): OwnValues {
    return new OwnValues((execution) => around(this.build(execution)), this)
  }
}
