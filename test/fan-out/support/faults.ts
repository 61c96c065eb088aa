import { defineSchema, defineTable, type Dialect, type Strategy } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import type { Proxy } from '../../support/proxy.js'
import { matches, sortRows, type ReferenceOrder, type ReferenceRow } from '@isotherm/testing/data/reference'

const SHARDS = 7
const ROWS = 600

export const Event = defineTable('Event', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['source'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
  source: t.string({ length: 20 }).key(),
  body: t.string(),
}))
export const schema = defineSchema([Event])

/** Half of them are of one source, so that one shard is read in many chunks. */
export const events = Array.from({ length: ROWS }, (_, n) => ({
  at: new Date(Date.parse('2026-11-21T12:00:00Z') + Math.floor(n / 3) * 1000),
  id: BigInt(n),
  source: n % 2 === 0 ? 'busy' : `source ${n % 20}`,
  body: `${n % 10}:`.repeat(60),
}))

const stored: readonly ReferenceRow[] = events.map((each) => ({
  shard: BigInt(shardOf(each.source, SHARDS)),
  ...each,
}))

/** What can happen to the way to a database once it has sent so many bytes, and for how many milliseconds. */
const fault = fc.record({
  bytes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90_000 })),
  kind: fc.constantFrom('reset', 'cut', 'refuse', 'stall', 'black hole', 'slow'),
  milliseconds: fc.integer({ min: 5, max: 300 }),
})
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never

export const questionOf = (strategies: readonly Strategy[]) =>
  fc.record({
    strategy: fc.constantFrom(undefined, ...strategies),
    way: fc.constantFrom('page', 'all', 'stream'),
    limit: fc.option(fc.integer({ min: 1, max: ROWS }), { nil: undefined }),
    where: fc.oneof(
      fc.constant<Record<string, unknown>>({}),
      fc.constant({ source: { ne: 'busy' } }),
      fc.constant({ id: { gte: 100n, lt: 500n } }),
    ),
    order: fc.oneof(
      { weight: 3, arbitrary: fc.constant<ReferenceOrder[]>([{ property: 'at', direction: 'desc' }]) },
      { weight: 1, arbitrary: fc.constant<ReferenceOrder[]>([{ property: 'body', direction: 'asc' }]) },
    ),
    // None of them is long enough for what never ends.
    deadline: fc.constantFrom(150, 600, 2000),
    abortAfter: fc.oneof(
      { weight: 7, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 200 }) },
    ),
    faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
  })
export type Question = ReturnType<typeof questionOf> extends fc.Arbitrary<infer T> ? T : never

/** Ties are broken by the key, the shard aside. */
const KEY_ORDER: readonly ReferenceOrder[] = [
  { property: 'at', direction: 'desc' },
  { property: 'id', direction: 'asc' },
]

export function expectedRows({ where, order }: Question, dialect: Dialect): ReferenceRow[] {
  const found = stored.filter((each) => matches(each, where, dialect) === true)
  return sortRows(found, [...order, ...KEY_ORDER], dialect)
}

/** Has them happen one after the other, each once the one before is over. */
export function schedule(proxy: Proxy, faults: readonly Fault[]): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const next = (at: number): void => {
    const fault = faults[at]
    if (!fault) return
    const begin = (): void => {
      strike(proxy, fault)
      timer = setTimeout(() => {
        proxy.heal()
        next(at + 1)
      }, fault.milliseconds)
    }
    if (fault.bytes === 0) begin()
    else proxy.after(fault.bytes, begin)
  }
  next(0)
  return {
    stop() {
      clearTimeout(timer)
      proxy.heal()
    },
  }
}

function strike(proxy: Proxy, { kind, milliseconds }: Fault): void {
  switch (kind) {
    case 'reset':
      proxy.reset()
      return
    case 'cut':
      proxy.cut()
      return
    case 'refuse':
      proxy.refuse()
      proxy.reset()
      return
    case 'stall':
      proxy.stall()
      return
    case 'black hole':
      proxy.blackHole()
      return
    case 'slow':
      proxy.slow(Math.min(50, milliseconds))
  }
}
