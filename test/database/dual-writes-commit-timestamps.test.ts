import {
  defineSchema,
  defineTable,
  openDatabase,
  type IsothermError,
  type TableBuilder,
  type Transaction,
} from '@isotherm/core'
import { dualWrites } from '@isotherm/core/reshard'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampledDialects, testDatabase } from '../support/spanner.js'

// A column that waits for its commit timestamp cannot be read in its transaction, where it may be written again: the second
// table gets what was written last.

const visit = (t: TableBuilder) => ({
  id: t.int64().key(),
  at: t.timestamp({ default: 'commit', nullable: true }),
  movedAt: t.timestamp({ default: 'commit' }),
  note: t.int64({ nullable: true }),
})
const shard = (t: TableBuilder) => t.shardKey({ shards: 4, of: ['id'], computedBy: 'client' })

const old = defineTable('Visit', visit)
const sharded = defineTable('ShardedVisit', (t) => ({ shard: shard(t), ...visit(t) }))
/** A row moves whenever its time changes. */
const timed = defineTable('TimedVisit', (t) => ({
  shard: shard(t),
  ...visit(t),
  movedAt: t.timestamp({ default: 'commit' }).key(),
}))

interface Change {
  readonly id: bigint
  readonly at?: Date | null
  readonly movedAt?: Date
  readonly note?: bigint | null
}

interface Write {
  readonly op: 'insert' | 'upsert' | 'update' | 'delete'
  readonly rows: readonly Change[]
}

async function write(tx: Transaction, writes: readonly Write[]): Promise<void> {
  for (const { op, rows } of writes) {
    if (op === 'delete')
      await tx.delete(
        'Visit',
        rows.map(({ id }) => ({ id })),
      )
    else await tx[op]('Visit', rows as readonly (Change & Record<string, unknown>)[])
  }
}

const TIME = new Date('2026-11-21T12:00:00.000Z')

const insert = (...rows: readonly Change[]): Write => ({ op: 'insert', rows })
const update = (...rows: readonly Change[]): Write => ({ op: 'update', rows })
const upsert = (...rows: readonly Change[]): Write => ({ op: 'upsert', rows })
const remove = (...rows: readonly Change[]): Write => ({ op: 'delete', rows })

/** A whole row: an upsert of it reads nothing. */
const whole = (id: bigint, at: Date | null = TIME): Change => ({ id, at, movedAt: TIME, note: 1n })

const cases: readonly (readonly [string, readonly Write[]])[] = [
  ['is set to a time by an update after the insert', [insert({ id: 1n }), update({ id: 1n, at: TIME })]],
  ['is set to NULL by an update after the insert', [insert({ id: 1n }), update({ id: 1n, at: null })]],
  ['is set by an upsert after the insert', [insert({ id: 1n }), upsert(whole(1n))]],
  [
    'is omitted from an upsert after it was set to a time',
    [insert(whole(1n)), upsert({ id: 1n, movedAt: TIME, note: 2n }), update({ id: 1n, note: 3n })],
  ],
  [
    'is set by two upserts of one row',
    [upsert({ id: 1n, movedAt: TIME, note: 1n }), upsert(whole(1n, null))],
  ],
  [
    'belongs to a row that replaces a deleted row',
    [insert({ id: 1n }), remove({ id: 1n }), insert({ id: 1n, at: TIME }), update({ id: 1n, note: 2n })],
  ],
  [
    'was set to a time, and waits for its commit timestamp in another row',
    [insert(whole(1n)), insert({ id: 2n }), update({ id: 1n, note: 2n })],
  ],
  [
    'is set in several rows, and twice in one of them',
    [
      insert({ id: 1n }, { id: 2n }, { id: 3n }),
      update({ id: 2n, at: TIME }, { id: 2n, at: null }, { id: 3n, at: TIME }),
    ],
  ],
]

type Phase = 'writing' | 'reading'

