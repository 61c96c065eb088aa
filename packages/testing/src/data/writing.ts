import { expect } from 'vitest'
import { type Database, type Strategy, defineSchema, defineTable } from '@isotherm/core'

const WRITERS = 3

const ROUNDS = 2

const EACH = 5

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
 * Reads by every strategy, twice, while others write.
 *
 * @returns how many rows were written, and how many are there in the end
 */
export async function readWhileWriting({ db, strategies, insert }: Writing) {
  const committed = new Set<bigint>()
  const begun = new Set<bigint>()
  const state = { isReading: true }
  let somethingIsThere = (): void => {}
  const begins = new Promise<void>((resolve) => (somethingIsThere = resolve))
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; state.isReading; turn++) {
      const first = (turn * WRITERS + writer) * EACH
      const rows = Array.from({ length: EACH }, (_, at) => ({
        at: new Date(1000 * ((first + at) % 50)),
        id: BigInt(first + at),
      }))
      for (const { id } of rows) begun.add(id)
      await insert(rows)
      for (const { id } of rows) committed.add(id)
      somethingIsThere()
    }
  }
  const ids = async (strategy: Strategy): Promise<ReadonlySet<bigint>> => {
    const before = [...committed]
    const found = await db.fanOut(Note).strategy(strategy).limit(100_000).all()
    const seen = new Set(found.map(({ id }) => id))
    expect(seen.size).toBe(found.length)
    expect(before.filter((id) => !seen.has(id))).toEqual([])
    expect([...seen].filter((id) => !begun.has(id))).toEqual([])
    const order = found.toSorted((a, b) => a.at.getTime() - b.at.getTime() || Number(a.id - b.id))
    expect(found).toEqual(order)
    return seen
  }
  const read = async (): Promise<void> => {
    try {
      await begins
      for (let round = 0; round < ROUNDS; round++) for (const strategy of strategies) await ids(strategy)
    } finally {
      state.isReading = false
    }
  }
  await Promise.all([read(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))])
  return { written: begun.size, found: (await ids('merge-shards')).size }
}
