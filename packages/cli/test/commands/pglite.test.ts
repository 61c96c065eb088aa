import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RawClient } from '../../../postgresql/test/support/raw-client.js'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const COMMAND = path('../../bin/isotherm.js')

const MODELS = `import { defineTable } from '@isotherm/core'
export const Visit = defineTable('Visit', (t) => ({ id: t.int64().key() }))
`

const folder = mkdtempSync(join(tmpdir(), 'isotherm-emulator-'))
const running = new Set<ChildProcess>()

beforeAll(() => {
  const config = { dialect: 'postgresql', schema: './models.mjs', database: 'pglite:./data' }
  writeFileSync(join(folder, 'isotherm.config.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'models.mjs'), MODELS)
  symlinkSync(path('../../node_modules'), join(folder, 'node_modules'))
})
afterAll(() => {
  for (const process of running) process.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(...words: readonly string[]): {
  readonly process: ChildProcess
  readonly printed: () => string
} {
  const { ISOTHERM_DATABASE: _, ISOTHERM_DIALECT: __, ISOTHERM_CONFIG: ___, ...env } = process.env
  const child = spawn(process.execPath, [COMMAND, ...words], { cwd: folder, env })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)))
  return { process: child, printed: () => text }
}

async function run(...words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const { process: child, printed } = start(...words)
  const [code] = (await once(child, 'close')) as [number]
  return { code, text: printed() }
}

/** Works while the emulator runs, and ends it by SIGTERM. */
async function served<T>(
  work: (url: string) => Promise<T>,
  options: readonly string[] = [],
  data = './data',
): Promise<T> {
  const { process: child, printed } = start('emulator', '--port', '0', ...options)
  const ended = once(child, 'close')
  while (!printed().includes('Ctrl+C stops it.')) {
    const hasEnded = await Promise.race([ended, once(child.stdout!, 'data').then(() => undefined)])
    if (hasEnded) throw new Error(printed())
  }
  expect(printed()).toMatch(/^PGlite, PostgreSQL 18\.\S+ at 127\.0\.0\.1:\d+, data in /)
  expect(printed()).toContain(`, data in ${data}\n`)
  const [, url] = /export ISOTHERM_DATABASE=(\S+)/.exec(printed())!
  try {
    return await work(url!)
  } finally {
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }
}

async function ask(url: string, text: string): Promise<readonly string[]> {
  const client = await RawClient.start(Number(new URL(url).port))
  try {
    return await client.column(text)
  } finally {
    client.socket.destroy()
  }
}

it('isotherm emulator serves the folder of the configuration, and the rows are there at the next start', async () => {
  await served(async (url) => {
    expect(await run('push', '--database', url)).toMatchObject({ code: 0 })
    await ask(url, 'INSERT INTO "Visit" VALUES (7)')
  })
  expect(await served((url) => ask(url, 'SELECT id FROM "Visit"'))).toEqual(['7'])
  // The lock is given free.
  expect(readdirSync(folder)).not.toContain('data.lock')
})

it('isotherm emulator serves the folder of --database, whatever dialect the configuration is for', async () => {
  writeFileSync(join(folder, 'production.json'), JSON.stringify({ dialect: 'googlesql' }))
  const options = ['--config', './production.json', '--database', 'pglite:./local']
  expect(await served((url) => ask(url, 'SELECT 1'), options, './local')).toEqual(['1'])
  const other = await run('emulator', '--dialect', 'postgresql', '--database', 'cassandra://host/shop?dc=dc1')
  expect(other).toEqual({ code: 2, text: expect.stringContaining('of another engine than postgresql') })
  for (const address of ['cassandra://host/shop?dc=dc1', 'pglite:', 'shop:orders']) {
    const refused = await run('emulator', '--database', address)
    expect(refused).toEqual({
      code: 2,
      text: expect.stringContaining(`${address}", where an id is expected`),
    })
  }
})
