import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasCassandraOnly, usesDrizzle } from '../../src/project/uses-drizzle.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-manifest-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

it.each([
  [{ dependencies: { 'cassandra-driver': '4' } }, true, false],
  [{ devDependencies: { 'cassandra-driver': '4' }, dependencies: { 'drizzle-orm': '1' } }, true, true],
  [{ dependencies: { 'cassandra-driver': '4', '@google-cloud/spanner': '8' } }, false, false],
  [{ dependencies: { '@google-cloud/spanner': '8' } }, false, false],
  [{}, false, false],
  ['nothing', false, false],
])('tells of %j which database it is for', (manifest, cassandra, drizzle) => {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  expect([hasCassandraOnly(folder), usesDrizzle(folder)]).toEqual([cassandra, drizzle])
})

it('knows nothing of a folder without package.json', () => {
  expect([hasCassandraOnly(folder), usesDrizzle(folder)]).toEqual([false, false])
})
