import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileDdl, defineSchema, defineTable, openDatabase, type Schema } from '@isotherm/core'
import {
  migrate,
  planReshard,
  readMigrations,
  writeMigration,
  type Snapshot,
} from '@isotherm/core/migrations'
import { spanner } from '@isotherm/core/spanner'
import { afterEach, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

// The steps of a change of a key as migrations: files, history, and `until`.

const log = (shards: number): Schema =>
  defineSchema([
    defineTable('Log', (t) => ({
      shard: t.shardKey({ shards, of: ['userId'] }),
      userId: t.int64().key(),
      page: t.string({ length: 100 }),
    })),
  ])
const [before, after] = [log(4), log(16)]

const folders: string[] = []

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

describe.each(dialects)('a change of a key in migrations, in %s', (dialect) => {
  async function planned() {
    const plan = planReshard(before, after, { dialect, table: 'Log' })
    const folder = await mkdtemp(join(tmpdir(), 'isotherm-reshard-'))
    folders.push(folder)
    let previous: string | null = null
    for (const { name, statements, schema } of plan.steps) {
      const snapshot: Snapshot = { version: 1, dialect, id: randomUUID(), previous, schema }
      await writeMigration(folder, { name, statements, snapshot })
      previous = snapshot.id
    }
    const emulator = await sharedEmulator()
    const client = await emulator.database({ dialect, ddl: compileDdl(before, { dialect }) })
    const driver = spanner(client)
    const names = (await readMigrations(folder)).map(({ name }) => name)
    const named = (step: string): string => names.find((name) => name.endsWith(`_${step}`))!
    return { plan, folder, driver, named }
  }

  it('runs each step by its name, and no row is lost', { timeout: 120_000 }, async () => {
    const { plan, folder, driver, named } = await planned()
    const old = openDatabase({ driver, schema: before })
    await old.insert('Log', [
      { userId: 1n, page: '/a' },
      { userId: 2n, page: '/b' },
    ])

    const first = await migrate(driver, folder)
    expect(first).toMatchObject({ applied: [named('create')], held: named('begin') })
    expect(await migrate(driver, folder)).toMatchObject({ applied: [], held: named('begin') })

    const db = openDatabase({ driver, schema: plan.schema, dualWrites: plan.tables, phaseRefresh: 5 })
    await db.ready()
    for (const step of ['begin', 'copy', 'verify', 'switch', 'finish']) {
      const { applied, held } = await migrate(driver, folder, { until: named(step), settle: 100 })
      expect({ applied, held }).toEqual({ applied: [named(step)] })
      await db.ready()
      await db.insert('Log', [{ userId: BigInt(step.charCodeAt(0)), page: step }])
    }
    expect(await migrate(driver, folder)).toMatchObject({ applied: [named('drop')] })

    const own = openDatabase({ driver, schema: plan.steps.at(-1)!.schema })
    const rows = await own.fanOut('Log_r16').orderBy('page').all()
    expect(rows.map(({ page }) => page)).toEqual(['/a', '/b', 'begin', 'copy', 'finish', 'switch', 'verify'])
  })

  it('refuses a step whose turn it is not, and goes on once it is', { timeout: 180_000 }, async () => {
    const { folder, driver, named } = await planned()
    await migrate(driver, folder)
    const early = migrate(
      driver,
      (await readMigrations(folder)).filter(({ name }) => !name.endsWith('_begin')),
      {
        until: named('copy'),
      },
    )
    await expect(early).rejects.toMatchObject({
      code: 'MIGRATION_FAILED',
      message: expect.stringContaining('COPY Log'),
    })
  })
})
