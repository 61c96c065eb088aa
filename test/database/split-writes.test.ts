import type { IsothermError } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { shopOf, UserAccessLog } from '../support/shop.js'
import { dialects, testDatabase } from '../support/spanner.js'

describe.each(dialects)('an insert in $name of more rows than one commit holds', async (dialect) => {
  const { db } = await testDatabase(shopOf(dialect), dialect)
  // 4 columns and 3 key columns, and twice the mirror of a descending key part where there is one; 80,000 fit into a commit.
  const perRow = dialect.name === 'googlesql' ? 7 : 9
  const perCommit = Math.floor(80_000 / perRow)
  // The emulator is slow with the largest commits, and slower while other tests run.
  const large = { allowMultipleCommits: true, timeoutMs: 150_000 }

  it('throws TOO_MANY_MUTATIONS without allowMultipleCommits, and makes two commits with allowMultipleCommits', async () => {
    const rows = Array.from({ length: perCommit + 1 }, (_, id) => ({
      userId: BigInt(id),
      lastAccess: new Date(0),
    }))
    const refused = await db.insert(UserAccessLog, rows).catch((caught: unknown) => caught)
    expect(refused).toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      message: expect.stringContaining(
        `${rows.length} rows of UserAccessLog are ${rows.length * perRow} mutations (${perRow} a row)`,
      ),
    })
    const epoch = { lastAccess: { eq: new Date(0) } }
    expect(await db.fanOut(UserAccessLog).where(epoch).count()).toBe(0)

    const inserted = await db.insert(UserAccessLog, rows, large)
    expect(inserted.commits).toBe(2)
    expect(inserted.length).toBe(rows.length)
    expect(await db.fanOut(UserAccessLog).where(epoch).count()).toBe(rows.length)
    await db.delete(UserAccessLog, rows, large)
    expect(await db.fanOut(UserAccessLog).where(epoch).count()).toBe(0)
  })

  it('throws PARTLY_WRITTEN with the number of rows that were committed when a later row exists', async () => {
    const at = new Date(1000)
    const rows = Array.from({ length: perCommit + 2 }, (_, id) => ({
      userId: BigInt(id),
      lastAccess: at,
    }))
    await db.insert(UserAccessLog, [rows[perCommit + 1]!])
    const error = await db.insert(UserAccessLog, rows, large).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'PARTLY_WRITTEN',
      message: expect.stringContaining(`The first ${perCommit} of ${perCommit + 2}`),
    })
    expect((error as IsothermError).cause).toMatchObject({ code: 'ALREADY_EXISTS' })
  })
})
