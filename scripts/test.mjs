#!/usr/bin/env node
// `pnpm test [file …]`: the tests that every change passes, and what they came to. `pnpm test --durations` writes down how long each
// file took, so that the longest begin first from then on.
//
// A file on an engine that fails is looked at a second time, alone and in a new process, if there are at most two of them. When it
// passes then, the run passes and says `flaky: FILE: TEST` with what failed first: a fault to find, which is not of this change.
// Tests without an engine get no second look.
//
// With ISOTHERM_COUNTS=FILE, the numbers of passed and failed tests and the lines to repeat are written there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastDeepRun } from './tests/last-deep-run.mjs'
import { countsOf, GATE, lineOf, printCounts, printSlow, root, runTests } from './tests/run.mjs'

const ON_ENGINE = ['spanner', 'cassandra']
const SECOND_LOOKS = 2
const MAX_MINUTES = 30
const DURATIONS = '--durations'

const scratch = mkdtempSync(join(tmpdir(), 'isotherm-test-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

const begun = Date.now()
const given = process.argv.slice(2)
const areDurationsWanted = given.includes(DURATIONS)
if (areDurationsWanted && given.length > 1) {
  console.error(`${DURATIONS} is of all tests. Leave out the other arguments.`)
  process.exit(1)
}
/** Runs tests in what is left of the time. */
const run = (name, projects, rest) =>
  runTests(join(scratch, name), projects, rest, { minutes: MAX_MINUTES - (Date.now() - begun) / 60_000 })
const first = run('first', GATE, areDurationsWanted ? [] : given)
if (areDurationsWanted && first.status === 0) {
  const long = first.files
    .map(({ project, file, seconds }) => [`${project}: ${file}`, Math.round(seconds)])
    .filter(([, seconds]) => seconds >= 3)
    .toSorted(([, one], [, other]) => other - one)
  const text = JSON.stringify(Object.fromEntries(long), undefined, 2)
  writeFileSync(join(root, 'test/support/durations.json'), `${text}\n`)
}

const failing = first.files.filter(({ failures }) => failures.length > 0)
const isWorthASecondLook =
  first.hasEnded &&
  !first.hasGivenUp &&
  first.failures.every(({ project }) => ON_ENGINE.includes(project)) &&
  failing.length <= SECOND_LOOKS
const flaky = new Map()
if (isWorthASecondLook) {
  for (const [at, { project, file }] of failing.entries()) {
    console.log(`\nA second look at ${file}, alone.`)
    const second = run(`second-${at}`, [project], [file])
    if (second.status === 0 && second.hasEnded) flaky.set(`${project} ${file}`, second.files[0])
  }
}
const isFlaky = ({ project, file }) => flaky.has(`${project} ${file}`)

const counts = countsOf(first.files.map((each) => flaky.get(`${each.project} ${each.file}`) ?? each))
const leftOut =
  first.hasGivenUp || !first.hasEnded ? [] : [...counts.values()].flatMap(({ leftOut: why }) => [...why])
console.log()
printCounts(counts)
printSlow(first.files)

// Vitest has failed for a reason that no test and no file has.
const hasFailedElsewhere = !first.hasEnded || (first.status !== 0 && first.failures.length === 0)
const told = [
  ...(hasFailedElsewhere ? ['failed: vitest ended before all tests had run: see above'] : []),
  ...(first.hasGivenUp ? [`failed: not all tests ran: given up (failures: ${first.failures.length})`] : []),
  ...leftOut,
  ...first.failures.map((each) => `${isFlaky(each) ? 'flaky' : 'failed'}: ${lineOf(each)}`).toSorted(),
  lastDeepRun(),
]
const sum = (of) => [...counts.values()].reduce((total, each) => total + each[of], 0)
const passed = sum('passed')
// CI has every engine: what is left out there has failed.
const failed =
  sum('failed') +
  first.failures.filter(({ project }) => project === '').length +
  (hasFailedElsewhere ? 1 : 0) +
  (process.env['CI'] === 'true' ? leftOut.length : 0)
console.log(`\n${told.join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed, in ${Math.round((Date.now() - begun) / 1000)} s`)
if (process.env['ISOTHERM_COUNTS'] !== undefined)
  writeFileSync(process.env['ISOTHERM_COUNTS'], [`${passed} ${failed}`, ...told, ''].join('\n'))
process.exitCode = failed > 0 || (passed === 0 && leftOut.length === 0) ? 1 : 0
