import { hostname } from 'node:os'
import {
  defineSchema,
  defineTable,
  introspect,
  IsothermError,
  type Driver,
  type Schema,
} from '@isotherm/core'
import {
  compareWithLive,
  isMigrationTable,
  leaseHolder,
  migrate,
  migrationStatus,
  planMigration,
  recordApplied,
  type MigrateEvent,
  type MigrationStatement,
} from '@isotherm/migrations'
import { cassandra, cql } from '@isotherm/cassandra'
import type { Client } from 'cassandra-driver'
import { describe, expect, it, vi } from 'vitest'
import { postsWith, title } from '../../../packages/migrations/test/support/posts.js'
import { ddl, migrationOf, partitioned, shortly, transaction } from '../../migrations/support/migrations.js'
import { heldStatement } from '../../migrations/support/held-statement.js'
import { stopLeaseTime } from '../../migrations/support/lease-time.js'
import { endOf, OVERTAKEN } from '../../migrations/support/overtaken.js'
import { clientOptions, sharedCassandra } from '../../support/cassandra.js'
import { emptyKeyspace } from './support/keyspace.js'
import { conditionalOf } from '../support/conditional.js'

const first = defineSchema([postsWith(title)])
const second = defineSchema([
  postsWith((t) => ({ tags: t.set({ kind: 'string', length: 'max' }, { nullable: true }) }), {
    ttlSeconds: 86_400,
  }),
  defineTable('person', (t) => ({ id: t.uuidV4(), name: t.string({ nullable: true }) }), {
    indexes: [{ name: 'person_name', on: ['name'] }],
  }),
])
const empty = defineSchema([])

function generated(from: Schema, to: Schema): MigrationStatement[] {
  return planMigration(from, to, { dialect: cql })
}

const all = [
  migrationOf(1, 'first', generated(empty, first)),
  migrationOf(2, 'rows', [
    transaction(`INSERT INTO "post" ("day", "shard", "at", "id") VALUES ('2026-11-22', 1, 0, uuid())`),
  ]),
  migrationOf(3, 'second', generated(first, second)),
]
const names = all.map(({ name }) => name)

/** No test comes near it. */
const LONG = 3_600_000

async function drift(driver: Driver, expected: Schema) {
  const live = await introspect({ driver, dialect: cql })
  return compareWithLive(expected, live, { dialect: cql, ignore: isMigrationTable })
}

