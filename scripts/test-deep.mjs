#!/usr/bin/env node
// Every test and every check, those that `pnpm test` leaves out too: long ones, random tests in full with a new seed, kills,
// clusters, Docker, other versions of Node, of Google's client and of Drizzle, and proof that the checks can fail.
//
//   pnpm test:deep                      everything
//   pnpm test:deep test/migrations      the tests whose paths contain this
//   pnpm test:deep --project cassandra  the tests of one project
//   ISOTHERM_SEED=7 pnpm test:deep …    with the seed that an earlier run has printed
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_24 = '24.11.0'

const root = fileURLToPath(new URL('..', import.meta.url))
const chosen = process.argv.slice(2)
const seed = (process.env['ISOTHERM_SEED'] ??= String(Date.now() % 2 ** 31))
process.env['ISOTHERM_DEEP'] ??= '1'

/** @returns the exit code */
const run = (command, ...rest) => spawnSync(command, rest, { cwd: root, stdio: 'inherit' }).status ?? 1
const vitest = (...rest) => run(process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...rest)

if (chosen.length > 0) {
  console.log(`Random tests: seed ${seed}, all runs.`)
  process.exit(vitest(...chosen))
}

const scratch = mkdtempSync(join(tmpdir(), 'isotherm-deep-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
const node24 = join(scratch, 'node_modules/node/bin/node')

/** Docker that cannot start here is told of, and is no failure. */
const NO_DOCKER = 75
const steps = [
  ['tests without an engine', () => vitest('--project', 'unit', '--project', 'legacy-decorators')],
  ['tests on Spanner', () => vitest('--project', 'spanner')],
  ['tests on Cassandra', () => vitest('--project', 'cassandra')],
  ['Drizzle 0.45.0, the oldest that is supported', () => vitest('--project', 'drizzle-0.45.0')],
  ['client 8.0.0, the oldest that is supported', () => run('bash', 'test/other-clients.sh', '8.0.0', 'node')],
  [
    `Node ${NODE_24}`,
    () =>
      run('npm', 'install', '--no-save', '--no-audit', '--no-fund', '--prefix', scratch, `node@${NODE_24}`),
  ],
  [
    'tests without an engine, on Node 24',
    () =>
      run(
        node24,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        'unit',
        '--project',
        'legacy-decorators',
      ),
  ],
  ['client 9.0.0, on Node 24', () => run('bash', 'test/other-clients.sh', '9.0.0', node24)],
  [
    'engines in Docker',
    () => run('bash', 'test/docker/with-docker.sh', 'npx', 'vitest', 'run', '--project', 'docker'),
  ],
  ['guards of the linter', () => run('node', 'scripts/check-guards.mjs')],
  ['guards of the docs', () => run('node', 'scripts/check-docs-guards.mjs')],
  ['guards of the parity', () => run('node', 'scripts/check-drizzle-parity-guards.mjs')],
]

const outcomes = steps.map(([name, step]) => {
  console.log(`\n==== ${name}`)
  const begun = Date.now()
  const status = step()
  const outcome = status === 0 ? 'passed' : status === NO_DOCKER ? 'could not run here' : 'failed'
  return { name, outcome, seconds: Math.round((Date.now() - begun) / 1000) }
})

console.log(`\nRandom tests: seed ${seed} (ISOTHERM_SEED=${seed} runs them again).\n`)
for (const { name, outcome, seconds } of outcomes)
  console.log(`${outcome.padEnd(20)}${String(seconds).padStart(5)} s  ${name}`)
const failed = outcomes.filter(({ outcome }) => outcome === 'failed').length
console.log(`\n${outcomes.filter(({ outcome }) => outcome === 'passed').length} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
