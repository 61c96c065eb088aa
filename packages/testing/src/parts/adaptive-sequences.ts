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

  it('asynchronousBatch() hands out distinct numbers while the call rate grows a hundredfold', async () => {
    const orders = asynchronousBatch(test.db, 'order')
    await orders.create()
    const seen = new Set<bigint>()
    const run = async (perTick: number, ticks: number): Promise<void> => {
      const before = orders.statistics.taken
      for (let tick = 0; tick < ticks; tick++) {
        for (const number of await Promise.all(Array.from({ length: perTick }, () => orders.next())))
          seen.add(number)
        await rested(10)
      }
      expect(orders.statistics.taken - before).toBe(perTick * ticks)
    }
    await run(1, 50)
    await run(100, 50)
    expect(seen.size).toBe(50 + 5_000)
    await orders.close()
  })
})
