import { formatSnapshot, parseSnapshot, runReshardCommand, verifyReshard } from '@isotherm/migrations'
import { defineSchema, defineTable, openDatabase, type Schema } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { trialOf } from './reshard-support.js'

// Shards that a function of the model computes: migrations use snapshots, which cannot contain functions.

const PARITY = { googlesql: 'MOD(id, 2)', 'spanner-postgresql': 'mod(id, 2)' }

function parity(primaryKey: readonly ('shard' | 'id' | 'at')[]): Schema {
  const Log = defineTable(
    'Log',
    (t) => ({
      shard: t.shardKey({
        shards: 2,
        of: ['id'],
        expression: PARITY,
        compute: ({ id }) => (id as bigint) % 2n,
      }),
      id: t.int64().key(),
      at: t.int64().key(),
    }),
    { primaryKey },
  )
  return defineSchema([Log])
}

function hashed(shards: number): Schema {
  const Log = defineTable('Log', (t) => ({
    shard: t.shardKey({ shards, of: ['id'], computedBy: 'client' }),
    id: t.int64().key(),
    at: t.int64().key(),
  }))
  return defineSchema([Log])
}

const rows = Array.from({ length: 12 }, (_, at) => ({ id: BigInt(at), at: BigInt(at * 7) }))

describe.each(sampledDialects)(
  'a reshard of a table whose shard is computed by a function, in $name',
  (dialect) => {
    it('keeps all rows readable when the database computes the same expression', async () => {
      const [from, to] = [parity(['shard', 'id', 'at']), parity(['shard', 'at', 'id'])]
      const { plan, driver, run, application } = await trialOf(dialect, from, to, 'Log')
      const text = formatSnapshot({
        version: 1,
        dialect: dialect.name,
        id: 'a',
        previous: null,
        schema: plan.schema,
      })
      const { schema } = parseSnapshot(text, 'snapshot.json')
      await run(['create'])
      await openDatabase({ driver, schema: from }).insert('Log', rows)
      for (const name of ['begin', 'copy', 'verify', 'switch']) {
        const { sql } = plan.steps.find((step) => step.name === name)!.statements[0]!
        await runReshardCommand(driver, schema, sql, { propagationWaitMs: 60 })
      }
      const db = await application()
      for (const row of rows) expect(await db.get('Log', row)).toMatchObject(row)
      expect(await db.fanOut('Log_r2').count()).toBe(rows.length)
    })

    it('throws KEY_INCOMPLETE and copies no row when the function is missing from the snapshot', async () => {
      const [from, to] = [hashed(2), hashed(4)]
      const { plan, driver, run } = await trialOf(dialect, from, to, 'Log')
      // As if the new table had a function, which every plan rejects.
      const schema = JSON.parse(
        JSON.stringify(plan.schema).replaceAll('"shards":4', '"shards":4,"ownFunction":true'),
      ) as Schema
      await run(['create'])
      const db = openDatabase({ driver, schema: plan.schema })
      await db.insert('Log', rows)
      await run(['begin'])
      const copy = runReshardCommand(driver, schema, 'COPY Log TO Log_r4', { propagationWaitMs: 60 })
      await expect(copy).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      expect(await db.fanOut('Log_r4').count()).toBe(0)
      await run(['copy'])
      const verify = verifyReshard(driver, schema, plan.tables)
      await expect(verify).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      expect(await db.fanOut('Log_r4').count()).toBe(rows.length)
    })
  },
)
