import { type AnyCounter, type Database, type TableBuilder, defineTable } from '@isotherm/core'

const belowRegion = (t: TableBuilder) => ({ shard: t.parentKey<bigint>(), regionId: t.parentKey<string>() })

const belowDay = (t: TableBuilder) => ({ ...belowRegion(t), at: t.parentKey<Date>() })

const belowMachine = (t: TableBuilder) => ({ ...belowDay(t), device: t.parentKey<string>() })

const belowRun = (t: TableBuilder) => ({ ...belowMachine(t), runId: t.parentKey<bigint>() })

const belowPhase = (t: TableBuilder) => ({ ...belowRun(t), step: t.parentKey<number>() })

const belowSample = (t: TableBuilder) => ({ ...belowPhase(t), sampleId: t.parentKey<string>() })

/** The models: how rows lie below their parents, and who numbers the runs where the database does not. */
export function levelsOf(
  below: { readonly onDelete: 'cascade' | 'no action'; readonly rows?: 'own' },
  numbers?: AnyCounter,
) {
  const Region = defineTable('Region', (t) => ({
    shard: t.shardKey({ shards: 4, of: ['regionId'] }),
    regionId: t.uuidV4({ storage: 'int64-pair', name: 'region_id' }),
    name: t.string({ nullable: true }),
  }))
  const Day = defineTable(
    'Day',
    (t) => ({
      ...belowRegion(t),
      at: t.descTimestamp(),
    }),
    { interleaveIn: () => Region, ...below },
  )
  const Machine = defineTable(
    'Machine',
    (t) => ({
      ...belowDay(t),
      device: t.string({ length: 20 }).key(),
    }),
    { interleaveIn: () => Day, ...below },
  )
  const Run = defineTable(
    'Run',
    (t) => ({
      ...belowMachine(t),
      runId: t.bitReversedId(numbers && { from: numbers }),
    }),
    { interleaveIn: () => Machine, ...below },
  )
  const Phase = defineTable(
    'Phase',
    (t) => ({
      ...belowRun(t),
      step: t.int64({ as: 'number' }).key('desc'),
    }),
    { interleaveIn: () => Run, ...below },
  )
  const Sample = defineTable(
    'Sample',
    (t) => ({
      ...belowPhase(t),
      sampleId: t.uuidV4({ storage: 'bytes' }),
    }),
    { interleaveIn: () => Phase, ...below },
  )
  const Reading = defineTable(
    'Reading',
    (t) => ({
      ...belowSample(t),
      day: t.date().key('desc'),
      value: t.int64({ nullable: true }),
    }),
    { interleaveIn: () => Sample, ...below },
  )
  return [Region, Day, Machine, Run, Phase, Sample, Reading] as const
}

/** A row on each level, one under the other. */
export async function treeOf(
  db: Database,
  [Region, Day, Machine, Run, Phase, Sample, Reading]: ReturnType<typeof levelsOf>,
  regionId: string,
  at: Date,
) {
  const [root] = await db.insert(Region, [{ regionId }])
  const [day] = await db.insert(Day, [{ shard: root!.shard, regionId: root!.regionId, at }])
  const [device] = await db.insert(Machine, [{ ...day!, device: 'd' }])
  const [run] = await db.insert(Run, [{ ...device! }])
  const [step] = await db.insert(Phase, [{ ...run!, step: -3 }])
  const [sample] = await db.insert(Sample, [{ ...step! }])
  const [value] = await db.insert(Reading, [{ ...sample!, day: '2026-11-21', value: 7n }])
  return [root!, day!, device!, run!, step!, sample!, value!] as const
}
