import { afterAll, vi } from 'vitest'
import { endFile } from './end-of-file.js'

// A test file leaves nothing behind for the next, with which it shares its process.

const environment = { ...process.env }

afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  await endFile()
})
