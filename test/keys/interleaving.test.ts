import { compileDdl, defineSchema, defineTable, SchemaError } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { precise } from '@isotherm/testing/data/precise'
import { dialects, testDatabase } from '../support/spanner.js'
import { levelsOf, treeOf } from '@isotherm/testing/data/levels'
import { byOtherWriter, inDialect } from './support.js'

// Seven levels, each with a key part of another kind below the inherited ones.

const cascade = { onDelete: 'cascade' } as const

const levels = levelsOf(cascade)
const [Region, Day, Machine, , , , Reading] = levels
/** A second child of the root, which prevents the delete of its parent row. */
const Keeper = defineTable(
  'Keeper',
  (t) => ({
    shard: t.parentKey<bigint>(),
    regionId: t.parentKey<string>(),
    owner: t.string({ length: 20 }).key(),
  }),
  { interleaveIn: () => Region, onDelete: 'no action' },
)

const schema = defineSchema([...levels, Keeper])

const lastKey = {
  googlesql:
    'PRIMARY KEY (`shard`, `region_id_high`, `region_id_low`, `at` DESC, `device`, `runId`, `step` DESC, `sampleId`, `day` DESC),\n' +
    '  INTERLEAVE IN PARENT `Sample` ON DELETE CASCADE',
  'spanner-postgresql':
    '  PRIMARY KEY ("shard", "region_id_high", "region_id_low", "at_desc", "at", "device", "runId", "step_desc", "step", "sampleId", "day_desc", "day")\n)\n' +
    '  INTERLEAVE IN PARENT "Sample" ON DELETE CASCADE',
}

const at = precise('1969-12-31T23:59:59.123456789Z')

describe.each(dialects)('a row tree with seven levels in $name', async (dialect) => {
  const own = await testDatabase(schema, dialect)
  const { db } = own

  it('begins the key of each table with the whole key of its parent in the DDL', () => {
    const ddl = compileDdl(schema, { dialect })
    expect(ddl.find((text) => text.startsWith(inDialect(dialect, 'CREATE TABLE `Reading`')))).toContain(
      lastKey[dialect.name],
    )
    expect(ddl.find((text) => text.startsWith(inDialect(dialect, 'CREATE TABLE `Keeper`')))).toContain(
      inDialect(dialect, '  INTERLEAVE IN PARENT `Region` ON DELETE NO ACTION'),
    )
    // Only the root table generates the inherited key parts.
    for (const text of ddl.slice(1)) expect(text).not.toMatch(/region_id_(high|low).*DEFAULT/)
  })

  it('rejects a row whose parent row is missing', async () => {
    const [root] = await db.insert(Region, [{}])
    const orphan = { shard: root!.shard, regionId: root!.regionId, at, device: 'd' }
    await expect(db.insert(Machine, [orphan])).rejects.toThrow(/parent/i)
    await expect(db.transaction((tx) => tx.insert(Machine, [orphan]))).rejects.toThrow(/parent/i)
    expect(await db.fanOut(Machine).where({ regionId: root!.regionId }).count()).toBe(0)
  })

  it('loses all rows below a deleted row, and no other rows, with ON DELETE CASCADE', async () => {
    const kept = await treeOf(db, levels, '00000000-0000-4000-8000-000000000001', at)
    const gone = await treeOf(db, levels, '00000000-0000-4000-8000-000000000002', at)
    const beside = await treeOf(db, levels, '00000000-0000-4000-8000-000000000003', at)
    // A delete in the middle, by statement: the rows above stay.
    await db.transaction(async (tx) => {
      await tx.delete(Machine, beside[2])
      expect(await tx.get(Reading, beside[6])).toBeUndefined()
    })
    await db.delete(Region, { regionId: gone[0].regionId })
    for (const [level, model] of levels.entries()) {
      const stays = async (row: object): Promise<boolean> =>
        (await db.get(model as typeof Reading, row as never)) !== undefined
      expect(await stays(kept[level]!)).toBe(true)
      expect(await stays(gone[level]!)).toBe(false)
      expect(await stays(beside[level]!)).toBe(level < 2)
    }
  })

  it('rejects the delete of a row that has child rows with ON DELETE NO ACTION', async () => {
    const [root] = await db.insert(Region, [{ name: 'held' }])
    const { shard, regionId: id } = root!
    const [owner] = await db.insert(Keeper, [{ shard, regionId: id, owner: 'somebody' }])
    const refused = { code: 'CONSTRAINT' }
    await expect(db.delete(Region, { regionId: id })).rejects.toMatchObject(refused)
    await expect(db.transaction((tx) => tx.delete(Region, { regionId: id }))).rejects.toMatchObject(refused)
    expect(await db.get(Region, { regionId: id })).toEqual(root)
    expect(await db.get(Keeper, owner!)).toEqual(owner)
    await db.transaction(async (tx) => {
      await tx.delete(Keeper, owner!)
      await tx.delete(Region, { regionId: id })
    })
    expect(await db.get(Region, { regionId: id })).toBeUndefined()
  })

  it('accepts rows of other writers without the generated columns', async () => {
    const [root] = await db.insert(Region, [{}])
    const [high, low] = [root!.regionId.slice(0, 18), root!.regionId.slice(19)].map((half) =>
      BigInt.asIntN(64, BigInt(`0x${half.replaceAll('-', '')}`)),
    )
    const columns = '`shard`, `region_id_high`, `region_id_low`, `at`'
    const time =
      dialect.name === 'googlesql'
        ? "TIMESTAMP '2026-01-01 00:00:00Z'"
        : "'2026-01-01 00:00:00Z'::timestamptz"
    await byOtherWriter(
      own,
      `INSERT INTO \`Day\` (${columns}) VALUES (${root!.shard}, ${high}, ${low}, ${time})`,
    )
    expect(await db.fanOut(Day).where({ regionId: root!.regionId }).all()).toEqual([
      { shard: root!.shard, regionId: root!.regionId, at: precise('2026-01-01T00:00:00Z') },
    ])
  })
})

