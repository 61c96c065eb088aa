import type { SqlDialect } from '@isotherm/core'
import type { TestDatabase } from '../support/spanner.js'

export const strategies = ['read-ranges', 'merge-shards', 'push-down'] as const

/** A statement of a writer that does not use Isotherm. Names are between backquotes in every dialect. */
export async function byOtherWriter(
  { client, dialect }: Pick<TestDatabase, 'client' | 'dialect'>,
  sql: string,
): Promise<number> {
  return client.runTransactionAsync(async (transaction) => {
    try {
      // `runUpdate` would repeat a failing statement for seconds.
      const [[count]] = await transaction.batchUpdate([{ sql: inDialect(dialect, sql) }])
      await transaction.commit()
      return count!
    } catch (error) {
      // An open transaction would block other transactions.
      await transaction.rollback().catch(() => {})
      throw error
    }
  })
}

/** Names between backquotes, as the dialect quotes them. */
export function inDialect(dialect: SqlDialect, sql: string): string {
  return dialect.name === 'googlesql' ? sql : sql.replaceAll('`', '"')
}
