import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileDdl, openDatabase, type Database } from '@isotherm/core'
import { startSpannerEmulator, type SpannerEmulator } from '@isotherm/spanner/local'
import { asynchronous, asynchronousBatch, batch, inTransaction } from '@isotherm/core/sequences'
import { spanner } from '@isotherm/spanner'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { script, type Script } from '../support/other-process.js'
import { dialects } from '../support/spanner.js'
import type { CountingTask } from './support/counting-process.js'
import { ascending, rested, standsAt, upTo } from '@isotherm/testing/data/used-sequences'
import { Used, used, usedNumbers } from './support/used.js'

// Many callers, several processes, an engine that aborts commits at random, and processes that are killed.

/** ISOTHERM_SEQUENCES=full takes many numbers; otherwise the tests take a sample. */
const isFull = process.env['ISOTHERM_SEQUENCES'] === 'full'
const IN_ORDER = isFull ? 2_000 : 200
const IN_RANGES = isFull ? 100_000 : 6_000
const CALLERS = 50
const PROCESSES = 2

let engine: Promise<SpannerEmulator> | undefined
let child: Script
const folder = mkdtempSync(join(tmpdir(), 'isotherm-sequences-'))
beforeAll(async () => {
  child = await script(new URL('./support/counting-process.ts', import.meta.url))
})
afterAll(async () => {
  child.remove()
  rmSync(folder, { recursive: true, force: true })
  await (await engine)?.stop()
})

describe.each(dialects)('sequences in $name while commits are aborted at random', (dialect) => {
  let db: Database
  let location: Pick<CountingTask, 'projectId' | 'instance' | 'database' | 'dialect'>
  let environment: NodeJS.ProcessEnv
  beforeAll(async () => {
    engine ??= startSpannerEmulator({ faultInjection: true })
    const { projectId, instanceId, host } = await engine
    const client = await (await engine).database({ dialect, ddl: compileDdl(used, { dialect }) })
    db = openDatabase({ driver: spanner(client), schema: used })
    const database = client.formattedName_.split('/').at(-1)!
    location = { projectId, instance: instanceId, database, dialect: dialect.name }
    environment = { SPANNER_EMULATOR_HOST: host, GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS: 'false' }
  })

  /** Many callers repeat the work until `count` turns are done. */
  async function among(callers: number, count: number, work: (turn: number) => Promise<void>): Promise<void> {
    let turn = 0
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (turn < count) await work(turn++)
      }),
    )
  }

  it.each([
    ['one number', 1],
    ['several numbers', 4],
  ])(
    'transactions that take %s leave no gap, and are committed in the order of their numbers',
    async (name, count) => {
      const invoices = inTransaction(name)
      await invoices.create(db)
      let attempts = 0
      let rolledBack = 0
      // Enough transactions for at least one abort: one in twenty is aborted.
      const turns = IN_ORDER
      await among(CALLERS, turns, async (turn) => {
        const work = db.transaction(async (tx) => {
          attempts++
          const numbers =
            count === 1
              ? [await invoices.next(tx)]
              : [await invoices.next(tx), ...(await invoices.take(tx, count - 1))]
          await tx.insert(
            Used,
            numbers.map((number) => ({ sequence: name, number })),
            { buffered: true, returning: false },
          )
          if (turn % 10 === 9) throw new RangeError('rolled back')
        })
        await work.catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error
          rolledBack++
        })
      })
      const expected = upTo((turns - rolledBack) * count)
      expect(rolledBack).toBe(Math.floor(turns / 10))
      expect(await usedNumbers(db, name)).toEqual(expected)
      expect(await standsAt(db, name)).toBe(BigInt(expected.length + 1))
      expect(attempts).toBeGreaterThan(turns)
    },
  )

  it('asynchronous() gives unique numbers in order', async () => {
    const employees = asynchronous(db, 'employee')
    await employees.create()
    const numbers: bigint[] = []
    let highest = 0n
    await among(CALLERS, IN_ORDER, async () => {
      const before = highest
      const number = await employees.next()
      expect(number > before).toBe(true)
      if (number > highest) highest = number
      numbers.push(number)
    })
    expect(new Set(numbers).size).toBe(numbers.length)
    // An aborted commit did not happen, so no number is lost.
    expect(ascending(numbers)).toEqual(upTo(IN_ORDER))
    await employees.close()
  })

  it.each(['batch', 'asynchronousBatch'] as const)(
    '%s() gives unique numbers in several processes',
    async (kind) => {
      const generator = kind === 'batch' ? batch(db, kind, { size: 200 }) : asynchronousBatch(db, kind)
      await generator.create()
      const callers = Math.ceil(CALLERS / (PROCESSES + 1))
      const each = Math.ceil(IN_RANGES / (callers * (PROCESSES + 1)))
      const others = Array.from({ length: PROCESSES }, () =>
        child.run({ ...location, kind, name: kind, callers, each } satisfies CountingTask, environment),
      )
      const numbers: bigint[] = []
      await among(callers, callers * each, async () => {
        numbers.push(await generator.next())
        await new Promise((resolve) => setImmediate(resolve))
      })
      for (const taken of await Promise.all(others)) numbers.push(...(taken as string[]).map(BigInt))
      expect(numbers.length).toBeGreaterThanOrEqual(IN_RANGES)
      expect(new Set(numbers).size).toBe(numbers.length)
      await generator.close()
    },
  )

  it.each(['batch', 'asynchronousBatch'] as const)(
    'a killed process loses at most one range of %s()',
    async (kind) => {
      const name = `${kind} killed`
      const generator = batch(db, name, { size: 1 })
      await generator.create()
      const kill = new AbortController()
      const task = { ...location, kind, name, callers: 10, file: join(folder, `${dialect.name} ${name}`) }
      const dying = child.run(task satisfies CountingTask, environment, kill.signal)
      const death = dying.then(
        () => undefined,
        (error: unknown) => error as { signal: string },
      )
      while ((await standsAt(db, name))! < 2_000n) await rested(5)
      kill.abort()
      expect(await death).toMatchObject({ signal: 'SIGKILL' })
      // A number of an incomplete line was not returned.
      const numbers = readFileSync(task.file, 'utf8').split('\n').slice(0, -1).map(BigInt)
      expect(numbers.length).toBeGreaterThan(1_000)
      const own = await generator.take(10)
      expect(new Set([...numbers, ...own]).size).toBe(numbers.length + 10)
      const lost = Number(own[0]! - 1n) - numbers.length
      // asynchronousBatch() reserves the next range when the present range is down to its low-water mark.
      expect(lost).toBeLessThanOrEqual(kind === 'batch' ? 200 : 250)
      await generator.close()
    },
  )
})
