import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Driver, KeyRange, ReadRequest } from '../../src/engine/driver.js'
import type { PlainRow } from '../../src/engine/codec.js'
import type { Statement } from '../../src/layout/statement.js'
import type { FanOutReport } from '../../src/observability/events.js'
import { Observer } from '../../src/observability/observer.js'
import { CompiledTables, type CompiledTable } from '../../src/rows/compiled-table.js'
import { STRATEGIES } from '../../src/read/plan/costs.js'
import { totalOrder, type WantedOrder } from '../../src/read/plan/order.js'
import { Planner, type FanOutPlan } from '../../src/read/plan/plan.js'
import type { FanOutRequest } from '../../src/read/plan/request.js'
import { FanOutQuery } from '../../src/read/query.js'
import { Execution, ExecutionReport } from '../../src/read/run/execution.js'
import { runPlan } from '../../src/read/run/run.js'
import { dialects } from '../support/layout.js'
import { indexedTable } from './support/indexed.js'
import { keyOf } from './support/key-order.js'
import { byPartition, partitionedTables, NOW } from './support/by-partition.js'
import { queryOf, questions, rowsOf } from './support/queries-by-partition.js'
import { memoryDriver } from './support/memory.js'
import { filters, sampleTables, type Filter, type SampleTable } from './support/tables.js'

// The plan is what runs: `explain()` shows the calls that an execution begins with, and a plan that was sent elsewhere as JSON
// gives the same rows there.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})

afterEach(() => {
  vi.useRealTimers()
})

/** The requests to a driver, in the order of the calls. */
type PlannedCall = Pick<ReadRequest, 'ranges' | 'limit' | 'reversed'> | Statement

interface Situation {
  readonly table: CompiledTable
  readonly query: FanOutQuery<PlainRow>
  /** Another process: the same schema compiled again, and a driver of its own. */
  readonly elsewhere: { readonly table: CompiledTable; readonly driver: Driver }
  readonly calls: PlannedCall[]
}

/** The calls of a plan as a driver is asked for them. */
function callsOf({ calls }: FanOutPlan): PlannedCall[] {
  return calls.map((call) => {
    if (call.kind === 'statement') return call.statement
    const { ranges, limit, reversed } = call
    return { ranges, ...(limit !== undefined && { limit }), ...(reversed && { reversed }) }
  })
}

/** A call without the bound that only the probe before it gives: the window ends at a row of the probe, if there is one. */
function asPlanned(call: PlannedCall, { strategy, calls }: FanOutPlan, at: number): PlannedCall {
  const planned = calls[at]!
  if (strategy !== 'probe-window' || at !== 1 || planned.kind !== 'read' || !('ranges' in call)) return call
  const ends = planned.ranges
  return {
    ...call,
    ranges: call.ranges?.map((range, position) => ({ ...ends[position]!, ...startOf(range) })),
  }
}

const startOf = ({ start, startOpen }: KeyRange): Pick<KeyRange, 'start' | 'startOpen'> => ({
  start,
  startOpen,
})

function recorded(driver: Driver, calls: PlannedCall[]): Driver {
  const read: Driver['read'] = (request, options) => {
    const { ranges, limit, reversed } = request
    // Rows that an index has shown are looked up by key: no call of a plan.
    if (ranges) calls.push({ ranges, ...(limit !== undefined && { limit }), ...(reversed && { reversed }) })
    return driver.read(request, options)
  }
  const query: Driver['query'] = (statement) => {
    calls.push(statement)
    return Promise.resolve([])
  }
  const snapshot: Driver['snapshot'] =
    driver.snapshot &&
    (() => Promise.resolve({ read, query, run: driver.run, readTimestamp: undefined, close: () => {} }))
  return { ...driver, read, query, ...(snapshot && { snapshot }) } as Driver
}

async function check({ query, table, elsewhere, calls }: Situation): Promise<FanOutPlan> {
  const plan = query.explain()
  expect(query.explain()).toEqual(plan)
  calls.length = 0
  const rows = await query.all()
  const first = callsOf(plan)
  expect(calls.slice(0, first.length).map((call, at) => asPlanned(call, plan, at))).toStrictEqual(first)
  const sent = JSON.parse(JSON.stringify(plan)) as FanOutPlan
  const execution = new Execution(
    { driver: elsewhere.driver, tables: { of: () => elsewhere.table } },
    elsewhere.table,
    sent,
    {},
    new ExecutionReport(),
  )
  const there: PlainRow[] = []
  for await (const batch of runPlan(execution)) there.push(...batch)
  expect(there).toStrictEqual(rows)
  expect(table).not.toBe(elsewhere.table)
  return plan
}

/** The same from the first row on, and after a page. */
async function checkPaged(situation: Situation): Promise<FanOutPlan> {
  const plan = await check(situation)
  const { query } = situation
  const { next } = await query.limit(3).page()
  if (next !== undefined) await check({ ...situation, query: query.after(next) })
  return plan
}

interface Question {
  readonly filter: Filter
  readonly wanted: readonly WantedOrder[]
  readonly strategy: (typeof STRATEGIES)[number] | undefined
  readonly index: string | undefined
  readonly limit: number | undefined
  readonly rows: readonly PlainRow[]
}