const times = fc.option(fc.constantFrom(TIME, new Date(0), null), { nil: undefined })
interface Intent {
  readonly row: Change
  readonly add: Write['op']
  readonly change: Write['op']
}

const intents: fc.Arbitrary<Intent> = fc.record({
  row: fc.record({
    id: fc.constantFrom(1n, 2n, 3n),
    at: times,
    movedAt: fc.constantFrom(TIME, new Date(0), undefined),
    note: fc.bigInt(0n, 9n),
  }),
  add: fc.constantFrom<Write['op']>('insert', 'insert', 'upsert'),
  change: fc.constantFrom<Write['op']>('update', 'update', 'upsert', 'delete'),
})
const transactions = fc.array(
  fc.record({
    phase: fc.constantFrom<Phase>('writing', 'reading'),
    intents: fc.array(intents, { minLength: 2, maxLength: 6 }),
  }),
  { minLength: 4, maxLength: 4 },
)

/** The writes that are possible on the existing rows; it updates `ids` with them. */
function possible(ids: Set<bigint>, intents: readonly Intent[]): readonly Write[] {
  return intents.map(({ row, add, change }) => {
    const op = ids.has(row.id) ? change : add
    if (op === 'delete') ids.delete(row.id)
    else ids.add(row.id)
    return { op, rows: [row] }
  })
}

for (const dialect of sampledDialects) {
  // The one with the time in its key is led by the old table alone: nothing can be read while a key waits.
  for (const [name, made, phases, refused] of [
    ['ShardedVisit', sharded, ['writing', 'reading'], []],
    ['TimedVisit', timed, ['writing'], ['UNSUPPORTED_WRITE']],
  ] as const) {
    describe(`dual writes of a commit timestamp column to ${name} in ${dialect.name}`, async () => {
      const schema = defineSchema([old, made])
      const { db: plain, empty } = await testDatabase(schema, dialect)
      const within = (phase: Phase) =>
        openDatabase({ driver: plain.driver, schema, tables: dualWrites([{ from: old, to: made, phase }]) })
      const processes = { writing: within('writing'), reading: within('reading') }
      const emptied = async () => {
        await empty('Visit')
        await empty(name)
      }
      const contents = async () => {
        const before = await plain.fanOut('Visit').orderBy('id').all()
        const after = await plain.fanOut(name).orderBy('id').all()
        return { before, after: after.map(({ id, at, movedAt, note }) => ({ id, at, movedAt, note })) }
      }

      for (const phase of phases) {
        it.each(cases)(
          `store the same value in both tables when the column %s, in phase ${phase}`,
          async (_, intents) => {
            await emptied()
            await processes[phase].transaction((tx) => write(tx, intents))
            const { before, after } = await contents()
            expect(before.length).toBeGreaterThan(0)
            expect(after).toEqual(before)
          },
        )
      }

      it('store the same values in both tables after random transactions, also after rejected ones', async () => {
        const codes: unknown[] = []
        await fc.assert(
          fc.asyncProperty(transactions, async (intents) => {
            await emptied()
            let ids = new Set<bigint>()
            for (const each of intents) {
              const db = processes[phases.find((phase) => phase === each.phase) ?? 'writing']
              const then = new Set(ids)
              const some = possible(then, each.intents)
              const error = await db.transaction((tx) => write(tx, some)).catch((cause: unknown) => cause)
              codes.push((error as IsothermError | undefined)?.code)
              if (!error) ids = then
            }
            const { before, after } = await contents()
            expect(after).toEqual(before)
            expect(new Set(before.map(({ id }) => id))).toEqual(ids)
          }),
          { numRuns: 20 },
        )
        // While a key waits for its commit timestamp, some rows cannot be found, and nothing is written.
        expect(new Set(codes.filter((code) => code !== undefined))).toEqual(new Set(refused))
        expect(codes.filter((code) => code === undefined).length).toBeGreaterThan(0)
      })
    })
  }
}
