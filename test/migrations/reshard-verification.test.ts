import { verifyReshard } from '@isotherm/migrations'
import {
  defineSchema,
  defineTable,
  openDatabase,
  type Schema,
  type SqlDialect,
  type TransactionalDriver,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { trialOf, type Trial } from './reshard-support.js'

// The conditions on both tables before rows are read from the new table, and before the old table is no longer written.

const log = (shards: number): Schema =>
  defineSchema([
    defineTable('Log', (t) => ({
      shard: t.shardKey({ shards, of: ['id'], computedBy: 'client' }),
      id: t.int64().key(),
      text: t.string(),
    })),
  ])

const HOUR = 3_600_000

function visits(shards: number): Schema {
  const visitor = defineTable(
    'Visitor',
    (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      seen: t.timestamp(),
    }),
    { rowDeletion: { property: 'seen', days: 1 } },
  )
  const visit = defineTable(
    'Visit',
    (t) => ({
      shard: t.parentKey<bigint>(),
      id: t.parentKey<bigint>(),
      visit: t.int64().key(),
    }),
    { interleaveIn: () => visitor, onDelete: 'cascade' },
  )
  const page = defineTable(
    'Page',
    (t) => ({
      shard: t.parentKey<bigint>(),
      id: t.parentKey<bigint>(),
      visit: t.parentKey<bigint>(),
      page: t.int64().key(),
    }),
    { interleaveIn: () => visit, onDelete: 'cascade' },
  )
  return defineSchema([visitor, visit, page])
}

/** Runs statements like a manual change. Names are quoted as in GoogleSQL. */
async function sql(
  driver: TransactionalDriver,
  dialect: SqlDialect,
  ...texts: readonly string[]
): Promise<void> {
  const statements = texts.map((text) => ({
    text: dialect.name === 'googlesql' ? text : text.replaceAll('`', '"'),
    parameters: [],
  }))
  await driver.atomic.run((context) => context.execute(statements))
}

async function written(dialect: SqlDialect): Promise<Trial> {
  const trial = await trialOf(dialect, log(2), log(8), 'Log')
  await trial.run(['create', 'begin'])
  const db = await trial.application()
  await db.insert('Log', [
    { id: 1n, text: 'one' },
    { id: 2n, text: 'two' },
  ])
  await trial.run(['copy'])
  return trial
}

