import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { byPartition, namedByPartition, NOW } from '../support/by-partition.js'
import { queryOf, expected, paged, questions, rowsOf } from '../support/queries-by-partition.js'
import { keyOf } from '../support/partitioned.js'

// Rows that lie in partitions come back as they would from one table: filtered, sorted and cut, however they are read.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

describe.each(namedByPartition)('a fan-out over %s', (_, own) => {
  it('returns the same rows as filter, sort and slice in memory, also page by page', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(own), questions(own), async (rows, question) => {
        const whole = expected(own, rows, question)
        const { query } = byPartition(own.table, rows)
        const found = queryOf(query, question)
        expect(await found.all()).toStrictEqual(whole)
        expect(await found.limit(question.limit).all()).toStrictEqual(whole.slice(0, question.limit))
        // Pages of a row are as good as any, but forty of them take their time.
        expect(await paged(found, Math.max(question.limit, Math.ceil(whole.length / 6)))).toStrictEqual(whole)
      }),
      { numRuns: 25 },
    )
  })

  it('returns every row stored at the start once, in order, while rows are inserted between pages', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(own), questions(own), async (all, question) => {
        const later = all.slice(Math.ceil(all.length / 2))
        const stored = all.slice(0, Math.ceil(all.length / 2))
        const whole = expected(own, stored, question)
        const { query } = byPartition(own.table, stored)
        const found = await paged(queryOf(query, question), question.limit, () => {
          stored.push(...later.splice(0, 2))
        })
        const seen = found.map((row) => JSON.stringify(keyOf(own.table.layout, row)))
        expect(new Set(seen).size).toBe(seen.length)
        const atStart = new Set(whole.map((row) => JSON.stringify(keyOf(own.table.layout, row))))
        expect(found.filter((_row, at) => atStart.has(seen[at]!))).toStrictEqual(whole)
        expect(found).toStrictEqual(expected(own, found, question))
      }),
      { numRuns: 15 },
    )
  })
})
