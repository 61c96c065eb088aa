import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { googlesql, spanner } from '@isotherm/spanner'
import { afterAll, expect, it, vi } from 'vitest'
import { closedPort } from '../support/closed-port.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))
const id = '00000000-0000-4000-8000-000000000000'

const host = `127.0.0.1:${await closedPort()}`
vi.stubEnv('SPANNER_EMULATOR_HOST', host)
vi.stubEnv('GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS', 'false')
vi.stubEnv('GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW', 'false')
vi.stubEnv('GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_PARTITIONED_OPS', 'false')
const { Spanner } = await import('@google-cloud/spanner')
const client = new Spanner({ projectId: 'p', 'grpc.enable_http_proxy': 0 } as never)
const database = client.instance('i').database('d')
const db = openDatabase({
  driver: spanner(database, { dialect: googlesql }),
  schema: defineSchema([Thing]),
})

afterAll(() => vi.unstubAllEnvs())

it.each<[string, () => Promise<unknown>]>([
  ['get', () => db.get(Thing, { id })],
  ['insert', () => db.insert(Thing, [{ name: 'x' }])],
  ['a fan-out', () => db.fanOut(Thing).all()],
  ['a count', () => db.fanOut(Thing).count()],
  ['a transaction', () => db.transaction((tx) => tx.get(Thing, { id }))],
  ['a schema change', () => db.driver.applyDdl(['CREATE TABLE T (Id INT64) PRIMARY KEY (Id)'])],
  ['readDdl()', () => db.driver.readDdl()],
  [
    'db.ready(), which asks for the dialect',
    () => openDatabase({ driver: spanner(client.instance('i').database('e')), schema: db.schema }).ready(),
  ],
])(
  'a refused connection throws UNAVAILABLE with the host and SPANNER_EMULATOR_HOST in the message from %s',
  async (_, call) => {
    await expect(call()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(
        new RegExp(
          `^Connections to ${host} are refused \\(ECONNREFUSED\\), which SPANNER_EMULATOR_HOST names\\.`,
        ),
      ) as string,
    })
  },
  8_000,
)
