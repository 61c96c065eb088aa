import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { IsothermError } from '@isotherm/core'
import { afterEach, expect, test, vi } from 'vitest'
import { runDemo } from '../src/demo.js'
import { startEngine } from '../src/engine.js'
import { generatedLog } from '../src/log/log-source.js'

const { signal } = new AbortController()
/** As on a machine with Node alone: the binaries of this one may be in a folder that no variable hides. */
const noEmulator = async (): Promise<never> => {
  throw new IsothermError('ENGINE_UNAVAILABLE', 'No Cloud Spanner emulator.')
}

afterEach(() => vi.unstubAllEnvs())

test('without an emulator the demo runs on PGlite, says so, and stores every row', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', undefined)
  const engine = await startEngine({}, signal, noEmulator)
  const out = new PassThrough()
  const printed = textOf(out)
  try {
    expect(engine.description).toMatch(/^PGlite, PostgreSQL \d+/)
    expect(engine.notes[0]).toContain('No Spanner emulator was found')
    const log = generatedLog(2_000)
    const { inTable, newest, byShard, pages } = await runDemo({ engine, log, out })
    expect(inTable).toBe(2_000)
    expect(byShard.every((rows) => rows > 0)).toBe(true)
    const times = newest.map(({ time }) => time.getTime())
    expect(times).toEqual(times.toSorted((one, other) => other - one))
    expect(newest).toHaveLength(20)
    expect(pages.flat().map(({ id }) => id)).toEqual(newest.slice(0, 10).map(({ id }) => id))
  } finally {
    out.end()
    await engine.stop()
  }
  expect(await printed).toContain('2,000 rows stored of 2,000 read')
})

test('an emulator that is asked for, or that the environment names, is not replaced', async () => {
  await expect(startEngine({ engine: 'spanner' }, signal, noEmulator)).rejects.toThrow(
    'No Cloud Spanner emulator',
  )
  vi.stubEnv('SPANNER_EMULATOR_HOST', 'localhost:1')
  await expect(startEngine({}, signal, noEmulator)).rejects.toThrow('No Cloud Spanner emulator')
})
