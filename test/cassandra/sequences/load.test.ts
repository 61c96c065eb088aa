import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileDdl, IsothermError, openDatabase, type Database, type Driver } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import type { Cassandra } from '@isotherm/cassandra/local'
import { asynchronous, asynchronousBatch, batch, type TableSequence } from '@isotherm/core/sequences'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ascending, counted, rested, standsAt, upTo } from '@isotherm/testing/data/used-sequences'
import { sharedCassandra } from '../../support/cassandra.js'
import { script, type Script } from '../../support/other-process.js'
import type { CountingTask } from './support/counting-process.js'
import { conditionalOf } from '../support/conditional.js'
import { randomOf } from '../../support/random.js'

const random = randomOf(Number(process.env['ISOTHERM_SEED']))

// Many clients that count in one row, processes that are killed, and answers that are lost.

/** ISOTHERM_SEQUENCES=full takes more numbers, in real processes; otherwise it is a sample. */
const isFull = process.env['ISOTHERM_SEQUENCES'] === 'full'
const MIGRATORS = 16
const EACH = isFull ? 400 : 40
/** In order, each waits for all others: a few of them say as much. */
const EACH_IN_ORDER = isFull ? 100 : 8

const KINDS = ['asynchronous', 'batch', 'asynchronousBatch'] as const
type Kind = (typeof KINDS)[number]

function generatorOf(kind: Kind, driver: Driver, name: string): TableSequence {
  if (kind === 'asynchronous') return asynchronous(driver, name)
  return kind === 'batch'
    ? batch(driver, name, { size: 50 })
    : asynchronousBatch(driver, name, { ranges: { size: 50, lowWater: 12 } })
}

let engine: Cassandra
let keyspace: string
let db: Database
let child: Script
const folder = mkdtempSync(join(tmpdir(), 'isotherm-sequences-'))

/** That of another process: it shares nothing with others but the row. */
async function anotherDriver(): Promise<Driver> {
  const client = await engine.client(keyspace, { encoding: { useBigIntAsLong: true, map: Map } })
  return cassandra(client, { dialect: cql })
}

beforeAll(async () => {
  engine = await sharedCassandra()
  keyspace = await engine.keyspace({ ddl: compileDdl(counted, { dialect: cql }) })
  db = openDatabase({ driver: await anotherDriver(), schema: counted })
  child = await script(new URL('./support/counting-process.ts', import.meta.url))
})
afterAll(() => {
  child.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe('sequence numbers that are counted in one row', () => {
  it.each(KINDS)(
    'are unique among 16 clients of %s, and have order and no gaps only with asynchronous',
    async (kind) => {
      const each = kind === 'asynchronous' ? EACH_IN_ORDER : EACH
      const drivers = await Promise.all(Array.from({ length: MIGRATORS }, anotherDriver))
      const made = await Promise.all(drivers.map((driver) => generatorOf(kind, driver, kind).create()))
      expect(made.filter(Boolean)).toHaveLength(1)
      const taken = await Promise.all(
        drivers.map(async (driver) => {
          const generator = generatorOf(kind, driver, kind)
          const own: bigint[] = []
          const callers = Array.from({ length: 4 }, async () => {
            for (let turn = 0; turn < each / 4; turn++) own.push(await generator.next())
          })
          await Promise.all(callers)
          await generator.close()
          return own
        }),
      )
      const numbers = taken.flat()
      expect(numbers).toHaveLength(MIGRATORS * each)
      expect(new Set(numbers).size).toBe(numbers.length)
      expect((await standsAt(db, kind))! > ascending(numbers).at(-1)!).toBe(true)
      // In order for each client, and without a gap, since no call failed.
      const isOrdered = taken.every((own) => own.join() === ascending(own).join())
      expect([isOrdered, numbers.length === Number(ascending(numbers).at(-1))].every(Boolean)).toBe(
        kind === 'asynchronous',
      )
    },
  )

  it.each(KINDS)('are unique among clients of %s if answers to conditional writes are lost', async (kind) => {
    const name = `${kind} lost`
    await generatorOf(kind, db.driver, name).create()
    let lost = 0
    const lossy = async (): Promise<Driver> => {
      const driver = await anotherDriver()
      const conditional = conditionalOf(driver)
      // The first write is never sent, the answer to the second is lost; then it is random.
      const fates = [0, 0.1]
      return {
        ...driver,
        atomic: {
          ...conditional,
          async writeIf(...args) {
            const fate = fates.shift() ?? random(1_000) / 1_000
            const unknown = new IsothermError('OUTCOME_UNKNOWN', 'Timed out.')
            if (fate < 0.1 && ++lost) throw unknown
            const answer = await conditional.writeIf(...args)
            if (fate < 0.2 && ++lost) throw unknown
            return answer
          },
        },
      }
    }
    const numbers: bigint[] = []
    const drivers = await Promise.all(Array.from({ length: 4 }, lossy))
    await Promise.all(
      drivers.map(async (driver) => {
        const generator = generatorOf(kind, driver, name)
        // The caller gets an error after five lost answers in a row, and asks again.
        for (let got = 0; got < 3 * EACH;) {
          const range = await generator.take(3).catch((error: unknown) => {
            if (!(error instanceof IsothermError && error.retryable)) throw error
            return []
          })
          numbers.push(...range)
          got += range.length
        }
        await generator.close()
      }),
    )
    expect(lost).toBeGreaterThan(0)
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it.each(KINDS)('are unique among processes that use %s if one process is killed', async (kind) => {
    const name = `${kind} killed`
    const generator = generatorOf(kind, db.driver, name)
    await generator.create()
    const kill = new AbortController()
    const order = { client: engine.clientOptions, keyspace, kind, name }
    const task: CountingTask = { ...order, callers: 10, file: join(folder, name) }
    const death = child.run(task, {}, kill.signal).then(
      () => undefined,
      (error: unknown) => error as { signal: string },
    )
    const others = Array.from({ length: isFull ? MIGRATORS : 1 }, () =>
      child.run({ ...order, callers: 5, each: EACH } satisfies CountingTask, {}),
    )
    const own: bigint[] = []
    const written = (): string[] =>
      existsSync(task.file!) ? readFileSync(task.file!, 'utf8').split('\n').slice(0, -1) : []
    while (written().length < 60) {
      own.push(await generator.next())
      await rested(5)
    }
    kill.abort()
    expect(await death).toMatchObject({ signal: 'SIGKILL' })
    const theirs = ((await Promise.all(others)) as string[][]).flat().map(BigInt)
    // A line is whole, or has not been handed out.
    const dead = written().map(BigInt)
    own.push(...(await generator.take(60)))
    const numbers = [...own, ...theirs, ...dead]
    expect(new Set(numbers).size).toBe(numbers.length)
    await generator.close()
  })
})

it('asynchronous() in a single process hands out every number, in order', async () => {
  const generator = asynchronous(db, 'alone')
  await generator.create()
  const numbers = (await Promise.all(Array.from({ length: 50 }, () => generator.next()))).map(BigInt)
  expect(numbers).toEqual(upTo(50))
  await generator.close()
})
