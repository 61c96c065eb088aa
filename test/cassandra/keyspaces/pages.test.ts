import { expect, it } from 'vitest'
import { openKeyspaces } from './support/open.js'
import { cells, readAll, rows } from './support/post.js'
import type { QueryRequest } from './support/server.js'

// Keyspaces counts the rows that it has looked at: a page may be empty, and there is more.

function paged(...pages: readonly (readonly number[])[]) {
  return ({ pageState = '0' }: QueryRequest) => {
    const at = Number(pageState)
    return { ...rows(...pages[at]!), ...(at < pages.length - 1 && { pageState: String(at + 1) }) }
  }
}

it.each([
  ['at the beginning', [[], [], [1, 2]]],
  ['in the middle', [[1], [], [], [2]]],
  ['at the end', [[1, 2], [], []]],
  ['at the beginning, in the middle and at the end', [[], [1], [], [2], []]],
  ['on all pages', [[], [], []]],
])('read(), query() and run() continue after pages without rows: %s', async (_, pages) => {
  await using open = await openKeyspaces()
  open.server.answer(/FROM "post"/, paged(...pages))
  const all = cells(...pages.flat())
  expect(await open.driver.read(readAll)).toEqual(all)
  expect(open.server.requests).toHaveLength(pages.length)
  const statement = { text: 'SELECT "blog", "id", "title" FROM "post"', parameters: [] }
  const types = readAll.columns.map(({ type }) => type)
  expect(await open.driver.query(statement, types)).toEqual(all)
  expect((await open.driver.run(statement)).rows).toEqual(all)
})

it('read() requests no page beyond its limit', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/FROM "post"/, paged([], [1, 2], [], [3, 4, 5], [6]))
  expect(await open.driver.read({ ...readAll, limit: 4 })).toEqual(cells(1, 2, 3, 4))
  expect(open.server.requests).toHaveLength(4)
})

it.each(['read', 'run'] as const)('a cancelled %s() requests no further page', async (what) => {
  await using open = await openKeyspaces()
  const stop = new AbortController()
  const reason = new Error('enough')
  open.server.answer(/FROM "post"/, (request) => {
    if (request.pageState === '2') stop.abort(reason)
    return paged([1], [2], [3], [4], [5])(request)
  })
  const options = { signal: stop.signal }
  const statement = { text: 'SELECT "blog", "id", "title" FROM "post"', parameters: [] }
  const call = what === 'read' ? open.driver.read(readAll, options) : open.driver.run(statement, options)
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED', cause: reason })
  // Another call on the same connection: whatever else was on its way has come before.
  await open.driver.read({ ...readAll, limit: 1 })
  expect(open.server.requests.map(({ pageState }) => pageState)).toEqual([undefined, '1', '2', undefined])
})
