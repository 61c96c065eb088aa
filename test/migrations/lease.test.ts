import { Instance } from '@google-cloud/spanner'
import type { Driver, IsothermError, SqlDialect, TransactionalDriver } from '@isotherm/core'
import {
  leaseHolder,
  LEASE_TABLE,
  migrate,
  migrationStatus,
  recordApplied,
  type MigrateEvent,
} from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { hostname } from 'node:os'
import { describe, expect, it, vi } from 'vitest'
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
import { endOf, OVERTAKEN } from './support/overtaken.js'

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

/** A driver that waits in partitioned DML until it is let go, and may lose the way for its transactions meanwhile. */
function holding(driver: TransactionalDriver) {
  let letGo = (): void => {}
  const released = new Promise<void>((resolve) => (letGo = resolve))
  let reached = (): void => {}
  const held = new Promise<void>((resolve) => (reached = resolve))
  const state = { isCutOff: false }
  const wrapped: Driver = {
    ...driver,
    atomic: {
      kind: 'transactions',
      async run(work, call) {
        if (state.isCutOff) throw new Error('No way to the database.')
        return driver.atomic.run(work, call)
      },
    },
    async executePartitioned(statement, call) {
      reached()
      await released
      return driver.executePartitioned!(statement, call)
    },
  }
  return { driver: wrapped, held, letGo, state }
}

/** As another process would leave it. */
async function leaveLease(driver: Driver, milliseconds: number): Promise<void> {
  const now = Date.now()
  const [since, until] = [new Date(now - 1000).toISOString(), new Date(now + milliseconds).toISOString()]
  await driver.writes.commit([
    {
      op: 'upsert',
      table: LEASE_TABLE,
      columns: ['name', 'holder', 'description', 'since', 'valid_until'],
      rows: [['migrate', crypto.randomUUID(), 'grave:4711', since, until]],
    },
  ])
}

