import { setTimeout as delay } from 'node:timers/promises'
import { BENCH_TABLE, runLoad } from '@isotherm/cli/bench'
import type { Database } from '@isotherm/core'
import { asynchronousBatch, type TableSequence } from '@isotherm/core/sequences'

/** How often callers of a generator with adaptive ranges wait for the database. */
export interface AdaptiveResult {
  /** Of 1,000 calls at a steady rate. */
  readonly waits: number
  readonly calls: number
  /** Milliseconds from a 100-fold jump of the rate until the last call that waited was answered; 0 if none did. */
  readonly recovery: number
  /** Values a second before the jump, and after it. */
  readonly jump: readonly [number, number]
}

const CALLERS = 50
const TRANSACTION_MS = 10
const WARM_UP = 5_000
const STEADY = 50_000

const JUMP = [40, 4_000] as const
/** Milliseconds at each of the two rates. */
const BEFORE = 3_000
const AFTER = 8_000

export async function measureAdaptive(db: Database): Promise<AdaptiveResult> {
  const { waits, calls } = await atSteadyRate(db)
  return { waits, calls, recovery: await afterJump(db), jump: JUMP }
}

async function atSteadyRate(db: Database): Promise<Pick<AdaptiveResult, 'waits' | 'calls'>> {
  await using sequence = asynchronousBatch(db, 'steady', { table: BENCH_TABLE })
  await sequence.create()
  const work = {
    perCall: 1,
    async call() {
      const number = await sequence.next()
      await delay(TRANSACTION_MS)
      return [number]
    },
    close: () => sequence.close(),
  }
  await runLoad(work, { callers: CALLERS, values: WARM_UP })
  const before = sequence.statistics
  await runLoad(work, { callers: CALLERS, values: STEADY })
  const after = sequence.statistics
  const calls = after.taken - before.taken
  return { waits: ((after.waits - before.waits) / calls) * 1_000, calls }
}

async function afterJump(db: Database): Promise<number> {
  await using sequence = asynchronousBatch(db, 'jump', { table: BENCH_TABLE })
  await sequence.create()
  await callAt(sequence, JUMP[0], BEFORE)
  return await callAt(sequence, JUMP[1], AFTER)
}

/**
 * Calls at a rate, whether calls before are answered or not.
 *
 * @returns milliseconds until the last call that had to wait was answered
 */
async function callAt(sequence: TableSequence, rate: number, forMs: number): Promise<number> {
  const begun = performance.now()
  const answers: Promise<unknown>[] = []
  let lastAnswer = 0
  for (let elapsed = 0; elapsed < forMs; elapsed = performance.now() - begun) {
    while (answers.length < (elapsed / 1_000) * rate) {
      const { waits } = sequence.statistics
      const answer = sequence.next()
      const hasWaited = sequence.statistics.waits > waits
      answers.push(
        hasWaited
          ? answer.then(() => {
              lastAnswer = Math.max(lastAnswer, performance.now() - begun)
            })
          : answer,
      )
    }
    await delay(1)
  }
  await Promise.all(answers)
  return lastAnswer
}
