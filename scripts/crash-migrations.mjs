#!/usr/bin/env node
// Kills a migrator and prints what became of it: before each of its calls to the database, and on Spanner after each statement
// of a slow one, and at 50 random moments, in both dialects; on Cassandra while each call is under way, too. Takes some minutes;
// the deep suite runs a sample of the same.
import { spawnSync } from 'node:child_process'

const suites = [
  ['spanner', 'test/migrations/crash-at-random.test.ts'],
  ['cassandra', 'test/cassandra/migrations/crash-at-random.test.ts'],
]
for (const [project, file] of suites) {
  const { status } = spawnSync('node_modules/.bin/vitest', ['run', '--project', project, file], {
    cwd: new URL('..', import.meta.url),
    env: { ...process.env, ISOTHERM_CRASHES: 'all', ISOTHERM_DEEP: '1' },
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = status ?? 1
}
