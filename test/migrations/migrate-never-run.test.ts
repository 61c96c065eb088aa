import { defineSchema, IsothermError, type Driver, type SqlDialect } from '@isotherm/core'
import {
  migrate,
  migrationStatus,
  recordApplied,
  type MigrateEvent,
  type Snapshot,
} from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import {
  ddl,
  emptyDatabase,
  migrationOf,
  partitioned,
  shortly,
  tableOf,
  transaction,
} from './support/migrations.js'

async function recordsOf(driver: Driver, migration: string): Promise<number> {
  const statement = { text: 'SELECT migration FROM isotherm_migrations', parameters: [] }
  const rows = await driver.query(statement, [{ kind: 'string', length: 'max' }], {})
  return rows.filter(([name]) => name === migration).length
}

function snapshotOf({ name: dialect }: SqlDialect): Snapshot {
  return { version: 1, dialect, id: crypto.randomUUID(), previous: null, schema: defineSchema([]) }
}

describe.each(sampledDialects)('a failed migration in $name', (dialect) => {
  const broken = migrationOf(1, 'broken', ddl('CREATE NONSENSE', tableOf('a', dialect)))
  const again = migrationOf(2, 'again', ddl(tableOf('a', dialect)))

  it('is deleted from the history when no statement has run and its folder was deleted', async () => {
    const { driver } = await emptyDatabase(dialect)
    await expect(migrate(driver, [broken], { dialect })).rejects.toThrow(
      /Statement 1 of 2 .* failed: .* No statement of the migration has run\. If existing rows violate the first one, change the rows and run isotherm migrate: it starts with the first one\. If the statement is wrong, edit it in migration\.sql and run isotherm migrate\.$/s,
    )
    expect(await recordsOf(driver, broken.name)).toBe(2)
    expect(await migrationStatus(driver, [again])).toEqual([
      { name: again.name, state: 'pending', done: 0, statements: 1 },
    ])
    expect(await migrate(driver, [again], { dialect })).toMatchObject({ applied: [again.name] })
    expect(await recordsOf(driver, broken.name)).toBe(0)
    expect(await migrate(driver, [again], { dialect })).toMatchObject({ planned: [] })
  })

  it('a migration with a snapshot says to delete its folder and generate again when no statement has run', async () => {
    const { driver } = await emptyDatabase(dialect)
    const generated = { ...broken, snapshot: snapshotOf(dialect) }
    const fix = [
      'No statement of the migration has run. If existing rows violate the first one, change the rows and run isotherm migrate: it ' +
        'starts with the first one. If the model is wrong:',
      '1. Change the model.',
      `2. Delete the folder ${broken.name}.`,
      '3. Run isotherm generate.',
    ].join('\n')
    await expect(migrate(driver, [generated], { dialect })).rejects.toMatchObject({ fix })
    expect(await migrationStatus(driver, [generated])).toMatchObject([{ state: 'failed', done: 0, fix }])
  })

  it('a migration with a snapshot says how to end and generate the rest when a part of it has run', async () => {
    const { driver } = await emptyDatabase(dialect)
    const [name, statements] = ['20261121093001_partly', ddl(tableOf('a', dialect), 'CREATE NONSENSE')]
    const partly = { ...migrationOf(1, 'partly', statements), snapshot: snapshotOf(dialect) }
    const fix = [
      'The first statement of 2 has run. If existing rows violate statement 2, change the rows and run isotherm migrate: it starts ' +
        'with statement 2. If the model is wrong:',
      `1. In the folder ${name}, remove statement 2 and those after it from migration.sql.`,
      '2. Delete snapshot.json there.',
      '3. Run isotherm migrate.',
      '4. Change the model.',
      '5. Run isotherm generate.',
      '6. Remove the statements that have run from the new migration.sql.',
    ].join('\n')
    await expect(migrate(driver, [partly], { dialect })).rejects.toMatchObject({ fix })
    expect(await migrationStatus(driver, [partly])).toMatchObject([{ state: 'failed', done: 1, fix }])
    const ended = migrationOf(1, 'partly', statements.slice(0, 1))
    expect(await migrate(driver, [ended], { dialect })).toMatchObject({ applied: [name] })
    expect((await migrationStatus(driver, [ended]))[0]).not.toHaveProperty('fix')
  })

  it('is deleted from the history when the migration that replaces it is recorded as applied', async () => {
    const { driver } = await emptyDatabase(dialect)
    await expect(migrate(driver, [broken], { dialect })).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    expect(await recordApplied(driver, [again], { dialect })).toEqual([again.name])
    expect(await recordsOf(driver, broken.name)).toBe(0)
  })

  it('does not make an older migration out of order when none of its statements has run', async () => {
    const { driver } = await emptyDatabase(dialect)
    const late = migrationOf(3, 'late', ddl('CREATE NONSENSE'))
    await expect(migrate(driver, [late], { dialect })).rejects.toMatchObject({ code: 'MIGRATION_FAILED' })
    const fixed = migrationOf(3, 'late', ddl(tableOf('b', dialect)))
    expect(await migrate(driver, [again, fixed], { dialect })).toMatchObject({
      applied: [again.name, fixed.name],
    })
  })

  it('blocks other migrations when a part has run and its folder was deleted', async () => {
    const { driver } = await emptyDatabase(dialect)
    const half = migrationOf(1, 'half', ddl(tableOf('b', dialect), 'CREATE NONSENSE'))
    await expect(migrate(driver, [half], { dialect })).rejects.toThrow(/The first statement of 2 has run\./)
    await expect(migrate(driver, [again], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      message: expect.stringMatching(
        /^20261121093001_half has run in part on this database \(1 of 2 statements\), but is not in the folder\. .*undo by hand what ran, and then delete its rows from the history table\.$/,
      ),
    })
    expect(await migrationStatus(driver, [again])).toMatchObject([
      { state: 'missing', done: 1, statements: 2 },
      { state: 'pending' },
    ])
  })

  it('blocks other migrations when its first statement was started and the outcome is unknown', async () => {
    const { driver } = await emptyDatabase(dialect)
    const begun = migrationOf(1, 'begun', ddl(tableOf('b', dialect)))
    const dying: Driver = {
      ...driver,
      schemaChanges: {
        ...driver.schemaChanges!,
        begin: (statements, id, call) =>
          id.startsWith('isotherm_tables')
            ? driver.schemaChanges!.begin(statements, id, call)
            : Promise.reject(new Error('The process has died.')),
      },
    }
    await expect(migrate(dying, [begun], { dialect })).rejects.toThrow('has died')
    await expect(migrate(driver, [again], { dialect })).rejects.toThrow(
      /\(0 of 1 statements, and the next one was started\)/,
    )
  })
})

