import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeavyHitters, sampleOf } from '../../src/observability/skew.js'

const calls = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 64 })), {
  maxLength: 2000,
})

function counted(entries: readonly (readonly [number, number])[]) {
  const hitters = new HeavyHitters()
  const truth = new Map<string, { count: number; squares: number }>()
  let total = 0
  for (const [key, weight] of entries) {
    hitters.add(String(key), weight)
    const seen = truth.get(String(key)) ?? { count: 0, squares: 0 }
    truth.set(String(key), { count: seen.count + weight, squares: seen.squares + weight * weight })
    total += weight
  }
  return { hitters: new Map(hitters), truth, total }
}

describe('HeavyHitters', () => {
  it('underestimates a count by at most 1/65 of the total, and never overestimates it', () => {
    fc.assert(
      fc.property(calls, (entries) => {
        const { hitters, truth, total } = counted(entries)
        for (const [key, { count }] of truth) {
          const known = hitters.get(key)?.count ?? 0
          expect(known).toBeLessThanOrEqual(count)
          expect(known).toBeGreaterThanOrEqual(count - total / 65)
        }
      }),
    )
  })

  it('keeps at most 64 keys, each with a positive count and a sum of squares within bounds', () => {
    fc.assert(
      fc.property(calls, (entries) => {
        const { hitters, truth } = counted(entries)
        expect(hitters.size).toBeLessThanOrEqual(64)
        for (const [key, { count, squares }] of hitters) {
          expect(count).toBeGreaterThan(0)
          expect(squares).toBeGreaterThanOrEqual(count)
          expect(squares).toBeLessThanOrEqual(truth.get(key)!.squares)
        }
      }),
    )
  })

  it('counts exactly while there are at most 64 keys', () => {
    const few = fc.array(fc.tuple(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 1, max: 64 })))
    fc.assert(
      fc.property(few, (entries) => {
        const { hitters, truth } = counted(entries)
        expect(new Map([...hitters].map(([key, { count, squares }]) => [key, { count, squares }]))).toEqual(
          truth,
        )
      }),
    )
  })
})

describe('sampleOf()', () => {
  it('returns all rows of a list of up to 64', () => {
    const rows = Array.from({ length: 64 }, (_, at) => at)
    expect(sampleOf(rows)).toBe(rows)
    expect(sampleOf([])).toEqual([])
  })

  it('returns 64 rows of a longer list, one from each of 64 equal sections', () => {
    fc.assert(
      fc.property(fc.integer({ min: 65, max: 10_000 }), (size) => {
        const sample = sampleOf(Array.from({ length: size }, (_, at) => at))
        expect(sample).toHaveLength(64)
        expect(new Set(sample).size).toBe(64)
        sample.forEach((row, at) => {
          expect(row).toBeGreaterThanOrEqual(Math.floor((at * size) / 64))
          expect(row).toBeLessThan(((at + 1) * size) / 64)
        })
      }),
    )
  })
})
