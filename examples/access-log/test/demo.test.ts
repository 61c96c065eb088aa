import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import type { SqlDialect } from '@isotherm/core'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import { googlesql } from '@isotherm/spanner'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { runDemo, type DemoOptions, type DemoResult } from '../src/demo.js'
import { onSpanner } from '../src/engine.js'
import { formatLine } from '../src/log/format-line.js'
import { generateRequests } from '../src/log/generate.js'
import { generatedLog, openLog, type LogSource } from '../src/log/log-source.js'
import { parseLine, type ParsedRequest } from '../src/log/parse-line.js'
import { linesOf } from './lines-of.js'
import { sampledDialects } from '../../../test/support/spanner.js'

let engine: SpannerEmulator

beforeAll(async () => {
  vi.stubEnv('SPANNER_EMULATOR_HOST', inject('spannerHost'))
  engine = await startSpannerEmulator({ launchers: ['environment'] })
})

afterAll(async () => {
  await engine?.stop()
  vi.unstubAllEnvs()
})

class Captured extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

async function demoOf(
  log: LogSource,
  { dialect = googlesql, signal }: Pick<DemoOptions, 'signal'> & { readonly dialect?: SqlDialect } = {},
): Promise<{ readonly result: DemoResult; readonly text: string }> {
  const out = new Captured()
  try {
    return {
      result: await runDemo({ engine: onSpanner(engine, dialect), log, out, ...(signal && { signal }) }),
      text: out.text,
    }
  } finally {
    await log.close()
  }
}

function logOf(lines: readonly string[]): LogSource {
  async function* each(): AsyncGenerator<string> {
    yield* lines
  }
  return { description: 'a test', lines: each(), total: undefined, position: () => 0, close: async () => {} }
}

/** The log that the acceptance of this demo is about: beside the repository, on the machines that have it. */
function realLog(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'shared/data/access.log')
    if (existsSync(file)) return file
  }
  return undefined
}

const file = realLog()

async function tenThousandLines(): Promise<LogSource> {
  return file === undefined ? generatedLog(10_000) : openLog(file, ['/'])
}

describe.each(sampledDialects)(
  `the demo in $name on ${file ?? 'generated lines, because shared/data/access.log is not there'}`,
  (dialect) => {
    let result: DemoResult
    let text: string
    let requests: ParsedRequest[]

    beforeAll(async () => {
      requests = (await linesOf(await tenThousandLines())).flatMap((line) => parseLine(line) ?? [])
      ;({ result, text } = await demoOf(await tenThousandLines(), { dialect }))
    })

    test('stores every line, also the lines of one client in the same second', () => {
      expect(requests).toHaveLength(10_000)
      expect(new Set(requests.map(({ client, time }) => `${client} ${time.getTime()}`)).size).toBeLessThan(
        10_000,
      )
      expect(result.inTable).toBe(10_000)
      expect(text).toContain('10,000 rows stored of 10,000 read')
    })

    test('reads the newest 20 rows of all shards, which are the newest 20 lines of the log', () => {
      const times = requests.map(({ time }) => time.getTime()).toSorted((a, b) => b - a)
      expect(result.newest.map((row) => row.time.getTime())).toEqual(times.slice(0, 20))

      // Each row is a separate line of the log; the order of rows of the same second may differ.
      const left = requests.map((request) => formatLine(request))
      for (const { shard: _shard, id: _id, ...request } of result.newest) {
        const line = formatLine(request)
        expect(left).toContain(line)
        left.splice(left.indexOf(line), 1)
      }
    })

    test('spreads the rows over the shards without a hotspot', () => {
      expect(result.byShard.reduce((sum, each) => sum + each, 0)).toBe(10_000)
      // Six standard deviations above the even share of 156 rows: not by chance.
      expect(Math.max(...result.byShard)).toBeLessThan(230)
      expect(Math.max(...result.byClient)).toBeGreaterThan(300)
    })

    test('reads the newest ten rows in two pages', () => {
      const [first, second] = result.pages
      expect([first?.length, second?.length]).toEqual([5, 5])
      expect(result.pages.flat().map(({ id }) => id)).toEqual(result.newest.slice(0, 10).map(({ id }) => id))
    })

    test('prints its sections in order, in lines of at most 100 characters', () => {
      const sections = [
        dialect.name === 'googlesql' ? 'CREATE TABLE `RequestLog`' : 'CREATE TABLE "RequestLog"',
        'rows stored of',
        'Rows in each of the 64 shards',
        'hash of the id, as here',
        '100.0 %',
        'The newest 20 of all shards',
        'Page 1',
        'Page 2, after the cursor of page 1',
        'Requests by status',
        'How the newest 20 were read',
      ]
      const positions = sections.map((section) => text.indexOf(section))
      expect(positions).not.toContain(-1)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      const tables = text.slice(text.indexOf('rows stored'), text.indexOf('How the newest'))
      expect(tables.split('\n').filter((line) => line.length > 100)).toEqual([])
    })
  },
)

test('the demo counts and prints malformed lines, and stores the other lines', async () => {
  const good = Array.from(generateRequests(3), (request) => formatLine(request))
  const { result, text } = await demoOf(
    logOf(['bad 1', ...good, '', 'bad \u001B[31m2', 'bad 3', 'bad 4', 'bad 5']),
  )
  expect(result.inTable).toBe(3)
  expect(text).toContain('3 rows stored of 8 read')
  expect(text).toContain(
    'Left out 5 malformed lines:\n  line 1: bad 1\n  line 6: bad ·[31m2\n  line 7: bad 3\n',
  )
  expect(text).toContain('There is no next page')
})

test('the demo prints that an empty log has 0 rows', async () => {
  const { result, text } = await demoOf(logOf([]))
  expect(result.inTable).toBe(0)
  expect(text).toContain('0 rows stored of 0 read')
  expect(text).toContain('There is no next page')
})

test('the demo stores and reads any text that a client sent', async () => {
  const [request] = generateRequests(1)
  const odd = {
    ...request!,
    method: null,
    path: '\0\u0016\u{1F600}\uFFFD"\\',
    referrer: '',
    agent: 'x'.repeat(60_000),
  }
  const { result } = await demoOf(logOf([formatLine(odd)]))
  expect(result.newest).toMatchObject([odd])
})

test('an aborted demo stops storing rows', async () => {
  const stop = new AbortController()
  const log = generatedLog(100_000)
  const running = demoOf(log, { signal: stop.signal })
  // Its refusal is awaited below; until then it must not be an unhandled rejection.
  running.catch(() => {})
  await vi.waitUntil(() => log.position() > 1000, { timeout: 30_000 })
  stop.abort()
  // A commit that was on its way may have been made.
  await expect(running).rejects.toMatchObject({
    code: expect.stringMatching(/^(CANCELLED|OUTCOME_UNKNOWN)$/),
  })
  expect(log.position()).toBeLessThan(100_000)
})
