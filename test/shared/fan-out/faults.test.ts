import { IsothermError } from '@isotherm/core'
import fc from 'fast-check'
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  Event,
  events,
  expectedRows,
  questionOf,
  schedule,
  schema,
  type Question,
} from '../../fan-out/support/faults.js'
import { fragileEngines, type Fragile, type FragileEngine } from '../../support/fragile-engines.js'

// Whatever happens on the way to the database: a fan-out gives all rows in order, or says by name why not. It gives no row
// twice, and leaves nothing behind.

/** On each engine. */
const SCHEDULES = 100
/** Schedules that run side by side, each on a database and a connection of its own. */
const LANES = 4

const NAMED = ['DEADLINE', 'UNAVAILABLE', 'CANCELLED', 'DATABASE']

const unhandled: unknown[] = []
const note = (reason: unknown): unknown => unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

interface Outcome {
  readonly rows: object[]
  readonly error: unknown
  readonly retries: number
}

/** Reads until the end or the first error; what has been given until then counts. */
async function run(fragile: Fragile, asked: Question): Promise<Outcome> {
  const { strategy, way, limit, where, order, deadline, abortAfter, faults } = asked
  // What a shard's health was in another schedule is of no interest.
  const db = fragile.fresh()
  let retries = 0
  db.on('fanOut', (report) => (retries += report.retries))
  const controller = new AbortController()
  const abort =
    abortAfter === undefined ? undefined : setTimeout(() => controller.abort(new Error('enough')), abortAfter)
  let query = db.fanOut(Event).where(where).options({ deadline, signal: controller.signal })
  for (const { property, direction } of order) query = query.orderBy(property as 'at', direction)
  if (strategy) query = query.via(strategy)
  const limited = limit === undefined ? query : query.limit(limit)
  const striking = schedule(fragile.proxy, faults)
  const rows: object[] = []
  const read = async (): Promise<void> => {
    if (way === 'all') {
      rows.push(...(await limited.all()))
    } else if (way === 'stream') {
      for await (const row of limited) rows.push(row)
    } else {
      let cursor: string | undefined
      do {
        const page = await limited.after(cursor).page()
        rows.push(...page.rows)
        cursor = page.next
      } while (cursor !== undefined)
    }
  }
  try {
    const error = await read().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { rows, error, retries }
  } finally {
    clearTimeout(abort)
    striking.stop()
  }
}

/** Waits until the connection is there again: a schedule begins with one that is well. */
async function recovered({ fresh }: Fragile): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await fresh().fanOut(Event).limit(1).options({ deadline: 5000 }).all()
      return
    } catch (error) {
      if (attempt === 200) throw error
      await delay(50)
    }
  }
}

/** Whether all is as it should be, and how it ended. */
async function check(
  fragile: Fragile,
  asked: Question,
  dialect: FragileEngine['dialect'],
): Promise<{ readonly verdict: string; readonly retries: number }> {
  const { rows, error, retries } = await run(fragile, asked)
  // Pages go on to the end; the others have a limit.
  const all = expectedRows(asked, dialect)
  const wanted = asked.way === 'page' ? all : all.slice(0, asked.limit)
  expect(await fragile.settled()).toBe(0)
  // In order and none twice, up to where it ended.
  expect(rows).toEqual(wanted.slice(0, rows.length))
  await recovered(fragile)
  const verdict = verdictOf(error)
  expect([...NAMED, 'complete']).toContain(verdict)
  expect(rows.length === wanted.length || verdict !== 'complete').toBe(true)
  return { verdict, retries }
}

/** In one word; an error that is not one of ours speaks for itself. */
function verdictOf(error: unknown): string {
  if (error === undefined) return 'complete'
  return error instanceof IsothermError ? error.code : inspect(error)
}

/** How many things of each of these kinds keep this process busy. */
function busyWith(of: readonly string[]): Record<string, number> {
  const kinds: Record<string, number> = Object.fromEntries(of.map((kind) => [kind, 0]))
  for (const kind of process.getActiveResourcesInfo()) if (kind in kinds) kinds[kind]!++
  return kinds
}

describe.each(fragileEngines)('in $name', ({ dialect, traits, ended, gone, fragile }) => {
  const busy = () => busyWith(ended)

  it(`a fan-out is complete or fails by name in ${SCHEDULES} schedules of faults`, async () => {
    // What the engine itself keeps for as long as it is there is made by the first of them.
    await (await fragile(schema)).close()
    await expect.poll(() => gone.map((kind) => busy()[kind]), { timeout: 5000 }).toEqual(gone.map(() => 0))
    const before = busy()
    // One after the other: the client of Spanner reads where its engine is from the environment.
    const lanes: Fragile[] = []
    for (let lane = 0; lane < LANES; lane++) lanes.push(await fragile(schema))
    await Promise.all(
      lanes.map(({ db }) => db.insert(Event, events, { ...traits.unchecked, returning: false })),
    )
    const verdicts: Record<string, number> = {}
    let retried = 0
    await Promise.all(
      lanes.map((lane) =>
        fc.assert(
          fc.asyncProperty(questionOf(traits.strategies), async (asked) => {
            const { verdict, retries } = await check(lane, asked, dialect)
            verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
            if (verdict === 'complete' && retries > 0) retried++
          }),
          { numRuns: SCHEDULES / LANES, endOnFailure: true },
        ),
      ),
    )
    await Promise.all(lanes.map((lane) => lane.close()))
    // Else the faults would not have struck, or nothing would have withstood them.
    expect(verdicts['complete']).toBeGreaterThan(0)
    expect(verdicts['complete']).toBeLessThan(95)
    expect(retried).toBeGreaterThan(0)
    expect(unhandled).toEqual([])
    await expect.poll(busy, { timeout: 5000 }).toEqual(before)
  })
})
