#!/usr/bin/env node
// Kills a migrator before each of its calls to the database, after each statement of a slow one, and at 50 random moments, in
// both dialects, and prints what became of it. Takes some minutes; the test suite runs a sample of the same.
import { spawnSync } from 'node:child_process'

const arguments_ = ['run', '--project', 'spanner', 'test/migrations/crash.test.ts']
const { status } = spawnSync('node_modules/.bin/vitest', arguments_, {
  cwd: new URL('..', import.meta.url),
  env: { ...process.env, ISOTHERM_CRASHES: 'all' },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
