import { defineSchema, defineTable, IsothermError, type Dialect } from '@isotherm/core'
import fc from 'fast-check'
import { inspect, isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../../packages/core/src/rows/filter.js'
import { predicateOf } from '../../../packages/core/src/rows/predicate.js'
import { comparison, keyOf, rowsFor, sharded } from '@isotherm/testing/data/readings'
import { engines, type TestEngine } from '../../support/engines.js'
import { scaled } from '../../support/runs.js'
import { matches, type ReferenceRow } from '@isotherm/testing/data/reference'

// Filters with undefined, empty objects and empty lists. If these parts were ignored, the filter would match too many rows.

type Filter = Readonly<Record<string, unknown>>

/** A filter, and the same filter without the inserted parts; undefined if nothing is left. */
interface Made {
  readonly filter: unknown
  readonly without: Filter | undefined
}

const PROPERTIES = ['at', 'sensor', 'id', 'value', 'note', 'ok', 'raw', 'day'] as const

const property = fc.constantFrom(...PROPERTIES)
const operator = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'notIn', 'startsWith')

/** Parts with a meaning: the documentation says which rows they match. */
const emptyList: fc.Arbitrary<unknown> = fc.oneof(
  fc.tuple(property, fc.constantFrom('in', 'notIn')).map(([name, list]) => ({ [name]: { [list]: [] } })),
  fc.constantFrom({ AND: [] }, { OR: [] }, { AND: [{}] }),
)

/** Parts without a meaning. */
const hole: fc.Arbitrary<unknown> = fc.oneof(
  property.map((name) => ({ [name]: undefined })),
  property.map((name) => ({ [name]: {} })),
  fc.tuple(property, operator).map(([name, op]) => ({ [name]: { [op]: undefined } })),
  property.map((name) => ({ [name]: { in: [undefined] } })),
  fc.constantFrom('AND', 'OR', 'NOT').map((junction) => ({ [junction]: undefined })),
  fc.constantFrom('AND', 'OR').map((junction) => ({ [junction]: [undefined] })),
  fc.constantFrom({}, { NOT: {} }, { OR: [{}] }),
)

const put = (from: fc.Arbitrary<unknown>): fc.Arbitrary<Made> =>
  from.map((filter) => ({ filter, without: undefined }))

function lists(junction: 'AND' | 'OR', of: readonly Made[]): Made {
  const without = of.flatMap((each) => each.without ?? [])
  return {
    filter: { [junction]: of.map(({ filter }) => filter) },
    without: without.length === 0 ? undefined : { [junction]: without },
  }
}

/** Both filters in one object; properties of the second filter replace those of the first. */
function beside(a: Made, b: Made): Made {
  const kept = Object.entries(a.without ?? {}).filter(([name]) => !(name in (b.filter as object)))
  const without = { ...Object.fromEntries(kept), ...b.without }
  return {
    filter: { ...(a.filter as Filter), ...(b.filter as Filter) },
    without: Object.keys(without).length === 0 ? undefined : without,
  }
}

function filterFor(like: Parameters<typeof comparison>[0]): fc.Arbitrary<Made> {
  const { filter } = fc.letrec<{ filter: Made }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 6, arbitrary: comparison(like).map((filter): Made => ({ filter, without: filter })) },
      { weight: 2, arbitrary: put(emptyList) },
      { weight: 1, arbitrary: put(hole) },
      {
        weight: 2,
        arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((of) => lists('AND', of)),
      },
      {
        weight: 2,
        arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map((of) => lists('OR', of)),
      },
      {
        weight: 1,
        arbitrary: tie('filter').map(({ filter, without }) => ({
          filter: { NOT: filter },
          without: without && { NOT: without },
        })),
      },
      // Two filters in one object.
      {
        weight: 2,
        arbitrary: fc.tuple(tie('filter'), tie('filter')).map(([a, b]) => beside(a, b)),
      },
    ),
  }))
  return filter
}

/** Whether the filter contains a part without a meaning by the documentation, derived from the filter alone. */
function hasHole(filter: unknown): boolean {
  if (filter === undefined) return true
  return Object.entries(filter as Filter).some(([name, each]) => {
    if (each === undefined) return true
    if (name === 'AND') return (each as unknown[]).some(hasHole)
    if (name === 'OR') return (each as unknown[]).some((part) => hasHole(part) || saysNothing(part))
    if (name === 'NOT') return hasHole(each) || saysNothing(each)
    if (typeof each !== 'object' || each === null || Object.getPrototypeOf(each) !== Object.prototype)
      return false
    const operands = Object.values(each)
    return (
      operands.length === 0 ||
      operands.some(
        (operand) => operand === undefined || (Array.isArray(operand) && operand.includes(undefined)),
      )
    )
  })
}