describe('migrations of a keyspace', () => {
  it('are generated and applied once, and leave the expected schema and history', async () => {
    const { driver, rows } = await emptyKeyspace()
    expect(await migrationStatus(driver, all)).toMatchObject(
      names.map((name) => ({ name, state: 'pending' })),
    )
    const events: MigrateEvent[] = []
    const report = await migrate(driver, all, { dialect: cql, onProgress: (event) => events.push(event) })
    expect(report).toMatchObject({ applied: names, statements: 2 + all[2]!.statements.length, resumed: 0 })
    expect(shortly(events).slice(0, 6)).toEqual([
      'first 0/1',
      '1 started',
      '1 finished',
      'first finished',
      'rows 0/1',
      '1 started',
    ])
    expect(await drift(driver, second)).toEqual({ changes: [], refusals: [] })
    expect(await rows('SELECT count(*) AS n FROM "post"')).toEqual([{ n: 1n }])
    expect(await migrationStatus(driver, all)).toMatchObject(
      names.map((name) => ({ name, state: 'applied', runner: `${hostname()}:${process.pid}` })),
    )
    expect(await migrate(driver, all, { dialect: cql })).toMatchObject({ planned: [], statements: 0 })
  })

  it('have the start time of their first statement in the history', async () => {
    const { driver, rows } = await emptyKeyspace()
    const two = ddl('CREATE TABLE a (id int PRIMARY KEY)', 'CREATE TABLE b (id int PRIMARY KEY)')
    await migrate(driver, [migrationOf(1, 'two', two)], { dialect: cql })
    const started = (await rows('SELECT started FROM isotherm_migrations')).map((row) =>
      Number(row['started']),
    )
    expect(started).toHaveLength(3)
    expect(started[0]).toBe(started[1])
  })

  it('are applied once when eight clients start them at the same time on an empty keyspace', async () => {
    const { keyspace, driver } = await emptyKeyspace()
    const engine = await sharedCassandra()
    const clients = await Promise.all(Array.from({ length: 8 }, () => engine.client(keyspace, clientOptions)))
    const reports = await Promise.all(
      clients.map((client) =>
        migrate(cassandra(client, { dialect: cql }), all, { dialect: cql, wait: LONG }),
      ),
    )
    expect(reports.flatMap(({ applied }) => applied)).toEqual(names)
    expect(await drift(driver, second)).toEqual({ changes: [], refusals: [] })
  })

  it('are not applied again when another migrator creates the history table in the meantime', async () => {
    const { driver } = await emptyKeyspace()
    const sent: string[] = []
    const overtaken: Driver = {
      ...driver,
      async applyDdl(statements, call) {
        await migrate(driver, all, { dialect: cql })
        await driver.applyDdl(statements, call).catch((error: IsothermError) => {
          sent.push(error.code)
          throw error
        })
      },
    }
    expect(await migrate(overtaken, all, { dialect: cql })).toMatchObject({ applied: [] })
    expect(sent).toEqual(['ALREADY_EXISTS'])
  })

  it('are planned by a dry run, which creates nothing', async () => {
    const { driver, rows } = await emptyKeyspace()
    expect(await migrate(driver, all, { dialect: cql, dryRun: true })).toMatchObject({
      planned: [{}, {}, {}],
      applied: [],
    })
    expect(await drift(driver, empty)).toEqual({ changes: [], refusals: [] })
    await expect(rows('SELECT * FROM isotherm_migrations')).rejects.toThrow(/isotherm_migrations/)
  })

  it('stop at a statement that the database rejects, and continue there after a fix', async () => {
    const { driver } = await emptyKeyspace()
    const broken = migrationOf(1, 'broken', [
      ...ddl(
        'CREATE TABLE a (id int PRIMARY KEY)',
        'ALTER TABLE missing ADD v int',
        'CREATE TABLE b (id int PRIMARY KEY)',
      ),
    ])
    await expect(migrate(driver, [broken], { dialect: cql })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('Statement 2 of 3'),
    })
    expect(await migrationStatus(driver, [broken])).toMatchObject([
      { state: 'failed', done: 1, failed: { statement: 2 } },
    ])
    expect(await leaseHolder(driver)).toBeUndefined()
    const statements = ddl(
      'CREATE TABLE a (id int PRIMARY KEY)',
      'ALTER TABLE a ADD v int',
      'CREATE TABLE b (id int PRIMARY KEY)',
    )
    const fixed = { ...migrationOf(1, 'broken', statements), name: broken.name }
    expect(await migrate(driver, [fixed], { dialect: cql })).toMatchObject({ statements: 2 })
  })

  it('are marked as applied by recordApplied() without running', async () => {
    const { driver } = await emptyKeyspace()
    expect(await recordApplied(driver, all, { dialect: cql })).toEqual(names)
    expect(await migrate(driver, all, { dialect: cql })).toMatchObject({ planned: [] })
    expect(await drift(driver, empty)).toEqual({ changes: [], refusals: [] })
  })

  it('reject a statement over an unlimited number of rows and a history table with another name', async () => {
    const { driver } = await emptyKeyspace()
    const wide = migrationOf(1, 'wide', [partitioned('DELETE FROM post')])
    await expect(migrate(driver, [wide], { dialect: cql })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      message: expect.stringContaining('DELETE FROM post'),
    })
    await expect(migrate(driver, all, { dialect: cql, table: 'mine' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    })
  })

  it('run a statement over rows again after its answer was lost, and reject a changed statement', async () => {
    const { driver, rows } = await emptyKeyspace({ ddl: ['CREATE TABLE a (id int PRIMARY KEY, v int)'] })
    const once = migrationOf(1, 'rows', [transaction('INSERT INTO a (id, v) VALUES (1, 7)')])
    let runs = 0
    const lossy: Driver = {
      ...driver,
      async run(statement, options) {
        runs++
        await driver.run(statement, options)
        throw new IsothermError('OUTCOME_UNKNOWN', 'The answer was lost.')
      },
    }
    await expect(migrate(lossy, [once], { dialect: cql })).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(runs).toBe(1)
    // It may have run, and so it cannot become another one.
    const other = {
      ...migrationOf(1, 'rows', [transaction('INSERT INTO a (id, v) VALUES (2, 7)')]),
      name: once.name,
    }
    await expect(migrate(driver, [other], { dialect: cql })).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
    })
    expect(await migrate(driver, [once], { dialect: cql })).toMatchObject({ statements: 1 })
    expect(await rows('SELECT v FROM a')).toEqual([{ v: 7 }])
  })
})

