import dns from 'node:dns'
import { setTimeout as delay } from 'node:timers/promises'
import { defineSchema, defineTable, introspect, openDatabase, type Database } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { Client } from 'cassandra-driver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { closedPort } from '../../support/closed-port.js'
import { fragileEngines } from '../../support/fragile-engines.js'
import { someCases } from '../../support/runs.js'
import { clientOptions, dialects, sampledDialects } from '../support/keyspace.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))
const Hits = defineTable('Hits', (t) => ({ page: t.string().key(), count: t.counter() }))
const schema = defineSchema([Thing, Hits])
const id = '00000000-0000-4000-8000-000000000000'

const CALLS: readonly (readonly [string, (db: Database) => Promise<unknown>])[] = [
  ['get', (db) => db.get(Thing, { id })],
  ['insert', (db) => db.insert(Thing, [{ name: 'x' }])],
  ['a conditional insert', (db) => db.insert(Thing, [{ id, name: 'x' }])],
  ['update', (db) => db.update(Thing, [{ id, name: 'x' }])],
  ['increment', (db) => db.increment(Hits, [{ page: '/', count: 1n }])],
  ['a fan-out', (db) => db.fanOut(Thing).where({ id }).all()],
  ['a count', (db) => db.fanOut(Thing).where({ id }).count()],
  ['a schema change', (db) => db.driver.applyDdl(['CREATE TABLE t (id int PRIMARY KEY)'])],
  ['introspect', (db) => introspect({ driver: db.driver, dialect: [...dialects] })],
]

const refusals = [
  [`127.0.0.1:${await closedPort()}`, 'ECONNREFUSED'],
  ['nowhere.invalid:9042', 'No host could be resolved'],
] as const

/** A name server that knows no host: how long this machine's takes to say so is not what is tested. */
function forgetHosts(): void {
  for (const ask of ['resolve4', 'resolve6', 'lookup'] as const)
    vi.spyOn(dns, ask).mockImplementation((...args: unknown[]) => {
      const answer = args.at(-1) as (error: Error) => void
      answer(Object.assign(new Error(`ENOTFOUND ${String(args[0])}`), { code: 'ENOTFOUND' }))
    })
}

describe.each(sampledDialects)('unreachable nodes in $name', (dialect) => {
  describe.each(refusals)('a client whose contact point is %s', { concurrent: true }, (contactPoint, why) => {
    if (contactPoint.startsWith('nowhere')) {
      beforeAll(forgetHosts)
      afterAll(() => {
        vi.restoreAllMocks()
      })
    }

    it.each(someCases(CALLS, 2))(
      'throws UNAVAILABLE with the contact point for %s, long before the timeout',
      async (_, call) => {
        const client = new Client({
          contactPoints: [contactPoint],
          localDataCenter: 'datacenter1',
          keyspace: 'blog',
          ...clientOptions,
        })
        const db = openDatabase({ driver: cassandra(client, { dialect, timeoutMs: 3_600_000 }), schema })
        const error = await call(db).catch((caught: unknown) => caught)
        expect(error).toMatchObject({
          code: 'UNAVAILABLE',
          message: expect.stringContaining(contactPoint) as string,
          retryable: true,
        })
        expect((error as Error).message).toContain(why)
        await client.shutdown()
      },
    )
  })
})

describe.each(fragileEngines)(
  '$name with its only node unreachable for a short time',
  async ({ fragile }) => {
    const { db, proxy, close } = await fragile(schema)
    afterAll(close)

    const writes: [string, () => Promise<unknown>, () => Promise<unknown>, unknown][] = [
      [
        'a conditional insert',
        () => db.insert(Thing, [{ id, name: 'x' }]),
        () => db.get(Thing, { id }),
        { id, name: 'x' },
      ],
      [
        'an increment of a counter',
        () => db.increment(Hits, [{ page: '/', count: 1n }]),
        () => db.get(Hits, { page: '/' }),
        { page: '/', count: 1n },
      ],
      [
        'a conditional update',
        () => db.update(Thing, [{ id, name: 'y' }]),
        () => db.get(Thing, { id }),
        { id, name: 'y' },
      ],
    ]

    it.each(someCases(writes, 2))(
      '%s waits for the node and is written once',
      async (_, write, read, row) => {
        proxy.refuse()
        proxy.cut()
        // Until then the client may use the lost connection, and the outcome of a write would be unknown.
        await expect(read()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
        // How long a write waits is held by a clock of its own, in `driver/reconnect`; here the client takes as long as it takes.
        const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
        try {
          const writing = write()
          await delay(100)
          proxy.heal()
          await writing
        } finally {
          clock.mockRestore()
        }
        expect(await read()).toEqual(row)
      },
    )
  },
)
