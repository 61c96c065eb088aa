import type { Counter } from '@isotherm/core'
import { bitReverse } from '@isotherm/core/keys'
import { describe, expect, it } from 'vitest'
import { InsertPlan } from '../../src/rows/insert-plan.js'
import { dialects, logLayout } from '../support/layout.js'
import { rejection, refusal } from '../support/refusal.js'

// Numbers of the application's own counters, requested for all rows of an insert at once.

/** Counts from a number on, and records how many numbers were requested. */
function counting(from: bigint, inOneGo: boolean): Counter & { readonly counts: number[] } {
  let at = from
  const counts: number[] = []
  const next = (): bigint => {
    counts.push(1)
    return at++
  }
  const take = (count: number): Promise<bigint[]> => {
    counts.push(count)
    return Promise.resolve(Array.from({ length: count }, () => at++))
  }
  return inOneGo ? { counts, next, take } : { counts, next }
}

const always = (number: unknown): Counter => ({ next: () => number as bigint })

describe.each(dialects)('InsertPlan with application counters in $name', (dialect) => {
  const planFor = (...counters: Counter[]) =>
    new InsertPlan(
      logLayout(dialect, (t) => ({
        ...Object.fromEntries(counters.map((counter, at) => [`id${at}`, t.bitReversedId({ from: counter })])),
        note: t.string({ nullable: true }),
      })),
    )

  async function inserted(plan: InsertPlan, rows: readonly Record<string, unknown>[], partial = false) {
    return plan.prepare(rows, partial, await plan.supply(rows))
  }

  it.each([
    [true, [3]],
    [false, [1, 1, 1]],
  ])(
    'requests the numbers of all rows in one call if the counter has take(), otherwise one by one: %s',
    async (inOneGo, counts) => {
      const counter = counting(1n, inOneGo)
      const { rows, groups } = await inserted(planFor(counter), [{}, { note: 'a' }, {}])
      const ids = [1n, 2n, 3n].map((number) => bitReverse(number))
      expect(rows).toStrictEqual([
        { id0: ids[0], note: null },
        { id0: ids[1], note: 'a' },
        { id0: ids[2], note: null },
      ])
      // The client knows the ids: nothing has to be requested back.
      expect(groups.flatMap(({ made }) => made)).toEqual([])
      expect(groups[0]!.rows.map(([wire]) => wire)).toStrictEqual(ids.map(String))
      expect(counter.counts).toStrictEqual(counts)
    },
  )

  it('requests numbers one after another from a counter whose next() is asynchronous', async () => {
    let last = 0n
    let running = 0
    const counter: Counter = {
      async next() {
        running++
        expect(running).toBe(1)
        await Promise.resolve()
        running--
        return ++last
      },
    }
    const { rows } = await inserted(planFor(counter), [{}, {}, {}])
    expect(rows.map(({ id0 }) => bitReverse(id0 as bigint))).toStrictEqual([1n, 2n, 3n])
  })

  it.each([true, false])('requests numbers only for rows without an explicit id', async (inOneGo) => {
    const counter = counting(1n, inOneGo)
    const plan = planFor(counter)
    const { rows } = await inserted(plan, [{ id0: 77n }, {}, { id0: 78 }, {}])
    expect(rows.map(({ id0 }) => id0)).toStrictEqual([77n, bitReverse(1n), 78n, bitReverse(2n)])
    expect(counter.counts).toStrictEqual(inOneGo ? [2] : [1, 1])
    await inserted(plan, [{ id0: 79n }])
    await inserted(plan, [])
    expect(counter.counts).toStrictEqual(inOneGo ? [2] : [1, 1])
  })

  it('requests numbers from each counter of a table that has two counters', async () => {
    const counters = [counting(1n, true), counting(100n, true)]
    const { rows } = await inserted(planFor(...counters), [{ id1: 5n }, {}])
    expect(rows.map(({ id0, id1 }) => [id0, id1])).toStrictEqual([
      [bitReverse(1n), 5n],
      [bitReverse(2n), bitReverse(100n)],
    ])
  })

  it('requests numbers for an upsert of rows without a key', async () => {
    const { rows } = await inserted(planFor(counting(1n, true)), [{ note: 'a' }], true)
    expect(rows).toStrictEqual([{ id0: bitReverse(1n), note: 'a' }])
  })

  it('continues with the next number of the counter in the next insert', async () => {
    const plan = planFor(counting(0n, true))
    const ids = [...(await inserted(plan, [{}])).rows, ...(await inserted(plan, [{}, {}])).rows]
    expect(ids.map(({ id0 }) => id0)).toStrictEqual([0n, 1n, 2n].map((number) => bitReverse(number)))
  })

  it('returns no promise if the table has no counter, or if the rows are not a list', () => {
    const plan = new InsertPlan(logLayout(dialect, (t) => ({ id: t.uuidV4() })))
    expect(plan.supply([{}])).toBeUndefined()
    const row = { note: 'a' } as never
    expect(planFor(counting(1n, true)).supply(row)).toBeUndefined()
    expect(refusal(() => plan.prepare(row))).toMatchObject({ code: 'INVALID_VALUE', table: 'Log' })
  })

  it.each<[string, unknown]>([
    ['-1', -1n],
    ['1', 1],
    ['1', '1'],
    ['1.5', 1.5],
    ['undefined', undefined],
    ['null', null],
  ])('rejects a number if the counter returns %s: %o', async (shown, number) => {
    for (const counter of [
      always(number),
      { ...always(1n), take: () => Promise.resolve([number as bigint]) },
    ]) {
      const error = await rejection(inserted(planFor(counter), [{}]))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', column: 'id0' })
      expect(error.message).toBe(
        `The counter of id0 gave ${shown}. A counter has to return bigints from 0 to 2^63 - 1.`,
      )
    }
  })

  it('rejects a number greater than 2^63 - 1 from a counter', async () => {
    expect(await rejection(inserted(planFor(always(2n ** 63n)), [{}]))).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'id0',
    })
    const max = 2n ** 63n - 1n
    expect((await inserted(planFor(always(max)), [{}])).rows).toStrictEqual([{ id0: max, note: null }])
  })

  it('rejects the insert if take() returns fewer numbers than requested', async () => {
    const short: Counter = { next: () => 1n, take: () => Promise.resolve([1n]) }
    expect(await rejection(inserted(planFor(short), [{}, {}]))).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'id0',
    })
  })

  it('throws the error that the counter throws', async () => {
    const failing: Counter = { next: () => Promise.reject(new RangeError('The counter is empty.')) }
    await expect(inserted(planFor(failing), [{}])).rejects.toThrow(new RangeError('The counter is empty.'))
  })

  it('gives unique ids to 1000 rows of which some have explicit ids', async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => (at % 3 === 0 ? { id0: BigInt(at) << 40n } : {}))
    const prepared = await inserted(planFor(counting(1n, true)), rows)
    expect(new Set(prepared.rows.map(({ id0 }) => id0)).size).toBe(1000)
    expect(prepared.groups).toHaveLength(1)
  })
})
