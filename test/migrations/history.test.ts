import { introspect, IsothermError, lint, type Driver } from '@isotherm/core'
import { HISTORY_TABLE, isMigrationTable, LEASE_TABLE, migrate, migrationStatus } from '@isotherm/migrations'
import { hostname } from 'node:os'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { ddl, emptyDatabase, migrationOf, parsed, tableOf, transaction } from './support/migrations.js'

describe.each(sampledDialects)('the migration history in $name', (dialect) => {
  const first = migrationOf(1, 'first', ddl(tableOf('a', dialect), 'CREATE INDEX a_by_v ON a (v)'))
  const second = migrationOf(2, 'second', [transaction('INSERT INTO a (id, v) VALUES (1, 1)')])
  const third = migrationOf(3, 'third', ddl(tableOf('c', dialect)))

  it('rejects a migration that was edited after it ran, and names the changed statement', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [first], { dialect })
    const edited = migrationOf(1, 'first', ddl(first.statements[0]!.sql, 'CREATE INDEX a_by_v ON a (v DESC)'))
    const refusal = {
      code: 'MIGRATION_CHANGED',
      message: expect.stringContaining(
        '20261121093001_first was edited after it had run: its statement 2 is not the one that ran: ' +
          'CREATE INDEX a_by_v ON a (v DESC)',
      ),
    }
    await expect(migrate(driver, [edited, second], { dialect })).rejects.toMatchObject(refusal)
    await expect(migrate(driver, [edited, second], { dialect, dryRun: true })).rejects.toMatchObject(refusal)
    expect(await migrationStatus(driver, [edited, second])).toMatchObject([
      { state: 'changed', changed: 2, done: 2 },
      { state: 'pending', done: 0 },
    ])
    const longer = migrationOf(1, 'first', [...first.statements, ...ddl(tableOf('b', dialect))])
    await expect(migrate(driver, [longer], { dialect })).rejects.toThrow(
      /: statement 3 was added: CREATE TABLE b/,
    )
    const shorter = migrationOf(1, 'first', first.statements.slice(0, 1))
    await expect(migrate(driver, [shorter], { dialect })).rejects.toThrow(/: its statement 2 was removed/)
    // No statement of the second migration ran.
    expect(await migrate(driver, [first, second], { dialect })).toMatchObject({ applied: [second.name] })
  })

  it('accepts a migration whose line ends and trailing spaces have changed', async () => {
    const { driver } = await emptyDatabase(dialect)
    const [one, two] = first.statements.map(({ sql }) => sql)
    const text = `${one!.replace('(', '(\n')};\n--> statement-breakpoint\n${two};\n`
    await migrate(driver, [migrationOf(1, 'first', parsed(text))], { dialect })
    const checkedOut = parsed(text.replaceAll('\n', '  \r\n'))
    expect(await migrate(driver, [migrationOf(1, 'first', checkedOut)], { dialect })).toMatchObject({
      planned: [],
    })
  })

  it('rejects a run when an applied migration is missing from the folder', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [first, second], { dialect })
    await expect(migrate(driver, [first, third], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_CHANGED',
      message: expect.stringContaining(
        '20261121093002_second has run on this database, but is not in the folder.',
      ),
    })
    expect(await migrationStatus(driver, [first, third])).toMatchObject([
      { state: 'applied' },
      { name: second.name, state: 'missing', done: 1, statements: 1 },
      { state: 'pending' },
    ])
  })

  it('rejects a migration that is older than an applied migration, unless allowOutOfOrder is set', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [first, third], { dialect })
    await expect(migrate(driver, [first, second, third], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_OUT_OF_ORDER',
      message: expect.stringContaining(
        '20261121093002_second has not run, but the later 20261121093003_third has.',
      ),
    })
    const report = await migrate(driver, [first, second, third], { dialect, allowOutOfOrder: true })
    expect(report.applied).toEqual([second.name])
  })

  it('reports when each migration ran, how long the run took and which process ran the migration', async () => {
    const { driver } = await emptyDatabase(dialect)
    const before = Date.now()
    await migrate(driver, [first, second], { dialect })
    const [status] = await migrationStatus(driver, [first, second])
    expect(status).toMatchObject({
      state: 'applied',
      done: 2,
      statements: 2,
      runner: `${hostname()}:${process.pid}`,
    })
    expect(status!.started!.getTime()).toBeGreaterThanOrEqual(before)
    expect(status!.finished!.getTime()).toBeGreaterThan(status!.started!.getTime())
    expect(status!.milliseconds).toBe(status!.finished!.getTime() - status!.started!.getTime())
  })

  it('has a row for each statement, with the operation id of each schema change', async () => {
    const { driver, client } = await emptyDatabase(dialect)
    await migrate(driver, [first, second], { dialect })
    const [rows] = await client.run(
      'SELECT migration, statement, kind, state, operation, row_count FROM isotherm_migrations ORDER BY migration, statement',
    )
    const operation = expect.stringMatching(/^isotherm_[0-9a-f]{12}_s1_a1_[0-9a-f]{8}$/)
    const records = rows.map((row) => (row as { toJSON(): object }).toJSON())
    expect(records).toEqual([
      {
        migration: first.name,
        statement: 0,
        kind: 'migration',
        state: 'done',
        operation: null,
        row_count: 2,
      },
      { migration: first.name, statement: 1, kind: 'ddl', state: 'done', operation, row_count: null },
      { migration: first.name, statement: 2, kind: 'ddl', state: 'done', operation, row_count: null },
      {
        migration: second.name,
        statement: 0,
        kind: 'migration',
        state: 'done',
        operation: null,
        row_count: 1,
      },
      {
        migration: second.name,
        statement: 1,
        kind: 'transaction',
        state: 'done',
        operation: null,
        row_count: 1,
      },
    ])
  })

  it('can have another table name, and causes no lint finding', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [first], { dialect, table: 'my_history' })
    expect(await migrate(driver, [first], { dialect, table: 'my_history' })).toMatchObject({ planned: [] })
    expect(await migrationStatus(driver, [first], { table: 'my_history' })).toMatchObject([
      { state: 'applied' },
    ])
    const schema = await introspect({ driver, dialect })
    const own = schema.tables.map(({ name }) => name).filter((name) => isMigrationTable(name, 'my_history'))
    expect(own.sort()).toEqual([LEASE_TABLE, 'my_history'].sort())
    expect(isMigrationTable(HISTORY_TABLE, 'my_history')).toBe(false)
    const findings = lint(schema, { dialect })
    expect(findings.filter(({ table }) => isMigrationTable(table, 'my_history'))).toEqual([])
    await expect(migrate(driver, [first], { dialect, table: LEASE_TABLE })).rejects.toMatchObject({
      code: 'INVALID_VALUE',
    })
  })

  it('can be in a named schema, which is created when missing', async () => {
    for (const isThere of [false, true]) {
      const { driver } = await emptyDatabase(dialect)
      if (isThere) await driver.applyDdl(['CREATE SCHEMA ops'])
      expect(await migrate(driver, [first], { dialect, table: 'ops.history' })).toMatchObject({
        applied: [first.name],
      })
      expect(await migrate(driver, [first], { dialect, table: 'ops.history' })).toMatchObject({ planned: [] })
    }
  })

  it('is created when another migrator begins the same schema change at the same time', async () => {
    const { driver } = await emptyDatabase(dialect)
    const real = driver.schemaChanges!
    let underway: (() => Promise<void>) | undefined
    let looks = 0
    const wrapped: Driver = {
      ...driver,
      schemaChanges: {
        begin(...args) {
          if (underway) return real.begin(...args)
          underway = () => real.begin(...args)
          throw new IsothermError('ALREADY_EXISTS', 'It has been begun.')
        },
        async state(...args) {
          if (!underway || ++looks > 2) return real.state(...args)
          if (looks === 2) await underway()
          return { statements: [], done: false, applied: 0, progress: [] }
        },
      },
    }
    expect(await migrate(wrapped, [first], { dialect })).toMatchObject({ applied: [first.name] })
  })

  it('is created when another migrator creates its named schema, and again after both were dropped', async () => {
    const { driver } = await emptyDatabase(dialect)
    const table = 'ops.history'
    const { begin, state } = driver.schemaChanges!
    let isFirst = true
    const raced: Driver = {
      ...driver,
      schemaChanges: {
        state,
        async begin(...args) {
          if (isFirst) await driver.applyDdl!(['CREATE SCHEMA ops'])
          isFirst = false
          return begin(...args)
        },
      },
    }
    expect(await migrate(raced, [first], { dialect, table })).toMatchObject({ applied: [first.name] })
    const tables = ['a', table, LEASE_TABLE].map((name) => `DROP TABLE ${name}`)
    await driver.applyDdl!(['DROP INDEX a_by_v', ...tables, 'DROP SCHEMA ops'])
    expect(await migrate(driver, [first], { dialect, table })).toMatchObject({ applied: [first.name] })
  })

  it('is created again after its table was dropped, although the database still knows the operation id', async () => {
    const { driver } = await emptyDatabase(dialect)
    await migrate(driver, [first], { dialect })
    await driver.applyDdl(['DROP INDEX a_by_v', 'DROP TABLE a', `DROP TABLE ${HISTORY_TABLE}`])
    expect(await migrate(driver, [first], { dialect })).toMatchObject({ applied: [first.name] })
    await driver.applyDdl(['DROP INDEX a_by_v', 'DROP TABLE a', `DROP TABLE ${HISTORY_TABLE}`])
    expect(await migrate(driver, [first], { dialect })).toMatchObject({ applied: [first.name] })
  })
})
