// One run of vitest, and what it came to: for `pnpm test` and `pnpm test:deep`.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The projects of vitest, as a reader calls them. */
export const PROJECTS = {
  unit: 'no engine',
  'legacy-decorators': 'no engine, legacy decorators',
  pglite: 'PGlite',
  postgresql: 'PostgreSQL 15 and 18',
  spanner: 'Spanner, both dialects',
  cassandra: 'Cassandra',
  'drizzle-0.45.0': 'Drizzle 0.45.0',
  docker: 'engines in Docker',
}
/** What `pnpm test` runs. */
export const GATE = ['unit', 'legacy-decorators', 'pglite', 'spanner', 'cassandra']

/**
 * Runs tests, and writes what becomes of each file to `results`, where files that are there already are left out.
 *
 * @param options.node the binary to run them with
 * @param options.minutes after which the run ends itself. Default: that of `vitest.config.ts`
 */
export function runTests(results, projects, rest, { node = process.execPath, minutes } = {}) {
  const chosen = projects.flatMap((name) => ['--project', name])
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...chosen, ...rest], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      ISOTHERM_RESULTS: results,
      ...(minutes === undefined ? {} : { ISOTHERM_MINUTES: String(minutes) }),
    },
  })
  return { ...readResults(results), status: status ?? 1 }
}

/** `hasEnded` is false where vitest was ended before it could say what it came to; `hasGivenUp` is true after too many failures. */
export function readResults(results) {
  const text = existsSync(results) ? readFileSync(results, 'utf8') : ''
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  const ofFiles = lines.filter(({ file }) => file !== undefined)
  const byName = new Map()
  for (const each of ofFiles) {
    const name = `${each.project} ${each.file}`
    // Two processes may have run one file, where the first outlived the script that started it: a failure stays one.
    if (!(byName.get(name)?.failures.length > 0)) byName.set(name, each)
  }
  const files = [...byName.values()]
  const failures = [
    ...files.flatMap(({ project, file, failures: all }) => all.map((each) => ({ project, file, ...each }))),
    ...lines.flatMap(({ unhandled }) =>
      unhandled.map((message) => ({ project: '', file: '', test: '(outside of any test)', message })),
    ),
  ]
  const last = lines.at(-1)
  return { files, failures, hasEnded: last?.hasGivenUp !== undefined, hasGivenUp: last?.hasGivenUp === true }
}

/** What became of the files of each project. */
export function countsOf(files) {
  const counts = new Map()
  for (const { project, passed, failures, leftOut } of files) {
    const of = counts.get(project) ?? { files: 0, passed: 0, failed: 0, leftOut: new Set() }
    counts.set(project, of)
    of.files++
    of.passed += passed
    of.failed += failures.length
    for (const why of leftOut) of.leftOut.add(`left out on ${PROJECTS[project] ?? project}: ${why}`)
  }
  return counts
}

export function printCounts(counts) {
  const row = (name, ...numbers) =>
    console.log(name.padEnd(32) + numbers.map((each) => String(each).padStart(9)).join(''))
  row('tests on', 'files', 'passed', 'failed')
  for (const [name, { files, passed, failed }] of counts) row(PROJECTS[name] ?? name, files, passed, failed)
}

/** The files and the tests that take longer than they should: 30 and 10 seconds. */
export function printSlow(files, most = 12) {
  const slow = files.flatMap(({ project, file, seconds, slow: tests }) => [
    ...(seconds > 30 ? [{ what: `${project}: ${file}`, seconds }] : []),
    ...tests.map((each) => ({ what: `${project}: ${file}: ${each.test}`, seconds: each.seconds })),
  ])
  for (const { what, seconds } of slow.toSorted((a, b) => b.seconds - a.seconds).slice(0, most))
    console.log(`slow: ${seconds.toFixed(0)} s: ${what}`)
}

/** A failure on one line. */
export const lineOf = ({ project, file, test, message }) =>
  `${project ? `${project}: ${file}: ` : ''}${test}: ${message.split('\n')[0]}`
