import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'

/** What became of one test file, in one project of vitest. */
export interface FileResult {
  readonly project: string
  readonly file: string
  readonly seconds: number
  readonly passed: number
  readonly failures: readonly { readonly test: string; readonly message: string }[]
  /** Why tests were left out, each reason once. */
  readonly leftOut: readonly string[]
  /** Tests that took longer than they should. */
  readonly slow: readonly { readonly test: string; readonly seconds: number }[]
  /** Errors outside of any test, by when this file was through. */
  readonly unhandled: readonly string[]
}

/** The last line: the run has come to its end. */
export interface RunEnd {
  /** Errors outside of any test that no line before has. */
  readonly unhandled: readonly string[]
  /** It gave up after too many failures: not all tests ran. */
  readonly hasGivenUp: boolean
}

const SLOW_TEST = 10

/** The files, by project, whose results are written down already: a run that was interrupted goes on after them. */
export function filesDone(results: string | undefined): ReadonlyMap<string, readonly string[]> {
  const done = new Map<string, string[]>()
  if (results === undefined || !existsSync(results)) return done
  for (const line of readFileSync(results, 'utf8').split('\n').filter(Boolean)) {
    const { project, file } = JSON.parse(line) as Partial<FileResult>
    if (project !== undefined && file !== undefined) done.set(project, [...(done.get(project) ?? []), file])
  }
  return done
}

/** Appends a line of JSON to a file for each test file that is through, and ends a run that lasts too long by itself. */
export class ResultsReporter implements Reporter {
  readonly #results: string | undefined
  readonly #limitMinutes: number | undefined
  readonly #running = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #vitest: Vitest | undefined
  #told = 0

  /** @param limitMinutes default: no limit */
  constructor(results: string | undefined, limitMinutes?: number) {
    this.#results = results
    this.#limitMinutes = limitMinutes
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
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
    this.#write({ ...resultOf(module), unhandled: this.#unhandled() })
  }

  onTestRunEnd(_: readonly TestModule[], __: readonly SerializedError[], reason: TestRunEndReason): void {
    clearTimeout(this.#timer)
    this.#write({ unhandled: this.#unhandled(), hasGivenUp: reason === 'interrupted' })
  }

  /** Those that have come since it was last asked for. */
  #unhandled(): string[] {
    const errors = this.#vitest?.state.getUnhandledErrors() ?? []
    const messages = errors.slice(this.#told).map((error) => messageOf(error))
    this.#told = errors.length
    return messages
  }

  #write(line: FileResult | RunEnd): void {
    if (this.#results !== undefined) appendFileSync(this.#results, `${JSON.stringify(line)}\n`)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Object && 'message' in error ? String(error.message) : String(error)
}

function resultOf(module: TestModule): Omit<FileResult, 'unhandled'> {
  const failures: { test: string; message: string }[] = []
  const slow: { test: string; seconds: number }[] = []
  const leftOut = new Set<string>()
  let passed = 0
  const fail = (test: string, errors: readonly { message: string }[] = []): void =>
    void failures.push({ test, message: errors.map(({ message }) => message).join('\n') })
  if (module.errors().length > 0) fail('(could not be run)', module.errors())
  // A failed `beforeAll` or `afterAll` is no test's.
  for (const suite of module.children.allSuites())
    if (suite.errors().length > 0) fail(suite.fullName, suite.errors())
  for (const test of module.children.allTests()) {
    const result = test.result()
    const seconds = (test.diagnostic()?.duration ?? 0) / 1000
    if (seconds > SLOW_TEST) slow.push({ test: test.fullName, seconds })
    if (result.state === 'passed') passed++
    else if (result.state === 'failed') fail(test.fullName, result.errors)
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
