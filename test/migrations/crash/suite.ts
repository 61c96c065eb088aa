import { availableParallelism } from 'node:os'
import type { MigrationStatus } from '@isotherm/migrations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { script, type Script } from '../../support/other-process.js'

// After a crash of a migrator, on any engine, the next migrator completes the work, with the result of a run without a crash.

const seedOfRun = Number(process.env['ISOTHERM_SEED'])

/** The point at which a migrator is killed; each engine defines its kinds. */
export interface CrashPoint {
  readonly kind: string
  readonly at: number
}

/** The result of a migrator that should be killed. */
export interface CrashReport {
  /** The result that is compared with a run without a crash. */
  readonly outcome: unknown
  readonly status: MigrationStatus
  /** False if the migrator had ended before. */
  readonly wasKilled: boolean
  /** How many statements the next migrator ran, and how many of them the dead migrator had begun. */
  readonly statements: number
  readonly resumed: number
}

/** The result and the calls of a migration without a crash. */
export interface CleanRun {
  readonly outcome: unknown
  /** How many calls to the database it makes. */
  readonly calls: number
}

export interface CrashSuite<Crash extends CrashPoint> {
  /** The script of the migrator that is killed. */
  readonly child: URL
  /** For the report. */
  readonly name: string
  /** How many statements the migration has. */
  readonly statements: number
  cleanRun(child: Script): Promise<CleanRun>
  crashesOf(clean: CleanRun): readonly Crash[]
  /** @param seed of all random values */
  crashed(child: Script, crash: Crash, seed: number): Promise<CrashReport>
}

export function testCrashes<Crash extends CrashPoint>(suite: CrashSuite<Crash>): void {
  let child: Script

  beforeAll(async () => {
    child = await script(suite.child)
  })
  afterAll(() => child.remove())

  it('is continued by the next migrator, with the schema and the rows of a run without a crash', async () => {
    const clean = await suite.cleanRun(child)
    const waiting = [...suite.crashesOf(clean)]
    const reports: (CrashReport & { readonly crash: Crash })[] = []
    const work = async (): Promise<void> => {
      for (let crash = waiting.shift(); crash; crash = waiting.shift()) {
        const seed = seedOfRun + waiting.length
        const position = `${crash.kind} ${crash.at}`
        const report = await suite.crashed(child, crash, seed).catch((cause: unknown) => {
          throw new Error(`The next run failed, after a crash at ${position}.`, { cause })
        })
        expect(report.outcome, `after a crash at ${position}`).toEqual(clean.outcome)
        expect(report.status).toMatchObject({ state: 'applied', done: suite.statements })
        reports.push({ ...report, crash })
      }
    }
    await Promise.all(Array.from({ length: 2 * availableParallelism() }, work))
    expect(reports.filter(({ wasKilled }) => !wasKilled)).toEqual([])
    if (reports.length > 1) console.log(summary(suite.name, reports))
  })
}

function summary(engine: string, reports: readonly (CrashReport & { readonly crash: CrashPoint })[]): string {
  return [...new Set(reports.map(({ crash }) => crash.kind))]
    .map((kind) => {
      const of = reports.filter(({ crash }) => crash.kind === kind)
      const killed = of.filter(({ wasKilled }) => wasKilled)
      const resumed = killed.filter((report) => report.resumed > 0).length
      const left = killed.map(({ statements }) => statements)
      return `${engine}, ${kind}: ${of.length} runs, ${killed.length} killed with ${Math.min(...left)} to ${Math.max(...left)} statements left, ${resumed} in a change that was under way; all end as the clean run`
    })
    .join('\n')
}
