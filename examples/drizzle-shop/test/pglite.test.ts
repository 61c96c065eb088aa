import { startPglite } from '@isotherm/postgresql/local'
import { expect, test } from 'vitest'
import { onPglite } from '../src/postgresql/engine.js'
import { postgresqlShop } from '../src/postgresql/shop.js'
import { Report } from '../src/report.js'

// The shop checks its results itself: this test checks what it prints.
test("the shop of the PostgreSQL dialect prints its results in order on PGlite, with Drizzle's own database", async () => {
  const lines: string[] = []
  await using engine = await startPglite()
  await postgresqlShop(onPglite(engine), new Report((line) => lines.push(line)))
  const text = lines.join('\n')
  const positions = ['CREATE TABLE "visit"', "state: 'paid'", '2026-11-21T12:03:19', 'shards    1 of 16'].map(
    (part) => text.indexOf(part),
  )
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
})
