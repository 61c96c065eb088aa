import * as fc from 'fast-check'
import type { CommitFate, Fate } from './memory-database.js'
import { ORDERED, POOLED, type Transaction } from './world.js'

// Events of sequences, and of the database that stores them.

export type Event =
  | { readonly kind: 'transaction'; readonly transaction: Transaction }
  | {
      readonly kind: 'take'
      readonly from: (typeof POOLED)[number]
      readonly count: number
      readonly callers: number
    }
  | { readonly kind: 'close'; readonly from: (typeof POOLED)[number] }
  | { readonly kind: 'restart' }

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      from: fc.constantFrom(...ORDERED),
      count: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('take-at-once' as const),
      from: fc.shuffledSubarray([...ORDERED], { minLength: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('take-pooled' as const),
      from: fc.constantFrom(...POOLED),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pause' as const), for: fc.integer({ min: 0, max: 20 }) }),
  },
)

const transaction: fc.Arbitrary<Transaction> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  rollsBack: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  swallows: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
})

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('transaction' as const), transaction }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('take' as const),
      from: fc.constantFrom(...POOLED),
      count: fc.integer({ min: 1, max: 15 }),
      callers: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('close' as const), from: fc.constantFrom(...POOLED) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

export const events = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 200 }), process: fc.integer({ min: 0, max: 2 }), event }),
  { minLength: 1, maxLength: 25 },
)

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, ...others.map((other) => fc.constant(other)))

export const fates = fc.record({
  latencies: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
  calls: fc.array(often<Fate>('well', 'aborted', 'unavailable'), { maxLength: 100 }),
  commits: fc.array(often<CommitFate>('well', 'aborted', 'lost', 'lost-and-written'), { maxLength: 60 }),
})
