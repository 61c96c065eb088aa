import { SCOPE, transact, type Scoped } from '@isotherm/core/adapter'
import type { Reader } from '@isotherm/core/engine'
import { IsothermError } from '@isotherm/core'
import { asynchronous, batch, inTransaction } from '@isotherm/core/sequences'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TransactionLife } from '../../src/transaction/scope.js'
import { sequenceRow } from '../../src/sequences/sequence-row.js'
import { rejection } from '../support/refusal.js'
import { MemoryDatabase, type CommitFate, type Fate, type Process } from './support/memory-database.js'
import { inTime, pass, settled, stopTime } from './support/virtual-time.js'

// Numbers that belong to transactions: numbers that are not awaited, numbers that are requested too late, and transactions
// that would wait for themselves.

beforeEach(stopTime)
afterEach(() => void vi.useRealTimers())

function transaction<T>(
  process: Process,
  work: (tx: Scoped) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return transact(process.driver, (scope) => work({ [SCOPE]: scope }), signal && { signal }).then(
    ({ value }) => value,
  )
}

function started({ isSingle = false, calls = [] as Fate[], commits = [] as CommitFate[] } = {}) {
  const weather = {
    latency: () => 2,
    call: () => calls.shift() ?? 'well',
    commit: () => commits.shift() ?? 'well',
  } as const
  const database = new MemoryDatabase({ isSingle, weather })
  database.set('a', 1n)
  database.set('b', 1n)
  return { database, process: database.process(), a: inTransaction('a'), b: inTransaction('b') }
}

const OVER = { code: 'TRANSACTION_ENDED' }
const NOT_AWAITED = { code: 'CALL_NOT_AWAITED' }

describe('a number that its transaction cannot store', () => {
  it('next() rejects with TRANSACTION_ENDED after the commit or the rollback of its transaction', async () => {
    const { database, process, a } = started()
    let late: Scoped | undefined
    expect(await inTime(transaction(process, (tx) => a.next((late = tx))))).toBe(1n)
    expect(await rejection(a.next(late!))).toMatchObject(OVER)
    const failing = transaction(process, async (tx) => {
      late = tx
      await a.next(tx)
      throw new RangeError('no')
    })
    await expect(inTime(failing)).rejects.toThrow('no')
    expect(await rejection(a.next(late!))).toMatchObject(OVER)
    expect(database.at('a')).toBe(2n)
  })

  it('the transaction and its pending numbers reject with CALL_NOT_AWAITED when the work does not await them', async () => {
    const { database, process, a, b } = started()
    const left: Promise<unknown>[] = []
    const work = transaction(process, async (tx) => {
      await b.next(tx)
      left.push(rejection(a.next(tx)), rejection(a.take(tx, 3)))
    })
    const refused = await inTime(rejection(work))
    expect(refused).toMatchObject({
      ...NOT_AWAITED,
      message: expect.stringContaining('a number of the sequence "a" was not awaited') as string,
    })
    expect(await inTime(Promise.all(left))).toEqual([refused, refused])
    expect([database.at('a'), database.at('b')]).toEqual([1n, 1n])
  })

  it('rejects with CALL_NOT_AWAITED or TRANSACTION_ENDED when requested as the work ends, unless it is stored', async () => {
    for (let ticks = 0; ticks < 20; ticks++) {
      const { database, process, a } = started()
      const outcomes: Promise<unknown>[] = []
      const work = transaction(process, async (tx) => {
        await a.next(tx)
        let wait: Promise<unknown> = Promise.resolve()
        for (let tick = 0; tick < ticks; tick++) wait = wait.then(() => {})
        outcomes.push(wait.then(() => a.next(tx)).catch(({ code }: { code: string }) => code))
      })
      const ended = await inTime(work.catch(({ code }: { code: string }) => code))
      const [outcome] = await inTime(Promise.all(outcomes))
      // Handed out and counted; or neither, with the transaction or after it.
      expect([outcome, ended, database.at('a')]).toEqual(
        outcome === 2n
          ? [2n, undefined, 3n]
          : outcome === 'CALL_NOT_AWAITED'
            ? ['CALL_NOT_AWAITED', 'CALL_NOT_AWAITED', 1n]
            : ['TRANSACTION_ENDED', undefined, 2n],
      )
    }
  })

  it('next() of an aborted attempt rejects with TRANSACTION_ENDED while the next attempt runs', async () => {
    const { database, process, a } = started({ commits: ['aborted'] })
    const scopes: Scoped[] = []
    const seen: unknown[] = []
    const value = await inTime(
      transaction(process, async (tx) => {
        scopes.push(tx)
        const number = await a.next(tx)
        if (scopes.length > 1) seen.push(await rejection(a.next(scopes[0]!)))
        return number
      }),
    )
    expect(value).toBe(1n)
    expect(seen).toMatchObject([OVER])
    expect(database.at('a')).toBe(2n)
  })

  it('next() without a transaction, and take() of a negative count, reject with INVALID_VALUE', async () => {
    const { process, a } = started()
    expect(await rejection(a.next(undefined as never))).toMatchObject({ code: 'INVALID_VALUE' })
    expect(await rejection(a.next({} as never))).toMatchObject({ code: 'INVALID_VALUE' })
    const [error] = await inTime(transaction(process, async (tx) => [await rejection(a.take(tx, -1))]))
    expect(error).toMatchObject({ code: 'INVALID_VALUE' })
  })
})