for (const dialect of sampledDialects) {
  describe(`the verification of a reshard in ${dialect.name}`, () => {
    it('reports a row in a wrong shard as an extra and a missing row', async () => {
      const trial = await written(dialect)
      const plain = openDatabase({ driver: trial.driver, schema: trial.plan.schema })
      const [row] = await plain.fanOut('Log_r8').where({ id: 1n }).all()
      const right = row!['shard'] as bigint
      const wrong = (right + 1n) % 8n
      await sql(
        trial.driver,
        dialect,
        'DELETE FROM `Log_r8` WHERE `id` = 1',
        `INSERT INTO \`Log_r8\` (\`shard\`, \`id\`, \`text\`) VALUES (${wrong}, 1, 'one')`,
      )
      const { equal, tables } = await verifyReshard(trial.driver, trial.plan.schema, trial.plan.tables)
      expect(equal).toBe(false)
      expect(tables[0]!.differences).toEqual([
        { kind: 'extra', key: [String(wrong), '1'] },
        { kind: 'missing', key: [String(right), '1'] },
      ])
    })

    it('reports two old rows with the same new key as a different row', async () => {
      const trial = await written(dialect)
      const plain = openDatabase({ driver: trial.driver, schema: trial.plan.schema })
      const [row] = await plain.fanOut('Log').where({ id: 1n }).all()
      const other = 1n - (row!['shard'] as bigint)
      const values = `(${other}, 1, 'another')`
      await sql(trial.driver, dialect, `INSERT INTO \`Log\` (\`shard\`, \`id\`, \`text\`) VALUES ${values}`)
      await expect(trial.run(['verify'])).rejects.toThrow(/\(\d, 1\) is different/)
    })

    it('runs again before the finish, and finds a row that an outdated process wrote', async () => {
      const trial = await written(dialect)
      await trial.run(['verify'])
      const outdated = openDatabase({ driver: trial.driver, schema: log(2) })
      await outdated.insert('Log', [{ id: 3n, text: 'past it' }])
      await trial.run(['switch'])
      await expect(trial.run(['finish'])).rejects.toMatchObject({
        code: 'CONSTRAINT',
        message: expect.stringMatching(/\(\d, 3\) is missing/),
        fix: expect.stringContaining('run RETURN, then ABANDON and begin again'),
      })
      await trial.back('switch')
      await trial.back('begin')
      await trial.run(['begin', 'copy', 'verify', 'switch', 'finish', 'finish', 'drop'])
      const db = await trial.application()
      expect(await db.get('Log', { id: 3n })).toMatchObject({ text: 'past it' })
    })

    it('is required for the switch when it is older than a day or than a return', async () => {
      const trial = await written(dialect)
      await trial.run(['verify', 'switch'])
      await trial.back('switch')
      const refused = (message: RegExp) =>
        expect(trial.run(['switch'])).rejects.toMatchObject({
          code: 'RESHARD_REFUSED',
          message: expect.stringMatching(message),
          fix: expect.stringContaining('Run VERIFY Log TO Log_r8.'),
        })
      await refused(/is writing, and has to be copied and verified first/)
      const asOf = async (hours: number) => {
        const time = new Date(Date.now() - hours * HOUR).toISOString()
        const literal = dialect.name === 'googlesql' ? `TIMESTAMP '${time}'` : `'${time}'::timestamptz`
        await sql(
          trial.driver,
          dialect,
          `UPDATE \`isotherm_reshard\` SET \`verified_at\` = ${literal} WHERE \`table_name\` = 'Log'`,
        )
      }
      await trial.run(['verify'])
      await asOf(25)
      await refused(/was verified as of .*, more than a day ago/)
      await asOf(23)
      await trial.run(['switch'])
    })

    it('ignores rows that row deletion may delete, with all rows below', async () => {
      const trial = await trialOf(dialect, visits(2), visits(4), 'Visitor')
      await trial.run(['create', 'begin'])
      const db = await trial.application()
      const [old, now] = [new Date(Date.now() - 72 * HOUR), new Date()]
      const visitors = [old, old, now, now].map((seen, id) => ({ id: BigInt(id), seen }))
      await db.insert('Visitor', visitors)
      await db.insert(
        'Visit',
        visitors.map(({ id }) => ({ id, visit: 1n })),
      )
      await db.insert(
        'Page',
        visitors.map(({ id }) => ({ id, visit: 1n, page: 1n })),
      )
      await trial.run(['copy'])
      // Row deletion by the database, at its own time in each table.
      const gone = ['DELETE FROM `Visitor` WHERE `id` = 0', 'DELETE FROM `Visitor_r4` WHERE `id` = 1']
      await sql(trial.driver, dialect, ...gone)
      const { equal, tables } = await verifyReshard(trial.driver, trial.plan.schema, trial.plan.tables)
      const rows = ({ groups }: (typeof tables)[number]) =>
        groups.reduce((sum, { from }) => sum + from.rows, 0)
      expect([equal, ...tables.map(rows)]).toEqual([true, 2, 2, 2])
      await trial.run(['verify'])

      await sql(trial.driver, dialect, 'DELETE FROM `Visit` WHERE `id` = 2')
      await expect(trial.run(['verify'])).rejects.toMatchObject({
        message: expect.stringMatching(
          /rows: Visit_r4 \(\d, 2, 1\) is extra; Page_r4 \(\d, 2, 1, 1\) is extra\./,
        ),
        fix: expect.stringContaining('row deletion has deleted a row of Visitor'),
      })
    })
  })
}
