import type { ReadRequest } from '@isotherm/core/engine'
import {
  type Driver,
  type ReadOptions,
  type Dialect,
  IsothermError,
  defineSchema,
  defineTable,
} from '@isotherm/core'
import { type PlainRow, CompiledTables } from '@isotherm/core/tools'
import * as fc from 'fast-check'
import { vi } from 'vitest'
import { rowOrder, totalOrder } from '../../../src/read/plan/order.js'
import { FanOutQuery } from '../../../src/read/query.js'
import { moment } from '../../support/arbitraries.js'
import { memoryDriver, servicesOf } from './memory.js'

export const SHARDS = 5

const log = defineTable(
  'Log',
  (t) => ({
    shard: t.shardKey({ shards: SHARDS, strategy: 'random' }),
    at: t.timestamp().key('desc'),
    id: t.uuidV4(),
    page: t.string(),
    size: t.int64(),
  }),
  // Its rows have to be looked up in the table.
  { indexes: [{ name: 'ByPage', on: ['page'] }] },
)

/** Rows in any shards, some of them in many. */
export const logRows: fc.Arbitrary<PlainRow[]> = fc
  .array(fc.nat({ max: 60 }), { maxLength: 150 })
  .map((seeds) =>
    seeds.map((seed, id) => ({
      shard: BigInt(seed % 3 === 0 ? 0 : seed % SHARDS),
      at: moment(seed % 40, seed % 2),
      id: `00000000-0000-4000-8000-${id.toString(16).padStart(12, '0')}`,
      page: `${seed % 7}`,
      size: BigInt(seed),
    })),
  )

export const passing = (): IsothermError =>
  new IsothermError('UNAVAILABLE', 'The connection was lost.', { retryable: true })
export const lasting = (): IsothermError => new IsothermError('DATABASE', 'The table is broken.')

/** The shard that a request is for; undefined where it is for several. */
export function shardOf({ ranges = [] }: ReadRequest): number | undefined {
  const shards = new Set(ranges.map(({ start }) => Number(start[0])))
  return shards.size === 1 ? [...shards][0] : undefined
}

/** What happens to a request: it fails, its answer comes after a promise, or it succeeds at once. */
export type Script = (request: ReadRequest, options: ReadOptions) => Error | Promise<unknown> | undefined

export interface FailingLog {
  /** The requests that were answered. */
  readonly answered: ReadRequest[]
  /** All requests. */
  readonly requests: ReadRequest[]
  readonly query: FanOutQuery<PlainRow>
  /** The rows as they must come back. */
  readonly expected: PlainRow[]
  /** The same by an index that lacks columns of the rows. */
  readonly joined: Pick<FailingLog, 'query' | 'expected'>
}

/** A table in memory behind a driver that follows a script, with a health of its own. */
export function failingLog(dialect: Dialect, rows: readonly PlainRow[], script: Script): FailingLog {
  const table = new CompiledTables(defineSchema([log]), dialect).of('Log')
  const memory = memoryDriver(table, rows)
  const requests: ReadRequest[] = []
  const read: Driver['read'] = async (request, options = {}) => {
    requests.push(request)
    const outcome = script(request, options)
    if (outcome instanceof Error) throw outcome
    await outcome
    return memory.read(request)
  }
  const driver: Driver = {
    ...memory,
    read,
    snapshot: async (options) => ({ ...(await memory.snapshot(options)), read }),
  }
  const ordered = (property: 'at' | 'page', direction: 'asc' | 'desc') => {
    const order = totalOrder(table.layout, [{ property, direction }])
    return {
      query: FanOutQuery.over<PlainRow>(servicesOf(driver, table), table).orderBy(property, direction),
      expected: rows.toSorted(rowOrder(dialect, order)),
    }
  }
  const byPage = ordered('page', 'asc')
  return {
    answered: memory.reads,
    requests,
    ...ordered('at', 'desc'),
    joined: { ...byPage, query: byPage.query.useIndex('ByPage').strategy('back-join') },
  }
}

/** An outcome, with all pauses on the way to it passed over. Needs fake timers. */
export async function inNoTime<T>(work: Promise<T>): Promise<T> {
  const state = { isSettled: false }
  const settled = (): void => {
    state.isSettled = true
  }
  work.then(settled, settled)
  for (let turn = 0; !state.isSettled; turn++) {
    if (turn > 10_000) throw new Error('It never ends.')
    // Work that needs no timer gets enough turns to end by itself.
    if (turn % 10 === 9) await vi.advanceTimersToNextTimerAsync()
    else await Promise.resolve()
  }
  return work
}