describe('a key part that the parent generates', () => {
  // In PostgreSQL a commit timestamp cannot descend.
  const orders = [
    { dialect: googlesql, order: 'desc' },
    { dialect: googlesql, order: 'asc' },
    { dialect: spannerPostgresql, order: 'asc' },
  ] as const

  it.each(orders)(
    'can be a commit timestamp in $dialect.name, in the order $order',
    async ({ dialect, order }) => {
      const Log = defineTable('Log', (t) => ({
        source: t.int64().key(),
        at: t.timestamp({ default: 'commit' }).key(order),
      }))
      const Line = defineTable(
        'Line',
        (t) => ({ source: t.parentKey<bigint>(), at: t.parentKey<Date>(), number: t.int64().key() }),
        { interleaveIn: () => Log, ...cascade },
      )
      const { db } = await testDatabase(defineSchema([Log, Line]), dialect)
      const [log] = await db.insert(Log, [{ source: 1n }])
      const [line] = await db.insert(Line, [{ ...log!, number: 1n }])
      expect(await db.get(Line, line!)).toEqual(line)
      const inside = await db.transaction((tx) => tx.insert(Log, [{ source: 2n }]))
      expect(await db.get(Log, inside[0]!)).toEqual(inside[0])
      await db.delete(Log, log!)
      expect(await db.fanOut(Line).count()).toBe(0)
    },
  )
})

describe('an eighth level', () => {
  it('is rejected with a SchemaError that names the table and its level', () => {
    const Eighth = defineTable(
      'Eighth',
      (t) => ({
        ...Object.fromEntries(
          ['shard', 'regionId', 'at', 'device', 'runId', 'step', 'sampleId', 'day'].map((name) => [
            name,
            t.parentKey(),
          ]),
        ),
        last: t.int64().key(),
      }),
      { interleaveIn: () => Reading, ...cascade },
    )
    const define = () => defineSchema([...levels, Eighth])
    expect(define).toThrow(SchemaError)
    expect(define).toThrow('Eighth: is level 8 of its row tree. A row tree has at most 7 levels.')
  })
})
