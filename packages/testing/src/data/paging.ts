import type { FanOutQuery, Page } from '@isotherm/core'

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
