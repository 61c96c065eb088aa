import { defineSchema, defineTable, IsothermError, openDatabase } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { describe, expect, it } from 'vitest'
import type { Mutation } from '../../src/engine/driver.js'
import { rejection } from '../support/refusal.js'
import { silentDriverWith } from '../support/silent-driver.js'

// Row writes on an engine whose commit may contain rows of any partition, and the errors of commits that fail.

const Item = defineTable('Item', (t) => ({
  id: t.int64().key(),
  note: t.string({ nullable: true }),
  at: t.timestamp({ default: 'commit' }),
}))
const Moved = defineTable('Moved', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
  note: t.string({ nullable: true }),
  at: t.timestamp({ default: 'commit' }),
}))
const schema = defineSchema([Item, Moved])

/** One row of Item is four mutations: its columns, and its key once more. */
const PER_COMMIT = 20_000
const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ id: BigInt(at) }))
const lost = new IsothermError('OUTCOME_UNKNOWN', 'The answer was lost.')

/** @param fails the number of the commit that fails, from 0 */
function opened(fails?: number, error: Error = lost) {
  const commits: (readonly Mutation[])[] = []
  const driver = silentDriverWith({
    commit: async (mutations) => {
      if (commits.length === fails) throw error
      commits.push(mutations)
      return { commitTimestamp: new Date(commits.length) }
    },
  })
  return { driver, commits, db: openDatabase({ driver, schema }) }
}

function sizes(commits: readonly (readonly Mutation[])[]) {
  return commits.map((mutations) =>
    mutations.map((mutation) => [
      mutation.table,
      mutation.op,
      mutation.op === 'delete' ? mutation.keys.length : mutation.rows.length,
    ]),
  )
}

describe('an insert in several commits', () => {
  it('commits rows in their order, and returns each row with the timestamp of its own commit', async () => {
    const { db, commits } = opened()
    const inserted = await db.insert(Item, rowsOf(PER_COMMIT + 2), { allowMultipleCommits: true })
    expect(inserted.commits).toBe(2)
    expect(sizes(commits)).toEqual([[['Item', 'insert', PER_COMMIT]], [['Item', 'insert', 2]]])
    expect([inserted[PER_COMMIT - 1]!.at, inserted[PER_COMMIT]!.at]).toEqual([new Date(1), new Date(2)])
  })

  it('divides rows that have different columns into commits by their order in the call', async () => {
    const { db, commits } = opened()
    const at = new Date(5)
    const rows = rowsOf(PER_COMMIT + 1).map((row, position) => (position % 2 === 0 ? row : { ...row, at }))
    const inserted = await db.insert(Item, rows, { allowMultipleCommits: true })
    expect(sizes(commits)[1]).toEqual([['Item', 'insert', 1]])
    expect(inserted[1]!.at).toEqual(at)
    expect(inserted[PER_COMMIT]!.at).toEqual(new Date(2))
  })

  it('reports the committed rows with their commit timestamps, and the keys of unknown outcome', async () => {
    const { db } = opened(1)
    const error = await rejection(db.insert(Item, rowsOf(PER_COMMIT + 2), { allowMultipleCommits: true }))
    expect(error).toMatchObject({
      code: 'PARTLY_WRITTEN',
      table: 'Item',
      message: expect.stringContaining(
        `The first ${PER_COMMIT} of ${PER_COMMIT + 2} rows of Item are committed`,
      ),
      cause: { code: 'OUTCOME_UNKNOWN', rows: [{ id: BigInt(PER_COMMIT) }, { id: BigInt(PER_COMMIT + 1) }] },
    })
    expect(error.rows).toHaveLength(PER_COMMIT)
    expect(error.rows![0]).toMatchObject({ id: 0n, at: new Date(1) })
  })

  it('reports the rows of the first commit if the outcome of that commit is unknown', async () => {
    const { db } = opened(0)
    const error = await rejection(db.insert(Item, rowsOf(PER_COMMIT + 2), { allowMultipleCommits: true }))
    expect(error.code).toBe('OUTCOME_UNKNOWN')
    expect(error.rows).toHaveLength(PER_COMMIT)
  })

  it.each(['insert', 'upsert'] as const)(
    'throws TOO_MANY_MUTATIONS for an %s of 20,001 rows without allowMultipleCommits, and commits nothing',
    async (op) => {
      const { db, commits } = opened()
      const rows = rowsOf(PER_COMMIT + 1)
      const write = op === 'insert' ? db.insert(Item, rows) : db.upsert(Item, rows)
      expect(await rejection(write)).toMatchObject({
        code: 'TOO_MANY_MUTATIONS',
        message: expect.stringContaining('(4 a row); one commit holds 80000.'),
      })
      expect(commits).toEqual([])
    },
  )
})

