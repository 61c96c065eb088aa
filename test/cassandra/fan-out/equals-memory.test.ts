import type { PlainRow } from '@isotherm/core/tools'
import { openDatabase } from '@isotherm/core'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { namedByPartition, NOW } from '../../../packages/core/test/fan-out/support/by-partition.js'
import {
  queryOf,
  expected,
  paged,
  questions,
  rowsOf,
} from '../../../packages/core/test/fan-out/support/queries-by-partition.js'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

// Partitions of every shape on a node: with time buckets, of several fields, of one row, read in either direction.

const TABLES = 8
const QUERIES = 4

beforeEach(() => {
  // Time buckets are scanned from the clock on, and nothing else waits for it.
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

describe.each(sampledDialects)('fan-outs over partitions in $name', (dialect) => {
  it.each(namedByPartition)(
    'equal the filter, sort and slice of the rows in memory, over %s',
    async (_, own) => {
      const { driver } = await testKeyspace(own.schema, dialect)
      const db = openDatabase({ driver, schema: own.schema })
      let stored: readonly PlainRow[] = []
      await fc.assert(
        fc.asyncProperty(
          rowsOf(own, 25),
          fc.array(questions(own), { minLength: QUERIES, maxLength: QUERIES }),
          async (rows, all) => {
            await db.delete('Log', stored as never, { allowMultipleCommits: true })
            await db.insert('Log', rows as never, { allowMultipleCommits: true, conditional: false })
            stored = rows
            for (const question of all) {
              const whole = expected(own, rows, question)
              const query = queryOf(db.fanOut('Log') as never, question)
              expect(await query.limit(question.limit).all()).toEqual(whole.slice(0, question.limit))
              const size = Math.max(question.limit, Math.ceil(whole.length / 3))
              expect(await paged(query, size)).toEqual(whole)
              expect(await query.count()).toBe(whole.length)
            }
          },
        ),
        { numRuns: TABLES, endOnFailure: true },
      )
    },
  )
})
