import type { SqlDialect, TransactionalDriver } from '@isotherm/core'
import type { Reader } from '@isotherm/core/adapter'
import { spanner } from '@isotherm/spanner'

/**
 * A driver that commits a write after its first statement, and runs no other statement before: reads that were not of one
 * snapshot would see the write.
 */
export function writeBetweenReads(
  client: Parameters<typeof spanner>[0],
  dialect: SqlDialect,
  write: () => PromiseLike<unknown>,
): TransactionalDriver {
  // Without the dialect the driver would be replaced by another one.
  const driver = spanner(client, { dialect })
  let written: Promise<unknown> | undefined
  const runOf =
    (reader: Reader): Reader['run'] =>
    async (statement, options) => {
      if (written) {
        await written
        return reader.run(statement, options)
      }
      const first = reader.run(statement, options)
      written = first.then(write)
      await written
      return first
    }
  return {
    ...driver,
    run: runOf(driver),
    async snapshot(options) {
      const snapshot = await driver.snapshot(options)
      return { ...snapshot, run: runOf(snapshot) }
    },
  }
}
