import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { expect } from 'vitest'
import { runDemo } from '../src/demo.js'
import type { DemoEngine } from '../src/engine.js'
import { generatedLog } from '../src/log/log-source.js'

/** Runs the demo: it stores every row, and reads the newest ones in order. @returns what it prints */
export async function storesEveryRow(engine: DemoEngine): Promise<string> {
  const out = new PassThrough()
  const printed = textOf(out)
  try {
    const { inTable, newest, byShard, pages } = await runDemo({ engine, log: generatedLog(2_000), out })
    expect(inTable).toBe(2_000)
    expect(byShard.every((rows) => rows > 0)).toBe(true)
    const times = newest.map(({ time }) => time.getTime())
    expect(times).toEqual(times.toSorted((one, other) => other - one))
    expect(newest).toHaveLength(20)
    expect(pages.flat().map(({ id }) => id)).toEqual(newest.slice(0, 10).map(({ id }) => id))
  } finally {
    out.end()
  }
  return printed
}
