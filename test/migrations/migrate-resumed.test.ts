import { IsothermError, type Driver, type SchemaChanges } from '@isotherm/core'
import { migrate, migrationStatus, type MigrateEvent } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { ddl, emptyDatabase, migrationOf, shortly, tableOf, transaction } from './support/migrations.js'

/** The driver with replaced schema changes, and the ids of the operations that were begun. */
function changing(driver: Driver, change: (real: SchemaChanges) => Partial<SchemaChanges>) {
  const real = driver.schemaChanges!
  const begun: string[] = []
  const changed = { ...real, ...change(real) }
  const begin: SchemaChanges['begin'] = (statements, id, call) => {
    // Schema changes of the migrator's own tables are not replaced.
    if (id.startsWith('isotherm_tables')) return real.begin(statements, id, call)
    begun.push(id)
    return changed.begin(statements, id, call)
  }
  const state: SchemaChanges['state'] = (id, call) =>
    id.startsWith('isotherm_tables') ? real.state(id, call) : changed.state(id, call)
  return { begun, driver: { ...driver, schemaChanges: { begin, state } } satisfies Driver }
}

/** The error of a process that has died. */
function dies(): never {
  throw new Error('The process has died.')
}

const unavailable = new IsothermError('UNAVAILABLE', 'The server is gone.', { retryable: true })

