import {
  compileDdl,
  defineSchema,
  defineTable,
  type ColumnBuilder,
  type DialectName,
  type TableBuilder,
} from '@isotherm/core'
import { shardOf, type Hashable } from '@isotherm/core/keys'
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { precise } from '../support/precise.js'
import { dialects, testDatabase } from '../support/spanner.js'
import { byOtherWriter, inDialect, inPages } from './support.js'

const SHARDS = 16

interface HashedType {
  readonly column: (t: TableBuilder, nullable: boolean) => ColumnBuilder<unknown>
  readonly values: readonly NonNullable<Hashable>[]
  /** The database cannot write its text, in PostgreSQL. */
  readonly split?: true
}

const uuids = Array.from({ length: 8 }, () => randomUUID() as string)

/** Every type that can be hashed, with what is easily got wrong: signs, zero, no text, the past, ends of the range. */
const types: Readonly<Record<string, HashedType>> = {
  int64: {
    column: (t, nullable) => t.int64({ nullable }).key(),
    values: [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 1n, 7n, 10n ** 18n],
  },
  number: {
    column: (t, nullable) => t.int64({ as: 'number', nullable }).key(),
    values: [-(2 ** 53 - 1), 2 ** 53 - 1, -1, 0, 1, 7, 1e15],
  },
  string: {
    column: (t, nullable) => t.string({ length: 100, nullable }).key(),
    values: ['', '\\N', '|', 'a\\b', "it's", 'Zürich', '東京', '\u{10FFFF}', '\u0001'],
  },
  bytes: {
    column: (t, nullable) => t.bytes({ length: 100, nullable }).key(),
    values: ['', '5c4e', '00', 'ff', '7c', 'c328', '80ff00'].map((hex) => Buffer.from(hex, 'hex')),
  },
  bool: { column: (t, nullable) => t.bool({ nullable }).key(), values: [true, false] },
  date: {
    column: (t, nullable) => t.date({ nullable }).key(),
    values: [
      '0001-01-01',
      '0987-06-05',
      '1582-10-10',
      '1969-12-31',
      '1970-01-01',
      '2026-11-21',
      '9999-12-31',
    ],
  },
  timestamp: {
    column: (t, nullable) => t.timestamp({ nullable }).key(),
    values: [
      '0001-01-01T00:00:00.000000000Z',
      '1969-12-31T23:59:59.999999999Z',
      '1969-12-31T23:59:59.000000001Z',
      '1970-01-01T00:00:00.000000999Z',
      '2026-11-21T12:00:00.123456789Z',
      '9999-12-31T23:59:59.999999999Z',
    ].map(precise),
  },
  uuid: { column: (t, nullable) => t.uuid({ nullable }).key(), values: uuids },
  uuid_pair: {
    column: (t, nullable) => t.uuid({ nullable, storage: 'int64-pair' }).key(),
    values: uuids,
    split: true,
  },
  uuid_bytes: {
    column: (t, nullable) => t.uuid({ nullable, storage: 'bytes' }).key(),
    values: uuids,
    split: true,
  },
}
const names = Object.keys(types)
const computedBy = ['database', 'client'] as const
type By = (typeof computedBy)[number]

