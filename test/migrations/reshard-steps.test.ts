import { runReshardCommand, verifyReshard } from '@isotherm/migrations'
import { defineSchema, defineTable, openDatabase, type TransactionalDriver } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects } from '../support/spanner.js'
import { endedInWait, trialOf } from './reshard-support.js'

const log = (shards: number) =>
  defineSchema([
    defineTable('Log', (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
      text: t.string(),
    })),
  ])

const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ id: BigInt(from + at), text: `text ${from + at}` }))

for (const dialect of sampledDialects) {
  describe(`the steps of a reshard in ${dialect.name}`, () => {
    it('throw RESHARD_REFUSED when they do not run in their order', async () => {
      const trial = await trialOf(dialect, log(2), log(5), 'Log')
      await trial.run(['create'])
      const db = await trial.application()
      await db.insert('Log', rows(0, 20))
      const refused = (step: Parameters<typeof trial.run>[0][number]) =>
        expect(trial.run([step])).rejects.toMatchObject({ code: 'RESHARD_REFUSED', table: 'Log' })
      await refused('copy')
      await refused('verify')
      await refused('switch')
      await trial.run(['begin', 'begin'])
      await refused('verify')
      await refused('switch')
      await refused('finish')
      await trial.run(['copy', 'copy'])
      await refused('switch')
      await trial.run(['verify', 'switch', 'switch', 'verify'])
      await refused('begin')
      await refused('copy')
      await expect(trial.back('begin')).rejects.toMatchObject({ code: 'RESHARD_REFUSED' })
      await trial.run(['finish', 'finish'])
      await expect(trial.back('switch')).rejects.toMatchObject({ code: 'RESHARD_REFUSED' })
    })

    it('report the rows that differ, and copy rows again that were written without dualWrites', async () => {
      const trial = await trialOf(dialect, log(2), log(5), 'Log')
      await trial.run(['create', 'begin'])
      const db = await trial.application()
      // An application of the previous deployment.
      const outdated = openDatabase({ driver: trial.driver, schema: log(2) })
      await db.insert('Log', rows(0, 10))
      await outdated.delete('Log', { id: 3n })
      await trial.run(['copy', 'verify'])

      await outdated.delete('Log', { id: 4n })
      await outdated.update('Log', { id: 5n, text: 'changed' })
      await outdated.insert('Log', rows(10, 11))
      const { equal, tables } = await verifyReshard(trial.driver, trial.plan.schema, trial.plan.tables)
      expect(equal).toBe(false)
      const [{ differences, groups }] = tables as [(typeof tables)[number]]
      expect(differences.map(({ kind, key }) => `${kind} ${String(key.at(-1))}`).toSorted()).toEqual([
        'different 5',
        'extra 4',
        'missing 10',
      ])
      const total = (side: 'from' | 'to') => groups.reduce((sum, group) => sum + group[side].rows, 0)
      expect([total('from'), total('to')]).toEqual([9, 9])
      expect(groups.every(({ group }) => /^shard [0-4]$/.test(group))).toBe(true)
      await expect(trial.run(['verify'])).rejects.toThrow(
        /do not hold the same rows: .*\((\d), 5\) is different/,
      )

      await trial.back('begin')
      await outdated.delete('Log', { id: 6n })
      await trial.run(['begin', 'copy', 'verify', 'switch'])
      expect(await db.get('Log', { id: 5n })).toMatchObject({ text: 'changed' })
      expect(await db.fanOut('Log').count()).toBe(8)
    })

    it('abort a transaction during which the phase changed, and keep none of its writes', async () => {
      const trial = await trialOf(dialect, log(2), log(5), 'Log')
      await trial.run(['create'])
      const db = await trial.application()
      await db.insert('Log', rows(0, 1))
      let attempts = 0
      const overtaken = db.transaction(async (tx) => {
        attempts++
        await trial.run(['begin'])
        await tx.update('Log', { id: 0n, text: 'lost' })
      })
      await expect(overtaken).rejects.toMatchObject({ code: 'ABORTED', retryable: true })
      expect(attempts).toBe(1)
      expect(await db.get('Log', { id: 0n })).toMatchObject({ text: 'text 0' })
    })

    it('keep the phase when a command is cancelled during its propagation wait', async () => {
      const trial = await trialOf(dialect, log(2), log(5), 'Log')
      await trial.run(['create', 'begin', 'copy', 'verify', 'switch'])
      const refused = async (command: string) => {
        const { driver, signal } = endedInWait(trial.driver)
        const run = runReshardCommand(driver, trial.plan.schema, command, {
          propagationWaitMs: 3_600_000,
          signal,
        })
        await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
      }
      await refused('FINISH Log TO Log_r5')
      // The step back would be refused if FINISH had changed the phase.
      await trial.back('switch')
      await refused('ABANDON Log TO Log_r5')
      await trial.run(['verify', 'switch', 'finish'])
    })

    it('stop a copy with RESHARD_REFUSED when another process has started the copy again', async () => {
      const trial = await trialOf(dialect, log(2), log(5), 'Log')
      await trial.run(['create'])
      const db = await trial.application()
      await db.insert('Log', rows(0, 60))
      await trial.run(['begin'])
      let again: Promise<void> | undefined
      // The first run copies no further batch before the end of the other run, however slow this is.
      const held: TransactionalDriver = {
        ...trial.driver,
        atomic: {
          kind: 'transactions',
          async run(work, options) {
            await again
            return trial.driver.atomic.run(work, options)
          },
        },
      }
      const { sql } = trial.plan.steps.find(({ name }) => name === 'copy')!.statements[0]!
      const first = await runReshardCommand(held, trial.plan.schema, sql, {
        propagationWaitMs: 0,
        batch: 1,
        onProgress({ rows }) {
          if (rows > 0) again ??= trial.back('begin').then(() => trial.run(['begin', 'copy']))
        },
      }).catch((error: unknown) => error)
      expect(again).toBeDefined()
      expect(first).toMatchObject({ code: 'RESHARD_REFUSED' })
      await trial.run(['verify'])
    })
  })
}