function questionsOf(table: SampleTable): fc.Arbitrary<Question> {
  const { layout, row } = table
  const direction = fc.constantFrom('asc' as const, 'desc' as const)
  const key = layout.table.primaryKey
    .filter(({ property }) => property !== layout.shard?.column.property)
    .map(({ property, order }): WantedOrder => ({ property, direction: order }))
  const properties = layout.fields.map(({ column }) => column.property)
  return fc.record({
    filter: fc.oneof(fc.constant<Filter>({}), filters(table)),
    wanted: fc.oneof(
      fc.nat({ max: key.length }).map((length) => key.slice(0, length)),
      fc
        .constantFrom(...properties, 'page')
        .chain((property) =>
          direction.map((each) => (properties.includes(property) ? [{ property, direction: each }] : [])),
        ),
    ),
    strategy: fc.constantFrom(
      undefined,
      ...STRATEGIES.filter((each) => !['bucket-scan', 'client-sort'].includes(each)),
    ),
    index: fc.constantFrom(undefined, undefined, ...layout.indexes.map(({ index }) => index.name)),
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    rows: fc.uniqueArray(row, {
      maxLength: 30,
      size: 'max',
      selector: (each) => JSON.stringify(keyOf(layout, each)),
    }),
  })
}

function sharded({ table, schema }: SampleTable, question: Question): Situation | undefined {
  const { filter, wanted, strategy, index, limit, rows } = question
  const calls: PlannedCall[] = []
  const driver = recorded(memoryDriver(table, rows), calls)
  try {
    let query = FanOutQuery.over<PlainRow>({ driver, tables: { of: () => table } }, table).where(
      filter as never,
    )
    for (const { property, direction } of wanted) query = query.orderBy(property, direction)
    if (strategy) query = query.strategy(strategy)
    if (index !== undefined) query = query.useIndex(index)
    if (limit !== undefined) query = query.limit(limit)
    // An index that leaves rows out is refused.
    query.explain()
    const other = new CompiledTables(schema, table.dialect).of('Log')
    return {
      table,
      query,
      calls,
      elsewhere: { table: other, driver: recorded(memoryDriver(other, rows), []) },
    }
  } catch {
    return undefined
  }
}

describe.each([...sampleTables, ...dialects.map(indexedTable)].map((table) => [table.name, table] as const))(
  'the plan of a query over a table with %s',
  (_, table) => {
    it('explain() returns the calls that run, and its plan as JSON returns the same rows in another process', async () => {
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(questionsOf(table), async (question) => {
          const situation = sharded(table, question)
          fc.pre(situation !== undefined)
          seen.add((await checkPaged(situation!)).strategy)
        }),
        { numRuns: 150, maxSkipsPerRun: 1000 },
      )
      expect(seen.size).toBeGreaterThan(1)
    })
  },
)

describe.each(partitionedTables.map((own) => [own.name, own] as const))(
  'the plan of a query over %s',
  (_, own) => {
    it('is returned by explain() with the calls that run, and returns the same rows after JSON', async () => {
      await fc.assert(
        fc.asyncProperty(rowsOf(own), questions(own), fc.boolean(), async (rows, question, isLimited) => {
          const calls: PlannedCall[] = []
          const { table } = own
          const driver = recorded(byPartition(table, rows).driver, calls)
          const whole = queryOf(
            FanOutQuery.over<PlainRow>({ driver, tables: { of: () => table } }, table),
            question,
          )
          const query = isLimited ? whole.limit(question.limit) : whole
          const other = new CompiledTables(own.schema, table.dialect).of('Log')
          await checkPaged({
            table,
            query,
            calls,
            elsewhere: { table: other, driver: byPartition(other, rows).driver },
          })
        }),
        { numRuns: 25 },
      )
    })
  },
)

describe('Planner', () => {
  it('makes the same plan for the same query, clock and seed, and chooses the probed shard by the seed', () => {
    const { table } = sampleTables[0]!
    const request: FanOutRequest = {
      condition: undefined,
      order: totalOrder(table.layout, []),
      after: undefined,
      limit: 5,
      forced: 'probe-window',
      index: undefined,
      apart: false,
      consistentPages: false,
      includes: [],
      lookAhead: 0,
    }
    const planned = (seed: number) =>
      new Planner(table, request, memoryDriver(table, []), { now: NOW, seed }).first()
    expect(planned(0.5)).toStrictEqual(planned(0.5))
    expect([0, 0.5, 0.999].map((seed) => planned(seed).calls[0]!.shard)).toEqual([0, 2, 4])
  })
})

describe('the report of a fan-out', () => {
  it('lists the plans that followed the plan of explain()', async () => {
    const { name: _, table } = partitionedTables.find(({ name }) => name === 'days and random shards')!
    const { driver } = byPartition(table, [])
    const observer = new Observer('memory')
    const reports: FanOutReport[] = []
    observer.events.on('fanOut', (report) => reports.push(report))
    const query = FanOutQuery.over<PlainRow>({ driver, tables: { of: () => table }, observer }, table)
    await query.orderBy('at', 'desc').limit(5).all()
    await new Promise(setImmediate)
    // 71 days: 2 of them, one of which is to come, and then twice as many each time.
    expect(reports).toMatchObject([
      {
        strategy: 'bucket-scan',
        plans: 6,
        laterPlans: [
          { strategy: 'bucket-scan', calls: 12, limit: 5, groups: [2, 5] },
          { strategy: 'bucket-scan', calls: 24, limit: 5, groups: [6, 13] },
          { strategy: 'bucket-scan', calls: 48, limit: 5, groups: [14, 29] },
          { strategy: 'bucket-scan', calls: 96, limit: 5, groups: [30, 61] },
          { strategy: 'bucket-scan', calls: 27, limit: 5, groups: [62, 70] },
        ],
      },
    ])
  })

  it('lists at most 16 later plans, and counts all plans', () => {
    const { table } = sampleTables[0]!
    const plan = FanOutQuery.over<PlainRow>(
      { driver: memoryDriver(table, []), tables: { of: () => table } },
      table,
    ).explain()
    const report = new ExecutionReport()
    for (let later = 0; later < 100; later++) report.planned(plan)
    expect(report.plans).toBe(101)
    expect(report.laterPlans).toHaveLength(16)
  })
})