describe.each(dialects)('an interrupted migration in $name', (dialect) => {
  const migration = migrationOf(1, 'tables', ddl(...['a', 'b', 'c'].map((name) => tableOf(name, dialect))))
  const applied = { applied: [migration.name], statements: 3, resumed: 3 }

  it('begins its schema change under the recorded operation id when the process died before the call', async () => {
    const { driver } = await emptyDatabase(dialect)
    const dying = changing(driver, () => ({ begin: async () => dies() }))
    await expect(migrate(dying.driver, [migration], { dialect })).rejects.toThrow('has died')
    expect(await migrationStatus(driver, [migration])).toMatchObject([{ state: 'partly', done: 0 }])
    const next = changing(driver, () => ({}))
    expect(await migrate(next.driver, [migration], { dialect })).toMatchObject(applied)
    expect(next.begun).toEqual(dying.begun)
    expect(next.begun).toHaveLength(1)
  })

  it('continues its schema change without a second call when the process died after the call', async () => {
    const { driver } = await emptyDatabase(dialect)
    const dying = changing(driver, () => ({ state: async () => dies() }))
    await expect(migrate(dying.driver, [migration], { dialect })).rejects.toThrow('has died')
    const events: MigrateEvent[] = []
    const next = changing(driver, () => ({}))
    const report = await migrate(next.driver, [migration], {
      dialect,
      onProgress: (event) => events.push(event),
    })
    expect(report).toMatchObject(applied)
    expect(next.begun).toEqual([])
    expect(shortly(events)).toContain('1 started again')
  })

  it('starts again at the failed statement when the schema change failed after the process had died', async () => {
    const { driver } = await emptyDatabase(dialect)
    const unique = migrationOf(1, 'unique', [
      ...ddl(tableOf('a', dialect)),
      transaction('INSERT INTO a (id, v) VALUES (1, 5), (2, 5)'),
      ...ddl(
        'CREATE INDEX some_v ON a (v)',
        'CREATE UNIQUE INDEX one_v ON a (v)',
        'CREATE INDEX v_again ON a (v DESC)',
      ),
    ])
    let begun = 0
    const dying = changing(driver, (real) => ({
      begin: async (...args) => (++begun, real.begin(...args)),
      state: async (...args) => (begun === 2 ? dies() : real.state(...args)),
    }))
    await expect(migrate(dying.driver, [unique], { dialect })).rejects.toThrow('has died')
    await driver.atomic.run((context) =>
      context.execute([{ text: 'UPDATE a SET v = 6 WHERE id = 2', parameters: [] }]),
    )
    const next = changing(driver, () => ({}))
    expect(await migrate(next.driver, [unique], { dialect })).toMatchObject({
      applied: [unique.name],
      statements: 3,
    })
    expect(next.begun).toEqual([expect.stringMatching(/_s4_a2_/)])
  })

  it('begins a new operation at the first open statement when the database has lost the operation', async () => {
    const { driver } = await emptyDatabase(dialect)
    let looks = 0
    const dying = changing(driver, () => ({
      begin: (statements) => driver.applyDdl(statements.slice(0, 1)),
      state: async () =>
        ++looks > 1 ? dies() : { statements: [], done: false, applied: 1, progress: [100, 0, 0] },
    }))
    await expect(migrate(dying.driver, [migration], { dialect })).rejects.toThrow('has died')
    const next = changing(driver, () => ({}))
    expect(await migrate(next.driver, [migration], { dialect })).toMatchObject({
      applied: [migration.name],
      statements: 2,
    })
    expect(next.begun).toEqual([expect.stringMatching(/_s2_a2_/)])
  })

  it('looks up its operation when the answer to the call was lost', async () => {
    const { driver } = await emptyDatabase(dialect)
    const unheard = changing(driver, (real) => ({
      async begin(...args) {
        await real.begin(...args)
        throw unavailable
      },
    }))
    expect(await migrate(unheard.driver, [migration], { dialect })).toMatchObject({
      statements: 3,
      resumed: 0,
    })
    expect(new Set(unheard.begun).size).toBe(1)
  })

  it('stays partly applied while the database is unavailable, and is applied by the next run', async () => {
    const { driver } = await emptyDatabase(dialect)
    const cutOff = changing(driver, () => ({ begin: () => Promise.reject(unavailable) }))
    await expect(migrate(cutOff.driver, [migration], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      retryable: true,
      message: expect.stringMatching(
        /^Statement 1 of 3 .* has an unknown outcome: The server is gone\. Run the migration again/,
      ),
    })
    expect(await migrationStatus(driver, [migration])).toMatchObject([{ state: 'partly', done: 0 }])
    expect(await migrate(driver, [migration], { dialect })).toMatchObject(applied)
  })

  it('throws MIGRATION_CHANGED when a statement is edited while the schema change has not ended', async () => {
    const { driver } = await emptyDatabase(dialect)
    const dying = changing(driver, () => ({ state: async () => dies() }))
    await expect(migrate(dying.driver, [migration], { dialect })).rejects.toThrow('has died')
    const edited = migrationOf(1, 'tables', ddl(...['a', 'x', 'c'].map((name) => tableOf(name, dialect))))
    await expect(migrate(driver, [edited], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      message: expect.stringContaining('its statement 2 is not the one that ran'),
    })
  })

  it('runs each transaction once although the answers to commits are lost', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    const counting = migrationOf(1, 'count', [
      ...ddl(tableOf('a', dialect)),
      transaction('INSERT INTO a (id, v) VALUES (1, 0)'),
      transaction('UPDATE a SET v = v + 1 WHERE id = 1'),
    ])
    let lost = 0
    const lossy: Driver = {
      ...driver,
      atomic: {
        kind: 'transactions',
        async run(work, call) {
          const done = await driver.atomic.run(work, call)
          // Every other answer is lost.
          if (++lost % 2 === 1) throw new IsothermError('OUTCOME_UNKNOWN', 'The answer was lost.')
          return done
        },
      },
    }
    expect(await migrate(lossy, [counting], { dialect })).toMatchObject({ statements: 3 })
    expect(lost).toBeGreaterThan(10)
    const [rows] = await client.run('SELECT v FROM a')
    expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([{ v: 1 }])
  })

  it('reports the progress of each statement that the database reports', async () => {
    const { driver } = await emptyDatabase(dialect)
    const reports = [0, 30, 30, 80]
    const slow = changing(driver, (real) => ({
      async state(...args) {
        const state = await real.state(...args)
        const percent = reports.shift()
        if (percent === undefined) return state
        return { ...state!, done: false, applied: 1, progress: [100, percent, 0] }
      },
    }))
    const events: MigrateEvent[] = []
    await migrate(slow.driver, [migration], { dialect, onProgress: (event) => events.push(event) })
    expect(shortly(events).slice(1).join(', ')).toBe(
      '1 started, 2 started, 3 started, 1 finished, 2 progress 30%, 2 progress 80%, 2 finished, 3 finished, tables finished',
    )
  })
})
