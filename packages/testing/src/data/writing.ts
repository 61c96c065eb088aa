import { expect } from 'vitest'
import { type Database, type Strategy, defineSchema, defineTable } from '@isotherm/core'

const WRITERS = 3

const TURNS = 20

const EACH = 5

export const WRITES = WRITERS * TURNS

export const NOTES = WRITES * EACH

export const Note = defineTable('Note', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['id'] }),
  at: t.timestamp().key(),
  id: t.int64().key(),
}))

export const notes = defineSchema([Note])

interface NewNote {
  readonly at: Date
  readonly id: bigint
}

interface Writing {
  readonly db: Database
  readonly strategies: readonly Strategy[]
  insert(rows: readonly NewNote[]): Promise<unknown>
}

/**
 * Reads by every strategy, again and again, for as long as anybody writes.
 *
 * @returns how many rows are there in the end, of `NOTES`
 */
export async function readWhileWriting({ db, strategies, insert }: Writing): Promise<number> {
  const committed = new Set<bigint>()
  const begun = new Set<bigint>()
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; turn < TURNS; turn++) {
      const first = (turn * WRITERS + writer) * EACH
      const rows = Array.from({ length: EACH }, (_, at) => ({
        at: new Date(1000 * ((first + at) % 50)),
        id: BigInt(first + at),
      }))
      for (const { id } of rows) begun.add(id)
      await insert(rows)
      for (const { id } of rows) committed.add(id)
    }
  }
  const ids = async (via: Strategy): Promise<ReadonlySet<bigint>> => {
    const before = [...committed]
    const found = await db.fanOut(Note).via(via).limit(10_000).all()
    const seen = new Set(found.map(({ id }) => id))
    expect(seen.size).toBe(found.length)
    expect(before.filter((id) => !seen.has(id))).toEqual([])
    expect([...seen].filter((id) => !begun.has(id))).toEqual([])
    const order = found.toSorted((a, b) => a.at.getTime() - b.at.getTime() || Number(a.id - b.id))
    expect(found).toEqual(order)
    return seen
  }
  const state = { isWriting: true }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  const writing = Promise.all(writers).finally(() => (state.isWriting = false))
  let readings = 0
  while (state.isWriting) {
    for (const via of strategies) await ids(via)
    readings++
  }
  await writing
  expect(readings).toBeGreaterThan(1)
  return (await ids('merge-shards')).size
}