describe.each(sampledDialects)('a migration without statements in $name', (dialect) => {
  const first = migrationOf(1, 'first', ddl(tableOf('a', dialect)))
  const empty = migrationOf(2, 'fill', [])
  const filled = migrationOf(2, 'fill', [transaction('INSERT INTO a (id, v) VALUES (1, 1)')])

  it('is rejected with MIGRATION_INVALID before any statement runs, and runs after statements were added', async () => {
    const { driver } = await emptyDatabase(dialect)
    const refusal = {
      code: 'MIGRATION_INVALID',
      message: '20261121093002_fill has no statements. Write its migration.sql, or delete its folder.',
    }
    for (const options of [{}, { dryRun: true }])
      await expect(migrate(driver, [first, empty], { ...options, dialect })).rejects.toMatchObject(refusal)
    await expect(recordApplied(driver, [first, empty], { dialect })).rejects.toMatchObject(refusal)
    expect(await migrationStatus(driver, [first, empty])).toMatchObject([
      { state: 'pending' },
      { state: 'empty', done: 0, statements: 0 },
    ])
    expect(await migrate(driver, [first, empty], { dialect, to: first.name })).toMatchObject({
      applied: [first.name],
    })
    expect(await migrate(driver, [first, filled], { dialect })).toMatchObject({ applied: [filled.name] })
  })

  it('is applied when the migration has a snapshot, and may get statements later', async () => {
    const { driver } = await emptyDatabase(dialect)
    const snapshot = snapshotOf(dialect)
    const merged = { ...empty, snapshot }
    expect(await migrate(driver, [first, merged], { dialect })).toMatchObject({
      applied: [first.name, empty.name],
    })
    expect(await migrate(driver, [first, merged], { dialect })).toMatchObject({ planned: [] })
    expect(await migrate(driver, [first, { ...filled, snapshot }], { dialect })).toMatchObject({
      applied: [filled.name],
    })
  })
})

describe.each(sampledDialects)('rows that a migration changes in $name', (dialect) => {
  const table = ddl(tableOf('a', dialect))

  it.each([
    ['partitioned', partitioned],
    ['transaction', transaction],
  ] as const)(
    'are changed by a fixed statement as if the failed %s statement had never started',
    async (_, dml) => {
      const { driver } = await emptyDatabase(dialect)
      const broken = migrationOf(1, 'fill', [...table, dml('-- why\nUPDATE a SET nope = 1 WHERE id > 0')])
      await expect(migrate(driver, [broken], { dialect })).rejects.toThrow(
        /^Statement 2 of 2 of the migration 20261121093001_fill \(UPDATE a SET nope = 1 WHERE id > 0\) failed/,
      )
      const fixed = migrationOf(1, 'fill', [...table, dml('UPDATE a SET v = 1 WHERE id > 0')])
      const events: MigrateEvent[] = []
      await migrate(driver, [fixed], { dialect, onProgress: (event) => events.push(event) })
      expect(shortly(events)).toEqual(['fill 1/2', '2 started', '2 finished (0)', 'fill finished'])
    },
  )

  it('are changed by a statement that is reported as started again when its outcome was unknown', async () => {
    const { driver } = await emptyDatabase(dialect)
    const migration = migrationOf(1, 'fill', [...table, partitioned('UPDATE a SET v = 1 WHERE id > 0')])
    const lost: Driver = {
      ...driver,
      executePartitioned: () => Promise.reject(new IsothermError('OUTCOME_UNKNOWN', 'Lost.')),
    }
    await expect(migrate(lost, [migration], { dialect })).rejects.toThrow(/has an unknown outcome: Lost\./)
    const events: MigrateEvent[] = []
    await migrate(driver, [migration], { dialect, onProgress: (event) => events.push(event) })
    expect(shortly(events)).toContain('2 started again')
  })
})
