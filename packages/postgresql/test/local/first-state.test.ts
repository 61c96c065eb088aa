import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPglite } from '@isotherm/postgresql/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keepFirstState } from '../../src/local/first-state.js'

const cache = mkdtempSync(join(tmpdir(), 'isotherm-cache-'))
const { XDG_CACHE_HOME } = process.env
beforeAll(() => {
  process.env['XDG_CACHE_HOME'] = cache
})
afterAll(() => {
  if (XDG_CACHE_HOME === undefined) delete process.env['XDG_CACHE_HOME']
  else process.env['XDG_CACHE_HOME'] = XDG_CACHE_HOME
  rmSync(cache, { recursive: true })
})

const kept = (): string[] => readdirSync(join(cache, 'isotherm'))
const fileKept = (): string => join(cache, 'isotherm', kept()[0]!)

async function tablesOf(folder?: string): Promise<unknown[]> {
  await using started = await startPglite(folder === undefined ? {} : { folder })
  const { rows } = await started.client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  return rows.map(({ name }) => name)
}

it('startPglite() keeps the first new database, and later databases begin from it', async () => {
  await using first = await startPglite()
  expect(kept()).toEqual([expect.stringMatching(/^pglite-\d+\.\d+\.\d+$/)])
  // A table that shows whether the kept database is used.
  await first.client.exec('CREATE TABLE mark (id bigint)')
  await keepFirstState(first.client)
  expect(kept()).toHaveLength(1)
  expect(await tablesOf()).toEqual(['mark'])
  const folder = join(cache, 'data')
  expect(await tablesOf(folder)).toEqual(['mark'])
  // A folder with data stays as it is.
  expect(await tablesOf(folder)).toEqual(['mark'])
})

it('startPglite() replaces a kept database whose file is damaged', async () => {
  const content = readFileSync(fileKept())
  content[content.length - 1]! ^= 1
  writeFileSync(fileKept(), content)
  expect(await tablesOf()).toEqual([])
  expect(readFileSync(fileKept()).equals(content)).toBe(false)
})

it('startPglite() starts a database although the cache folder cannot be created', async () => {
  process.env['XDG_CACHE_HOME'] = fileKept()
  try {
    expect(await tablesOf()).toEqual([])
  } finally {
    process.env['XDG_CACHE_HOME'] = cache
  }
  expect(existsSync(fileKept())).toBe(true)
})
