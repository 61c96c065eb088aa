import { googlesql, spannerPostgresql } from '@isotherm/spanner'
// Runs only where there is a Docker engine that has, or can pull, the emulator's image: see test/docker/with-docker.sh.
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import type { SpannerEmulator } from '@isotherm/spanner/local'
import { isOpen, portOf } from '../../../core/test/local/support/processes.js'
import { until } from '../../../core/test/local/support/until.js'

const launchers = ['docker'] as const
const items = ['CREATE TABLE Item (Id INT64 NOT NULL) PRIMARY KEY (Id)']
let emulator: SpannerEmulator

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

beforeAll(async () => {
  emulator = await startSpannerEmulator({ launchers })
})
afterAll(() => emulator.stop())

it('startSpannerEmulator() with Docker describes the image and the port', () => {
  expect(emulator).toMatchObject({
    launcher: 'docker',
    pid: undefined,
    description: `Cloud Spanner emulator (Docker image gcr.io/cloud-spanner-emulator/emulator, port ${portOf(emulator.host)})`,
  })
})

it.each([googlesql, spannerPostgresql])(
  'an emulator in Docker serves a database in $name',
  async (dialect) => {
    const ddl = dialect.name === 'googlesql' ? items : ['CREATE TABLE item (id bigint PRIMARY KEY)']
    const database = await emulator.database({ dialect, ddl })
    await database.table(dialect.name === 'googlesql' ? 'Item' : 'item').insert([{ Id: 1 }])
    const [rows] = await database.run({ sql: 'SELECT COUNT(*) AS n FROM Item', json: true })
    expect(rows).toEqual([{ n: 1 }])
  },
)

it('an emulator in Docker accepts options, runs beside another emulator, and stops', async () => {
  const other = await startSpannerEmulator({ launchers, disableNullFilteredIndexCheck: true })
  expect(other.host).not.toBe(emulator.host)
  const database = await other.database({
    ddl: [
      'CREATE TABLE T (Id INT64 NOT NULL, A INT64) PRIMARY KEY (Id)',
      'CREATE NULL_FILTERED INDEX ByA ON T (A)',
    ],
  })
  const sql = 'SELECT A FROM T@{FORCE_INDEX=ByA} WHERE A IS NOT NULL'
  const [rows] = await database.run(sql)
  expect(rows).toEqual([])
  await other.stop()
  await until('its port is free', async () => !(await isOpen(other.host)))
  await expect(other.database()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
})

it('startSpannerEmulator() throws ENGINE_UNAVAILABLE when the Docker image cannot be pulled', async () => {
  const start = startSpannerEmulator({ launchers, image: 'localhost:1/no-such-image' })
  await expect(start).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: expect.stringMatching(/docker: .*no-such-image|docker: .*connection refused/i),
  })
})
