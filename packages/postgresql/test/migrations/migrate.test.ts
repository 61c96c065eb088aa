import type { Driver } from '@isotherm/core'
import {
  type Migration,
  type MigrationStatement,
  type StatementKind,
  leaseHolder,
  migrate,
  migrationHash,
  migrationStatus,
} from '@isotherm/migrations'
import { pglite, postgresql as dialect } from '@isotherm/postgresql'
import { describe, expect, it } from 'vitest'
import { databaseOf } from '../support/pglite.js'

function migrationOf(name: string, ...statements: readonly (string | MigrationStatement)[]): Migration {
  const whole = statements.map((each) =>
    typeof each === 'string' ? { kind: 'ddl' as const, sql: each } : each,
  )
  return { name: `20261128000000_${name}`, statements: whole, hash: migrationHash(whole, dialect), path: '' }
}

const dml = (kind: StatementKind, sql: string): MigrationStatement => ({ kind, sql })
const table = (name: string): string => `CREATE TABLE "${name}" (id bigint PRIMARY KEY, v bigint)`

async function emptyDatabase() {
  const database = await databaseOf([])
  return { database, driver: pglite(database) }
}

/** The tables that a migration has created. */
async function tables({ query }: Pick<Driver, 'query'>): Promise<unknown[]> {
  const text = `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename !~ '^isotherm' ORDER BY 1`
  return (await query({ text, parameters: [] }, [{ kind: 'string', length: 'max' }])).flat()
}

