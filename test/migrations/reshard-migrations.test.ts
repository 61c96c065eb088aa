import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  compileDdl,
  defineSchema,
  defineTable,
  openDatabase,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import { migrate, planReshard, readMigrations, writeMigration, type Snapshot } from '@isotherm/migrations'
import { spanner } from '@isotherm/spanner'
import { afterEach, describe, expect, it } from 'vitest'
import { dialects, sampledDialects, sharedEmulator } from '../support/spanner.js'

// The steps of a reshard as migrations: files, history, and `to`.

const log = (shards: number): Schema =>
  defineSchema([
    defineTable('Log', (t) => ({
      shard: t.shardKey({ shards, of: ['userId'] }),
      userId: t.int64().key(),
      page: t.string({ length: 100 }),
    })),
  ])
const [before, after] = [log(4), log(16)]

const feature = (dialect: SqlDialect): string =>
  dialect.name === 'googlesql'
    ? 'CREATE TABLE Feature (id INT64 NOT NULL) PRIMARY KEY (id)'
    : 'CREATE TABLE "Feature" (id bigint NOT NULL, PRIMARY KEY (id))'

const folders: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

async function planned(dialect: SqlDialect) {
  const plan = planReshard(before, after, { dialect, table: 'Log' })
  const folder = await mkdtemp(join(tmpdir(), 'isotherm-reshard-'))
  folders.push(folder)
  let previous: string | null = null
  for (const { name, statements, schema } of plan.steps) {
    const snapshot: Snapshot = { version: 1, dialect: dialect.name, id: randomUUID(), previous, schema }
    await writeMigration(folder, { name, dialect, statements, snapshot })
    previous = snapshot.id
  }
  const emulator = await sharedEmulator()
  const client = await emulator.database({ dialect, ddl: compileDdl(before, { dialect }) })
  const driver = spanner(client)
  const names = (await readMigrations(folder, dialect)).map(({ name }) => name)
  const named = (step: string): string => names.find((name) => name.endsWith(`_${step}`))!
  return { plan, folder, driver, named }
}

describe.each(dialects)('a reshard as migrations in $name', (dialect) => {
  it('runs each step by its name, and loses no row', async () => {
    const { plan, folder, driver, named } = await planned(dialect)
    const old = openDatabase({ driver, schema: before })
    await old.insert('Log', [
      { userId: 1n, page: '/a' },
      { userId: 2n, page: '/b' },
    ])

    const first = await migrate(driver, folder, { dialect })
    expect(first).toMatchObject({ applied: [named('create')], held: named('begin') })
    expect(await migrate(driver, folder, { dialect })).toMatchObject({ applied: [], held: named('begin') })

    const db = openDatabase({
      driver,
      schema: plan.schema,
      tables: dualWrites(plan.tables, { phaseRefresh: 5 }),
    })
    await db.ready()
    for (const step of ['begin', 'copy', 'verify', 'switch', 'finish']) {
      const { applied, held } = await migrate(driver, folder, {
        dialect,
        to: named(step),
        propagationWaitMs: 100,
      })
      expect({ applied, held }).toEqual({ applied: [named(step)] })
      await db.ready()
      await db.insert('Log', [{ userId: BigInt(step.charCodeAt(0)), page: step }])
    }
    expect(await migrate(driver, folder, { dialect })).toMatchObject({ applied: [], held: named('drop') })
    const last = { to: named('drop'), propagationWaitMs: 100 }
    expect(await migrate(driver, folder, { ...last, dialect })).toMatchObject({ applied: [named('drop')] })

    const own = openDatabase({ driver, schema: plan.steps.at(-1)!.schema })
    const rows = await own.fanOut('Log_r16').orderBy('page').all()
    expect(rows.map(({ page }) => page)).toEqual(['/a', '/b', 'begin', 'copy', 'finish', 'switch', 'verify'])
  })
})

describe.each(sampledDialects)('steps of a reshard as migrations in $name', (dialect) => {
  it('stops before a step that is not named, and runs all steps when the propagation wait is 0', async () => {
    const { folder, driver, named } = await planned(dialect)
    const old = openDatabase({ driver, schema: before })
    await old.insert('Log', [{ userId: 1n, page: '/a' }])
    await writeMigration(folder, {
      name: 'feature',
      dialect,
      statements: [{ kind: 'ddl', sql: feature(dialect) }],
    })
    const last = (await readMigrations(folder, dialect)).at(-1)!.name

    const first = await migrate(driver, folder, { dialect, to: last, propagationWaitMs: 100 })
    expect(first).toMatchObject({ applied: [named('create')], held: named('begin') })
    const next = { to: named('switch'), propagationWaitMs: 100 }
    expect(await migrate(driver, folder, { ...next, dialect })).toMatchObject({
      applied: [],
      held: named('begin'),
    })
    expect(await old.get('Log', { userId: 1n })).toMatchObject({ page: '/a' })
    // No application runs, so there is nothing to deploy between the steps.
    const { applied, held } = await migrate(driver, folder, { dialect, to: last, propagationWaitMs: 0 })
    expect({ applied: applied.map((name) => name.replace(/^\d+_/, '')), held }).toEqual({
      applied: ['begin', 'copy', 'verify', 'switch', 'finish', 'drop', 'feature'],
      held: undefined,
    })
  })

  it('returns to the old table by RETURN, and switches to the new table again', async () => {
    const { plan, folder, driver, named } = await planned(dialect)
    await migrate(driver, folder, { dialect })
    const db = openDatabase({
      driver,
      schema: plan.schema,
      tables: dualWrites(plan.tables, { phaseRefresh: 5 }),
    })
    await db.ready()
    const step = (to: string) => migrate(driver, folder, { dialect, to, propagationWaitMs: 100 })
    for (const name of ['begin', 'copy', 'verify', 'switch']) await step(named(name))
    const byHand = async (name: string, ...commands: readonly string[]) => {
      const statements = commands.map((sql) => ({ kind: 'reshard', sql }) as const)
      const written = await writeMigration(folder, { name, dialect, statements })
      return step(written.name)
    }
    expect(await byHand('back', 'RETURN Log TO Log_r16')).toMatchObject({ statements: 1 })
    await db.ready()
    await db.insert('Log', [{ userId: 7n, page: 'on the way back' }])
    expect(await migrate(driver, folder, { dialect })).toMatchObject({ applied: [], held: named('finish') })
    const again = ['VERIFY Log TO Log_r16', 'SWITCH Log TO Log_r16']
    expect(await byHand('again', ...again)).toMatchObject({ statements: 2 })
    await step(named('finish'))
    expect(await step(named('drop'))).toMatchObject({ applied: [named('drop')] })
    await db.ready()
    expect(await db.get('Log', { userId: 7n })).toMatchObject({ page: 'on the way back' })
  })

  it('rejects a step before its turn, and runs the step after the step before', async () => {
    const { folder, driver, named } = await planned(dialect)
    await migrate(driver, folder, { dialect })
    const statements = [{ kind: 'reshard', sql: 'COPY Log TO Log_r16' }] as const
    const { name } = await writeMigration(folder, { name: 'early', dialect, statements })
    await expect(
      migrate(driver, folder, { dialect, to: name, propagationWaitMs: 100 }),
    ).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('COPY Log'),
    })
    await migrate(driver, folder, { dialect, to: named('begin'), propagationWaitMs: 100 })
    expect(await migrate(driver, folder, { dialect, to: name, propagationWaitMs: 100 })).toMatchObject({
      applied: [name],
    })
  })
})
