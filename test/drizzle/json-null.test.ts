import { fanOut, jsonNull } from '@isotherm/drizzle-adapter'
import { type SQL, and, eq, gte, isNotNull, isNull } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { dialects } from '../support/spanner.js'
import { accessLog, time } from './support/access-log.js'

describe.each(dialects)('the JSON value null in $name', async (dialect) => {
  const { db, events } = await accessLog(dialect)
  const documents = [jsonNull, null, { a: null }]
  const isOwn = gte(events.userId, 100)
  const rows = documents.map((data, at) => ({ userId: 100 + at, at: time(100 + at), data }))
  const shown = db.select({ data: events.data }).from(events).where(isOwn).orderBy(events.userId)

  test('stays distinct from NULL when rows are inserted, returned, selected and read by fanOut()', async () => {
    const returned = await db
      .insert(events)
      .values(rows as never)
      .returning({ userId: events.userId, data: events.data })
    const byUser = returned.toSorted((one, other) => one.userId - other.userId)
    expect(byUser.map(({ data }) => data)).toEqual(documents)
    expect(await shown).toEqual(documents.map((data) => ({ data })))
    expect((await shown)[0]!.data).toBe(jsonNull)
    expect(await fanOut(shown)).toEqual(await shown)
    const found = async (condition: SQL): Promise<number[]> => {
      const rowsFound = await db.select().from(events).where(and(isOwn, condition)).orderBy(events.userId)
      return rowsFound.map(({ userId }) => userId)
    }
    expect(await found(isNull(events.data))).toEqual([101])
    expect(await found(isNotNull(events.data))).toEqual([100, 102])
  })

  test('stays distinct from NULL when a selected row is written back by an update', async () => {
    for (const { userId, data } of await db.select().from(events).where(isOwn))
      await db.update(events).set({ data }).where(eq(events.userId, userId))
    expect(await shown).toEqual(documents.map((data) => ({ data })))
  })
})
