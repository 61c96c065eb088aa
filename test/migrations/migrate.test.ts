import { migrate, migrationStatus, recordApplied, type MigrateEvent } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import {
  ddl,
  emptyDatabase,
  migrationOf,
  partitioned,
  shortly,
  tableOf,
  transaction,
} from './support/migrations.js'

describe.each(dialects)('migrate in $name', (dialect) => {
  const first = migrationOf(1, 'first', [
    ...ddl(tableOf('a', dialect), 'CREATE INDEX a_by_v ON a (v)', tableOf('b', dialect)),
    transaction('INSERT INTO a (id, v) VALUES (1, 1), (2, 2), (3, 3)'),
    partitioned('UPDATE a SET v = 10 WHERE id < 3'),
    ...ddl('CREATE INDEX b_by_v ON b (v)'),
  ])
  const second = migrationOf(2, 'second', [transaction('UPDATE a SET v = v + 1 WHERE id > 0')])

  it('applies pending migrations in order, reports each statement, and finds nothing to do the next time', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    const events: MigrateEvent[] = []
    const report = await migrate(driver, [first, second], {
      dialect,
      onProgress: (event) => events.push(event),
    })
    expect(report).toMatchObject({ applied: [first.name, second.name], statements: 7, resumed: 0 })
    expect(shortly(events).join(', ')).toBe(
      [
        'first 0/6',
        '1 started, 2 started, 3 started, 1 finished, 2 finished, 3 finished',
        '4 started, 4 finished (3), 5 started, 5 finished (2), 6 started, 6 finished',
        'first finished, second 0/1, 1 started, 1 finished (3), second finished',
      ].join(', '),
    )
    const [rows] = await client.run('SELECT id, v FROM a ORDER BY id')
    expect(rows.map((row) => (row as { toJSON(): object }).toJSON())).toEqual([
      { id: 1, v: 11 },
      { id: 2, v: 11 },
      { id: 3, v: 4 },
    ])
    const again = await migrate(driver, [first, second], { dialect })
    expect(again).toMatchObject({ planned: [], applied: [], statements: 0 })
  })

  it('stops at a rejected statement, keeps the earlier statements, and continues there after the fix', async () => {
    const { driver } = await emptyDatabase(dialect)
    const broken = migrationOf(1, 'broken', [
      ...ddl(tableOf('a', dialect), 'CREATE INDEX nope ON missing (v)', tableOf('b', dialect)),
      transaction('INSERT INTO b (id, v) VALUES (1, 1)'),
    ])
    await expect(migrate(driver, [broken], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringMatching(
        /^Statement 2 of 4 of the migration 20261121093001_broken \(CREATE INDEX nope ON missing \(v\)\) failed: .*missing/is,
      ),
    })
    const [status] = await migrationStatus(driver, [broken])
    expect(status).toMatchObject({ state: 'failed', done: 1, statements: 4, failed: { statement: 2 } })

    const fixed = migrationOf(1, 'broken', [
      broken.statements[0]!,
      ...ddl('CREATE INDEX a_by_v ON a (v)', tableOf('b', dialect)),
      transaction('INSERT INTO b (id, v) VALUES (1, 1)'),
    ])
    expect(await migrate(driver, [fixed], { dialect })).toMatchObject({
      applied: [fixed.name],
      statements: 3,
    })
    expect(await migrationStatus(driver, [fixed])).toMatchObject([{ state: 'applied', done: 4 }])
  })

  it('names the statement of a batch that the rows violate', async () => {
    const { driver } = await emptyDatabase(dialect)
    const migration = migrationOf(1, 'unique', [
      ...ddl(tableOf('a', dialect)),
      transaction('INSERT INTO a (id, v) VALUES (1, 5), (2, 5)'),
      ...ddl('CREATE INDEX a_by_v ON a (v)', 'CREATE UNIQUE INDEX one_v ON a (v)', tableOf('b', dialect)),
      transaction('INSERT INTO a (id, v) VALUES (1, 5)'),
    ])
    await expect(migrate(driver, [migration], { dialect })).rejects.toThrow(/Statement 4 of 6 .*one_v/)
    const without = migrationOf(1, 'unique', migration.statements.toSpliced(3, 1))
    await expect(migrate(driver, [without], { dialect })).rejects.toThrow(
      /Statement 5 of 5 .* failed: .*exist/i,
    )
    expect(await migrationStatus(driver, [without])).toMatchObject([{ state: 'failed', done: 4 }])
    // The refused statement can also be removed.
    const done = migrationOf(1, 'unique', without.statements.slice(0, -1))
    expect(await migrate(driver, [done], { dialect })).toMatchObject({ applied: [done.name], statements: 0 })
    expect(await migrationStatus(driver, [done])).toMatchObject([
      { state: 'applied', done: 4, statements: 4 },
    ])
  })

  it('returns the planned migrations with dryRun, and changes nothing', async () => {
    const { driver } = await emptyDatabase(dialect)
    const report = await migrate(driver, [first, second], { dialect, dryRun: true })
    expect(report).toMatchObject({
      planned: [
        { migration: first, done: 0 },
        { migration: second, done: 0 },
      ],
      applied: [],
    })
    expect(await migrationStatus(driver, [first])).toEqual([
      { name: first.name, state: 'pending', done: 0, statements: 6 },
    ])
    expect(await driver.readDdl()).toEqual([])
  })

  it('stops after the migration of the option to, and rejects an ambiguous or unknown name', async () => {
    const { driver } = await emptyDatabase(dialect)
    const third = migrationOf(3, 'third', ddl(tableOf('c', dialect)))
    const all = [first, second, third]
    expect(await migrate(driver, all, { dialect, to: '20261121093002' })).toMatchObject({
      applied: [first.name, second.name],
    })
    await expect(migrate(driver, all, { dialect, to: '2026' })).rejects.toThrow(/matches several migrations/)
    await expect(migrate(driver, all, { dialect, to: 'x' })).rejects.toMatchObject({
      code: 'MIGRATION_INVALID',
    })
    expect(await migrate(driver, all, { dialect })).toMatchObject({ applied: [third.name] })
  })

  it('does not run the migrations that recordApplied() has marked as applied', async () => {
    const { driver } = await emptyDatabase(dialect)
    expect(await recordApplied(driver, [first, second], { dialect, to: first.name })).toEqual([first.name])
    expect(await migrationStatus(driver, [first, second])).toMatchObject([
      { state: 'applied', done: 6 },
      { state: 'pending' },
    ])
    // The table of the second migration does not exist.
    await expect(migrate(driver, [first, second], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
    })
    expect(await recordApplied(driver, [first, second], { dialect })).toEqual([second.name])
    expect(await migrate(driver, [first, second], { dialect })).toMatchObject({ planned: [] })
  })

  it('stops between two statements when its signal is aborted, and continues the next time', async () => {
    const { driver } = await emptyDatabase(dialect)
    const controller = new AbortController()
    const onProgress = (event: MigrateEvent): void => {
      if (event.type === 'statement-finished' && event.statement === 4) controller.abort()
    }
    await expect(
      migrate(driver, [first, second], { dialect, signal: controller.signal, onProgress }),
    ).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await migrationStatus(driver, [first])).toMatchObject([{ state: 'partly', done: 4 }])
    expect(await migrate(driver, [first, second], { dialect })).toMatchObject({ statements: 3 })
  })
})