it('take() of zero numbers returns an empty list without reading the row of the sequence', async () => {
  const { process } = started()
  const nowhere = inTransaction('nowhere')
  expect(await inTime(transaction(process, (tx) => nowhere.take(tx, 0)))).toEqual([])
})

it('concurrent calls get consecutive numbers, from one sequence or from several', async () => {
  for (const isSingle of [false, true]) {
    const { process, a, b } = started({ isSingle })
    const twice = Array.from({ length: 2 }, () =>
      transaction(process, (tx) => Promise.all([a.next(tx), b.next(tx), a.next(tx), b.take(tx, 2)])),
    )
    expect(await inTime(Promise.all(twice))).toEqual([
      [1n, 1n, 2n, [2n, 3n]],
      [3n, 4n, 4n, [5n, 6n]],
    ])
  }
})

it('transactions that take two sequences in opposite orders all commit', async () => {
  for (const isSingle of [false, true]) {
    const { database, process, a, b } = started({ isSingle })
    const work = Array.from({ length: 6 }, (_, turn) =>
      transaction(process, async (tx) => {
        const [first, second] = turn % 2 === 0 ? [a, b] : [b, a]
        await first.next(tx)
        await new Promise((resolve) => setTimeout(resolve, 5))
        await second.next(tx)
      }),
    )
    await inTime(Promise.all(work), 100_000)
    expect([database.at('a'), database.at('b')]).toEqual([7n, 7n])
  }
})

it('transactions whose first calls wait for two sequences in opposite orders all commit', async () => {
  const { database, process, a, b } = started()
  const holders = [a, b].map((each) =>
    transaction(process, async (tx) => {
      await each.next(tx)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }),
  )
  const later = [
    [a, b],
    [b, a],
  ].map(([first, second]) =>
    transaction(process, async (tx) => {
      const one = first!.next(tx)
      await new Promise((resolve) => setTimeout(resolve, 20))
      await Promise.all([one, second!.next(tx)])
    }),
  )
  await inTime(Promise.all([...holders, ...later]), 100_000)
  expect([database.at('a'), database.at('b')]).toEqual([4n, 4n])
})

it('next() reads the row again after a failure that the work has caught', async () => {
  const { database, process, a } = started({ calls: ['unavailable'] })
  const seen: string[] = []
  const number = await inTime(
    transaction(process, (tx) =>
      a.next(tx).catch((error: IsothermError) => {
        seen.push(error.code)
        return a.next(tx)
      }),
    ),
  )
  expect([seen, number, database.at('a')]).toEqual([['UNAVAILABLE'], 1n, 2n])
})

it('the next transaction continues with the stored number after a commit with an unknown outcome', async () => {
  for (const [fate, next] of [
    ['lost', 1n],
    ['lost-and-written', 2n],
  ] as const) {
    const { process, a } = started({ commits: [fate] })
    expect(await rejection(inTime(transaction(process, (tx) => a.next(tx))))).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    })
    expect(await inTime(transaction(process, (tx) => a.next(tx)))).toBe(next)
  }
})

it('a cancelled transaction does not wait for a sequence, and the transactions behind it go on', async () => {
  const { process, a } = started()
  let letGo: () => void = () => {}
  const holding = transaction(process, async (tx) => {
    await a.next(tx)
    await new Promise<void>((resolve) => (letGo = resolve))
  })
  await pass(20)
  const ending = new AbortController()
  let refused: unknown
  const cancelled = transaction(process, async (tx) => (refused = await rejection(a.next(tx))), ending.signal)
  const behind = transaction(process, (tx) => a.next(tx))
  await settled()
  ending.abort()
  expect(await rejection(cancelled)).toMatchObject({ code: 'CANCELLED' })
  await settled()
  // It holds nothing, and its work goes no further.
  expect(refused).toMatchObject(OVER)
  letGo()
  await inTime(holding)
  expect(await inTime(behind)).toBe(2n)
  expect(vi.getTimerCount()).toBe(0)
})

