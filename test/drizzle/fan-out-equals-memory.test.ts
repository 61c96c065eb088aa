import { fanOut, type FanOut } from '@isotherm/drizzle-adapter'
import { asc, desc, type Column } from 'drizzle-orm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expected, queryFor, rowsFor, sharded, SHARDS, type Query } from '@isotherm/testing/data/readings'
import type { ReferenceRow } from '@isotherm/testing/data/reference'
import { spannerCapabilities } from '../support/engines.js'
import { dialects } from '../support/spanner.js'
import { readings } from './support/readings.js'
import { drizzleWhere } from './support/reference-where.js'

/** How many tables, in each dialect, and how many queries over each of them. A failure prints its seed. */
const TABLES = Number(process.env['ISOTHERM_FAN_OUT_TABLES'] ?? 18)
const QUERIES = 8

type Setting = Awaited<ReturnType<typeof readings>>

function queryOf(
  { tables, select }: Setting,
  shards: number,
  { where, order, strategy, scans }: Query,
  limit: number | undefined,
): FanOut<ReferenceRow> {
  const table = tables[SHARDS.indexOf(shards)]!
  const { shard, at, sensor, id, value, note, ok, raw, day } = table
  const columns = { shard, at, sensor, id, value, note, ok, raw, day } as Record<string, Column>
  const all = select(table, columns, scans)
    .where(drizzleWhere(columns, where))
    .orderBy(
      ...order.map(({ property, direction }) => (direction === 'asc' ? asc : desc)(columns[property]!)),
    )
  return fanOut(limit === undefined ? all : all.limit(limit), strategy ? { strategy: strategy } : {})
}

async function paged(own: Setting, shards: number, one: Query, rows: number): Promise<object[]> {
  const found: object[] = []
  let cursor: string | undefined
  for (let turn = 0; ; turn++) {
    const size = Math.max(one.pageSizes[turn % one.pageSizes.length]!, Math.ceil(rows / 8))
    const page = await queryOf(own, shards, one, size).after(cursor).page()
    found.push(...page.rows)
    cursor = page.next
    if (cursor === undefined) return found
  }
}

describe.each(dialects)('fanOut() of a select in $name', (dialect) => {
  const { has, strategies } = spannerCapabilities(dialect)
  const traits = { timestampDigits: 9, nulCharacters: true, nullKeys: has.includes('nullKeys') } as const
  const query = queryFor(traits, [...strategies, 'bucket-scan', 'client-sort'])
  async function check(
    own: Setting,
    shards: number,
    rows: readonly ReferenceRow[],
    one: Query,
  ): Promise<void> {
    const wanted = expected(rows, one, dialect)
    const select = queryOf(own, shards, one, one.limit)
    const streamed: object[] = []
    for await (const row of select) streamed.push(row)
    expect(streamed).toEqual(wanted.slice(0, one.limit))
    expect(await select).toEqual(streamed)
    expect(await paged(own, shards, one, rows.length)).toEqual(wanted)
    expect(await select.count()).toBe(wanted.length)
  }

  it(`returns the rows of a filter, sort and slice in memory, for ${TABLES * QUERIES} random selects`, async () => {
    const own = await readings(dialect)
    await fc.assert(
      fc.asyncProperty(
        rowsFor(traits),
        fc.constantFrom(...SHARDS),
        fc.array(query, { minLength: QUERIES, maxLength: QUERIES }),
        async (rows, shards, queries) => {
          await own.refill(own.tables[SHARDS.indexOf(shards)]!, rows)
          for (const each of queries) await check(own, shards, sharded(rows, shards), each)
        },
      ),
      { numRuns: TABLES, endOnFailure: false },
    )
  })
})
