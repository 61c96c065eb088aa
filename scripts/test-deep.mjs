#!/usr/bin/env node
// Every test and every check, those that `pnpm test` leaves out too: long ones, random tests in full with a new seed, kills,
// clusters, Docker, other versions of Node, of Google's client and of Drizzle, and proof that the checks can fail.
//
//   pnpm test:deep                      everything, which takes hours
//   pnpm test:deep --resume             what is left of a run of everything that was interrupted, with its seed
//   pnpm test:deep test/migrations      the tests whose paths contain this
//   pnpm test:deep --project cassandra  the tests of one engine: spanner, cassandra, pglite, postgresql, unit, docker …
//   ISOTHERM_SEED=7 pnpm test:deep …    with the seed that an earlier run has printed
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rememberDeepRun } from './tests/last-deep-run.mjs'
import { countsOf, GATE, lineOf, PROJECTS, printCounts, printSlow, root, runTests } from './tests/run.mjs'

const NODE_24 = '24.11.0'
/** The exit status of what cannot start on this machine, such as Docker: it is reported, and is not a failure. */
const CANNOT_START = 75
const COULD_NOT_RUN = 'could not run here'

/** Here an interrupted run is found again. */
const kept = join(root, 'node_modules/.cache/isotherm-deep')
const scratch = mkdtempSync(join(tmpdir(), 'isotherm-deep-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
process.env['ISOTHERM_DEEP'] ??= '1'
// An engine that cannot be had fails the run: nothing is left out in silence.
process.env['CI'] ??= 'true'

const given = process.argv.slice(2)
const isResumed = given.includes('--resume')
const patterns = given.filter((each) => each !== '--resume')
if (isResumed && patterns.length > 0) {
  console.error('--resume goes on with a run of everything. Leave out the other arguments.')
  process.exit(1)
}

function newSeed() {
  return (process.env['ISOTHERM_SEED'] ??= String(Date.now() % 2 ** 31))
}

/** What is left out has not passed. */
const asFailure = (why) => ({ project: '', file: '', test: 'left out', message: why })

function runChosen() {
  const seed = newSeed()
  console.log(`Random tests: seed ${seed}, all runs.`)
  const named = patterns.some((each) => each === '--project' || each.startsWith('--project='))
  const { files, failures, status, hasEnded } = runTests(
    join(scratch, 'results'),
    named ? [] : GATE,
    patterns,
  )
  const counts = countsOf(files)
  console.log()
  printCounts(counts)
  printSlow(files)
  for (const { leftOut } of counts.values()) for (const why of leftOut) console.log(why)
  printFailures(failures, seed)
  process.exitCode = status === 0 && hasEnded ? 0 : 1
}

function runAll() {
  const commit = git('rev-parse', 'HEAD')
  const state = isResumed ? resumedState(commit) : newState(commit)
  process.env['ISOTHERM_SEED'] = state.seed
  process.env['ISOTHERM_RUNS'] = state.runs
  if (!isResumed) rmSync(kept, { recursive: true, force: true })
  mkdirSync(kept, { recursive: true })
  keep({ ...state, pid: process.pid })
  console.log(`Random tests: seed ${state.seed}, all runs. If this is interrupted: pnpm test:deep --resume`)

  const ran = []
  for (const [name, step] of Object.entries(stepsOf())) {
    if (state.outcomes[name] === undefined) {
      console.log(`\n==== ${name}`)
      const begun = Date.now()
      const {
        status,
        failures = [],
        files = [],
        command,
      } = step(join(kept, `${name.replaceAll(/\W+/g, '-')}.jsonl`))
      const outcome = status === 0 ? 'passed' : status === CANNOT_START ? COULD_NOT_RUN : 'failed'
      state.outcomes[name] = {
        outcome,
        seconds: Math.round((Date.now() - begun) / 1000),
        failures,
        files,
        command,
      }
      keep({ ...state, pid: process.pid })
    }
    ran.push([name, state.outcomes[name]])
  }

  console.log(`\nRandom tests: seed ${state.seed} (ISOTHERM_SEED=${state.seed} runs them again).\n`)
  const counts = countsOf(ran.flatMap(([, { files }]) => files))
  printCounts(counts)
  console.log()
  for (const [name, { outcome, seconds }] of ran)
    console.log(`${outcome.padEnd(20)}${String(seconds).padStart(6)} s  ${name}`)
  const failures = ran.flatMap(([, each]) => each.failures)
  for (const [name, each] of ran) {
    printFailures(each.failures, state.seed, each.command)
    if (each.outcome === 'failed' && each.failures.length === 0)
      console.log(`\nfailed: ${name}${each.command ? `\n  ${each.command}` : ''}`)
  }

  const tests = [...counts.values()]
  const otherSteps = ran.filter(([, { files }]) => files.length === 0)
  const passed =
    tests.reduce((sum, each) => sum + each.passed, 0) +
    otherSteps.filter(([, { outcome }]) => outcome === 'passed').length
  // A step whose tests were all passed can have failed: it ended before its time.
  const failed =
    failures.length + ran.filter(([, each]) => each.outcome === 'failed' && each.failures.length === 0).length
  const isOfCommit =
    state.isClean && git('status', '--porcelain') === '' && git('rev-parse', 'HEAD') === commit
  if (isOfCommit && state.runs === '1') {
    const date = new Date().toISOString().slice(0, 10)
    const leftOut = ran.filter(([, each]) => each.outcome === COULD_NOT_RUN).map(([name]) => name)
    rememberDeepRun({ commit, date, seed: state.seed, passed, failed, leftOut })
    console.log('\nWritten down in test/last-deep-run.json, which `pnpm test` repeats: commit it.')
  } else
    console.log(
      '\nNot written down: there are changes that are not committed, another commit, or other numbers of runs.',
    )
  rmSync(kept, { recursive: true, force: true })
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

function newState(commit) {
  refuseWhileRunning(keptState())
  const isClean = git('status', '--porcelain') === ''
  return { commit, isClean, seed: newSeed(), runs: process.env['ISOTHERM_RUNS'] ?? '1', outcomes: {} }
}

const stateFile = () => join(kept, 'state.json')

function keep(state) {
  writeFileSync(`${stateFile()}.new`, JSON.stringify(state))
  renameSync(`${stateFile()}.new`, stateFile())
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function keptState() {
  return existsSync(stateFile()) ? JSON.parse(readFileSync(stateFile(), 'utf8')) : undefined
}

function refuseWhileRunning(state) {
  if (state === undefined || !isRunning(state.pid)) return
  console.error(
    `Process ${state.pid} runs all deep tests of this folder already. Wait for it, or stop it first.`,
  )
  process.exit(1)
}

function resumedState(commit) {
  const state = keptState()
  refuseWhileRunning(state)
  if (state?.commit === commit) return state
  console.error(
    state === undefined
      ? 'There is no interrupted run to go on with. Leave out --resume.'
      : `The interrupted run is of commit ${state.commit.slice(0, 9)}, and this is ${commit.slice(0, 9)}. Check that out, or leave out --resume.`,
  )
  process.exit(1)
}

/** In their order: what each of them runs, given where its results are kept. */
function stepsOf() {
  const node24 = join(scratch, 'node_modules/node/bin/node')
  const withNode24 = (step) => (results) => {
    const install = [
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefix',
      scratch,
      `node@${NODE_24}`,
    ]
    const installed = existsSync(node24) ? 0 : run('npm', ...install)
    const result = installed === 0 ? step(results) : { status: installed }
    // The binary is gone when this script ends; npm has it for a command.
    const { command: own = `node node_modules/vitest/vitest.mjs run` } = result
    return { ...result, command: `npx -y --package node@${NODE_24} -- ${own.replace(node24, 'node')}` }
  }
  const tests =
    (projects, options = {}) =>
    (results) => {
      const { files, failures, status, hasEnded } = runTests(results, projects, [], options)
      const leftOut = [...countsOf(files).values()].flatMap((each) => [...each.leftOut])
      const all = [...failures, ...leftOut.map(asFailure)]
      return { files, failures: all, status: hasEnded && all.length === 0 ? status : status || 1 }
    }
  const command =
    (...words) =>
    () => ({ status: run(...words), command: words.join(' ') })
  return {
    'tests without an engine': tests(['unit', 'legacy-decorators']),
    'tests on PGlite and PostgreSQL': tests(['pglite', 'postgresql']),
    'tests on Spanner': tests(['spanner']),
    'tests on Cassandra': tests(['cassandra']),
    'Drizzle 0.45.0, the oldest that is supported': tests(['drizzle-0.45.0']),
    'client 8.0.0, the oldest that is supported': command('bash', 'test/other-clients.sh', '8.0.0', 'node'),
    'tests without an engine, on Node 24': withNode24(tests(['unit', 'legacy-decorators'], { node: node24 })),
    'client 9.0.0, on Node 24': withNode24(command('bash', 'test/other-clients.sh', '9.0.0', node24)),
    [PROJECTS['docker']]: command(
      'bash',
      'test/docker/with-docker.sh',
      'npx',
      'vitest',
      'run',
      '--project',
      'docker',
    ),
    'guards of the linter': command('node', 'scripts/check-guards.mjs'),
    'guards of the docs': command('node', 'scripts/check-docs-guards.mjs'),
    'guards of words and names': command('node', 'scripts/check-prose-guards.mjs'),
    'guards of the parity': command('node', 'scripts/check-drizzle-parity-guards.mjs'),
  }
}

/** @param command what runs test files, where it is another one than `pnpm test:deep` */
function printFailures(failures, seed, command) {
  const runner = command === undefined ? 'npx -y pnpm@12 test:deep' : `ISOTHERM_DEEP=1 ${command}`
  for (const failure of failures) {
    const { project, file } = failure
    console.log(`\nfailed: ${lineOf(failure)}`)
    if (project !== '') console.log(`  ISOTHERM_SEED=${seed} ${runner} ${file} --project ${project}`)
  }
}

/** @returns the exit status */
function run(program, ...rest) {
  return spawnSync(program, rest, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function git(...rest) {
  return spawnSync('git', rest, { cwd: root, encoding: 'utf8' }).stdout.trim()
}

if (patterns.length > 0) runChosen()
else runAll()
