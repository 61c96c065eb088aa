import { IsothermError } from '@isotherm/core'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scaled } from '../../../../test/support/runs.js'
import { MemoryDatabase, type Weather } from './support/memory-database.js'
import { events, fates } from './support/scripts.js'
import { passUntil, pass, stopTime } from './support/virtual-time.js'
import {
  committedNumbers,
  History,
  LARGEST,
  ORDERED,
  POOLED,
  RolledBack,
  World,
  type PooledCall,
} from './support/world.js'

// Whatever happens to calls, commits, processes and their order: no number is returned twice, the numbers of transactions have
// no gap, and every call gets an answer.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

/** One after the other, and again from the first. */
function inTurn<T>(values: readonly T[]): () => T {
  let at = 0
  return () => values[at++ % values.length]!
}

const REFUSALS = ['OUTCOME_UNKNOWN', 'SEQUENCE_CLOSED', 'UNAVAILABLE']

/** One after the other, and only successes afterwards: otherwise a call might never succeed. */
function thenWell<T>(fates: readonly T[], well: T): () => T {
  let at = 0
  return () => fates[at++] ?? well
}

describe.each([
  ['a database with concurrent transactions', false, REFUSALS],
  ['a database with one transaction at a time', true, [...REFUSALS, 'SEQUENCE_WOULD_WAIT']],
])('sequences on %s', (_, isSingle, refusals) => {
  const RUNS = Number(process.env['ISOTHERM_SEQUENCE_RUNS'] ?? 100)

  it('every call ends, no number is returned twice and transactions leave no gap, whatever fails', async () => {
    const reached = { transactions: 0, numbers: 0, refused: new Set<string>() }
    await fc.assert(
      fc.asyncProperty(events, fates, async (script, { latencies, calls, commits }) => {
        const sky: Weather = {
          latency: inTurn(latencies),
          call: thenWell(calls, 'well'),
          commit: thenWell(commits, 'well'),
        }
        const database = new MemoryDatabase({ isSingle, weather: sky })
        for (const name of [...ORDERED, ...POOLED]) database.set(name, 1n)
        const history = new History()
        const slots = [new World(database), new World(database), new World(database)]
        const worlds = [...slots]
        const wrong: unknown[] = []
        // How many calls of live processes have no answer yet.
        const open = new Map<World, number>(worlds.map((world) => [world, 0]))
        const follow = (world: World, work: Promise<unknown>): void => {
          open.set(world, open.get(world)! + 1)
          void work
            .catch((error: unknown) => {
              if (error instanceof RolledBack) return
              if (!(error instanceof IsothermError) || !refusals.includes(error.code)) wrong.push(error)
              else if (error.code === 'SEQUENCE_CLOSED' && world.closed.size === 0) wrong.push(error)
              else reached.refused.add(error.code)
            })
            .finally(() => open.set(world, open.get(world)! - 1))
        }
        const act = ({ process, event: what }: (typeof script)[number], id: string): void => {
          const world = slots[process]!
          switch (what.kind) {
            case 'transaction':
              follow(world, history.transaction(world, id, what.transaction))
              return
            case 'take':
              for (let caller = 0; caller < what.callers; caller++)
                follow(world, history.take(world, what.from, what.count))
              return
            case 'close':
              world.closed.add(what.from)
              follow(world, world.pooled.get(what.from)!.close())
              return
            case 'restart': {
              world.process.kill()
              open.delete(world)
              open.set(world, Number.NEGATIVE_INFINITY)
              const next = new World(database)
              worlds.push(next)
              open.set(next, 0)
              slots[process] = next
            }
          }
        }
        let left = script.length
        for (const [position, each] of script.entries()) {
          setTimeout(() => {
            act(each, String(position))
            left--
          }, each.at)
        }
        const isDone = (): boolean => left === 0 && [...open.values()].every((count) => count <= 0)
        await passUntil(isDone)
        expect(wrong).toEqual([])
        expect([...open.values()].filter((count) => count > 0)).toEqual([])

        for (const name of ORDERED) {
          const numbers = committedNumbers(database, name)
          expect(numbers).toEqual(numbers.map((_number, position) => BigInt(position + 1)))
          // A transaction that was rolled back has used no number.
          expect(database.at(name)).toBe(BigInt(numbers.length + 1))
          reached.numbers += numbers.length
        }
        reached.transactions += database.log.length
        const kinds = script.map(({ event: { kind } }) => kind)
        const incidents =
          kinds.filter((kind) => kind === 'restart' || kind === 'close').length +
          commits.filter((fate) => fate === 'lost-and-written').length +
          worlds.length
        for (const name of POOLED) {
          const own = history.calls.filter(({ from }) => from === name)
          const numbers = own.flatMap((call) => call.numbers)
          expect(new Set(numbers).size).toBe(numbers.length)
          expect(numbers.every((number) => number >= 1n && number < database.at(name)!)).toBe(true)
          for (const world of worlds) expect(world.process.max.get(`sequences/${name}`) ?? 0).toBeLessThan(2)
          reached.numbers += numbers.length
          // A process that is killed, one that is closed, a lost commit, or a fetch that is under way: a range each.
          const atHand = worlds.reduce((sum, { pooled }) => sum + pooled.get(name)!.statistics.left, 0)
          const gone = Number(database.at(name)! - 1n) - numbers.length - atHand
          expect(gone).toBeLessThanOrEqual(incidents * (LARGEST + history.requested(name)))
        }
        const inOrder = history.calls.filter(({ from }) => from === 's3')
        const isLate = (earlier: PooledCall): boolean =>
          inOrder.some((later) => earlier.ended < later.begun && earlier.numbers.at(-1)! >= later.numbers[0]!)
        expect(inOrder.filter(isLate)).toEqual([])

        const closing = slots.flatMap(({ pooled }) => [...pooled.values()].map((each) => each.close()))
        let isClosed = false
        void Promise.all(closing).then(() => (isClosed = true))
        await passUntil(() => isClosed)
        expect(isClosed).toBe(true)
        // No timer is left once the database is idle, except timers of killed processes.
        await pass(5_000)
        expect(worlds.length === slots.length ? vi.getTimerCount() : 0).toBe(0)
        vi.clearAllTimers()
      }),
      { numRuns: RUNS },
    )
    // Every kind of outcome has happened: how often depends on the seed.
    expect(reached.transactions).toBeGreaterThan(scaled(RUNS))
    expect(reached.numbers).toBeGreaterThan(scaled(RUNS) * 10)
    const missing = refusals.filter((each) => !reached.refused.has(each))
    expect(scaled(RUNS) < 100 ? [] : missing).toEqual([])
  })
})
