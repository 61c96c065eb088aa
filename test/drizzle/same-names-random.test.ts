import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runsInGate } from '../support/runs.js'
import { dialects } from '../support/spanner.js'
import { WORLDS, data, fill, openWorld, outcome, statements } from './support/random-statements.js'

// Statements over tables, views, aliases and subqueries whose names collide do what the same statements do over the same data under
// distinct names.

test.each(dialects)(
  'random statements give the same result with colliding names as with distinct names, or are rejected, in $name',
  async (dialect) => {
    const colliding = (await openWorld(dialect, WORLDS.colliding))()
    const distinct = (await openWorld(dialect, WORLDS.distinct))()
    const counts = { same: 0, refused: 0 }
    let held: unknown
    await fc.assert(
      fc.asyncProperty(data, fc.array(statements, { minLength: 5, maxLength: 5 }), async (rows, some) => {
        for (const statement of some) {
          if (held !== rows) {
            await fill(colliding, rows)
            await fill(distinct, rows)
          }
          held = rows
          const wanted = await outcome(distinct, statement)
          const found = await outcome(colliding, statement).catch((error: unknown) => error)
          const isRefused = (found as { code?: string }).code === 'INVALID_QUERY'
          counts[isRefused ? 'refused' : 'same']++
          expect({ statement, found }).toEqual({ statement, found: isRefused ? found : wanted })
          if (statement.kind === 'delete' || statement.kind === 'update') held = undefined
        }
      }),
      { numRuns: runsInGate(400, 5) },
    )
    expect(counts.refused).toBeLessThan(counts.same / 3)
  },
)
