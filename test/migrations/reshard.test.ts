import { openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { dialects } from '../support/spanner.js'
import { casesOf } from './reshard-models.js'
import { trialOf } from './reshard-support.js'
import { randomOf } from '../support/random.js'
import { contentOf, Writer } from './reshard-writer.js'

for (const dialect of dialects) {
  describe(`in ${dialect.name}`, () => {
    for (const [at, each] of casesOf(dialect).entries()) {
      it(`moves a table to ${each.name} under writes, and loses nothing`, async () => {
        const seed = 7 + at
        const random = randomOf(seed)
        const trial = await trialOf(dialect, each.from, each.to, each.table)
        const [pair] = trial.plan.tables as [{ from: string; to: string }]
        // Each table by itself, whatever the phase.
        const plain = openDatabase({ driver: trial.driver, schema: trial.plan.schema })
        const contents = async (table: string) => contentOf(await plain.fanOut(table).all(), each.hashes)

        await trial.run(['create'])
        const apps = [await trial.application(), await trial.application()]
        const writers = [new Writer(each, seed, 0), new Writer(each, seed, 1)]
        const write = async (times: number, joined = false) => {
          const lanes = writers.map(async (writer, lane) => {
            for (let n = 0; n < times; n++) await writer.write(apps[lane]!, joined)
          })
          await Promise.all(lanes)
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

        for (const writer of writers) await writer.fill(apps[0]!, 40)
        await write(5)
        // Not all processes see a phase at once: for a while some write one table, and others both.
        await Promise.all([write(10), trial.run(['begin'])])
        expect(await contents(pair.from)).toEqual(expected())

        // Ended five times on its way, and run again each time.
        const copied = new AbortController()
        const copying = async () => {
          const ends: unknown[] = []
          while (!copied.signal.aborted) {
            const stop = new AbortController()
            let left = ends.length < 5 ? random(5) : Infinity
            const onProgress = () => {
              if (left-- === 0) stop.abort()
            }
            await trial.run(['copy'], { batch: 7, signal: stop.signal, onProgress }).then(
              () => copied.abort(),
              (error: { code: unknown }) => ends.push(error.code),
            )
          }
          return ends
        }
        const writing = async () => {
          while (!copied.signal.aborted) await write(1)
        }
        const [ends] = await Promise.all([copying(), writing()])
        expect(ends).toEqual(Array.from({ length: 5 }, () => 'CANCELLED'))
        await bothAreRight()

        await Promise.all([write(4), trial.run(['verify'])])
        await Promise.all([write(6, true), trial.run(['switch'])])
        await write(6, true)
        await bothAreRight()
        await Promise.all([write(6, true), trial.back('switch')])
        await write(6)
        await bothAreRight()
        await trial.run(['verify', 'switch'])
        await Promise.all([write(6, true), trial.run(['finish'])])
        await write(4, true)
        expect(await contents(pair.to)).toEqual(expected())
        await trial.run(['drop'])
        await write(4, true)
        expect(await contents(pair.to)).toEqual(expected())
      })
    }
  })
}
