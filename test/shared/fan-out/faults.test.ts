import { IsothermError } from '@isotherm/core'
import fc from 'fast-check'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  timeoutOf,
  Event,
  events,
  expectedRows,
  fatal,
  PATIENT,
  questionOf,
  schedule,
  schema,
  survived,
  type Question,
} from '../../fan-out/support/faults.js'
import { fragileEngines, type Fragile, type FragileEngine } from '../../support/fragile-engines.js'
import { isDeep } from '../../support/runs.js'

// With any network fault, a fan-out returns all rows in order, or throws a named error. It returns no row twice, and leaves no
// call or session behind.

/** Number of schedules on each engine. */
const SCHEDULES = isDeep ? 100 : 4
/** Schedules that run at the same time, each on a separate database and connection. */
const WORKERS = isDeep ? 4 : 2

const NAMED = ['TIMEOUT', 'UNAVAILABLE', 'CANCELLED', 'DATABASE']

const unhandled: unknown[] = []
const note = (reason: unknown): unknown => unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

interface Outcome {
  readonly rows: object[]
  readonly error: unknown
  readonly retries: number
}

/** Reads until the end or the first error. @returns the rows until then */
async function run(fragile: Fragile, question: Question): Promise<Outcome> {
  const { strategy, mode, limit, where, order, faults } = question
  // A new client, which does not know the failures of other schedules.
  const db = fragile.fresh()
  let retries = 0
  db.on('fanOut', (report) => (retries += report.retries))
  const controller = new AbortController()
  let query = db
    .fanOut(Event)
    .where(where)
    .options({ timeoutMs: timeoutOf(question), signal: controller.signal })
  for (const { property, direction } of order) query = query.orderBy(property as 'at', direction)
  if (strategy) query = query.strategy(strategy)
  const limited = limit === undefined ? query : query.limit(limit)
  schedule(fragile.proxy, () => controller.abort(new Error('enough')), faults)
  const rows: object[] = []
  const read = async (): Promise<void> => {
    if (mode === 'all') {
      rows.push(...(await limited.all()))
    } else if (mode === 'stream') {
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
    fragile.proxy.heal()
  }
}

/** Waits until the connection works again: every schedule begins with a working connection. */
async function recovered({ fresh }: Fragile): Promise<void> {
  for (;;) {
    try {
      await fresh().fanOut(Event).limit(1).options({ timeoutMs: 5000 }).all()
      return
    } catch (error) {
      if (!(error instanceof IsothermError)) throw error
      await new Promise(setImmediate)
    }
  }
}

/** Checks the rows and the error, and returns the outcome. */
async function check(
  fragile: Fragile,
  question: Question,
  dialect: FragileEngine['dialect'],
): Promise<{ readonly verdict: string; readonly retries: number }> {
  const { rows, error, retries } = await run(fragile, question)
  // Pages are read to the end; other reads have a limit.
  const all = expectedRows(question, dialect)
  const wanted = question.mode === 'page' ? all : all.slice(0, question.limit)
  expect(await fragile.settled()).toBe(0)
  // The rows until the end are in order, without duplicates.
  expect(rows).toEqual(wanted.slice(0, rows.length))
  await recovered(fragile)
  const verdict = verdictOf(error)
  expect([...NAMED, 'complete']).toContain(verdict)
  expect(rows.length === wanted.length || verdict !== 'complete').toBe(true)
  return { verdict, retries }
}

/** The outcome as one word; errors that are not IsothermErrors are printed in full. */
function verdictOf(error: unknown): string {
  if (error === undefined) return 'complete'
  return error instanceof IsothermError ? error.code : inspect(error)
}

/** The timers of timeouts that are set from now on, without those that fired or were cleared. */
function timeoutTimers(): ReadonlySet<unknown> {
  const running = new Set<unknown>()
  const { setTimeout: set, clearTimeout: clear } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, milliseconds?: number) => {
    const timer = set(() => {
      running.delete(timer)
      act()
    }, milliseconds)
    if (milliseconds! > PATIENT / 2 && milliseconds! <= PATIENT) running.add(timer)
    return timer
  }) as typeof setTimeout)
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    running.delete(timer)
    clear(timer)
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  return running
}

describe.each(fragileEngines)('a fan-out with network faults in $name', ({ dialect, traits, fragile }) => {
  it('returns all rows in order, or throws a named error, in all random schedules of faults', async () => {
    // One after the other, because the Spanner client reads the address of its engine from the environment.
    const workers: Fragile[] = []
    for (let worker = 0; worker < WORKERS; worker++) workers.push(await fragile(schema))
    await Promise.all(
      workers.map(({ db }) => db.insert(Event, events, { ...traits.unchecked, returning: false })),
    )
    const timers = timeoutTimers()
    // The faults happen, and a fan-out can survive them.
    const [first] = workers
    expect(await check(first!, fatal, dialect)).toMatchObject({ verdict: 'TIMEOUT' })
    const { verdict, retries } = await check(first!, survived, dialect)
    expect(verdict).toBe('complete')
    expect(retries).toBeGreaterThan(0)
    await Promise.all(
      workers.map((worker, at) =>
        fc.assert(
          fc.asyncProperty(questionOf(traits.strategies), async (question) => {
            await check(worker, question, dialect)
          }),
          {
            seed: Number(process.env['ISOTHERM_SEED']) + at,
            numRuns: Math.ceil(SCHEDULES / WORKERS),
            endOnFailure: true,
          },
        ),
      ),
    )
    expect([...timers]).toEqual([])
    await Promise.all(workers.map((worker) => worker.close()))
    expect(unhandled).toEqual([])
  })
})