/** `nullable`: as far as keys can be. */
function hashed(name: string, by: By, dialect: DialectName) {
  const nullable = dialect === 'googlesql'
  return defineTable(`Of_${name}_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: ['value'], computedBy: by }),
    value: types[name]!.column(t, nullable),
    id: t.int64().key(),
    note: t.string({ nullable: true }),
  }))
}

/** All of them in one hash. */
function composite(by: By, dialect: DialectName) {
  const nullable = dialect === 'googlesql'
  const parts = names.filter((name) => !types[name]!.split)
  return defineTable(`Composite_by_${by}`, (t) => ({
    shard: t.shardKey({ shards: SHARDS, of: parts, computedBy: by }),
    ...Object.fromEntries(parts.map((name) => [name, types[name]!.column(t, nullable)])),
    id: t.int64().key(),
  }))
}

const Given = defineTable('Given', (t) => ({
  shard: t.shardKey({ shards: 7, of: ['region', 'id'] }),
  id: t.int64().key(),
  region: t.string({ length: 20, immutable: true, nullable: true }),
  note: t.string({ nullable: true }),
}))

function hashTables(dialect: DialectName) {
  return [
    ...names.flatMap((name) =>
      computedBy
        .filter((by) => by === 'client' || !types[name]!.split)
        .map((by) => hashed(name, by, dialect)),
    ),
    ...computedBy.map((by) => composite(by, dialect)),
    Given,
  ]
}

const range = {
  googlesql: (table: string) =>
    `CONSTRAINT \`${table}_shard_range\` CHECK (\`shard\` >= 0 AND \`shard\` < 16)`,
  'spanner-postgresql': (table: string) =>
    `CONSTRAINT "${table}_shard_range" CHECK ("shard" >= 0 AND "shard" < 16)`,
}
const generated = {
  googlesql: '  `shard` INT64 NOT NULL AS (ABS(MOD(FARM_FINGERPRINT(',
  'spanner-postgresql': '  "shard" bigint NOT NULL GENERATED ALWAYS AS (abs(mod(spanner.farm_fingerprint(',
}
const plain = {
  googlesql: '  `shard` INT64 NOT NULL,\n',
  'spanner-postgresql': '  "shard" bigint NOT NULL,\n',
}

for (const dialect of dialects) {
  const schema = defineSchema(hashTables(dialect))
  const own = await testDatabase(schema, dialect)
  const { db } = own
  const ddl = new Map(
    schema.tables.map(({ name }, at) => [name, compileDdl(schema, { dialect })[at]!] as const),
  )
  const combinations = names.flatMap((name) =>
    computedBy.filter((by) => by === 'client' || !types[name]!.split).map((by) => [name, by] as const),
  )

  describe.each(combinations)(`a hash of %s, computed by the %s, in ${dialect}`, (name, by) => {
    const table = `Of_${name}_by_${by}`
    const values: readonly Hashable[] = [...types[name]!.values, ...(dialect === 'googlesql' ? [null] : [])]
    const given = values.map((value, at) => ({ value, id: BigInt(at) }))
    const wanted = given.map((row) => ({ ...row, shard: BigInt(shardOf(row.value, SHARDS)), note: null }))

    it('is a generated column, or a plain one with a check that keeps others in range', () => {
      const text = ddl.get(table)!
      expect(text.includes(generated[dialect])).toBe(by === 'database')
      expect(text.includes(plain[dialect])).toBe(by === 'client')
      expect(text.includes(range[dialect](table))).toBe(by === 'client')
    })

    it('is the one that shardOf says, in the database as in the rows that insert gives back', async () => {
      expect(await db.insert(table, given)).toEqual(wanted)
      expect(await db.fanOut(table).orderBy('id').all()).toEqual(wanted)
    })

    it('need not be known: rows are got, changed and deleted without it', async () => {
      const rows = given.map((row) => ({ ...row, id: row.id + 100n }))
      await db.insert(table, rows)
      for (const { value, id } of rows) {
        const key = { value, id }
        const shard = BigInt(shardOf(value, SHARDS))
        expect(await db.get(table, key)).toEqual({ shard, ...key, note: null })
        await db.update(table, { ...key, note: 'a' })
        await db.upsert(table, [{ ...key, note: 'b' }])
        expect(await db.get(table, key)).toEqual({ shard, ...key, note: 'b' })
      }
      await db.transaction(async (tx) => {
        const key = { value: rows[0]!.value, id: rows[0]!.id }
        expect(await tx.get(table, key)).toMatchObject({ note: 'b' })
        await tx.update(table, { ...key, note: 'c' })
        await tx.upsert(table, [{ ...key, note: 'd' }])
        expect(await tx.get(table, key)).toMatchObject({ note: 'd' })
        await tx.insert(table, [{ ...key, id: 200n }])
        expect(await tx.get(table, { ...key, id: 200n })).toBeDefined()
        await tx.delete(table, [key, { ...key, id: 200n }])
        expect(await tx.get(table, key)).toBeUndefined()
      })
      await db.delete(table, rows.slice(1))
      expect(await db.fanOut(table).all()).toHaveLength(given.length)
    })

    it('lets a filter on what it hashes read one shard', async () => {
      for (const row of wanted) {
        const query = db.fanOut(table).where({ value: row.value })
        expect(query.explain().shards).toEqual({ of: SHARDS, read: [Number(row.shard)] })
        expect(await query.all()).toEqual([row])
        expect(await query.count()).toBe(1)
      }
      const [first, second] = wanted as [(typeof wanted)[0], (typeof wanted)[0]]
      const both = db
        .fanOut(table)
        .where({ value: { in: [first.value, second.value] } })
        .orderBy('id')
      const shards = [...new Set([first.shard, second.shard].map(Number))].toSorted((a, b) => a - b)
      expect(both.explain().shards?.read).toEqual(shards)
      expect(await both.all()).toEqual([first, second])
      expect(await both.via('push-down').all()).toEqual([first, second])
    })

    it('is checked where it is given', async () => {
      const [{ value }] = given as [(typeof given)[0]]
      const right = BigInt(shardOf(value, SHARDS))
      const wrong = (right + 1n) % BigInt(SHARDS)
      const [row] = await db.insert(table, [{ shard: right, value, id: 300n }])
      expect(await db.get(table, { shard: right, value, id: 300n })).toEqual(row)
      await db.delete(table, row!)
      const refused = {
        code: 'INVALID_VALUE',
        column: 'shard',
        message: expect.stringContaining(`look in ${right}`),
      }
      await expect(db.insert(table, [{ shard: wrong, value, id: 301n }])).rejects.toMatchObject(refused)
      await expect(
        db.transaction((tx) => tx.insert(table, [{ shard: wrong, value, id: 301n }])),
      ).rejects.toMatchObject(refused)
    })
  })

  describe.each(computedBy)(`a hash of every type at once, computed by the %s, in ${dialect}`, (by) => {
    const table = `Composite_by_${by}`
    const parts = names.filter((name) => !types[name]!.split)
    const rows = Array.from({ length: 40 }, (_, at) => ({
      ...Object.fromEntries(
        parts.map((name, place) => {
          const { values } = types[name]!
          const value = values[(at * (place + 3)) % (values.length + 1)]
          return [name, value ?? (dialect === 'googlesql' ? null : values[0])]
        }),
      ),
      id: BigInt(at),
    })) as ({ id: bigint } & Record<string, Hashable>)[]

    it('is the one that shardOf says, and finds its rows', async () => {
      const wanted = rows.map((row) => ({
        shard: BigInt(
          shardOf(
            parts.map((name) => row[name]!),
            SHARDS,
          ),
        ),
        ...row,
      }))
      expect(await db.insert(table, rows)).toEqual(wanted)
      expect(await inPages(db.fanOut(table).orderBy('id'), 9)).toEqual(wanted)
      for (const [at, row] of rows.entries()) expect(await db.get(table, row)).toEqual(wanted[at])
      const query = db.fanOut(table).where(Object.fromEntries(parts.map((name) => [name, rows[7]![name]])))
      expect(query.explain().shards?.read).toEqual([Number(wanted[7]!.shard)])
      expect(await query.all()).toContainEqual(wanted[7])
    })
  })

  describe(`a shard among other writers, in ${dialect}`, () => {
    const insert = (by: By, shard: number, id: number): string =>
      `INSERT INTO \`Of_int64_by_${by}\` (\`shard\`, \`value\`, \`id\`) VALUES (${shard}, 7, ${id})`

    it('stays in its range where the client computes it', async () => {
      for (const shard of [-1, 16, -(2 ** 31)]) {
        await expect(byOtherWriter(own, insert('client', shard, 400))).rejects.toThrow(
          /Check constraint.*Of_int64_by_client_shard_range/,
        )
      }
      expect(await byOtherWriter(own, insert('client', 15, 400))).toBe(1)
    })

    it('is not theirs to say where the database computes it', async () => {
      await expect(byOtherWriter(own, insert('database', shardOf(7n, SHARDS), 400))).rejects.toThrow(/shard/)
      const sql = 'INSERT INTO `Of_int64_by_database` (`value`, `id`) VALUES (7, 400)'
      expect(await byOtherWriter(own, sql)).toBe(1)
      expect(await db.get('Of_int64_by_database', { value: 7n, id: 400n })).toMatchObject({
        shard: BigInt(shardOf(7n, SHARDS)),
      })
    })
  })

  describe(`a hash of an immutable column outside the key, in ${dialect}`, () => {
    it('is computed by the database, whose rules allow one', () => {
      expect(ddl.get('Given')).toContain(generated[dialect])
      expect(ddl.get('Given')).toContain(inDialect(dialect, 'PRIMARY KEY (`shard`, `id`)'))
    })

    it('finds a row by what it hashes, and needs to be told', async () => {
      const [row, other] = await db.insert(Given, [{ id: 1n, region: 'eu' }, { id: 2n }])
      expect([row!.shard, other!.shard]).toEqual([shardOf(['eu', 1n], 7), shardOf([null, 2n], 7)].map(BigInt))
      expect(await db.get(Given, { id: 1n, region: 'eu' })).toEqual(row)
      expect(await db.get(Given, { id: 2n, region: null })).toEqual(other)
      expect(await db.get(Given, { shard: row!.shard, id: 1n })).toEqual(row)
      await expect(db.get(Given, { id: 1n })).rejects.toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'region',
      })
      await expect(db.update(Given, { id: 1n, note: 'x' })).rejects.toMatchObject({ code: 'KEY_INCOMPLETE' })
      await db.update(Given, { id: 1n, region: 'eu', note: 'outside' })
      await db.transaction((tx) => tx.update(Given, { id: 2n, region: null, note: 'inside' }))
      expect(await db.fanOut(Given).where({ region: 'eu', id: 1n }).all()).toEqual([
        { ...row, note: 'outside' },
      ])
      expect(await db.fanOut(Given).where({ region: null }).all()).toEqual([{ ...other, note: 'inside' }])
      await expect(db.upsert(Given, [{ id: 1n, region: 'us' }])).rejects.toMatchObject({
        code: 'UNSUPPORTED',
      })
      await db.delete(Given, [{ id: 1n, region: 'eu' }, other!])
      expect(await db.fanOut(Given).count()).toBe(0)
    })
  })
}
