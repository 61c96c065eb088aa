import { type CostProfile, type Schema, compileDdl, openDatabase } from '@isotherm/core'
import { afterAll, describe } from 'vitest'
import { CAPABILITIES, type Capability, type EngineUnderTest, type RunningEngine } from './engine.js'
import type { Sample, SuiteEngine, TestDatabase, Traits } from './part.js'
import { PARTS, type PartName } from './parts/parts.js'

/** Tests that an engine was not asked to pass. */
export interface LeftOut {
  readonly part: PartName
  /** Which tests. */
  readonly tests: string
  /** What the engine does not have, of all that they need. */
  readonly missing: readonly Capability[]
}

export interface TestEngineOptions {
  /** Which parts to run in this file, so that several files run side by side. Default: all parts. */
  readonly parts?: readonly PartName[]
  /**
   * Takes some of the many cases of a part, such as the types of keys, for a run before every change. Default: all cases.
   *
   * @example
   * testEngine(engine, { sample: (cases, min) => cases.slice(0, min) })
   */
  readonly sample?: Sample
}

/** Tables of tests are small, and some are made for other engines: few partitions are not a hotspot in them. */
const SMALL = {
  'cassandra/low-cardinality-partition': 'off',
  'cassandra/useless-bit-reversal': 'off',
} as const

/**
 * Registers the tests that every engine of Isotherm passes, with vitest. Tests that need more than the engine's capabilities are
 * not registered; they are printed with the reason when all others have run.
 *
 * @returns what was left out, complete once vitest has collected the tests
 * @example
 * testEngine({
 *   dialect: sqlite,
 *   capabilities: { has: ['transactions', 'pastReads'], strategies: ['merge-shards'] },
 *   start: async () => startSqlite(),
 *   driver: (file, options) => sqliteDriver(file, options),
 * })
 */
export function testEngine<Handle>(
  engine: EngineUnderTest<Handle>,
  { parts = conformanceParts, sample = (cases) => cases }: TestEngineOptions = {},
): readonly LeftOut[] {
  const tested = suiteEngine(engine)
  const leftOut: LeftOut[] = []
  const missingOf = (needed: readonly Capability[]): readonly Capability[] =>
    needed.filter((each) => !tested.traits[each])
  for (const part of parts) {
    const { needs, tests } = PARTS[part]
    const missing = missingOf(needs)
    if (missing.length > 0) {
      leftOut.push({ part, tests: 'all', missing })
      continue
    }
    describe(`${tested.name}: ${part}`, () =>
      tests({
        ...tested,
        sample,
        when(needed, what, register) {
          const lacking = missingOf([needed].flat())
          if (lacking.length > 0) leftOut.push({ part, tests: what, missing: lacking })
          else describe(what, register)
        },
      }))
  }
  afterAll(() => {
    if (leftOut.length > 0) console.info(report(tested.name, leftOut))
  })
  return leftOut
}

/** The names of all parts of the suite. */
export const conformanceParts = Object.keys(PARTS) as readonly PartName[]

/**
 * The engine as the parts of the suite see it, for tests of an engine's own: databases of its own for each test file, and what
 * the engine has.
 */
export function suiteEngine<Handle>(engine: EngineUnderTest<Handle>): SuiteEngine<Handle> {
  let running: Promise<RunningEngine<Handle>> | undefined
  afterAll(async () => (await running)?.stop())
  const { dialect, name = dialect.name } = engine
  return {
    name,
    dialect,
    traits: traitsOf(engine),
    async database(schema) {
      running ??= engine.start()
      return testDatabase(engine, await running, schema)
    },
  }
}

function report(name: string, leftOut: readonly LeftOut[]): string {
  const lines = leftOut.map(({ part, tests, missing }) => {
    const why = missing.map((each) => `${each} (${CAPABILITIES[each]})`).join(', ')
    return `  ${part}: ${tests}: needs ${why}`
  })
  return [`Left out for ${name}, which does not have what these tests need:`, ...new Set(lines)].join('\n')
}

function traitsOf<Handle>({ capabilities }: EngineUnderTest<Handle>): Traits {
  const { has, ...figures } = capabilities
  const names = Object.keys(CAPABILITIES) as Capability[]
  const flags = Object.fromEntries(names.map((each) => [each, has.includes(each)])) as Record<
    Capability,
    boolean
  >
  return {
    ...flags,
    readStrategies: figures.strategies,
    sortStrategies: figures.strategies,
    includeStrategies: ['read'],
    timestampDigits: 9,
    uuidOrder: 'bytes',
    largeCell: 600_000,
    ...figures,
    unchecked: flags.uncheckedWrites
      ? { allowMultipleCommits: true, conditional: false }
      : { allowMultipleCommits: true },
    computedBy: flags.computedKeys ? ['database', 'client'] : ['client'],
    uuidStorages: ['text', 'int64-pair', 'bytes', ...(flags.nativeUuids ? (['native'] as const) : [])],
  }
}

async function testDatabase<Handle>(
  engine: EngineUnderTest<Handle>,
  running: RunningEngine<Handle>,
  schema: Schema,
): Promise<TestDatabase<Handle>> {
  const { dialect } = engine
  const handle = await running.createDatabase(compileDdl(schema, { dialect, severity: SMALL }))
  const openOn = (on: Handle, costs?: Partial<CostProfile>) =>
    openDatabase({ driver: engine.driver(on, costs ? { costs } : {}), schema })
  const db = openOn(handle)
  return {
    db,
    handle,
    withCosts: (costs) => openOn(handle, costs),
    async empty(table) {
      if (running.empty) return running.empty(handle, schema, table)
      await db.delete(table, await db.fanOut(table).all(), { allowMultipleCommits: true })
    },
    async another() {
      const own = await running.connect(handle)
      return { db: openOn(own), close: () => running.disconnect(own) }
    },
  }
}