describe.each(['upsert', 'update', 'delete'] as const)('an %s in several commits', (op) => {
  const writeBy = (db: ReturnType<typeof opened>['db']) => {
    const rows = rowsOf(PER_COMMIT + 1)
    if (op === 'delete') return db.delete(Item, rows, { allowMultipleCommits: true })
    const changed = rows.map((row) => ({ ...row, note: 'x' }))
    return op === 'update'
      ? db.update(Item, changed, { allowMultipleCommits: true })
      : db.upsert(Item, changed, { allowMultipleCommits: true })
  }

  it('commits rows in their order', async () => {
    const { db, commits } = opened()
    await writeBy(db)
    const keys = commits.map((mutations) =>
      mutations.flatMap((mutation) =>
        mutation.op === 'delete' ? mutation.keys.map(([id]) => id) : mutation.rows.map(([id]) => id),
      ),
    )
    expect(keys.map(({ length }) => length)).toEqual([PER_COMMIT, 1])
    expect(keys.flat()).toEqual(rowsOf(PER_COMMIT + 1).map(({ id }) => String(id)))
  })

  it('reports the committed rows if a later commit fails', async () => {
    const { db } = opened(1)
    const error = await rejection(writeBy(db))
    expect(error).toMatchObject({
      code: 'PARTLY_WRITTEN',
      cause: { code: 'OUTCOME_UNKNOWN', rows: [{ id: BigInt(PER_COMMIT) }] },
    })
    expect(error.rows).toHaveLength(PER_COMMIT)
  })
})

it.each(['update', 'delete'] as const)(
  'reports the keys of an %s if the outcome of its commit is unknown',
  async (op) => {
    const { db } = opened(0)
    const write = op === 'update' ? db.update(Item, { id: 7n, note: 'x' }) : db.delete(Item, { id: 7n })
    expect(await rejection(write)).toMatchObject({ code: 'OUTCOME_UNKNOWN', rows: [{ id: 7n }] })
  },
)

describe('a write to a table with dual writes', () => {
  function both(phase: 'off' | 'writing' | 'reading' | 'done') {
    const { driver, commits } = opened()
    const tables = dualWrites([{ from: Item, to: Moved, phase }])
    return { commits, db: openDatabase({ driver, schema, tables }) }
  }

  it('writes both tables in the same commit, with fewer rows in each commit', async () => {
    const { db, commits } = both('writing')
    const perCommit = 80_000 / (4 + 6)
    await db.insert(Item, rowsOf(perCommit + 1), { allowMultipleCommits: true })
    const commitOf = (rows: number) => [
      ['Item', 'insert', rows],
      ['Moved', 'upsert', rows],
    ]
    expect(sizes(commits)).toEqual([commitOf(perCommit), commitOf(1)])
    await db.delete(Item, { id: 1n })
    expect(sizes(commits).at(-1)).toEqual([
      ['Item', 'delete', 1],
      ['Moved', 'delete', 1],
    ])
  })

  it('writes only the old table in the phase off, and only the new table in the phase done', async () => {
    for (const [phase, table] of [
      ['off', 'Item'],
      ['done', 'Moved'],
    ] as const) {
      const { db, commits } = both(phase)
      await db.insert(Item, rowsOf(1))
      expect(sizes(commits)).toEqual([[[table, 'insert', 1]]])
    }
  })

  it('throws UNSUPPORTED_WRITE for buffered rows in a transaction', async () => {
    const { db } = both('writing')
    const work = db.transaction((tx) => tx.insert(Item, rowsOf(1), { buffered: true }))
    expect(await rejection(work)).toMatchObject({ code: 'UNSUPPORTED_WRITE', table: 'Item' })
  })
})
