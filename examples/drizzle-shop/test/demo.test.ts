import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { googleSqlShop } from '../src/googlesql/shop.js'
import { onSpanner } from '../src/postgresql/engine.js'
import { postgresqlShop } from '../src/postgresql/shop.js'
import { Report } from '../src/report.js'

let engine: SpannerEmulator

beforeAll(async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', inject('spannerHost'))
  engine = await startSpannerEmulator({ launchers: ['environment'] })
})

afterAll(async () => {
  await engine?.stop()
  vi.unstubAllEnvs()
})

// The shops check their results themselves: this test checks what they print.
test.each([
  ['GoogleSQL', googleSqlShop, ['Swap the order', 'CREATE TABLE `Visit`', '200 cents are left']],
  [
    'PostgreSQL dialect',
    (emulator: SpannerEmulator, report: Report) => postgresqlShop(onSpanner(emulator), report),
    ['CREATE TABLE "visit"', "state: 'paid'"],
  ],
] as const)('the shop on %s prints its results in order', async (_, shop, texts) => {
  const lines: string[] = []
  await shop(engine, new Report((line) => lines.push(line)))
  const text = lines.join('\n')
  const positions = [...texts, '2026-11-21T12:03:19', 'shards    1 of 16'].map((part) => text.indexOf(part))
  expect(positions).not.toContain(-1)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
})
