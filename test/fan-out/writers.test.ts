import { compileDdl, openDatabase, type SqlDialect } from '@isotherm/core'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import { spanner } from '@isotherm/spanner'
import { afterAll, describe, expect, it } from 'vitest'
import { spannerCapabilities } from '../support/engines.js'
import { dialects } from '../support/spanner.js'
import { Note, NOTES, notes, readWhileWriting, WRITES } from '@isotherm/testing/data/writing'

// An emulator that aborts commits at random, as production does now and then.

let engine: Promise<SpannerEmulator> | undefined
afterAll(async () => (await engine)?.stop())

async function connected(dialect: SqlDialect) {
  engine ??= startSpannerEmulator({ faultInjection: true })
  const client = await (await engine).database({ dialect, ddl: compileDdl(notes, { dialect }) })
  return openDatabase({ driver: spanner(client), schema: notes })
}

describe.each(dialects)('in $name, while commits are aborted at random, a fan-out', (dialect) => {
  it('sees all rows that were committed before it began, each once and in order', async () => {
    const db = await connected(dialect)
    let attempts = 0
    const found = await readWhileWriting({
      db,
      strategies: spannerCapabilities(dialect).strategies,
      insert: (rows) =>
        db.transaction(async (tx) => {
          attempts++
          await tx.insert(Note, rows)
        }),
    })
    expect(found).toBe(NOTES)
    // Else no commit was aborted.
    expect(attempts).toBeGreaterThan(WRITES)
  })
})