/** A driver that waits before statements over rows until it is let go, and may lose its connection to the lease meanwhile. */
function holding(driver: Driver) {
  const { wait, ...statement } = heldStatement()
  const state = { isCutOff: false }
  const wrapped: Driver = {
    ...driver,
    atomic: {
      ...conditionalOf(driver),
      async writeIf(...args) {
        if (state.isCutOff) throw new Error('No connection to the database.')
        return conditionalOf(driver).writeIf(...args)
      },
    },
    async run(dml, options) {
      await wait(options?.signal)
      return driver.run(dml, options)
    },
  }
  return { driver: wrapped, ...statement, state }
}

const LEASE = ['holder', 'holder_description', 'holder_since', 'holder_until'] as const

/** When each cell of the lease ends by the node's clock; 0: never. */
async function secondsLeft(client: Client): Promise<number[]> {
  const { rows } = await client.execute(
    `SELECT ${LEASE.map((cell) => `TTL(${cell})`).join()} FROM isotherm_migrations LIMIT 1`,
  )
  return rows[0]!.values().map(Number)
}

/** The lease ends after so many seconds. */
async function leaveSeconds(client: Client, seconds: number): Promise<void> {
  const { rows } = await client.execute(`SELECT ${LEASE.join()} FROM isotherm_migrations LIMIT 1`)
  const cells = rows[0]!.values()
  await client.execute(
    `UPDATE isotherm_migrations USING TTL ${seconds} SET ${LEASE.map((cell) => `${cell} = ?`).join()} WHERE scope = 'migrations' IF holder = ?`,
    [...cells, cells[0]],
    { prepare: true },
  )
}

describe('several migrators of a keyspace', () => {
  it('apply each migration once when they start together, and those that wait find nothing to do', async () => {
    const { driver, rows } = await emptyKeyspace()
    const reports = await Promise.all([1, 2, 3].map(() => migrate(driver, all, { dialect: cql, wait: LONG })))
    expect(reports.map(({ applied }) => applied).toSorted((a, b) => a.length - b.length)).toEqual([
      [],
      [],
      names,
    ])
    expect(await rows('SELECT count(*) AS n FROM "post"')).toEqual([{ n: 1n }])
  })

  it('throw MIGRATION_LOCKED with the holder and the end of the lease while another migrator runs', async () => {
    const { driver } = await emptyKeyspace()
    const busy = holding(driver)
    const report = migrate(busy.driver, all, { dialect: cql })
    await busy.reached
    const here = `${hostname()}:${process.pid}`
    await expect(migrate(driver, all, { dialect: cql })).rejects.toMatchObject({
      code: 'MIGRATION_LOCKED',
      message: expect.stringMatching(
        new RegExp(`^${here} has been migrating this database since \\S+Z\\. .*ends at \\S+Z\\.$`),
      ),
    })
    expect(await leaseHolder(driver)).toMatchObject({ description: here })
    busy.letGo()
    expect((await report).applied).toEqual(names)
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('renew their lease during the work, and another migrator takes over when the renewals stop', async () => {
    const { driver, client, rows } = await emptyKeyspace()
    const time = stopLeaseTime()
    const busy = holding(driver)
    const overtaken = migrate(busy.driver, all, { dialect: cql, lease: 60_000 })
    overtaken.catch(() => {})
    await busy.reached
    for (let renewals = 0; renewals < 3; renewals++) {
      await leaveSeconds(client, 3_600)
      await time.pass(20_000)
      await vi.waitFor(async () => expect(Math.max(...(await secondsLeft(client)))).toBeLessThan(62), 60_000)
    }
    expect(Math.min(...(await secondsLeft(client)))).toBeGreaterThan(0)
    await expect(migrate(driver, all, { dialect: cql })).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    busy.state.isCutOff = true
    await leaveSeconds(client, 1)
    // Nothing but its silence lets others in.
    expect((await migrate(driver, all, { dialect: cql, wait: LONG })).applied).toEqual(names.slice(1))
    await time.pass(60_000)
    await busy.lost
    busy.state.isCutOff = false
    busy.letGo()
    await expect(overtaken).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect(await rows('SELECT count(*) AS n FROM "post"')).toEqual([{ n: 1n }])
    expect(await migrate(driver, all, { dialect: cql })).toMatchObject({ planned: [] })
  })

  it('write nothing after another migrator has taken their lease', async () => {
    const { driver, client } = await emptyKeyspace()
    const busy = holding(driver)
    const overtaken = migrate(busy.driver, all, { dialect: cql })
    overtaken.catch(() => {})
    await busy.reached
    await client.execute(
      `UPDATE isotherm_migrations SET holder = uuid(), holder_description = 'grave:4711', holder_since = 0, holder_until = 0 WHERE scope = 'migrations' IF holder != NULL`,
    )
    busy.letGo()
    expect(await endOf(overtaken, driver, all)).toMatchObject(OVERTAKEN)
  })
})
