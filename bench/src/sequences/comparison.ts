import {
  openSequenceWork,
  runLoad,
  type Load,
  type LoadResult,
  type SequenceMode,
  type SequenceSizes,
  type SequenceWork,
} from '@isotherm/cli/bench'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import type { SqlDialect } from '@isotherm/core'
import { median } from '../statistics.js'
import { measureAdaptive, type AdaptiveResult } from './adaptive.js'
import { sequenceDatabase } from './database.js'
import { PUBLISHED, PUBLISHED_SIZES, type PublishedRow } from './published.js'

/** A mode, measured with 10 and with 50 callers. */
interface Group {
  readonly title: string
  readonly mode: SequenceMode
  readonly sizes: SequenceSizes
  /** Numbers that 10, and 50, callers take in a round: a few seconds' worth. */
  readonly values: readonly [number, number]
  /** What is measured beside it, in the same round, for a target. */
  readonly reference?: 'one caller' | 'plain counter'
}

const CALLERS = [10, 50] as const
/** Numbers that one caller takes alone. */
const ALONE = 60

const GROUPS: readonly Group[] = [
  { title: 'sync', mode: 'sync', sizes: PUBLISHED_SIZES, values: [300, 500], reference: 'one caller' },
  { title: 'async', mode: 'async', sizes: PUBLISHED_SIZES, values: [1_000, 5_000] },
  { title: 'batch 200', mode: 'batch', sizes: PUBLISHED_SIZES, values: [2_000, 10_000] },
  {
    title: 'async batch 200, low-water 50',
    mode: 'async-batch',
    sizes: PUBLISHED_SIZES,
    values: [2_000, 10_000],
    reference: 'plain counter',
  },
  {
    title: 'async batch, adaptive',
    mode: 'async-batch',
    sizes: { ...PUBLISHED_SIZES, ranges: 'adaptive' },
    values: [2_000, 10_000],
    reference: 'plain counter',
  },
  {
    title: 'native, adaptive',
    mode: 'native',
    sizes: { ...PUBLISHED_SIZES, ranges: 'adaptive' },
    values: [2_000, 10_000],
  },
  { title: 'naive', mode: 'naive', sizes: PUBLISHED_SIZES, values: [50, 50] },
]

/** One measurement of a row, and of what it is compared with, one right after the other. */
export interface Round {
  readonly ours: LoadResult
  readonly reference?: LoadResult
}

export interface Row {
  readonly title: string
  readonly mode: SequenceMode
  readonly callers: number
  readonly rounds: readonly Round[]
  /** Medians over the rounds. */
  readonly ours: LoadResult
  readonly reference?: LoadResult
  readonly published?: PublishedRow
}

export interface Figures {
  readonly date: string
  /** By its name. */
  readonly dialect: SqlDialect['name']
  readonly rounds: number
  readonly rows: readonly Row[]
  readonly adaptive: AdaptiveResult
}

export interface ComparisonOptions {
  readonly dialect: SqlDialect
  readonly rounds: number
  /** Told how many of how many loads are done. */
  readonly progress: (done: number, total: number) => void
}

/** Measures all rows of the published table, and what goes beyond it. */
export async function compareWithPublished(options: ComparisonOptions): Promise<Figures> {
  const { dialect, rounds } = options
  const total = GROUPS.length * rounds * CALLERS.length + 1
  let done = 0
  const onLoad = (): void => options.progress(++done, total)
  const rows: Row[] = []
  for (const group of GROUPS) rows.push(...(await measure(group, options, onLoad)))
  // On engines of their own: the emulator gets slower with what it has been through.
  await using emulator = await startSpannerEmulator()
  const adaptive = await measureAdaptive(await sequenceDatabase(emulator, dialect))
  onLoad()
  return { date: new Date().toISOString(), dialect: dialect.name, rounds, rows, adaptive }
}

async function measure(
  group: Group,
  { dialect, rounds }: ComparisonOptions,
  onLoad: () => void,
): Promise<Row[]> {
  await using emulator = await startSpannerEmulator()
  const db = await sequenceDatabase(emulator, dialect)
  const work = await openSequenceWork(group.mode, db, group.mode, group.sizes)
  const plain = await openSequenceWork('plain', db, 'plain', group.sizes)
  const loads = CALLERS.map((callers, at) => ({ callers, values: group.values[at]! }))
  const measured = loads.map((): Round[] => [])
  // A round for the compiler and the connections, which does not count.
  for (let round = -1; round < rounds; round++) {
    for (const [at, load] of loads.entries()) {
      const both = await measureRound(group, work, plain, load, round % 2 === 0)
      if (round < 0) continue
      measured[at]!.push(both)
      onLoad()
    }
  }
  await work.close()
  return loads.map(({ callers }, at) => rowOf(group, callers, measured[at]!))
}

/** @param oursFirst the side that begins changes every round */
async function measureRound(
  { reference }: Group,
  work: SequenceWork,
  plain: SequenceWork,
  load: Load,
  oursFirst: boolean,
): Promise<Round> {
  if (reference === undefined) return { ours: await runLoad(work, load) }
  const beside = (): Promise<LoadResult> =>
    reference === 'plain counter' ? runLoad(plain, load) : runLoad(work, { callers: 1, values: ALONE })
  const first = oursFirst ? undefined : await beside()
  const ours = await runLoad(work, load)
  return { ours, reference: first ?? (await beside()) }
}

function rowOf({ title, mode }: Group, callers: number, rounds: readonly Round[]): Row {
  const references = rounds.flatMap(({ reference }) => reference ?? [])
  const published = PUBLISHED.find((row) => row.title === title && row.callers === callers)
  return {
    title,
    mode,
    callers,
    rounds,
    ours: medians(rounds.map(({ ours }) => ours)),
    ...(references.length > 0 && { reference: medians(references) }),
    ...(published && { published }),
  }
}

function medians(results: readonly LoadResult[]): LoadResult {
  const of = (which: keyof LoadResult): number => median(results.map((result) => result[which]))
  return { rate: of('rate'), p50: of('p50'), p75: of('p75'), p90: of('p90'), p99: of('p99'), cpu: of('cpu') }
}
