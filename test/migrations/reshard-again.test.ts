import {
  defineSchema,
  defineTable,
  openDatabase,
  type Driver,
  type Schema,
  type SqlDialect,
} from '@isotherm/core'
import { planMigration, runReshardCommand } from '@isotherm/migrations'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { endedInWait, trialOf, trialOn } from './reshard-support.js'

// A table is resharded twice: the state of the first reshard does not apply to the second.

const log = (shards: number, name = 'Log'): Schema =>
  defineSchema([
    defineTable(name, (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      text: t.string(),
    })),
  ])

const keyed = (key: readonly ['a' | 'b', 'a' | 'b'], name = 'Event'): Schema =>
  defineSchema([
    defineTable(name, (t) => {
      const columns = { a: t.uuidV4(), b: t.uuidV4(), text: t.string() }
      const [first, second] = key
      return { [first]: columns[first], [second]: columns[second], text: columns.text } as typeof columns
    }),
  ])

const EVERY = ['create', 'begin', 'copy', 'verify', 'switch', 'finish', 'drop'] as const

async function renamed(driver: Driver, dialect: SqlDialect, from: Schema, to: Schema): Promise<void> {
  const tables = { [from.tables[0]!.name]: to.tables[0]!.name }
  for (const { sql } of planMigration(from, to, { dialect, renames: { tables } }))
    await driver.applyDdl([sql])
}

const a = '0d8ae2f6-52bb-4e6c-8f7b-8c51f1b8a001'
const b = '7a0f2a5c-1d1e-4b3e-9a57-1d7a8f2b3c02'

for (const dialect of sampledDialects) {
  describe(`a second reshard of a table in ${dialect.name}`, () => {
    it('keeps all rows of a table that was renamed back, and rejects processes of the first reshard', async () => {
      const first = await trialOf(dialect, log(2), log(4), 'Log')
      const { driver } = first
      await first.run(['create'])
      const outdated = await first.application()
      await outdated.insert('Log', [{ id: 1n, text: 'one' }])
      await first.run(EVERY.slice(1))
      await renamed(driver, dialect, log(4, 'Log_r4'), log(4))

      const second = trialOn(driver, dialect, log(4), log(8), 'Log')
      await second.run(['create'])
      const db = await second.application()
      expect(await db.get('Log', { id: 1n })).toMatchObject({ text: 'one' })
      await db.insert('Log', [{ id: 2n, text: 'before' }])
      const plain = openDatabase({ driver, schema: log(4) })
      expect(await plain.get('Log', { id: 2n })).toMatchObject({ text: 'before' })
      // A process of the first reshard: it must not use the present table as the table of the first reshard.
      await expect(outdated.insert('Log', [{ id: 3n, text: 'astray' }])).rejects.toThrow(/Log_r4/)

      await second.run(['begin'])
      await expect(outdated.insert('Log', [{ id: 3n, text: 'astray' }])).rejects.toThrow(/Log_r4/)
      await second.run(['copy', 'verify', 'switch', 'finish', 'drop'])
      const rows = await db.fanOut('Log').orderBy('text').all()
      expect(rows.map(({ text }) => text)).toEqual(['before', 'one'])
    })

    it('can use the same new table name, and stops the processes of the first reshard', async () => {
      const [ab, ba] = [keyed(['a', 'b']), keyed(['b', 'a'])]
      const first = await trialOf(dialect, ab, ba, 'Event')
      const { driver } = first
      expect(first.plan.tables).toEqual([{ from: 'Event', to: 'Event_rnew' }])
      await first.run(['create'])
      const outdated = await first.application()
      await outdated.insert('Event', [{ a, b, text: 'one' }])
      await first.run(EVERY.slice(1, -1))
      // Only the new table is up to date.
      await expect(first.run(['create'])).rejects.toThrow(/is done, and Event_rnew is in use/)
      await first.run(['drop'])
      expect(await outdated.get('Event', { a, b })).toMatchObject({ text: 'one' })
      await renamed(driver, dialect, keyed(['b', 'a'], 'Event_rnew'), ba)

      const second = trialOn(driver, dialect, ba, ab, 'Event')
      // Cancelled, and run again: it still waits for all processes of the first reshard.
      for (let attempt = 0; attempt < 2; attempt++) {
        const ended = endedInWait(driver)
        const options = { propagationWaitMs: 3_600_000, signal: ended.signal }
        const run = runReshardCommand(
          ended.driver,
          second.plan.schema,
          'PREPARE Event TO Event_rnew',
          options,
        )
        await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
      }
      await second.run(['create'])
      const db = await second.application()
      expect(await db.get('Event', { a, b })).toMatchObject({ text: 'one' })
      await expect(outdated.insert('Event', [{ a: b, b: a, text: 'astray' }])).rejects.toMatchObject({
        code: 'RESHARD_ENDED',
        message: expect.stringContaining('is over, and another one'),
      })
      await second.run(['begin', 'copy', 'verify', 'switch', 'finish', 'drop'])
      expect(await db.get('Event', { a, b })).toMatchObject({ text: 'one' })
      expect(await db.fanOut('Event').count()).toBe(1)
    })

    it('is rejected with RESHARD_REFUSED while the first reshard is in the phase writing', async () => {
      const first = await trialOf(dialect, log(2), log(4), 'Log')
      const second = trialOn(first.driver, dialect, log(2), log(8), 'Log')
      await second.run(['create'])
      await first.run(['create', 'begin'])
      const refused = {
        code: 'RESHARD_REFUSED',
        message: expect.stringContaining('its reshard into Log_r4 is in the phase writing'),
      }
      await expect(second.run(['begin'])).rejects.toMatchObject(refused)
      await expect(second.run(['create'])).rejects.toMatchObject(refused)
      await first.back('begin')
      await second.run(['begin', 'copy'])
    })
  })
}
