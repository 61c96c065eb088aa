#!/usr/bin/env node
// `pnpm test [file …]`: the tests that every change passes, and what they came to.
//
// A file on an engine that fails is looked at a second time, alone and in a new process, if there are at most two of them. When it
// passes then, the run passes and says `flaky: FILE: TEST` with what failed first: a fault to find, which is not of this change.
// Tests without an engine get no second look.
//
// With ISOTHERM_COUNTS=FILE, the numbers of passed and failed tests and the lines to repeat are written there.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECTS = {
  unit: 'no engine',
  'legacy-decorators': 'no engine, legacy decorators',
  spanner: 'Spanner, both dialects',
  cassandra: 'Cassandra',
}
const ON_ENGINE = ['spanner', 'cassandra']
const SECOND_LOOKS = 2
/** As vitest.config.ts says. */
const GIVES_UP_AT = 20

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'isotherm-test-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

let runs = 0
/** @returns what vitest came to; `undefined` if it ended before it could say */
function run(projects, files) {
  const summary = join(scratch, `${runs++}.json`)
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', ...projects.flatMap((name) => ['--project', name]), ...files],
    { cwd: root, stdio: 'inherit', env: { ...process.env, ISOTHERM_SUMMARY: summary } },
  )
  if (!existsSync(summary)) return undefined
  return { ...JSON.parse(readFileSync(summary, 'utf8')), passed: status === 0 }
}

const line = ({ project, file, test, message }) =>
  `${project ? `${project}: ${file}: ` : ''}${test}: ${message.split('\n')[0]}`

const begun = Date.now()
const first = run(Object.keys(PROJECTS), process.argv.slice(2))
if (first === undefined) {
  console.error('The tests ended before they were through.')
  process.exit(1)
}

const files = [...new Set(first.failures.map(({ project, file }) => `${project} ${file}`))].map((each) =>
  each.split(' '),
)
const isWorthASecondLook =
  files.length > 0 && files.length <= SECOND_LOOKS && files.every(([project]) => ON_ENGINE.includes(project))
const flaky = []
if (isWorthASecondLook) {
  for (const [project, file] of files) {
    console.log(`\nA second look at ${file}, alone.`)
    if (run([project], [file])?.passed) flaky.push(`${project} ${file}`)
  }
}
const isFlaky = ({ project, file }) => flaky.includes(`${project} ${file}`)

let passed = 0
let failed = first.failures.filter(({ project }) => project === '').length
const hasGivenUp = first.failures.length >= GIVES_UP_AT
const leftOut = []
console.log(`\n${'tests on'.padEnd(32)}${'files'.padStart(7)}${'passed'.padStart(9)}${'failed'.padStart(9)}`)
for (const [name, counts] of Object.entries(first.projects)) {
  const again = first.failures.filter((each) => each.project === name && isFlaky(each)).length
  const [ok, bad] = [counts.passed + again, counts.failed - again]
  passed += ok
  failed += bad
  if (!hasGivenUp)
    leftOut.push(...counts.leftOut.map((why) => `left out on ${PROJECTS[name] ?? name}: ${why}`))
  console.log(
    `${(PROJECTS[name] ?? name).padEnd(32)}${String(counts.files).padStart(7)}${String(ok).padStart(9)}${String(bad).padStart(9)}`,
  )
}
// CI has every engine: what is left out there has failed.
const isCi = process.env['CI'] === 'true'
if (isCi) failed += leftOut.length
for (const { what, seconds } of first.slow.slice(0, 12)) console.log(`slow: ${seconds.toFixed(0)} s: ${what}`)

const told = [
  ...(hasGivenUp ? [`failed: gave up after ${GIVES_UP_AT} failures; not all tests ran`] : []),
  ...leftOut,
  ...first.failures.filter(isFlaky).map((each) => `flaky: ${line(each)}`),
  ...first.failures.filter((each) => !isFlaky(each)).map((each) => `failed: ${line(each)}`),
]
if (told.length > 0) console.log(`\n${told.join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed, in ${Math.round((Date.now() - begun) / 1000)} s`)
if (process.env['ISOTHERM_COUNTS'] !== undefined)
  writeFileSync(process.env['ISOTHERM_COUNTS'], [`${passed} ${failed}`, ...told, ''].join('\n'))
process.exitCode = failed > 0 || (passed === 0 && leftOut.length === 0) ? 1 : 0
