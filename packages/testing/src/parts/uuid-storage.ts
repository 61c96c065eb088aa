import { defineSchema } from '@isotherm/core'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { compare, filtersAbout, ids, modelsOf, V4 } from '../data/stored-uuids.js'
import { inPages } from '../data/paging.js'
import { byStatement, split } from '../data/by-statement.js'
import { part } from '../part.js'

export const uuidStorage = part([], async ({ traits, database, when }) => {
  const all = traits.uuidStorages.map((storage) => modelsOf(storage, `_${storage.replace('-', '_')}`))
  const { db } = await database(
    defineSchema(
      all.flatMap(({ Owner, Item, Plain, Placed }) => [
        Owner,
        ...(traits.interleaving ? [Item] : []),
        Plain,
        Placed,
      ]),
    ),
  )

  describe.each(all)('a UUID stored as $storage', ({ storage, Owner, Item, Plain, Placed }) => {
    const owner = () => db.insert(Owner, [{}]).then(([row]) => row!)

    it('identifies rows in get, update, upsert and delete, also in capital letters', async () => {
      const { id } = await owner()
      await db.update(Owner, { id, name: 'changed' })
      expect(await db.get(Owner, { id: id.toUpperCase() })).toEqual({ id, name: 'changed' })
      await db.upsert(Owner, [{ id, name: 'upserted' }])
      expect(await db.get(Owner, { id })).toEqual({ id, name: 'upserted' })
      const [fresh] = await db.upsert(Owner, [{ name: 'fresh' }])
      expect(fresh!.id).toMatch(V4)
      expect(await db.get(Owner, { id: fresh!.id! })).toEqual(fresh)
      await expect(db.insert(Owner, [{ id }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await expect(db.update(Owner, { id: randomUUID(), name: '' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      await db.delete(Owner, [{ id }, { id: fresh!.id! }], split)
      expect(await db.get(Owner, { id })).toBeUndefined()
      expect(await db.get(Owner, { id: fresh!.id! })).toBeUndefined()
    })

    it('is rejected as the first key part if its high bits are a clock (versions 1, 6 and 7)', async () => {
      for (const version of ['1', '6', '7']) {
        const id = `019f0000-0000-${version}000-8000-000000000000`
        const refused = {
          code: 'INVALID_VALUE',
          column: 'id',
          message: expect.stringContaining(`not the v${version}`),
        }
        await expect(db.insert(Owner, [{ id }])).rejects.toMatchObject(refused)
        await expect(db.upsert(Owner, [{ id }])).rejects.toMatchObject(refused)
        await expect(byStatement(db, traits)((on) => on.insert(Owner, [{ id }]))).rejects.toMatchObject(
          refused,
        )
        await expect(db.insert(Plain, [{ id }])).rejects.toMatchObject(refused)
        const [row] = await db.insert(Plain, [{ id: randomUUID(), other: id }])
        expect(await db.get(Plain, { id: row!.id })).toEqual(row)
      }
    })

    when('interleaving', 'in the key of a parent', () => {
      it('is inherited by a child, and the child is deleted with its parent', async () => {
        const [seller, buyer] = [await owner(), await owner()]
        const rows = await db.insert(Item, [{ id: seller.id, soldTo: buyer.id }, { id: seller.id }], split)
        const [item, unsold] = rows
        expect(item).toEqual({
          id: seller.id,
          itemId: expect.stringMatching(V4),
          soldTo: buyer.id,
          note: null,
        })
        expect(await db.get(Item, { id: seller.id, itemId: item!.itemId })).toEqual(item)
        const own = db.fanOut(Item).where({ id: seller.id })
        expect(await own.where({ soldTo: buyer.id }).all()).toEqual([item])
        expect(await own.where({ soldTo: null }).all()).toEqual([unsold])
        expect(await own.where({ soldTo: { ne: buyer.id } }).count()).toBe(0)
        expect(await own.groupBy('soldTo').count()).toContainEqual({ soldTo: buyer.id, count: 1 })
        await db.update(Item, { id: seller.id, itemId: item!.itemId, soldTo: null, note: 'returned' })
        expect(await db.get(Item, item!)).toEqual({ ...item, soldTo: null, note: 'returned' })
        await db.delete(Owner, { id: seller.id })
        expect(await db.get(Item, unsold!)).toBeUndefined()
      })

      it('is rejected in the key of a child if its high bits are a clock (versions 1, 6 and 7)', async () => {
        for (const version of ['1', '6', '7']) {
          const itemId = `019f0000-0000-${version}000-8000-000000000000`
          await expect(db.insert(Item, [{ id: (await owner()).id, itemId }])).rejects.toMatchObject({
            code: 'INVALID_VALUE',
            column: 'itemId',
          })
        }
      })
    })

    describe('in the order and the filters of rows with the same first key part', () => {
      const inOrder = ids.toSorted((a, b) => compare(storage, a, b))
      const query = db.fanOut(Placed).where({ spot: 1n })
      /** The database compares the stored columns of a UUID itself. */
      const pushedDown = traits.readStrategies.filter((strategy) => strategy === 'push-down')

      beforeAll(async () => {
        await db.insert(
          Placed,
          ids.map((id, at) => ({ spot: 1n, id, other: at % 4 === 0 ? null : ids[(at * 7) % 20]! })),
          split,
        )
      })

      it.each(['asc', 'desc'] as const)(
        'orders rows by the key, %s, in pages, with each strategy',
        async (direction) => {
          const wanted = direction === 'asc' ? inOrder : inOrder.toReversed()
          for (const strategy of traits.readStrategies) {
            const ordered = query.orderBy('id', direction).strategy(strategy)
            expect((await inPages(ordered, 13)).map(({ id }) => id)).toEqual(wanted)
          }
        },
      )

      it('orders rows by a UUID column outside the key', async () => {
        const known = query.where({ other: { ne: null } })
        const rows = await known.all()
        const wanted = rows.toSorted(
          (a, b) => compare(storage, a.other!, b.other!) || compare(storage, a.id, b.id),
        )
        expect(rows).toHaveLength(45)
        expect(await inPages(known.orderBy('other'), 13)).toEqual(wanted)
      })

      it.each(['id', 'other'] as const)(
        'filters the UUID column %s with eq, ne, in, notIn, lt, lte, gt and gte',
        async (property) => {
          const rows = await query.all()
          for (const pivot of [inOrder[17]!, inOrder[59]!]) {
            for (const [filter, finds] of filtersAbout(storage, pivot, inOrder[10]!)) {
              const wanted = rows.filter((row) => {
                const value = row[property]
                return value !== null && finds(value)
              })
              const filtered = query.where({ [property]: filter })
              for (const found of [filtered, ...pushedDown.map((strategy) => filtered.strategy(strategy))])
                expect(await found.all(), `${property} ${JSON.stringify(filter)}`).toEqual(wanted)
            }
          }
        },
      )
    })
  })
})
