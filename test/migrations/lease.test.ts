import { Instance } from '@google-cloud/spanner'
import type { Driver, IsothermError, SqlDialect, TransactionalDriver } from '@isotherm/core'
import { leaseHolder, migrate, migrationStatus, recordApplied, type MigrateEvent } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { hostname } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
import { isDeep } from '../support/runs.js'
import { dialects, sharedEmulator } from '../support/spanner.js'
import {
  ddl,
  emptyDatabase,
  migrationOf,
  partitioned,
  shortly,
  tableOf,
  transaction,
} from './support/migrations.js'
import { heldStatement } from './support/held-statement.js'
import { endLease, leaveLease } from './support/lease.js'
import { stopLeaseTime } from './support/lease-time.js'
import { endOf, OVERTAKEN } from './support/overtaken.js'

/** How many clients migrate one database at the same time. */
const MIGRATORS = isDeep ? 8 : 3

/** Milliseconds: no test waits as long. */
const LONG = 3_600_000

function migrationsIn(dialect: SqlDialect) {
  return [
    migrationOf(1, 'tables', [
      ...ddl(tableOf('a', dialect)),
      transaction('INSERT INTO a (id, v) VALUES (1, 0)'),
    ]),
    migrationOf(2, 'fill', [partitioned('UPDATE a SET v = 7 WHERE id > 0'), ...ddl(tableOf('b', dialect))]),
    migrationOf(3, 'count', [transaction('UPDATE a SET v = v + 1 WHERE id > 0')]),
  ]
}

/** A driver that waits in partitioned DML until it is released, and may lose its connection for transactions while it waits. */
function holding(driver: TransactionalDriver) {
  const { wait, ...statement } = heldStatement()
  const state = { isCutOff: false }
  const wrapped: Driver = {
    ...driver,
    atomic: {
      kind: 'transactions',
      async run(work, call) {
        if (state.isCutOff) throw new Error('No connection to the database.')
        return driver.atomic.run(work, call)
      },
    },
    async executePartitioned(dml, call) {
      await wait(call?.signal)
      return driver.executePartitioned!(dml, call)
    },
  }
  return { driver: wrapped, ...statement, state }
}

