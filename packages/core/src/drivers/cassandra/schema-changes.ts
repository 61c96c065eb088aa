import { IsothermError } from '../../errors.js'
import type { SchemaChanges, SchemaChangeState } from '../../database/driver.js'
import type { SchemaStatements } from './schema-statements.js'

/** How many that have ended are remembered. */
const REMEMBERED = 1_000

/** One that was begun here. */
class Operation {
  readonly #statements: readonly string[]
  #applied = 0
  #done = false
  #error: IsothermError | undefined

  constructor(statements: readonly string[]) {
    this.#statements = statements
  }

  get state(): SchemaChangeState {
    return {
      statements: this.#statements,
      done: this.#done,
      applied: this.#applied,
      progress: this.#statements.map((_, at) => (at < this.#applied ? 100 : 0)),
      ...(this.#error && { error: this.#error }),
    }
  }

  /** Whether it makes sense to begin it another time: nobody knows what became of it. */
  get isLost(): boolean {
    return this.#error?.code === 'OUTCOME_UNKNOWN'
  }

  async run(ddl: SchemaStatements, again: boolean): Promise<void> {
    try {
      for (const text of this.#statements) {
        await ddl.run(text, {}, again)
        this.#applied++
      }
    } catch (error) {
      this.#error =
        error instanceof IsothermError
          ? error
          : new IsothermError('DATABASE', error instanceof Error ? error.message : String(error), {
              cause: error,
            })
    } finally {
      this.#done = true
    }
  }
}

/**
 * Cassandra has no operations that outlive a client: what was begun here is known here, and nowhere else. Whoever comes back
 * after a crash begins `again`, and what has taken place by then is found out.
 */
export function cassandraSchemaChanges(ddl: SchemaStatements): SchemaChanges {
  const operations = new Map<string, Operation>()

  return {
    async begin(statements, operationId, { again = false } = {}) {
      const known = operations.get(operationId)
      if (known && !(again && known.isLost)) return
      const operation = new Operation(statements)
      operations.delete(operationId)
      operations.set(operationId, operation)
      forgetOldest(operations)
      void operation.run(ddl, again)
    },

    async state(operationId) {
      return operations.get(operationId)?.state
    },
  }
}

function forgetOldest(operations: Map<string, Operation>): void {
  for (const [id, operation] of operations) {
    if (operations.size <= REMEMBERED) return
    if (operation.state.done) operations.delete(id)
  }
}
