import type { Supplies } from '@isotherm/core/adapter'
import type { PreparedQuery } from '../../session/prepared.js'

/** What one execution of a write has of its own. */
export interface Execution {
  /** Those of placeholders, where they are known. */
  readonly values?: Readonly<Record<string, unknown>> | undefined
  /** Numbers of the application's counters. */
  readonly supplies?: Supplies | undefined
}

/**
 * A prepared write whose values are made anew for each execution: those of `$defaultFn`, of `$onUpdate` and of keys would be
 * the same every time otherwise.
 */
export class PreparedPerExecution<Result> implements PreparedQuery<Result> {
  readonly #build: (execution?: Execution) => PreparedQuery<Result>
  readonly #supply: (values?: Readonly<Record<string, unknown>>) => Promise<Supplies> | undefined

  constructor(
    build: (execution?: Execution) => PreparedQuery<Result>,
    supply: (values?: Readonly<Record<string, unknown>>) => Promise<Supplies> | undefined,
  ) {
    this.#build = build
    this.#supply = supply
  }

  async execute(values?: Record<string, unknown>): Promise<Result> {
    const supplies = this.#supply(values)
    return this.#build({ values, supplies: supplies && (await supplies) }).execute(values)
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    return this.#build().getQuery()
  }

  /** For `batch`. */
  _prepare(): PreparedQuery<Result> {
    return this.#build({})
  }

  /** For `batch`. */
  _supplied(): Promise<{ _prepare(): PreparedQuery<Result> }> | undefined {
    return this.#supply()?.then((supplies) => ({ _prepare: () => this.#build({ supplies }) }))
  }
}
