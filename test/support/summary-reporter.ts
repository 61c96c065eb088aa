import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Of one project of vitest. */
export interface Counts {
  files: number
  passed: number
  failed: number
  /** Why tests were left out, each reason once. */
  leftOut: string[]
}

export interface Failure {
  /** Empty where no test file is to blame. */
  readonly project: string
  readonly file: string
  readonly test: string
  readonly message: string
}

/** What a run came to, as data for `scripts/test.mjs`. */
export interface Summary {
  readonly projects: Readonly<Record<string, Counts>>
  readonly failures: readonly Failure[]
  /** Files and tests that took longer than they should, in seconds, the longest first. */
  readonly slow: readonly { readonly what: string; readonly seconds: number }[]
}

const SLOW_FILE = 30
const SLOW_TEST = 10

/** Writes the summary of a run to a file, and ends a run that lasts too long, with the names of the files that were running. */
export class SummaryReporter implements Reporter {
  readonly #file: string | undefined
  readonly #limitMinutes: number | undefined
  readonly #running = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  /** @param limitMinutes default: no limit */
  constructor(file: string | undefined, limitMinutes?: number) {
    this.#file = file
    this.#limitMinutes = limitMinutes
  }

  onTestRunStart(): void {
    if (this.#limitMinutes === undefined) return
    this.#timer = setTimeout(() => {
      const running = [...this.#running.values()].join('\n  ')
      console.error(`The tests did not end within ${this.#limitMinutes} minutes. Running:\n  ${running}`)
      process.exit(1)
    }, this.#limitMinutes * 60_000).unref()
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(module.id, `${module.project.name}: ${module.relativeModuleId}`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    clearTimeout(this.#timer)
    if (this.#file !== undefined) writeFileSync(this.#file, JSON.stringify(summaryOf(modules, unhandled)))
  }
}

function summaryOf(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Summary {
  const projects: Record<string, Counts> = {}
  const failures: Failure[] = []
  const slow: { what: string; seconds: number }[] = []
  for (const module of modules) {
    const project = module.project.name
    const file = module.relativeModuleId
    const counts = (projects[project] ??= { files: 0, passed: 0, failed: 0, leftOut: [] })
    counts.files++
    const fail = (test: string, errors: readonly { message: string }[] = []): void => {
      counts.failed++
      failures.push({ project, file, test, message: errors.map(({ message }) => message).join('\n') })
    }
    const seconds = module.diagnostic().duration / 1000
    if (seconds > SLOW_FILE) slow.push({ what: `${project}: ${file}`, seconds })
    if (module.errors().length > 0) fail('(could not be run)', module.errors())
    for (const test of module.children.allTests()) {
      const result = test.result()
      const took = (test.diagnostic()?.duration ?? 0) / 1000
      if (took > SLOW_TEST) slow.push({ what: `${project}: ${file}: ${test.fullName}`, seconds: took })
      if (result.state === 'passed') counts.passed++
      else if (result.state === 'failed') fail(test.fullName, result.errors)
      else {
        const why =
          (result.state === 'skipped' && result.note) || `${file}: ${test.fullName}: ${result.state}`
        if (!counts.leftOut.includes(why)) counts.leftOut.push(why)
      }
    }
  }
  for (const { message } of unhandled)
    failures.push({ project: '', file: '', test: '(outside of any test)', message })
  return { projects, failures, slow: slow.toSorted((a, b) => b.seconds - a.seconds) }
}
