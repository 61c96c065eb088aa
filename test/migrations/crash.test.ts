import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { script, type Script } from '../support/other-process.js'
import { dialects } from '../support/spanner.js'
import { cleanRun, crashed, type CleanRun, type Crash, type CrashReport } from './crash/crashes.js'

/** `scripts/crash-migrations.mjs` asks for all of them; otherwise it is a sample: twenty, over both dialects. */
const isWhole = process.env['ISOTHERM_CRASHES'] === 'all'

/** How many statements of the migration change the schema. */
const SCHEMA_CHANGES = 26

/** Places at which to crash, spread over the whole. */
function spread(count: number, last: number): number[] {
  if (isWhole) return Array.from({ length: last }, (_, at) => at + 1)
  return Array.from({ length: count }, (_, at) => Math.ceil(((at + Math.random()) / count) * last))
}

function crashesOf({ calls }: CleanRun): Crash[] {
  const moments = Array.from({ length: isWhole ? 50 : 4 }, () => Math.random() * SCHEMA_CHANGES)
  return [
    ...spread(4, calls).map((at): Crash => ({ kind: 'call', at })),
    ...spread(2, SCHEMA_CHANGES).map((at): Crash => ({ kind: 'statement', at })),
    ...moments.map((at): Crash => ({ kind: 'moment', at })),
  ]
}

function told(dialect: string, reports: readonly (CrashReport & { readonly crash: Crash })[]): string {
  return (['call', 'statement', 'moment'] as const)
    .map((kind) => {
      const of = reports.filter(({ crash }) => crash.kind === kind)
      const killed = of.filter(({ wasKilled }) => wasKilled)
      const resumed = killed.filter((report) => report.resumed > 0).length
      const left = killed.map(({ statements }) => statements)
      return `${dialect}, ${kind}: ${of.length} runs, ${killed.length} killed with ${Math.min(...left)} to ${Math.max(...left)} statements left, ${resumed} in a change that was under way; all end as the clean run`
    })
    .join('\n')
}

describe.each(dialects)('a migrator that is killed, in %s', (dialect) => {
  let child: Script

  beforeAll(async () => {
    child = await script(new URL('./crash/child.ts', import.meta.url))
  })
  afterAll(() => child.remove())

  it(
    'is continued by the next one: schema and rows are those of a run that nobody disturbed',
    { timeout: 3_600_000 },
    async () => {
      const clean = await cleanRun(dialect, child)
      const waiting = crashesOf(clean)
      const reports: (CrashReport & { readonly crash: Crash })[] = []
      const work = async (): Promise<void> => {
        for (let crash = waiting.shift(); crash; crash = waiting.shift()) {
          const report = await crashed(dialect, child, crash)
          expect(report.outcome, `after a crash at ${crash.kind} ${crash.at}`).toEqual(clean.outcome)
          expect(report.status).toMatchObject({ state: 'applied', done: 40 })
          reports.push({ ...report, crash })
        }
      }
      await Promise.all(Array.from({ length: 2 * availableParallelism() }, work))
      expect(reports.filter(({ wasKilled }) => !wasKilled)).toEqual([])
      if (isWhole) console.log(told(dialect, reports))
    },
  )
})
