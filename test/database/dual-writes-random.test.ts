import { openDatabase, type Database } from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planReshard } from '@isotherm/migrations'
import { casesOf } from '../migrations/reshard-models.js'
import { contentOf, Writer } from '../migrations/reshard-writer.js'
import { dialects, testDatabase } from '../support/spanner.js'

// Processes in different phases write at the same time, as they do while one phase follows another: whichever table leads,
// both tables hold what was written.

for (const dialect of dialects) {
  describe(`dual writes by processes in different phases in ${dialect.name}`, () => {
    for (const each of casesOf(dialect)) {
      it(`keep both tables equal when the table moves to ${each.name}`, async () => {
        const { schema, tables } = planReshard(each.from, each.to, { dialect, table: each.table })
        const { db: plain, empty } = await testDatabase(schema, dialect)
        const [{ from, to }] = tables as [{ from: string; to: string }]
        const within = (phase: 'writing' | 'reading'): Database =>
          openDatabase({ driver: plain.driver, schema, tables: dualWrites([{ from, to, phase }]) })
        const processes = { writing: within('writing'), reading: within('reading') }
        const phases = fc.array(fc.constantFrom('writing', 'reading'), { minLength: 10, maxLength: 24 })
        await fc.assert(
          fc.asyncProperty(fc.nat(), phases, async (seed, writes) => {
            await empty(from)
            await empty(to)
            const writer = new Writer(each, seed)
            for (const phase of writes as ('writing' | 'reading')[])
              await writer.write(processes[phase], phase === 'reading')
            const expected = contentOf(writer.rows, each.hashes)
            expect(contentOf(await plain.fanOut(from).all(), each.hashes)).toEqual(expected)
            expect(contentOf(await plain.fanOut(to).all(), each.hashes)).toEqual(expected)
          }),
          { numRuns: 3, seed: 11, endOnFailure: true },
        )
      })
    }
  })
}
