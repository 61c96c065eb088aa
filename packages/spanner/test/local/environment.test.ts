import { spannerPostgresql } from '@isotherm/spanner'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import type { SpannerEmulator } from '@isotherm/spanner/local'

// An emulator starts in half a second, but not on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let users: SpannerEmulator

beforeAll(async () => {
  users = await startSpannerEmulator({ launchers: ['binary'] })
  await users.database({ name: 'users-own' })
})
afterAll(() => users.stop())
afterEach(() => {
  vi.unstubAllEnvs()
})

async function instances(): Promise<string[]> {
  const [found] = await users.client.getInstances()
  return found.map((instance) => instance.formattedName_.split('/').pop() ?? '')
}

it('startSpannerEmulator() uses the emulator of SPANNER_EMULATOR_HOST by default', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', users.host)
  await using emulator = await startSpannerEmulator()
  expect(emulator).toMatchObject({
    launcher: 'environment',
    host: users.host,
    pid: undefined,
    description: `Cloud Spanner emulator (SPANNER_EMULATOR_HOST=${users.host})`,
  })
  const database = await emulator.database({ ddl: ['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'] })
  const [rows] = await database.run('SELECT Id FROM T')
  expect(rows).toEqual([])
})

it('stop() deletes its databases and does not stop the emulator of SPANNER_EMULATOR_HOST', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', users.host)
  const emulator = await startSpannerEmulator()
  await Promise.all([emulator.database(), emulator.database({ dialect: spannerPostgresql })])
  await expect(emulator.database({ ddl: ['CREATE NONSENSE'] })).rejects.toThrow('NONSENSE')
  const pending = emulator.database()
  expect(await instances()).toContain(emulator.instanceId)

  await Promise.all([emulator.stop(), pending])
  await emulator.stop()
  expect(await instances()).toEqual([users.instanceId])
  const [left] = await users.client.instance(users.instanceId).getDatabases()
  expect(left.map((database) => database.formattedName_.split('/').pop())).toEqual(['users-own'])
})

it('database() deletes a database whose DDL fails, so that the name can be used again', async () => {
  await using emulator = await startSpannerEmulator({ launchers: ['binary'] })
  const table = 'CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'
  await expect(emulator.database({ name: 'half', ddl: [table, 'CREATE NONSENSE'] })).rejects.toThrow(
    'NONSENSE',
  )
  const [left] = await emulator.client.instance(emulator.instanceId).getDatabases()
  expect(left).toEqual([])
  const database = await emulator.database({ name: 'half', ddl: [table] })
  expect(await database.run('SELECT Id FROM T')).toHaveLength(3)
})

it('two users of the emulator of SPANNER_EMULATOR_HOST have separate databases of the same name', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', users.host)
  const [one, two] = await Promise.all([startSpannerEmulator(), startSpannerEmulator()])
  const kept = await two.database({ name: 'same' })
  await one.database({ name: 'same' })
  await one.stop()
  expect(await kept.run('SELECT 1')).toHaveLength(3)
  await two.stop()
})

it('startSpannerEmulator() with the launcher binary ignores SPANNER_EMULATOR_HOST', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', users.host)
  await using emulator = await startSpannerEmulator({ launchers: ['binary'] })
  expect(emulator.host).not.toBe(users.host)
  await emulator.database({ name: 'users-own' })
  expect(process.env['SPANNER_EMULATOR_HOST']).toBe(users.host)
})

it('startSpannerEmulator() ignores SPANNER_EMULATOR_HOST when an option needs a new emulator', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', users.host)
  await using emulator = await startSpannerEmulator({ faultInjection: true })
  expect(emulator.launcher).not.toBe('environment')
})

it('startSpannerEmulator() tries no other launcher when SPANNER_EMULATOR_HOST does not answer', async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', '127.0.0.1:1')
  await expect(startSpannerEmulator({ timeoutMs: 1_000 })).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(
      /environment: SPANNER_EMULATOR_HOST=127\.0\.0\.1:1 is not ready: no answer .*ECONNREFUSED.*\n.*binary: not tried, .*\n.*docker: not tried, /,
    ),
  })
})