describe.each(dialects)('two migrators in $name', (dialect) => {
  const all = migrationsIn(dialect)
  const names = all.map(({ name }) => name)

  it(`${MIGRATORS} migrators that start at the same time on an empty database all succeed`, async () => {
    const { client } = await emptyDatabase(dialect)
    const emulator = await sharedEmulator()
    const databases = Array.from({ length: MIGRATORS }, () => {
      const instance = new Instance(
        emulator.client,
        `projects/${emulator.projectId}/instances/${emulator.instanceId}`,
      )
      return instance.database(client.formattedName_.split('/').at(-1)!)
    })
    try {
      const reports = await Promise.all(
        databases.map((database) => migrate(spanner(database, { dialect }), all, { dialect, wait: LONG })),
      )
      const applied = reports.map((report) => report.applied)
      expect(applied.toSorted((a, b) => b.length - a.length)).toEqual(
        databases.map((_, at) => (at === 0 ? names : [])),
      )
      const [rows] = await client.run('SELECT v FROM a')
      expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 8 }])
    } finally {
      await Promise.all(databases.map((database) => database.close()))
    }
  })

  it('a migrator reads the history again when another creates its table after the first read failed', async () => {
    for (const start of [
      (by: Driver) => migrate(by, all, { dialect }),
      (by: Driver) => migrationStatus(by, all),
    ]) {
      const { driver } = await emptyDatabase(dialect)
      const reads: string[] = []
      const overtaken: Driver = {
        ...driver,
        async read(request, call) {
          try {
            const rows = await driver.read(request, call)
            reads.push('read')
            return rows
          } catch (error) {
            reads.push((error as IsothermError).code)
            // Another process may do this between the failed read and the read of the catalogue.
            await migrate(driver, all, { dialect })
            throw error
          }
        },
      }
      await start(overtaken)
      expect(reads.slice(0, 2)).toEqual(['NOT_FOUND', 'read'])
      expect(await migrationStatus(driver, all)).toMatchObject(names.map(() => ({ state: 'applied' })))
    }
  })

  it('the second migrator throws MIGRATION_LOCKED with the holder and the expiry of the lease', async () => {
    const { driver } = await emptyDatabase(dialect)
    const first = holding(driver)
    const report = migrate(first.driver, all, { dialect })
    await first.reached
    const here = `${hostname()}:${process.pid}`
    const events: MigrateEvent[] = []
    await expect(
      migrate(driver, all, { dialect, onProgress: (event) => events.push(event) }),
    ).rejects.toMatchObject({
      code: 'MIGRATION_LOCKED',
      message: expect.stringMatching(
        new RegExp(`^${here} has been migrating this database since \\S+Z\\. .*ends at \\S+Z\\.$`),
      ),
    })
    expect(shortly(events)).toEqual([])
    await expect(migrate(driver, all, { dialect, wait: 120 })).rejects.toThrow(
      /The lease was still held after 120 ms/,
    )
    await expect(recordApplied(driver, all, { dialect })).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect(await leaseHolder(driver)).toMatchObject({ description: here })
    first.letGo()
    expect((await report).applied).toEqual(names)
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('the first migrator renews its lease as long as its work runs', async () => {
    const { driver } = await emptyDatabase(dialect)
    const time = stopLeaseTime()
    const first = holding(driver)
    const report = migrate(first.driver, all, { dialect, lease: 60_000 })
    await first.reached
    for (let renewals = 0; renewals < 3; renewals++) {
      await endLease(driver)
      expect(await leaseHolder(driver)).toBeUndefined()
      await time.pass(20_000)
      await vi.waitFor(async () => expect(await leaseHolder(driver)).toBeDefined(), 60_000)
    }
    await expect(migrate(driver, all, { dialect })).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    first.letGo()
    expect((await report).applied).toEqual(names)
  })

  it('a migrator waits until the lease of a dead migrator expires, and then takes the lease', async () => {
    const { driver } = await emptyDatabase(dialect)
    await recordApplied(driver, [], { dialect })
    await leaveLease(driver)
    await expect(migrate(driver, all, { dialect })).rejects.toThrow(/^grave:4711 has been migrating/)
    const events: MigrateEvent[] = []
    let ended: Promise<void> | undefined
    const report = await migrate(driver, all, {
      dialect,
      wait: LONG,
      onProgress(event) {
        events.push(event)
        if (event.type === 'waiting') ended ??= endLease(driver)
      },
    })
    await ended
    expect(report.applied).toEqual(names)
    expect(shortly(events)[0]).toBe('waiting')
  })

  it('a migrator that lost its connection and its lease writes nothing more', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    const time = stopLeaseTime()
    const first = holding(driver)
    const overtaken = migrate(first.driver, all, { dialect, lease: 60_000 })
    // The promise may be rejected before the test awaits it.
    overtaken.catch(() => {})
    await first.reached
    first.state.isCutOff = true
    await endLease(driver)
    const report = await migrate(driver, all, { dialect })
    expect(report.applied).toEqual(names.slice(1))
    await time.pass(60_000)
    await first.lost
    first.state.isCutOff = false
    first.letGo()
    await expect(overtaken).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    const [rows] = await client.run('SELECT v FROM a')
    expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 8 }])
    expect(await migrate(driver, all, { dialect })).toMatchObject({ planned: [] })
  })

  it('a migrator that slept until its lease was taken writes nothing more', async () => {
    const { driver } = await emptyDatabase(dialect)
    const first = holding(driver)
    const overtaken = migrate(first.driver, all, { dialect })
    overtaken.catch(() => {})
    await first.reached
    await leaveLease(driver)
    first.letGo()
    expect(await endOf(overtaken, driver, all)).toMatchObject(OVERTAKEN)
  })

  it('a migrator that slept until its lease was taken begins no partitioned statement', async () => {
    const { driver } = await emptyDatabase(dialect)
    const time = stopLeaseTime()
    let statements = 0
    let isAsleep = false
    const sleepy: Driver = {
      ...driver,
      atomic: {
        kind: 'transactions',
        async run(work, call) {
          if (isAsleep) await leaveLease(driver)
          isAsleep = false
          return driver.atomic.run(work, call)
        },
      },
      async executePartitioned(statement, call) {
        statements++
        return driver.executePartitioned!(statement, call)
      },
    }
    const report = migrate(sleepy, all, {
      dialect,
      onProgress(event) {
        if (event.type !== 'statement-started' || event.kind !== 'partitioned') return
        isAsleep = true
        time.sleep(3_600_000)
      },
    })
    await expect(report).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect({ statements, isAsleep }).toEqual({ statements: 0, isAsleep: false })
  })

  it('a failed migration releases the lease', async () => {
    const { driver } = await emptyDatabase(dialect)
    const broken = migrationOf(1, 'broken', ddl('CREATE NONSENSE'))
    await expect(migrate(driver, [broken], { dialect })).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('a signal ends the wait for the lease with CANCELLED', async () => {
    const { driver } = await emptyDatabase(dialect)
    await recordApplied(driver, [], { dialect })
    await leaveLease(driver)
    const controller = new AbortController()
    const waiting = migrate(driver, all, {
      dialect,
      wait: LONG,
      signal: controller.signal,
      onProgress: ({ type }) => void (type === 'waiting' && controller.abort()),
    })
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it.each([{ lease: 0 }, { lease: Number.NaN }, { lease: 86_400_001 }, { wait: -1 }, { wait: Infinity }])(
    'migrate() rejects the options %o with INVALID_VALUE',
    async (options) => {
      const { driver } = await emptyDatabase(dialect)
      await expect(migrate(driver, all, { ...options, dialect })).rejects.toMatchObject({
        code: 'INVALID_VALUE',
      })
    },
  )
})
