import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Merge } from '../../../src/read/run/streams.js'

interface Row {
  readonly key: number
  readonly source: number
}

const compare = (a: Row, b: Row): number => a.key - b.key

/** Sorted sources, each cut into chunks: what a shard gives back call by call. */
const sources = fc
  .array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 30 }), { maxLength: 9 })
  .chain((lists) =>
    fc.tuple(
      ...lists.map((keys, source) => {
        const rows = keys.toSorted((a, b) => a - b).map((key): Row => ({ key, source }))
        return fc.infiniteStream(fc.integer({ min: 1, max: 7 })).map((sizes) => {
          const chunks: Row[][] = []
          for (let at = 0; at < rows.length;) {
            const size = sizes.next().value
            chunks.push(rows.slice(at, (at += size)))
          }
          return chunks
        })
      }),
    ),
  )

/** Merges until every source is drained, taking up to `size` rows at a time and asking drained sources for more. */
function mergeAll(chunks: readonly (readonly Row[][])[], size: number, limit = Infinity): Row[][] {
  const waiting = chunks.map((each) => [...each])
  const next = (source: number): Row[] => waiting[source]!.shift() ?? []
  const merge = new Merge(
    compare,
    waiting.map((_, source) => next(source)),
  )
  const batches: Row[][] = []
  for (let left = limit; left > 0;) {
    const batch: Row[] = []
    const max = Math.min(size, left)
    let drained: number | undefined
    while (batch.length < max && (drained = merge.take(batch, max)) !== undefined)
      merge.refill(drained, next(drained))
    if (batch.length === 0) break
    left -= batch.length
    batches.push(batch)
  }
  return batches
}

describe('Merge', () => {
  it('merges sorted runs into one sorted list while drained runs are refilled', () => {
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 20 }), (chunks, size) => {
        const merged = mergeAll(chunks, size).flat()
        const all = chunks.flat(2)
        expect(merged.map((row) => row.key)).toStrictEqual(
          all.map((row) => row.key).toSorted((a, b) => a - b),
        )
        expect(new Set(merged)).toStrictEqual(new Set(all))
        for (const [source, own] of chunks.entries()) {
          expect(merged.filter((row) => row.source === source)).toStrictEqual(own.flat())
        }
      }),
      { numRuns: 500 },
    )
  })

  it('returns exactly as many rows as requested while rows are left', () => {
    fc.assert(
      fc.property(
        sources,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 60 }),
        (chunks, size, limit) => {
          const all = chunks.flat(2)
          const batches = mergeAll(chunks, size, limit)
          const expected = Math.min(limit, all.length)
          expect(batches.flat()).toHaveLength(expected)
          for (const batch of batches.slice(0, -1)) expect(batch).toHaveLength(size)
          expect(batches.flat().map((row) => row.key)).toStrictEqual(
            all
              .map((row) => row.key)
              .toSorted((a, b) => a - b)
              .slice(0, expected),
          )
        },
      ),
    )
  })

  it('stops at a drained run until its refill, because the next row of that run may come first', () => {
    const row = (key: number, source: number): Row => ({ key, source })
    const merge = new Merge(compare, [[row(1, 0), row(2, 0)], [row(5, 1)]])
    const out: Row[] = []
    expect(merge.take(out, 10)).toBe(0)
    expect(out.map(({ key }) => key)).toStrictEqual([1, 2])
    merge.refill(0, [row(3, 0), row(9, 0)])
    expect(merge.take(out, 10)).toBe(1)
    expect(out.map(({ key }) => key)).toStrictEqual([1, 2, 3, 5])
    merge.refill(1, [])
    expect(merge.take(out, 10)).toBe(0)
    merge.refill(0, [])
    expect(merge.take(out, 10)).toBeUndefined()
    expect(out.map(({ key }) => key)).toStrictEqual([1, 2, 3, 5, 9])
  })

  it('returns no rows when the limit is zero or no run has rows', () => {
    const out: Row[] = []
    expect(new Merge(compare, []).take(out, 10)).toBeUndefined()
    expect(new Merge(compare, [[], [], []]).take(out, 10)).toBeUndefined()
    expect(new Merge(compare, [[{ key: 1, source: 0 }]]).take(out, 0)).toBeUndefined()
    expect(out).toStrictEqual([])
  })
})
