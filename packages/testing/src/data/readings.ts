import type { Strategy } from '@isotherm/core'
import { type ShardOptions, shardOf } from '@isotherm/core/keys'
import fc from 'fast-check'
import type { Traits } from '../part.js'
import { precise } from './precise.js'
import {
  matches,
  sortRows,
  type Cell,
  type ReferenceDialect,
  type ReferenceOrder,
  type ReferenceRow,
} from './reference.js'

// Random rows and queries for a table of readings, sharded by its sensor: what each query must give is worked out in memory.

export const SHARDS = [1, 2, 7, 16]

// Few values, so that ties, equal keys and matching filters are frequent.
const texts = ['', 'a', 'ab', 'b', '\u{1F600}', '\uFF5E', '\u{10FFFF}', 'é', "'; --", '\\N', 'a\u0000']
const times = [0, 1, 2].flatMap((ms) =>
  ['000000', '000001', '001000'].map((ns) => `1969-12-31T23:59:59.99${ms}${ns}Z`),
)
const momentsOf = ({ timestampDigits }: Pick<Traits, 'timestampDigits'>): fc.Arbitrary<Cell> =>
  fc.constantFrom(
    ...times
      .filter((text) => text.endsWith(`${'0'.repeat(9 - timestampDigits)}Z`))
      .map((text) => precise(text)),
  )
const textsIn = ({ nulCharacters }: Pick<Traits, 'nulCharacters'>): readonly string[] =>
  nulCharacters ? texts : texts.filter((text) => !text.includes('\0'))
const orNull = (of: fc.Arbitrary<Cell>): fc.Arbitrary<Cell> => fc.option(of, { freq: 4 })

/** What tells the values of one engine from those of another. */
type InValues = Pick<Traits, 'timestampDigits' | 'nulCharacters'>

const cellsIn = (traits: InValues): Readonly<Record<string, fc.Arbitrary<Cell>>> => ({
  at: momentsOf(traits),
  sensor: orNull(fc.constantFrom(...textsIn(traits))),
  id: fc.constantFrom(-(2n ** 63n), -1n, 0n, 1n, 2n, 3n, 2n ** 63n - 1n),
  value: orNull(fc.constantFrom(NaN, -Infinity, -1.5, 0, 1e308, Infinity)),
  note: orNull(fc.constantFrom(...textsIn(traits))),
  ok: orNull(fc.boolean()),
  raw: orNull(fc.constantFrom(Buffer.of(), Buffer.of(0), Buffer.of(255, 0), Buffer.of(128))),
  day: orNull(fc.constantFrom('0001-01-01', '1969-12-31', '2026-11-21')),
})
const properties = ['at', 'sensor', 'id', 'value', 'note', 'ok', 'raw', 'day']
const orderable = [...properties, 'shard']

export const rowsFor = (traits: InValues & Pick<Traits, 'nullKeys'>) =>
  fc.uniqueArray(
    fc.record({
      ...cellsIn(traits),
      ...(!traits.nullKeys && { sensor: fc.constantFrom(...textsIn(traits)) }),
    }) as fc.Arbitrary<ReferenceRow>,
    {
      maxLength: 40,
      // Small tables are what fast-check would rather make; ties, pages and refills need some rows.
      size: 'max',
      selector: ({ at, sensor, id }) => `${(at as Date).toISOString()}/${sensor}/${id}`,
    },
  )

// The key's parts bound ranges, and prune: they are filtered by most.
const comparedProperty = fc.oneof(fc.constantFrom(...properties), fc.constantFrom('at', 'sensor'))
/** A filter of one property. */
export const comparison = (traits: InValues): fc.Arbitrary<Record<string, unknown>> =>
  comparedProperty.chain((property) => {
    const value = cellsIn(traits)[property]!.filter((cell) => cell !== null)
    const operators: fc.Arbitrary<unknown>[] = [
      fc.constant(null),
      value,
      fc.record({ eq: value }),
      fc.record({ ne: fc.option(value) }),
      fc.record({ gte: value, lt: value }),
      fc.record({ gt: value }),
      fc.record({ lte: value }),
      fc.record({ in: fc.array(value, { maxLength: 3 }) }),
      fc.record({ notIn: fc.array(value, { maxLength: 3 }) }),
      ...(property === 'sensor' || property === 'note'
        ? [fc.record({ startsWith: fc.constantFrom(...textsIn(traits)) })]
        : []),
    ]
    return fc.oneof(...operators).map((condition) => ({ [property]: condition }))
  })
const where = (traits: InValues) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 6,
      arbitrary: fc
        .array(comparison(traits), { minLength: 1, maxLength: 3 })
        .map((each) => Object.assign({}, ...each)),
    },
    { weight: 1, arbitrary: fc.array(comparison(traits), { maxLength: 3 }).map((of) => ({ OR: of })) },
    { weight: 1, arbitrary: comparison(traits).map((of) => ({ NOT: of })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(comparison(traits), comparison(traits))
        .map(([a, b]) => ({ AND: [{ NOT: { OR: [a, b] } }, a] })),
    },
  ) as fc.Arbitrary<Record<string, unknown>>

const direction = fc.constantFrom('asc' as const, 'desc' as const)
// NULL and NaN have positions of their own in an order.
const orderedProperty = fc.oneof(fc.constantFrom(...orderable), fc.constantFrom('value', 'note'))
const order: fc.Arbitrary<ReferenceOrder[]> = fc.oneof(
  fc.constant<ReferenceOrder[]>([]),
  fc.constant<ReferenceOrder[]>([{ property: 'at', direction: 'desc' }]),
  fc.uniqueArray(fc.record({ property: orderedProperty, direction }), {
    maxLength: 3,
    selector: (term) => term.property,
  }),
)

export const queryFor = (traits: InValues, strategies: readonly Strategy[]) =>
  fc.record({
    where: where(traits),
    order,
    limit: fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined }),
    pageSizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
    strategy: fc.constantFrom(undefined, ...strategies),
    // Of an engine whose statements do not scan the planner asks other things.
    scans: fc.boolean(),
  })
export type Query = ReturnType<typeof queryFor> extends fc.Arbitrary<infer T> ? T : never

/** Ties of the wanted order are broken by the key, the shard aside. */
export const KEY_ORDER: readonly ReferenceOrder[] = [
  { property: 'at', direction: 'desc' },
  { property: 'sensor', direction: 'asc' },
  { property: 'id', direction: 'asc' },
]

export function expected(
  all: readonly ReferenceRow[],
  { where, order }: Query,
  dialect: ReferenceDialect,
): ReferenceRow[] {
  return sortRows(
    all.filter((each) => matches(each, where, dialect) === true),
    [...order, ...KEY_ORDER],
    dialect,
  )
}

/** The rows as they must come back: each in its shard. */
export function sharded(
  rows: readonly ReferenceRow[],
  shards: number,
  options?: ShardOptions,
): ReferenceRow[] {
  return rows.map((each) => ({
    shard: BigInt(shardOf(each['sensor'] as string | null, shards, options)),
    ...each,
  }))
}

export function keyOf({ at, sensor, id }: ReferenceRow): string {
  return JSON.stringify([(at as Date).toISOString(), sensor, String(id)])
}
