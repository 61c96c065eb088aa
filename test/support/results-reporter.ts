import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node'

/** The result of one test file, in one project of vitest. */
export interface FileResult {
  readonly project: string
  readonly file: string
  readonly seconds: number
  readonly passed: number
  readonly failures: readonly Failure[]
  /** The reasons of skipped tests, each reason once. */
  readonly leftOut: readonly string[]
  /** Tests that took longer than they should. */
  readonly slow: readonly { readonly test: string; readonly seconds: number }[]
  /** Errors outside of any test until the end of this file. */
  readonly unhandled: readonly string[]
}

/** The last line, after the end of the run. */
export interface RunEnd {
  /** Errors outside of any test that no earlier line contains. */
  readonly unhandled: readonly string[]
  /** The run was stopped after too many failures: not all tests ran. */
  readonly hasGivenUp: boolean
}

const SLOW_TEST = 10

/** The files, by project, whose results are written already: an interrupted run continues after them. */
export function filesDone(results: string | undefined): ReadonlyMap<string, readonly string[]> {
  const done = new Map<string, string[]>()
  if (results === undefined || !existsSync(results)) return done
  for (const line of readFileSync(results, 'utf8').split('\n').filter(Boolean)) {
    const { project, file } = JSON.parse(line) as Partial<FileResult>
    if (project !== undefined && file !== undefined) done.set(project, [...(done.get(project) ?? []), file])
  }
  return done
}

/** The limits at which a run ends itself. */
export interface RunLimits {
  /** Minutes since the start of the process. */
  readonly minutes: number
  readonly failures: number
}

/** How long workers may take to end by themselves. */
const ENDING_MS = 10_000

/** @param results the file; undefined if no file is written */
export function writeResult(results: string | undefined, line: FileResult | RunEnd): void {
  if (results !== undefined) appendFileSync(results, `${JSON.stringify(line)}\n`)
}

/** Appends a line of JSON to a file for each test file that has ended, and ends a run that takes too long or fails too often. */
export class ResultsReporter implements Reporter {
  readonly #results: string | undefined
  readonly #limits: RunLimits | undefined
  readonly #running = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #vitest: Vitest | undefined
  #unhandledWritten = 0
  #failures = 0
  #hasGivenUp = false

  /** @param limits default: none */
  constructor(results: string | undefined, limits?: RunLimits) {
    this.#results = results
    this.#limits = limits
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(): void {
    if (this.#limits === undefined) return
    const left = this.#limits.minutes * 60_000 - process.uptime() * 1_000
    this.#timer = setTimeout(() => void this.#endLateRun(), left).unref()
  }

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'failed') this.#count(1)
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(module.id, `${module.project.name}: ${module.relativeModuleId}`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(module.id)
    this.#write({ ...resultOf(module), unhandled: this.#unhandled() })
    this.#count(failuresOutsideTests(module).length)
  }

  onTestRunEnd(_: readonly TestModule[], __: readonly SerializedError[], reason: TestRunEndReason): void {
    clearTimeout(this.#timer)
    this.#write({ unhandled: this.#unhandled(), hasGivenUp: reason === 'interrupted' })
  }

  #count(failures: number): void {
    this.#failures += failures
    if (this.#limits === undefined || this.#failures < this.#limits.failures || this.#hasGivenUp) return
    this.#hasGivenUp = true
    void this.#vitest?.cancelCurrentRun('test-failure')
  }

  /** Names the running files, and ends the run: a worker that hangs is killed at the second request. */
  async #endLateRun(): Promise<void> {
    const running = [...this.#running.values()].join(', ')
    const message = `The tests did not end within ${this.#limits!.minutes} minutes. Still running: ${running}`
    console.error(message)
    this.#write({ unhandled: [message], hasGivenUp: true })
    for (let request = 0; request < 2; request++)
      await Promise.race([this.#vitest?.cancelCurrentRun('keyboard-input'), delay(ENDING_MS)])
    process.exit(1)
  }

  /** Those that are not written yet. */
  #unhandled(): string[] {
    const errors = this.#vitest?.state.getUnhandledErrors() ?? []
    const messages = errors.slice(this.#unhandledWritten).map((error) => messageOf(error))
    this.#unhandledWritten = errors.length
    return messages
  }

  #write(line: FileResult | RunEnd): void {
    writeResult(this.#results, line)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Object && 'message' in error ? String(error.message) : String(error)
}

interface Failure {
  readonly test: string
  readonly message: string
}

const failure = (test: string, errors: readonly { readonly message: string }[] = []): Failure => ({
  test,
  message: errors.map(({ message }) => message).join('\n'),
})

/** Of the file itself, and of a `beforeAll` or `afterAll`. */
function failuresOutsideTests(module: TestModule): Failure[] {
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
  return [
    ...(module.errors().length > 0 ? [failure('(could not be run)', module.errors())] : []),
    ...suites.map((suite) => failure(suite.fullName, suite.errors())),
  ]
}

function resultOf(module: TestModule): Omit<FileResult, 'unhandled'> {
  const failures = failuresOutsideTests(module)
  const slow: { test: string; seconds: number }[] = []
  const leftOut = new Set<string>()
  let passed = 0
  for (const test of module.children.allTests()) {
    const result = test.result()
    const seconds = (test.diagnostic()?.duration ?? 0) / 1000
    if (seconds > SLOW_TEST) slow.push({ test: test.fullName, seconds })
    if (result.state === 'passed') passed++
    else if (result.state === 'failed') failures.push(failure(test.fullName, result.errors))
    else
      leftOut.add(
        (result.state === 'skipped' && result.note) ||
          `${module.relativeModuleId}: ${test.fullName}: ${result.state}`,
      )
  }
  return {
    project: module.project.name,
    file: module.relativeModuleId,
    seconds: module.diagnostic().duration / 1000,
    passed,
    failures,
    leftOut: [...leftOut],
    slow,
  }
}
