import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import { isAlive, isOpen, portOf } from '../../../core/test/local/support/processes.js'
import { scriptFolder } from '../../../core/test/local/support/child-script.js'
import { until } from '../../../core/test/local/support/until.js'

// An emulator starts in half a second, but not on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

const launchers = ['binary'] as const
const items = ['CREATE TABLE Item (Id INT64 NOT NULL) PRIMARY KEY (Id)']

function pidOf(emulator: SpannerEmulator): number {
  if (emulator.pid === undefined) throw new Error(`${emulator.description} has no process id`)
  return emulator.pid
}

describe('an emulator from a binary', () => {
  let emulator: SpannerEmulator

  beforeAll(async () => {
    emulator = await startSpannerEmulator({ launchers })
  })
  afterAll(() => emulator.stop())

  it('has a description with its binary and port', () => {
    expect(emulator.launcher).toBe('binary')
    expect(emulator.host).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(emulator.description).toMatch(
      new RegExp(String.raw`^Cloud Spanner emulator \(binary /\S+, port ${portOf(emulator.host)}\)$`),
    )
    expect(isAlive(pidOf(emulator))).toBe(true)
  })

  it('answers through its client, an instance of the class Spanner that users import', async () => {
    const { Spanner } = await import('@google-cloud/spanner')
    expect(emulator.client).toBeInstanceOf(Spanner)
    const [configs] = await emulator.client.getInstanceConfigs()
    expect(configs.map((config) => config.name)).toEqual([
      `projects/${emulator.projectId}/instanceConfigs/emulator-config`,
    ])
  })

  it('does not set SPANNER_EMULATOR_HOST', () => {
    expect(process.env['SPANNER_EMULATOR_HOST']).toBeUndefined()
  })

  it.each([
    { dialect: googlesql, ddl: items, insert: 'INSERT INTO Item (Id) VALUES (1), (2)' },
    {
      dialect: spannerPostgresql,
      ddl: ['CREATE TABLE item (id bigint PRIMARY KEY)', 'CREATE INDEX by_id ON item (id DESC)'],
      insert: 'INSERT INTO item (id) VALUES (1), (2)',
    },
  ] as const)('creates a database in $dialect', async ({ dialect, ddl, insert }) => {
    const database = await emulator.database({ dialect, ddl })
    const inserted = await database.runTransactionAsync(async (transaction) => {
      const [count] = await transaction.runUpdate(insert)
      await transaction.commit()
      return count
    })
    expect(inserted).toBe(2)
    const [rows] = await database.run({ sql: 'SELECT COUNT(*) AS n FROM Item', json: true })
    expect(rows).toEqual([{ n: 2 }])
    expect(database.listenerCount('error')).toBeGreaterThan(0)
  })

  it('creates databases concurrently with unique names, and a database with a given name', async () => {
    const databases = await Promise.all([1, 2, 3].map(() => emulator.database({ ddl: items })))
    expect(new Set(databases.map((database) => database.id)).size).toBe(3)
    const named = await emulator.database({ name: 'by-name' })
    expect(named.formattedName_).toBe(
      `projects/${emulator.projectId}/instances/${emulator.instanceId}/databases/by-name`,
    )
  })

  it('throws DATABASE for DDL that the emulator rejects', async () => {
    const made = emulator.database({ name: 'refused', ddl: ['CREATE NONSENSE'] })
    await expect(made).rejects.toMatchObject({
      code: 'DATABASE',
      message: expect.stringContaining("Encountered 'NONSENSE'"),
      cause: expect.objectContaining({ code: 3 }),
    })
  })

  it('does not use the proxy of https_proxy', async () => {
    vi.stubEnv('https_proxy', 'http://127.0.0.1:1')
    vi.stubEnv('no_proxy', '')
    try {
      await using other = await startSpannerEmulator({ launchers })
      await expect(other.database({ ddl: items })).resolves.toBeDefined()
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('accepts the options disableNullFilteredIndexCheck and projectId', async () => {
    const ddl = [
      'CREATE TABLE T (Id INT64 NOT NULL, A INT64) PRIMARY KEY (Id)',
      'CREATE NULL_FILTERED INDEX ByA ON T (A)',
    ]
    const sql = 'SELECT A FROM T@{FORCE_INDEX=ByA} WHERE A IS NOT NULL'
    await using lax = await startSpannerEmulator({
      launchers,
      disableNullFilteredIndexCheck: true,
      projectId: 'elsewhere',
    })
    const [rows] = await (await lax.database({ ddl })).run(sql)
    expect(rows).toEqual([])
    expect(lax.projectId).toBe('elsewhere')
    const strict = await emulator.database({ ddl })
    // Without this the client repeats a refused query for seven seconds.
    const gaxOptions = { retryRequestOptions: { noResponseRetries: 0 } }
    await expect(strict.run({ sql, gaxOptions })).rejects.toThrow('null filtered index')
  })
})

describe('several emulators at once', () => {
  it('do not share ports or data, in one process or in two', async () => {
    const scripts = await scriptFolder('spanner')
    const script = scripts.run(`
      import { startSpannerEmulator } from './engines.mjs'
      const emulators = await Promise.all([1, 2].map(() => startSpannerEmulator({ launchers: ['binary'] })))
      console.log(JSON.stringify(emulators.map(({ host }) => host)))
      setInterval(() => {}, 1000)
    `)
    const mine = await Promise.all([1, 2].map(() => startSpannerEmulator({ launchers })))
    try {
      const hosts = [...mine.map(({ host }) => host), ...((await script.firstLine) as string[])]
      expect(new Set(hosts).size).toBe(4)

      const databases = await Promise.all(mine.map((each) => each.database({ name: 'same', ddl: items })))
      await databases[0]?.table('Item').insert([{ Id: 1 }])
      const counts: unknown[] = []
      for (const database of databases) {
        const [rows] = await database.run({ sql: 'SELECT COUNT(*) AS n FROM Item', json: true })
        counts.push(rows)
      }
      expect(counts).toEqual([[{ n: 1 }], [{ n: 0 }]])
    } finally {
      await Promise.all([scripts.remove(), ...mine.map((each) => each.stop())])
    }
  })
})

describe('the end of an emulator', () => {
  it('stop() frees process and port, also when called twice or after a database was closed or deleted', async () => {
    const emulator = await startSpannerEmulator({ launchers })
    const [closed, deleted] = await Promise.all([1, 2].map(() => emulator.database({ ddl: items })))
    await emulator.database({ ddl: items })
    await closed?.close()
    await deleted?.delete()
    await Promise.all([emulator.stop(), emulator.stop()])
    await emulator.stop()
    expect(isAlive(pidOf(emulator))).toBe(false)
    expect(await isOpen(emulator.host)).toBe(false)
    await expect(emulator.database()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
  })

  it('await using stops the emulator at the end of the block', async () => {
    let pid = 0
    {
      await using emulator = await startSpannerEmulator({ launchers })
      pid = pidOf(emulator)
      expect(isAlive(pid)).toBe(true)
    }
    expect(isAlive(pid)).toBe(false)
  })

  it('a killed emulator is reported with ENGINE_UNAVAILABLE at once, and stop() does not wait for its answers', async () => {
    const emulator = await startSpannerEmulator({ launchers })
    await emulator.database({ ddl: items })
    const pending = emulator.database({ ddl: items })
    const outcome = pending.catch((error: unknown) => error)
    process.kill(pidOf(emulator), 'SIGKILL')
    expect(await outcome).toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringMatching(/is gone: it was ended by SIGKILL\. Its output ends:/),
    })
    await expect(emulator.database()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    // No time passes for stop(): it would wait for ever if it gave the killed process time to answer.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      await emulator.stop()
    } finally {
      vi.useRealTimers()
    }
    await until('port free', async () => !(await isOpen(emulator.host)))
  })
})
