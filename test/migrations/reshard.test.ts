import { openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { someCases } from '../support/runs.js'
import { dialects } from '../support/spanner.js'
import { casesOf } from './reshard-models.js'
import { trialOf } from './reshard-support.js'
import { contentOf, Writer } from './reshard-writer.js'

for (const dialect of dialects) {
  describe(`a reshard with concurrent writes in ${dialect.name}`, () => {
    for (const [at, each] of someCases(casesOf(dialect)).entries()) {
      it(`moves a table to ${each.name} while two writers write, and loses no row`, async () => {
        const seed = Number(process.env['ISOTHERM_SEED']) + at
        const trial = await trialOf(dialect, each.from, each.to, each.table)
        const [pair] = trial.plan.tables as [{ from: string; to: string }]
        // Reads each table by itself, independent of the phase.
        const plain = openDatabase({ driver: trial.driver, schema: trial.plan.schema })
        const contents = async (table: string) => contentOf(await plain.fanOut(table).all(), each.hashes)

        await trial.run(['create'])
        const apps = [await trial.application(), await trial.application()]
        const writers = [new Writer(each, seed, 0), new Writer(each, seed, 1)]
        const write = async (times: number, joined = false) => {
          const workers = writers.map(async (writer, worker) => {
            for (let n = 0; n < times; n++) await writer.write(apps[worker]!, joined)
          })
          await Promise.all(workers)
        }
        const expected = () =>
          contentOf(
            writers.flatMap(({ rows }) => rows),
            each.hashes,
          )
        const bothAreRight = async () => {
          expect(await contents(pair.from)).toEqual(expected())
          expect(await contents(pair.to)).toEqual(expected())
        }

        for (const writer of writers) await writer.fill(apps[0]!, 20)
        await write(3)
        // Not all processes see a phase at the same time: for a while some write one table, and others write both.
        await Promise.all([write(5), trial.run(['begin'])])
        expect(await contents(pair.from)).toEqual(expected())

        // The copy is cancelled three times after a batch, and run again each time.
        const copying = async () => {
          for (let ends = 0; ends < 3; ends++) {
            const stop = new AbortController()
            let reports = 0
            const onProgress = () => void (++reports === 2 && stop.abort())
            const copy = trial.run(['copy'], { batch: 3, signal: stop.signal, onProgress })
            await expect(copy).rejects.toMatchObject({ code: 'CANCELLED' })
          }
          await trial.run(['copy'], { batch: 7 })
        }
        await Promise.all([copying(), write(8)])
        await bothAreRight()

        await Promise.all([write(2), trial.run(['verify'])])
        await Promise.all([write(3, true), trial.run(['switch'])])
        await write(3, true)
        await bothAreRight()
        await Promise.all([write(3, true), trial.back('switch')])
        await write(3)
        await bothAreRight()
        await trial.run(['verify', 'switch'])
        await Promise.all([write(3, true), trial.run(['finish'])])
        await write(2, true)
        expect(await contents(pair.to)).toEqual(expected())
        await trial.run(['drop'])
        await write(2, true)
        expect(await contents(pair.to)).toEqual(expected())
      })
    }
  })
}
