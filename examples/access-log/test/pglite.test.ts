import { IsothermError } from '@isotherm/core'
import { afterEach, expect, test, vi } from 'vitest'
import { startEngine } from '../src/engine.js'
import { storesEveryRow } from './stores-every-row.js'

const { signal } = new AbortController()
/** As on a machine with Node alone: this machine may have the emulator in a folder that no variable hides. */
const noEmulator = async (): Promise<never> => {
  throw new IsothermError('ENGINE_UNAVAILABLE', 'No Cloud Spanner emulator.')
}

afterEach(() => vi.unstubAllEnvs())

test('the demo without an emulator runs on PGlite, notes the missing emulator, and stores every row', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', undefined)
  const engine = await startEngine({}, signal, noEmulator)
  try {
    expect(engine.description).toMatch(/^PGlite, PostgreSQL \d+/)
    expect(engine.notes[0]).toContain('No Spanner emulator was found')
    expect(await storesEveryRow(engine)).toContain('2,000 rows stored of 2,000 read')
  } finally {
    await engine.stop()
  }
})

test('startEngine() throws when an emulator that the option or the environment names is missing', async () => {
  await expect(startEngine({ engine: 'spanner' }, signal, noEmulator)).rejects.toThrow(
    'No Cloud Spanner emulator',
  )
  vi.stubEnv('SPANNER_EMULATOR_HOST', 'localhost:1')
  await expect(startEngine({}, signal, noEmulator)).rejects.toThrow('No Cloud Spanner emulator')
})
