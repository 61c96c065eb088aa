// The last run of all deep tests: `pnpm test:deep` writes it down, and `pnpm test` says it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const FILE = join(root, 'test/last-deep-run.json')

/** @param run `commit`, `date`, `seed`, `passed`, `failed`, and the names of the steps that were `leftOut` */
export function rememberDeepRun(run) {
  writeFileSync(FILE, `${JSON.stringify(run, undefined, 2)}\n`)
}

/** In one line. */
export function lastDeepRun() {
  if (!existsSync(FILE)) return 'last deep run: none is written down'
  const { commit, date, seed, passed, failed, leftOut = [] } = JSON.parse(readFileSync(FILE, 'utf8'))
  const without = leftOut.length > 0 ? `, left out: ${leftOut.join(', ')}` : ''
  return `last deep run: ${commit.slice(0, 9)} on ${date}, seed ${seed}: ${passed} passed, ${failed} failed${without}`
}
