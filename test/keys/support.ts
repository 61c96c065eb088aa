import type { SqlDialect, FanOutQuery, Page } from '@isotherm/core'
import type { TestDatabase } from '../support/spanner.js'

export const strategies = ['read-ranges', 'merge-shards', 'push-down'] as const

/** All rows of a query, page by page: each page begins at the cursor of the one before, and all but the last are full. */
export async function inPages<Fields>(
  query: FanOutQuery<Fields>,
  size: number,
): Promise<Page<Awaited<ReturnType<typeof query.all>>[number]>['rows']> {
  const pages: Awaited<ReturnType<typeof query.all>>[] = []
  let cursor: string | undefined
  do {
    const page = await query.limit(size).after(cursor).page()
    const last = pages.at(-1)
    if (last && last.length !== size)
      throw new Error(`A page in the middle has ${last.length} rows, not ${size}.`)
    pages.push(page.rows)
    cursor = page.next
  } while (cursor !== undefined)
  return pages.flat()
}

/** A statement of somebody who does not use Isotherm. Names stand between backquotes, whatever the dialect. */
export async function byOtherWriter(
  { client, dialect }: Pick<TestDatabase, 'client' | 'dialect'>,
  sql: string,
): Promise<number> {
  return client.runTransactionAsync(async (transaction) => {
    try {
      // `runUpdate` would go on trying for seconds where the statement fails.
      const [[count]] = await transaction.batchUpdate([{ sql: inDialect(dialect, sql) }])
      await transaction.commit()
      return count!
    } catch (error) {
      // Left open, it would keep others waiting.
      await transaction.rollback().catch(() => {})
      throw error
    }
  })
}

/** Names between backquotes, as the dialect quotes them. */
export function inDialect(dialect: SqlDialect, sql: string): string {
  return dialect === 'googlesql' ? sql : sql.replaceAll('`', '"')
}
