import { asynchronousBatch } from '@isotherm/core/sequences'
import { beforeAll, expect, it } from 'vitest'
import { counted, rested } from '../data/used-sequences.js'
import { type TestDatabase, part } from '../part.js'

// Ranges that adapt, on an engine that answers in its own time.

export const adaptiveSequences = part(['sequences'], ({ database }) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await database(counted)
  })

  it('nobody waits at a steady rate, nor 5 s after there are 100 times as many calls', async () => {
    const orders = asynchronousBatch(test.db, 'order')
    await orders.create()
    const seen = new Set<bigint>()
    const run = async (perTick: number, ticks: number): Promise<number> => {
      const before = orders.statistics
      for (let tick = 0; tick < ticks; tick++) {
        for (const number of await Promise.all(Array.from({ length: perTick }, () => orders.next())))
          seen.add(number)
        await rested(10)
      }
      expect(orders.statistics.taken - before.taken).toBe(perTick * ticks)
      return orders.statistics.waits - before.waits
    }
    await run(1, 50)
    // One, where this machine was busy elsewhere.
    expect(await run(1, 100)).toBeLessThanOrEqual(1)
    // Those who come first wait, until the ranges have grown.
    await run(100, 100)
    expect(await run(100, 100)).toBeLessThan(10)
    expect(seen.size).toBe(150 + 20_000)
    await orders.close()
  })
})