describe.each(dialects)('two migrators in $name', (dialect) => {
  const all = migrationsIn(dialect)
  const names = all.map(({ name }) => name)

  it('started together: one applies everything, the other waits and finds nothing to do', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    const reports = await Promise.all([1, 2].map(() => migrate(driver, all, { dialect, wait: 30_000 })))
    expect(reports.map(({ applied }) => applied).sort((a, b) => a.length - b.length)).toEqual([[], names])
    const [rows] = await client.run('SELECT v FROM a')
    expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 8 }])
  })

  it('started by eight clients at once on an empty database all succeed', async () => {
    const { client } = await emptyDatabase(dialect)
    const emulator = await sharedEmulator()
    const databases = Array.from({ length: 8 }, () => {
      const instance = new Instance(
        emulator.client,
        `projects/${emulator.projectId}/instances/${emulator.instanceId}`,
      )
      return instance.database(client.formattedName_.split('/').at(-1)!)
    })
    try {
      const reports = await Promise.all(
        databases.map((database) => migrate(spanner(database, { dialect }), all, { dialect, wait: 60_000 })),
      )
      expect(reports.flatMap(({ applied }) => applied)).toEqual(names)
      const [rows] = await client.run('SELECT v FROM a')
      expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 8 }])
    } finally {
      await Promise.all(databases.map((database) => database.close()))
    }
  })

  it('read the history again when the other makes its table just after the first read has failed', async () => {
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
            // What another process may do between the failed read and the look into the catalogue.
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

  it('one leaves, and says who is at work and until when', async () => {
    const { driver } = await emptyDatabase(dialect)
    const first = holding(driver)
    const report = migrate(first.driver, all, { dialect })
    await first.held
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
    await expect(migrate(driver, all, { dialect, wait: 120 })).rejects.toThrow(/It was still so after 120 ms/)
    await expect(recordApplied(driver, all, { dialect })).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect(await leaseHolder(driver)).toMatchObject({ description: here })
    first.letGo()
    expect((await report).applied).toEqual(names)
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('the lease is kept for as long as the work takes', async () => {
    const { driver } = await emptyDatabase(dialect)
    const first = holding(driver)
    const report = migrate(first.driver, all, { dialect, lease: 600 })
    await first.held
    const { until } = (await leaseHolder(driver))!
    await vi.waitFor(
      async () => expect((await leaseHolder(driver))!.until.getTime()).toBeGreaterThan(until.getTime() + 600),
      20_000,
    )
    await expect(migrate(driver, all, { dialect })).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    first.letGo()
    expect((await report).applied).toEqual(names)
  })

  it('the lease that a dead one left is respected until it ends, then taken over', async () => {
    const { driver } = await emptyDatabase(dialect)
    await recordApplied(driver, [], { dialect })
    await leaveLease(driver, 3_600_000)
    await expect(migrate(driver, all, { dialect })).rejects.toThrow(/^grave:4711 has been migrating/)
    await leaveLease(driver, 700)
    const events: MigrateEvent[] = []
    const report = await migrate(driver, all, {
      dialect,
      wait: 30_000,
      onProgress: (event) => events.push(event),
    })
    expect(report.applied).toEqual(names)
    expect(shortly(events)[0]).toBe('waiting')
  })

  it('one that was cut off and overtaken writes nothing more, and says who has taken over', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    const first = holding(driver)
    const overtaken = migrate(first.driver, all, { dialect, lease: 300 })
    // It may end before anybody waits for that.
    overtaken.catch(() => {})
    await first.held
    first.state.isCutOff = true
    const report = await migrate(driver, all, { dialect, wait: 30_000 })
    expect(report.applied).toEqual(names.slice(1))
    first.state.isCutOff = false
    first.letGo()
    await expect(overtaken).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    const [rows] = await client.run('SELECT v FROM a')
    expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 8 }])
    expect(await migrate(driver, all, { dialect })).toMatchObject({ planned: [] })
  })

  it('one that was overtaken in its sleep writes nothing more', async () => {
    const { driver } = await emptyDatabase(dialect)
    const first = holding(driver)
    const overtaken = migrate(first.driver, all, { dialect })
    overtaken.catch(() => {})
    await first.held
    await leaveLease(driver, 3_600_000)
    first.letGo()
    expect(await endOf(overtaken, driver, all)).toMatchObject(OVERTAKEN)
  })

  it('one that was overtaken in its sleep begins no partitioned statement', async () => {
    const { driver } = await emptyDatabase(dialect)
    let statements = 0
    let isOvertaken = false
    const sleepy: Driver = {
      ...driver,
      atomic: {
        kind: 'transactions',
        async run(work, call) {
          if (vi.isMockFunction(Date.now)) {
            vi.restoreAllMocks()
            await leaveLease(driver, 3_600_000)
            isOvertaken = true
          }
          return driver.atomic.run(work, call)
        },
      },
      async executePartitioned(statement, call) {
        statements++
        return driver.executePartitioned!(statement, call)
      },
    }
    const morning = Date.now() + 3_600_000
    const report = migrate(sleepy, all, {
      dialect,
      onProgress(event) {
        // By its own clock no time has passed.
        if (event.type === 'statement-started' && event.kind === 'partitioned')
          vi.spyOn(Date, 'now').mockReturnValue(morning)
      },
    })
    await expect(report).rejects.toMatchObject({ code: 'MIGRATION_LOCKED' })
    expect({ statements, isOvertaken }).toEqual({ statements: 0, isOvertaken: true })
  })

  it('a failure gives the lease back', async () => {
    const { driver } = await emptyDatabase(dialect)
    const broken = migrationOf(1, 'broken', ddl('CREATE NONSENSE'))
    await expect(migrate(driver, [broken], { dialect })).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('a signal ends the waiting', async () => {
    const { driver } = await emptyDatabase(dialect)
    await recordApplied(driver, [], { dialect })
    await leaveLease(driver, 3_600_000)
    const controller = new AbortController()
    const waiting = migrate(driver, all, {
      dialect,
      wait: 3_600_000,
      signal: controller.signal,
      onProgress: ({ type }) => void (type === 'waiting' && controller.abort()),
    })
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it.each([{ lease: 0 }, { lease: Number.NaN }, { lease: 86_400_001 }, { wait: -1 }, { wait: Infinity }])(
    'refuses %o',
    async (options) => {
      const { driver } = await emptyDatabase(dialect)
      await expect(migrate(driver, all, { ...options, dialect })).rejects.toMatchObject({
        code: 'INVALID_VALUE',
      })
    },
  )
})
