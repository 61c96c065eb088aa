import { compileDdl, defineSchema, openDatabase, type SqlDialect, type UuidStorage } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects, sharedEmulator, testDatabase } from '../support/spanner.js'
import { compare, filtersAbout, ids, modelsOf, V4 } from '@isotherm/testing/data/stored-uuids'
import { inPages } from '@isotherm/testing/data/paging'
import { byOtherWriter, inDialect, strategies } from './support.js'

const storages = ['text', 'int64-pair', 'bytes', 'native'] as const

/** What the key column of `Owner` is in the DDL: the database's own default serves other writers. */
const columns: Readonly<Record<SqlDialect['name'], Record<UuidStorage, readonly string[]>>> = {
  googlesql: {
    text: ['`id` STRING(36) NOT NULL DEFAULT (GENERATE_UUID())'],
    'int64-pair': [
      '`id_high` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & -61441) | 16384)',
      '`id_low` INT64 NOT NULL DEFAULT ((FARM_FINGERPRINT(GENERATE_UUID()) & 4611686018427387903) | (-9223372036854775807 - 1))',
    ],
    bytes: ["`id` BYTES(16) NOT NULL DEFAULT (FROM_HEX(REPLACE(GENERATE_UUID(), '-', '')))"],
    native: ['`id` UUID NOT NULL DEFAULT (NEW_UUID())'],
  },
  'spanner-postgresql': {
    text: ['"id" varchar(36) NOT NULL DEFAULT (spanner.generate_uuid())'],
    'int64-pair': [
      '"id_high" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & -61441) | 16384)',
      '"id_low" bigint NOT NULL DEFAULT ((spanner.farm_fingerprint(spanner.generate_uuid()) & 4611686018427387903) | (-9223372036854775807 - 1))',
    ],
    bytes: ['"id" bytea NOT NULL'],
    native: ['"id" uuid NOT NULL DEFAULT (gen_random_uuid())'],
  },
}

/** Three tables of one storage. */
function schemaOf(storage: UuidStorage) {
  const { Owner, Referring: Item, Plain } = modelsOf(storage)
  return { Owner, Item, Plain, schema: defineSchema([Owner, Item, Plain]) }
}

