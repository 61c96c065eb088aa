import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runsInGate } from '../support/runs.js'
import { dialects } from '../support/spanner.js'
import { KeptSelects } from './support/kept-selects.js'
import { WORLDS, data, fill, openWorld, outcome, reads, writes } from './support/random-statements.js'

// Random selects return the same rows with a cache as without a cache, whatever is written between them.

const twice = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 2, maxLength: 2 })

test.each(dialects)(
  'random selects return the same rows with and without a cache between random writes in $name',
  async (dialect) => {
    const open = await openWorld(dialect, WORLDS.distinct)
    const cache = new KeptSelects()
    const [cached, plain] = [open({ cache }), open()]
    let statements = 0
    await fc.assert(
      fc.asyncProperty(data, twice(reads), twice(writes), async (rows, selects, changes) => {
        const compare = async () => {
          for (const select of selects) {
            const [found, wanted] = [await outcome(cached, select), await outcome(plain, select)]
            expect({ select, found }).toEqual({ select, found: wanted })
            statements++
          }
        }
        await fill(cached, rows)
        await compare()
        for (const change of changes) {
          await outcome(cached, change)
          await compare()
        }
      }),
      { numRuns: runsInGate(1_000, 6) },
    )
    // The test is meaningless if the cache is never hit, or if every write empties it.
    expect(cache.hits).toBeGreaterThan(statements / 10)
  },
)