function saysNothing(filter: unknown): boolean {
  return Object.entries(filter as Filter).every(
    ([name, each]) => name === 'AND' && (each as unknown[]).every(saysNothing),
  )
}

/** The part of the filter at the path of an error. */
function standsAt(filter: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((found, step) => (found as Filter)[step], filter)
}

/** In NOT, and beside other conditions in OR, an empty list may match rows. */
function onlyNarrows(filter: unknown): boolean {
  return Object.entries(filter as Filter).every(([name, each]) => {
    if (name === 'AND') return (each as unknown[]).every(onlyNarrows)
    return name !== 'NOT' && name !== 'OR'
  })
}

/** `refused` with the path, `answered` with the rows of the documentation, or a description of the mistake. */
function verdict(
  { filter, without }: Made,
  rows: readonly ReferenceRow[],
  order: Dialect,
  found: readonly ReferenceRow[] | IsothermError,
): string {
  const wrong = (what: string): string => `${what}: ${inspect(filter, { depth: 9 })}`
  if (hasHole(filter)) {
    if (!(found instanceof IsothermError)) return wrong('is not refused')
    const { code, message } = found
    const [, path] = /(?:has undefined|no condition|an empty filter) for ([\w.[\]]+)/.exec(message) ?? []
    if (code !== 'INVALID_QUERY' || path === undefined) return wrong(`is refused by ${message}`)
    const there = standsAt(filter, path)
    const isNamed = there === undefined || Object.keys(there as object).length === 0 || saysNothing(there)
    return isNamed ? 'refused' : wrong(`is refused for ${path}`)
  }
  if (found instanceof IsothermError) return wrong(`is refused by ${found.message}`)
  const matching = (where: Filter): string[] =>
    rows
      .filter((row) => matches(row, where, order) === true)
      .map(keyOf)
      .toSorted()
  const keys = found.map(keyOf).toSorted()
  if (!isDeepStrictEqual(keys, matching(filter as Filter))) return wrong('matches other rows')
  if (!onlyNarrows(filter)) return 'answered'
  const allowed = new Set(matching(without ?? {}))
  return keys.every((key) => allowed.has(key)) ? 'answered' : wrong('matches more rows')
}

const refusedOr = async <T>(work: () => T | Promise<T>): Promise<T | IsothermError> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof IsothermError) return error
    throw error
  }
}

const SHARDS = 4

const readings = ({ traits: { nullKeys } }: TestEngine) =>
  defineTable('Reading', (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: ['sensor'] }),
    at: t.timestamp().key('desc'),
    sensor: t.string({ length: 100, nullable: nullKeys }).key(),
    id: t.int64().key(),
    value: t.float64({ nullable: true }),
    note: t.string({ nullable: true }),
    ok: t.bool({ nullable: true }),
    raw: t.bytes({ nullable: true }),
    day: t.date({ nullable: true }),
  }))

const PURE = 10_000
const SAMPLE = 200

describe.each(engines)('a filter with undefined, {} and [] in $name', (engine) => {
  const { dialect, traits } = engine
  const schema = defineSchema([readings(engine)])
  const layout = dialect.layout(schema.tables[0]!, schema)
  const [rows] = fc.sample(
    rowsFor(traits).filter((each) => each.length > 30),
    { numRuns: 1, seed: 16 },
  )

  it(`is rejected with its path, or matches no additional row, in ${PURE} random cases in memory`, async () => {
    const outcomes: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(filterFor(traits), async (made) => {
        const found = await refusedOr(() => {
          const matcher = predicateOf(compileWhere(layout, made.filter), dialect)
          return rows!.filter((row) => matcher(row) === true)
        })
        const said = verdict(made, rows!, dialect, found)
        expect(['refused', 'answered']).toContain(said)
        outcomes[said] = (outcomes[said] ?? 0) + 1
      }),
      { numRuns: PURE },
    )
    // Both outcomes have to be frequent, or the property proves little.
    expect(Math.min(outcomes['refused']!, outcomes['answered']!)).toBeGreaterThan(scaled(PURE) / 10)
  })

  it(`is rejected with its path, or matches no additional row, in ${SAMPLE} random cases in the database`, async () => {
    const { db } = await engine.database(schema)
    const stored = sharded(rows!, SHARDS)
    await db.insert('Reading', stored as never, traits.unchecked)
    await fc.assert(
      fc.asyncProperty(filterFor(traits), async (made) => {
        const query = () => db.fanOut('Reading').where(made.filter as Filter)
        const found = await refusedOr(() => query().all())
        expect(['refused', 'answered']).toContain(
          verdict(made, stored, dialect, found as ReferenceRow[] | IsothermError),
        )
        const counted = await refusedOr(() => query().count())
        expect(counted instanceof IsothermError ? counted.message : counted).toBe(
          found instanceof IsothermError ? found.message : found.length,
        )
      }),
      { numRuns: SAMPLE },
    )
  })
})
