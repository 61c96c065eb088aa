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

/** Half of the events have one source, so that one shard is read in many chunks. */
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

/** A fault of the connection after the database has sent `bytes` bytes. It lasts for `lasts` more bytes, or forever. */
const fault = fc.record({
  bytes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 90_000 })),
  kind: fc.constantFrom('abort', 'reset', 'cut', 'turn away', 'refuse', 'stall', 'black hole', 'slow'),
  lasts: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
})
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never

/** Milliseconds. Faults that never end have a short timeout; all others have a timeout that is never reached. */
const SHORT = 150
export const PATIENT = 600_000
const ENDLESS: readonly Fault['kind'][] = ['refuse', 'stall', 'black hole']

export const questionOf = (strategies: readonly Strategy[]) =>
  fc.record({
    strategy: fc.constantFrom(undefined, ...strategies),
    mode: fc.constantFrom('page', 'all', 'stream'),
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
    faults: fc.array(fault, { minLength: 1, maxLength: 3 }),
  })
export type Question = ReturnType<typeof questionOf> extends fc.Arbitrary<infer T> ? T : never

const whole: Omit<Question, 'faults'> = {
  strategy: undefined,
  mode: 'stream',
  limit: undefined,
  where: {},
  order: [{ property: 'at', direction: 'desc' }],
}
/** The first answer is lost, which a fan-out survives. */
export const survived: Question = { ...whole, faults: [{ bytes: 1, kind: 'reset', lasts: undefined }] }
/** A fan-out does not survive this fault. */
export const fatal: Question = { ...whole, faults: [{ bytes: 20_000, kind: 'black hole', lasts: undefined }] }

export function timeoutOf({ faults }: Question): number {
  return faults.some(({ kind }) => ENDLESS.includes(kind)) ? SHORT : PATIENT
}

/** Ties are broken by the key without the shard. */
const KEY_ORDER: readonly ReferenceOrder[] = [
  { property: 'at', direction: 'desc' },
  { property: 'id', direction: 'asc' },
]

export function expectedRows({ where, order }: Question, dialect: Dialect): ReferenceRow[] {
  const found = stored.filter((each) => matches(each, where, dialect) === true)
  return sortRows(found, [...order, ...KEY_ORDER], dialect)
}

/** Causes the faults one after the other, each after the end of the previous fault. */
export function schedule(proxy: Proxy, abort: () => void, [fault, ...later]: readonly Fault[]): void {
  if (!fault) return
  const next = (): void => schedule(proxy, abort, later)
  const begin = (): void => {
    const goesOn = strike(proxy, abort, fault)
    if (!goesOn) next()
    else if (fault.lasts !== undefined)
      proxy.after(fault.lasts, () => {
        proxy.heal()
        next()
      })
  }
  if (fault.bytes === 0) begin()
  else proxy.after(fault.bytes, begin)
}

/** Whether the fault lasts until the proxy is healed. */
function strike(proxy: Proxy, abort: () => void, { kind, lasts = 0 }: Fault): boolean {
  switch (kind) {
    case 'abort':
      abort()
      return false
    case 'reset':
      proxy.reset()
      return false
    case 'cut':
      proxy.cut()
      return false
    case 'turn away':
      proxy.turnAway(1 + (lasts % 3))
      proxy.reset()
      return false
    case 'refuse':
      proxy.refuse()
      proxy.reset()
      return true
    case 'stall':
      proxy.stall()
      return true
    case 'black hole':
      proxy.blackHole()
      return true
    case 'slow':
      proxy.slow(5)
      return true
  }
}