async function suite(dialect: SqlDialect, storage: UuidStorage) {
  const { Owner, Item, Plain, schema } = schemaOf(storage)
  const own = await testDatabase(schema, dialect)
  const { db } = own
  const owner = () => db.insert(Owner, [{}]).then(([row]) => row!)

  it('is made here, and known before the insert is committed', async () => {
    const rows = await db.transaction(async (tx) => {
      const made = await tx.insert(Owner, [{ name: 'a' }, { name: 'b' }], { buffered: true })
      for (const { id } of made) {
        expect(id).toMatch(V4)
        expect(await db.get(Owner, { id }, { at: { exactStaleness: 1 } })).toBeUndefined()
      }
      return made
    })
    expect(new Set(rows.map(({ id }) => id)).size).toBe(2)
    for (const row of rows) expect(await db.get(Owner, { id: row.id })).toEqual(row)
  })

  it('is the same inside a transaction, whose reads see it', async () => {
    const kept = await db.transaction(async (tx) => {
      const [made] = await tx.insert(Owner, [{ name: 'inside' }])
      const { id } = made!
      expect(await tx.get(Owner, { id })).toEqual({ id, name: 'inside' })
      await tx.update(Owner, { id, name: 'changed' })
      expect(await tx.get(Owner, { id })).toEqual({ id, name: 'changed' })
      const [, fresh] = await tx.upsert(Owner, [{ id, name: 'upserted' }, { name: 'fresh' }])
      expect(await tx.get(Owner, { id })).toEqual({ id, name: 'upserted' })
      await tx.delete(Owner, { id })
      expect(await tx.get(Owner, { id })).toBeUndefined()
      return fresh!
    })
    expect(kept.id).toMatch(V4)
    expect(await db.get(Owner, { id: kept.id! })).toEqual({ id: kept.id, name: 'fresh' })
  })

  it('is held by a column that refers to it', async () => {
    const [seller, buyer] = [await owner(), await owner()]
    const [item] = await db.insert(Item, [{ id: seller.id, soldTo: buyer.id }, { id: seller.id }])
    expect(await db.fanOut(Item).where({ soldTo: buyer.id }).all()).toEqual([item])
    expect(await db.fanOut(Item).groupBy('soldTo').count()).toContainEqual({ soldTo: buyer.id, count: 1 })
    const refused = { code: 'CONSTRAINT' }
    await expect(db.insert(Item, [{ id: seller.id, soldTo: randomUUID() }])).rejects.toMatchObject(refused)
    await expect(db.delete(Owner, { id: buyer.id })).rejects.toMatchObject(refused)
    await expect(db.insert(Item, [{ id: randomUUID() }])).rejects.toThrow(/parent/i)
    await db.delete(Owner, { id: seller.id })
    expect(await db.fanOut(Item).where({ soldTo: buyer.id }).all()).toEqual([])
  })

  const hasDefault = !(dialect.name === 'spanner-postgresql' && storage === 'bytes')

  it.each(!hasDefault ? [storage] : [])(
    '%s has to be brought by other writers, where the database can make none',
    async () => {
      const insert = byOtherWriter(own, "INSERT INTO `Owner` (`name`) VALUES ('other')")
      await expect(insert).rejects.toThrow(/NULL/i)
      expect(await db.fanOut(Owner).where({ name: 'other' }).count()).toBe(0)
    },
  )

  it.each(hasDefault ? [storage] : [])('%s is made by the database for other writers', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `('other writer ${at}')`)
    await byOtherWriter(own, `INSERT INTO \`Owner\` (\`name\`) VALUES ${names.join(', ')}`)
    const rows = await db
      .fanOut(Owner)
      .where({ name: { startsWith: 'other writer' } })
      .all()
    expect(new Set(rows.map(({ id }) => id)).size).toBe(20)
    for (const { id, name } of rows) {
      expect(id).toMatch(V4)
      expect(await db.get(Owner, { id })).toEqual({ id, name })
    }
    // Random in every digit but the version's and the variant's: twenty alike are as likely as 16^-19.
    const digits = rows.map(({ id }) => id.replaceAll('-', ''))
    for (let at = 0; at < 32; at++) {
      if (at === 12 || at === 16) continue
      expect(new Set(digits.map((each) => each[at])).size, `digit ${at}`).toBeGreaterThan(1)
    }
  })

  describe('orders and filters', () => {
    const inOrder = ids.toSorted((a, b) => compare(storage, a, b))

    beforeAll(async () => {
      await db.delete(Plain, await db.fanOut(Plain).all())
      await db.insert(
        Plain,
        // Every other one with a neighbour, so that a column that is not a key is ordered too.
        ids.map((id, at) => ({ id, other: at % 4 === 0 ? null : ids[(at * 7) % 20]! })),
      )
    })

    it.each(['asc', 'desc'] as const)('by the key, %s, page by page, by each strategy', async (direction) => {
      const wanted = direction === 'asc' ? inOrder : inOrder.toReversed()
      const query = db.fanOut(Plain).timestampBound({ exactStaleness: 0 }).orderBy('id', direction)
      for (const strategy of [query, ...strategies.map((strategy) => query.strategy(strategy))]) {
        expect((await strategy.all()).map(({ id }) => id)).toEqual(wanted)
        expect((await inPages(strategy, 13)).map(({ id }) => id)).toEqual(wanted)
      }
      const few = query.where({ id: { in: wanted.slice(20, 30) } })
      expect((await inPages(few, 1)).map(({ id }) => id)).toEqual(wanted.slice(20, 30))
    })

    it.each(['asc', 'desc'] as const)('by another column, %s, NULL in its place', async (direction) => {
      const nullFirst = (dialect.name === 'googlesql') === (direction === 'asc')
      const sign = direction === 'asc' ? 1 : -1
      const rows = await db.fanOut(Plain).all()
      const wanted = rows.toSorted((a, b) => {
        if (a.other === b.other) return compare(storage, a.id, b.id)
        if (a.other === null || b.other === null) return (a.other === null) === nullFirst ? -1 : 1
        return sign * compare(storage, a.other, b.other)
      })
      const query = db.fanOut(Plain).timestampBound({ exactStaleness: 0 }).orderBy('other', direction)
      for (const strategy of [query, query.strategy('merge-shards'), query.strategy('push-down')]) {
        expect(await inPages(strategy, 13)).toEqual(wanted)
      }
    })

    it('by what its statement says of each column', () => {
      const { calls } = db
        .fanOut(Plain)
        .where({ id: { gt: ids[0]! } })
        .strategy('push-down')
        .limit(5)
        .explain()
      const high = inDialect(dialect, '`id_high`')
      const low = inDialect(dialect, '`id_low`')
      const id = inDialect(dialect, '`id`')
      const p = (at: number): string => (dialect.name === 'googlesql' ? `@p${at}` : `$${at}`)
      expect(calls).toMatchObject([
        {
          statement: {
            text: expect.stringContaining(
              storage === 'int64-pair'
                ? ` WHERE (${high} > ${p(1)} OR (${high} = ${p(2)} AND ${low} > ${p(3)})) ORDER BY ${high}, ${low} LIMIT ${p(4)}`
                : ` WHERE ${id} > ${p(1)} ORDER BY ${id} LIMIT ${p(2)}`,
            ),
          },
        },
      ])
    })

    it('eq, ne, in, notIn, lt, lte, gt, gte, of the key and of another column', async () => {
      const current = db.fanOut(Plain).timestampBound({ exactStaleness: 0 })
      const rows = await current.all()
      const pivots = [0, 31, 59].map((at) => inOrder[at]!)
      for (const property of ['id', 'other'] as const) {
        for (const pivot of pivots) {
          for (const [filter, finds] of filtersAbout(storage, pivot, inOrder[10]!)) {
            const wanted = rows.filter((row) => {
              const value = row[property]
              return value !== null && finds(value)
            })
            const query = current.where({ [property]: filter })
            expect(await query.all(), `${property} ${JSON.stringify(filter)}`).toEqual(wanted)
            expect(await query.strategy('push-down').all(), `${property} ${JSON.stringify(filter)}`).toEqual(
              wanted,
            )
          }
        }
      }
    })
  })
}

for (const dialect of dialects) {
  const emulator = await sharedEmulator()
  const driver = spanner(await emulator.database({ dialect }))
  const lacking = driver.lacks.includes('uuid-type')

  describe.each(storages)(`a UUID in ${dialect.name}, stored as %s`, async (storage) => {
    it('has its columns in the DDL, and a default for other writers', () => {
      const [table, child] = compileDdl(schemaOf(storage).schema, { dialect })
      for (const column of columns[dialect.name][storage]) expect(table).toContain(`\n  ${column}`)
      // The parent's row has made it already.
      expect(child!.split('\n  ').filter((line) => /^.id(_high|_low)?. .*DEFAULT/.test(line))).toEqual([])
    })

    it.each(storage === 'native' && lacking ? [storage] : [])(
      '%s is refused, by name, by an engine without the type',
      () => {
        expect(() => openDatabase({ driver, schema: schemaOf('native').schema })).toThrow(
          expect.objectContaining({
            code: 'UNSUPPORTED_MODEL',
            table: 'Owner',
            column: 'id',
            message: expect.stringContaining('Owner.id is stored as the type UUID, which this'),
          }),
        )
      },
    )

    await (storage === 'native' && lacking ? undefined : suite(dialect, storage))
  })
}