describe('SEQUENCE_WOULD_WAIT', () => {
  const WAIT = { code: 'SEQUENCE_WOULD_WAIT' }

  it.each([true, false])(
    'is the error of a call that would wait for its own transaction (single transaction: %s)',
    async (isSingle) => {
      const { process, a } = started({ isSingle })
      const pooled = [asynchronous(process.driver, 'a'), batch(process.driver, 'a')]
      const seen = await inTime(
        transaction(process, async (tx) => {
          const asking = a.next(tx)
          // While it waits for its turn, and once it has it.
          const early = await Promise.all(pooled.map((each) => rejection(each.next())))
          await asking
          return [
            ...early,
            ...(await Promise.all(pooled.map((each) => rejection(each.next())))),
            await rejection(a.create(process.driver)),
          ]
        }),
      )
      expect(seen).toMatchObject([WAIT, WAIT, WAIT, WAIT, WAIT])
      await Promise.all(pooled.map((each) => each.close()))
    },
  )

  it('is the error of a call of another sequence on a database with one transaction at a time', async () => {
    for (const [isSingle, expected] of [
      [true, [WAIT, WAIT]],
      [false, [1n, true]],
    ] as const) {
      const { process, a } = started({ isSingle })
      const other = asynchronous(process.driver, 'b')
      const seen = await inTime(
        transaction(process, async (tx) => {
          await a.next(tx)
          return [
            await other.next().catch((error: unknown) => error),
            await inTransaction('c')
              .create(process.driver)
              .catch((error: unknown) => error),
          ]
        }),
      )
      expect(seen).toMatchObject(expected)
      // A call that was made after its transaction is not a part of it.
      expect(await inTime(other.next())).toBe(isSingle ? 1n : 2n)
    }
  })

  it('is the error of a nested transaction for a sequence that the outer transaction has taken', async () => {
    const { process, a, b } = started()
    const pooled = asynchronous(process.driver, 'a')
    const seen = await inTime(
      transaction(process, async (outer) => {
        await a.next(outer)
        return transaction(process, async (inner) => [
          await rejection(a.next(inner)),
          await rejection(pooled.next()),
          await b.next(inner),
        ])
      }),
    )
    expect(seen).toMatchObject([WAIT, WAIT, 1n])
  })
})

it('a commit of another transaction is not reported as SEQUENCE_MOVED_BACK', async () => {
  const { database, process, a } = started()
  let turns = 0
  // Both go in: the second one has waited long, and has begun.
  const work = [1_500, 0].map((time) =>
    transaction(process, async (tx) => {
      turns++
      if (time === 0) await tx[SCOPE].context.read(sequenceRow(process.driver, 'sequences', 'b').request())
      const number = await a.next(tx)
      await new Promise((resolve) => setTimeout(resolve, time))
      return number
    }),
  )
  expect(new Set(await inTime(Promise.all(work)))).toEqual(new Set([1n, 2n]))
  expect(database.at('a')).toBe(3n)
  expect(turns).toBeGreaterThan(1)
})

it('numbers of an aborted attempt are returned again by the next attempt', async () => {
  const { database, process, a } = started({ commits: ['aborted'] })
  let attempts = 0
  await inTime(transaction(process, (tx) => a.take(tx, attempts++ === 0 ? 5 : 1)))
  expect([attempts, database.at('a')]).toEqual([2, 2n])
  expect(await inTime(transaction(process, (tx) => a.next(tx)))).toBe(2n)
})

it('next() compares the stored number with commits before its read, and not with later commits', async () => {
  const { process } = started()
  const row = sequenceRow(process.driver, 'sequences', 'a')
  const life = new TransactionLife(process.driver)
  const reading = { read: () => Promise.resolve([['a', 5n]]) } as unknown as Reader
  row.committed(5n)
  const found = row.next(reading, life)
  // Another transaction commits: the database has answered, or will abort one of the two.
  row.committed(6n)
  expect(await found).toBe(5n)
  expect(await rejection(row.next(reading, life))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
})

it('inTransaction() rejects a row that is missing, moved back or exhausted, with a code for each', async () => {
  const { database, process, a } = started()
  const limited = inTransaction('b', { maximum: 3n })
  const next = (from: typeof a, count = 1) => inTime(transaction(process, (tx) => from.take(tx, count)))
  expect(await rejection(next(inTransaction('c')))).toMatchObject({
    code: 'SEQUENCE_MISSING',
    table: 'sequences',
  })
  expect(await next(a, 5)).toHaveLength(5)
  database.set('a', 3n)
  const moved = await rejection(next(a))
  expect(moved).toMatchObject({ code: 'SEQUENCE_MOVED_BACK', table: 'sequences' })
  expect(moved.message).toContain('was set back to 3 by another client, but numbers below 6')
  expect(database.at('a')).toBe(3n)
  database.set('a', -4n)
  expect(await rejection(next(a))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
  // Another process has not seen any number yet.
  const other = database.process()
  const negative = transaction(other, (tx) => a.next(tx))
  expect(await rejection(inTime(negative))).toMatchObject({ code: 'SEQUENCE_MOVED_BACK' })
  database.set('a', 6n)
  expect(await next(a)).toEqual([6n])

  expect(await rejection(next(limited, 4))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  expect(await next(limited, 3)).toEqual([1n, 2n, 3n])
  expect(await rejection(next(limited))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  expect(database.at('b')).toBe(4n)
  database.set('b', 2n ** 63n - 1n)
  expect(await rejection(next(inTransaction('b')))).toMatchObject({ code: 'SEQUENCE_EXHAUSTED' })
  // Work that goes on all the same has taken nothing.
  await inTime(transaction(process, (tx) => limited.next(tx).catch(() => {})))
  expect(database.at('b')).toBe(2n ** 63n - 1n)
})