describe('migrate() on PGlite', () => {
  const first = migrationOf(
    'first',
    table('a'),
    'CREATE INDEX a_by_v ON a (v)',
    dml('transaction', 'INSERT INTO a (id, v) VALUES (1, 1), (2, 2), (3, 3)'),
    dml('partitioned', 'UPDATE a SET v = 10 WHERE id < 3'),
    table('b'),
  )

  it('applies a migration once', async () => {
    const { database, driver } = await emptyDatabase()
    expect(await migrate(driver, [first], { dialect })).toMatchObject({
      applied: [first.name],
      statements: 5,
    })
    expect((await database.query('SELECT id::int, v::int FROM a ORDER BY id')).rows).toEqual([
      { id: 1, v: 10 },
      { id: 2, v: 10 },
      { id: 3, v: 3 },
    ])
    expect(await migrate(driver, [first], { dialect })).toMatchObject({ applied: [], statements: 0 })
    expect(await leaseHolder(driver)).toBeUndefined()
  })

  it('runs DDL in one transaction, and rolls back all of its statements when a statement fails', async () => {
    const { driver } = await emptyDatabase()
    const broken = migrationOf('broken', table('a'), 'CREATE INDEX nope ON missing (v)', table('b'))
    await expect(migrate(driver, [broken], { dialect })).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringMatching(
        /^Statement 2 of 3 of the migration \w+ \(CREATE INDEX nope ON missing \(v\)\) failed: .*missing.* No statement of the migration has run\. If existing rows violate statement 2, .* it starts with the first one/s,
      ),
    })
    expect(await tables(driver)).toEqual([])
    expect(await migrationStatus(driver, [broken])).toMatchObject([
      { state: 'failed', done: 0, failed: { statement: 2 } },
    ])
    const fixed = migrationOf('broken', table('a'), 'CREATE INDEX a_by_v ON a (v)', table('b'))
    expect(await migrate(driver, [fixed], { dialect })).toMatchObject({ statements: 3 })
    expect(await tables(driver)).toEqual(['a', 'b'])
    expect(await migrationStatus(driver, [fixed])).toMatchObject([{ state: 'applied', done: 3 }])
  })

  it('keeps the statements up to the last DML when later DDL fails on existing rows', async () => {
    const { driver } = await emptyDatabase()
    const migration = migrationOf(
      'unique',
      table('a'),
      dml('transaction', 'INSERT INTO a (id, v) VALUES (1, 5), (2, 5)'),
      table('b'),
      'CREATE UNIQUE INDEX one_v ON a (v)',
    )
    await expect(migrate(driver, [migration], { dialect })).rejects.toThrow(
      /Statement 4 of 4 .*one_v.* The first 2 statements of 4 have run\. If existing rows violate statement 4, .* it starts with statement 3/s,
    )
    expect(await tables(driver)).toEqual(['a'])
    await driver.run({ text: 'UPDATE a SET v = id', parameters: [] })
    expect(await migrate(driver, [migration], { dialect })).toMatchObject({ statements: 2 })
    expect(await tables(driver)).toEqual(['a', 'b'])
  })

  it('resumes a migration whose DDL was executed but whose answer was lost', async () => {
    const { driver } = await emptyDatabase()
    const { schemaChanges } = driver
    const lost = new Error('The process was killed here.')
    const killed: Driver = {
      ...driver,
      schemaChanges: {
        ...schemaChanges!,
        async begin(...args) {
          await schemaChanges!.begin(...args)
          // The migrator's own tables are created before.
          if (args[0].some((sql) => sql.includes('"a"'))) throw lost
        },
      },
    }
    await expect(migrate(killed, [first], { dialect })).rejects.toThrow(lost.message)
    expect(await migrate(driver, [first], { dialect })).toMatchObject({ applied: [first.name], resumed: 2 })
    expect(await tables(driver)).toEqual(['a', 'b'])
  })

  it('runs all DDL up to the next DML in one transaction', async () => {
    const { driver } = await emptyDatabase()
    const many = Array.from({ length: 12 }, (_, at) => [
      `ALTER TABLE a ADD COLUMN c${at} bigint`,
      table(`t${at}`),
    ]).flat()
    const broken = migrationOf('many', table('a'), ...many, 'ALTER TABLE missing ADD COLUMN c bigint')
    await expect(migrate(driver, [broken], { dialect })).rejects.toThrow(
      /Statement 26 of 26 .* No statement of the migration has run/s,
    )
    expect(await tables(driver)).toEqual([])
  })

  it.each(['COMMIT', 'ROLLBACK', 'BEGIN', 'SET search_path = pg_catalog'])(
    'rejects %s in a migration, and rolls back the other DDL',
    async (control) => {
      const { driver } = await emptyDatabase()
      const migration = migrationOf('control', table('a'), control, table('b'))
      await expect(migrate(driver, [migration], { dialect })).rejects.toThrow(
        /Statement 2 of 3 .* is not possible\. .*No statement of the migration has run/s,
      )
      expect(await tables(driver)).toEqual([])
    },
  )

  it('rolls back all statements when a deferred constraint fails at the commit', async () => {
    const { driver } = await emptyDatabase()
    const deferred = migrationOf(
      'deferred',
      table('a'),
      'ALTER TABLE a ADD CONSTRAINT own FOREIGN KEY (v) REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED',
      'INSERT INTO a (id, v) VALUES (1, 2)',
    )
    await expect(migrate(driver, [deferred], { dialect })).rejects.toThrow(
      /No statement of the migration has run/,
    )
    expect(await tables(driver)).toEqual([])
  })

  it('writes its history although a migration has changed search_path', async () => {
    const { driver } = await emptyDatabase()
    const moved = migrationOf('moved', table('a'), 'SET LOCAL search_path = pg_temp')
    expect(await migrate(driver, [moved], { dialect })).toMatchObject({ statements: 2 })
    expect(await migrate(driver, [moved], { dialect })).toMatchObject({ statements: 0 })
  })

  it('explains that CREATE INDEX CONCURRENTLY needs a migration of its own', async () => {
    const { driver } = await emptyDatabase()
    const concurrent = migrationOf('concurrent', table('a'), 'CREATE INDEX CONCURRENTLY a_by_v ON a (v)')
    await expect(migrate(driver, [concurrent], { dialect })).rejects.toThrow(
      /Statement 2 of 2 .*a migration of its own/s,
    )
  })

  it('lets one of two concurrent migrators run at a time on one connection', async () => {
    const { driver } = await emptyDatabase()
    const reports = await Promise.all([1, 2].map(() => migrate(driver, [first], { dialect, wait: 60_000 })))
    expect(reports.flatMap(({ applied }) => applied)).toEqual([first.name])
  })
})

describe('schemaChanges of the PGlite driver', () => {
  it('begin() applies the statements of an id once, and no statement of an id that fails', async () => {
    const { driver } = await emptyDatabase()
    const { begin, state } = driver.schemaChanges!
    expect(await state('one')).toBeUndefined()
    await Promise.all([begin([table('a')], 'one'), begin([table('a')], 'one')])
    expect(await state('one')).toEqual({
      statements: [table('a')],
      done: true,
      applied: 1,
      progress: [100],
    })
    await expect(begin([table('b'), table('a')], 'two')).rejects.toMatchObject({ statement: 1 })
    expect(await state('two')).toBeUndefined()
    expect(await tables(driver)).toEqual(['a'])
  })
})
