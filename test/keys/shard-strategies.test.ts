import {
  compileDdl,
  defineSchema,
  defineTable,
  SchemaError,
  type ColumnBuilder,
  type SchemaFinding,
  type TableBuilder,
} from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { Random, RoundRobin } from '@isotherm/testing/data/hashless-shards'
import { dialects, testDatabase } from '../support/spanner.js'
import { byOtherWriter, inDialect } from './support.js'

const Child = defineTable(
  'Child',
  (t) => ({ shard: t.parentKey<bigint>(), id: t.parentKey<string>(), line: t.int64().key() }),
  { interleaveIn: () => RoundRobin, onDelete: 'cascade' },
)

const schema = defineSchema([Random, RoundRobin, Child])

describe.each(dialects)('a random or round-robin shard in $name', async (dialect) => {
  const own = await testDatabase(schema, dialect)
  const { db } = own

  it('is a plain column with a CHECK on its range', () => {
    const ddl = compileDdl(schema, { dialect })
    expect(ddl[0]).toContain(
      inDialect(dialect, 'CONSTRAINT `Random_shard_range` CHECK (`shard` >= 0 AND `shard` < 16)'),
    )
    expect(ddl[1]).toContain(
      inDialect(dialect, 'CONSTRAINT `RoundRobin_place_range` CHECK (`place` >= 100 AND `place` < 116)'),
    )
    // The parent row, which a child row needs, has been checked.
    expect(ddl[2]).not.toContain('CHECK')
  })

  it('is inherited by a child table, whose rows are deleted with the parent row', async () => {
    const [parent] = await db.insert(RoundRobin, [{ number: -1n }])
    const { shard, id } = parent!
    await db.transaction(async (tx) => {
      const [line] = await tx.insert(Child, [{ shard, id, line: 1n }])
      expect(await tx.get(Child, line!)).toEqual({ shard, id, line: 1n })
    })
    await db.delete(RoundRobin, { shard, id })
    expect(await db.fanOut(Child).count()).toBe(0)
  })

  it('is rejected by a CHECK when another writer uses a shard out of range', async () => {
    const insert = (place: number): Promise<number> =>
      byOtherWriter(own, `INSERT INTO \`RoundRobin\` (\`place\`, \`number\`) VALUES (${place}, 0)`)
    for (const place of [0, 99, 116, -100])
      await expect(insert(place)).rejects.toThrow(/RoundRobin_place_range/)
    expect(await insert(115)).toBe(1)
    expect(await db.fanOut(RoundRobin).where({ number: 0n, shard: 115n }).count()).toBeGreaterThan(0)
  })
})

/** The findings for a table whose shard hashes `value`. */
function findingsOf(
  value: (t: TableBuilder) => ColumnBuilder<unknown>,
  shard: { computedBy?: 'database' | 'client' } = {},
): readonly SchemaFinding[] {
  const table = defineTable('Bad', (t) => ({
    shard: t.shardKey({ shards: 4, of: ['value'], ...shard }),
    value: value(t),
    id: t.int64().key(),
  }))
  try {
    defineSchema([table])
    return []
  } catch (error) {
    if (error instanceof SchemaError) return error.findings
    throw error
  }
}

describe('an invalid shard key', () => {
  it.each<[string, (t: TableBuilder) => ColumnBuilder<unknown>]>([
    ['numeric', (t) => t.numeric().key()],
    ['float32', (t) => t.float32().key()],
    ['float64', (t) => t.float64().key()],
    ['json', (t) => t.json({ immutable: true })],
    ['array of string', (t) => t.array({ kind: 'string', length: 'max' }, { immutable: true })],
  ])('is reported for a hashed column of type %s, whose text differs between engines', (type, value) => {
    expect(findingsOf(value)).toContainEqual({
      table: 'Bad',
      column: 'shard',
      message: `hashes value, of type ${type}, whose text differs between engines.`,
      fix: expect.stringContaining('Hash integers, strings, bytes, booleans, dates, timestamps or UUIDs'),
    })
  })

  it.each<[string, (t: TableBuilder) => ColumnBuilder<unknown>, string]>([
    ['a column that can change', (t) => t.string(), 'neither a key part nor immutable'],
    ['a commit timestamp', (t) => t.descTimestamp({ default: 'commit' }), 'a commit timestamp'],
    ['a bit-reversed id', (t) => t.bitReversedId(), 'spread already'],
    ['a generated column', (t) => t.string({ generated: "'x'" }).key(), 'which the database generates'],
    ['a shard column', (t) => t.shardKey({ shards: 2, strategy: 'random' }), 'which is a shard itself'],
  ])('is reported for a hash of %s', (_, value, message) => {
    expect(findingsOf(value)).toContainEqual(
      expect.objectContaining({ table: 'Bad', column: 'shard', message: expect.stringContaining(message) }),
    )
  })

  it.each<[string, (t: TableBuilder) => ColumnBuilder<unknown>]>([
    ['an int64-pair', (t) => t.uuidV4({ storage: 'int64-pair' })],
    ['bytes', (t) => t.uuidV4({ storage: 'bytes' })],
  ])(
    'is reported for a hash by the database of a UUID stored as %s, but not for a hash by the client',
    (_, value) => {
      expect(findingsOf(value, { computedBy: 'client' })).toEqual([])
      expect(findingsOf(value)).toEqual([])
      expect(findingsOf(value, { computedBy: 'database' })).toEqual([
        {
          table: 'Bad',
          column: 'shard',
          message: expect.stringContaining('cannot be computed by the database: value is stored as'),
          fix: "Use computedBy: 'client', or hash other columns.",
        },
      ])
    },
  )

  it('is reported for a random or round-robin shard without a UUID in the key', () => {
    for (const strategy of ['random', 'round-robin'] as const) {
      const table = defineTable('Bad', (t) => ({
        shard: t.shardKey({ shards: 4, strategy }),
        id: t.int64().key(),
      }))
      expect(() => defineSchema([table])).toThrow(
        `is a ${strategy} shard, so that uniqueness across shards is not ensured`,
      )
    }
  })

  it.each([0, -1, 1.5, 10_001, Number.NaN])('is reported for %d shards', (shards) => {
    const table = defineTable('Bad', (t) => ({
      shard: t.shardKey({ shards, of: ['id'] }),
      id: t.int64().key(),
    }))
    expect(() => defineSchema([table])).toThrow(`has ${shards} shards`)
  })
})
