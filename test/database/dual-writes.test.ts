import { defineSchema, defineTable, openDatabase, type SqlDialect } from '@isotherm/core'
import { dualWrites, type ReshardPhase } from '@isotherm/core/reshard'
import { describe, expect, it } from 'vitest'
import { dialects, testDatabase } from '../support/spanner.js'

function models(dialect: SqlDialect) {
  const token = dialect.name === 'googlesql' ? 'GENERATE_UUID()' : 'spanner.generate_uuid()'
  const old = defineTable('Session', (t) => ({
    id: t.int64().key(),
    startedAt: t.timestamp({ default: 'now' }),
    changedAt: t.timestamp({ default: 'commit' }),
    token: t.string({ length: 36, default: token }),
    note: t.string({ nullable: true }),
  }))
  const made = defineTable('NewSession', (t) => ({
    shard: t.shardKey({ shards: 8, of: ['id'] }),
    startedAt: t.timestamp({ default: 'now' }).key(),
    id: t.int64().key(),
    changedAt: t.timestamp({ default: 'commit' }),
    token: t.string({ length: 36, default: token }),
    note: t.string({ nullable: true }),
  }))
  return { old, made }
}

let last = 0n
const fresh = (row: { note?: string; token?: string } = {}) => ({ id: ++last, ...row })

for (const dialect of dialects) {
  describe(`dual writes in ${dialect.name}`, async () => {
    const { old, made } = models(dialect)
    const schema = defineSchema([old, made])
    const { db: plain, empty } = await testDatabase(schema, dialect)
    const within = (phase: ReshardPhase) =>
      openDatabase({
        driver: plain.driver,
        schema,
        tables: dualWrites([{ from: old, to: 'NewSession', phase }]),
      })
    const writing = within('writing')
    const reading = within('reading')
    /** The row of each table, without the shard that only one has. */
    const both = async (id: bigint) => {
      const [before] = await plain.fanOut(old).where({ id }).all()
      const [after] = await plain.fanOut(made).where({ id }).all()
      const { shard: _, ...rest } = after ?? { shard: undefined }
      return { before, after: after && rest }
    }

    it('store the same default values and commit timestamps in both tables', async () => {
      const rows = await writing.insert(old, [fresh({ note: 'a' }), fresh({ note: 'b', token: 'given' })])
      for (const { id } of rows) {
        const { before, after } = await both(id)
        expect(before).toMatchObject({ id })
        expect(after).toEqual(before)
      }
      const inTransaction = await writing.transaction((tx) => tx.insert(old, [fresh({ note: 'c' })]))
      const { before, after } = await both(inTransaction[0]!.id)
      expect(inTransaction[0]).toEqual(before)
      expect(after).toEqual(before)
    })

    it('update, move and delete the row of the new table when only the old key is given', async () => {
      const [row] = await writing.insert(old, [fresh()])
      const { id } = row!
      await writing.update(old, { id, note: 'changed' })
      await writing.update(old, { id, startedAt: new Date(0) })
      const { before, after } = await both(id)
      expect(after).toEqual(before)
      expect(after).toMatchObject({ note: 'changed', startedAt: expect.any(Date) })
      expect(await plain.fanOut(made).where({ id }).count()).toBe(1)
      await writing.delete(old, { id })
      expect(await both(id)).toEqual({ before: undefined, after: undefined })
    })

    it('roll back after the caught error of a half-done update, but commit after an error that wrote nothing', async () => {
      const [row] = await writing.insert(old, [fresh({ note: 'before' })])
      const { id } = row!
      const halfMade = writing.transaction(async (tx) => {
        await tx
          .update(old, [
            { id, note: 'after' },
            { id: -1n, note: 'nobody' },
          ])
          .catch(() => {})
      })
      await expect(halfMade).rejects.toMatchObject({
        code: 'CANCELLED',
        message: expect.stringMatching(
          /a part of it was written \(Session has no row with the key \{ .*id: -1n/,
        ),
      })
      expect((await both(id)).before).toMatchObject({ note: 'before' })
      await writing.transaction(async (tx) => {
        await expect(tx.insert(old, [{ id }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
        await expect(tx.update(old, { id: -1n, note: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
        await tx.update(old, { id, note: 'after' })
      })
      const { before, after } = await both(id)
      expect(before).toMatchObject({ note: 'after' })
      expect(after).toEqual(before)
    })

    it('write the whole row to the new table when an update or an upsert changes a row that was not copied yet', async () => {
      const [row, other] = await plain.insert(old, [fresh({ note: 'before' }), fresh({ note: 'other' })])
      await writing.update(old, { id: row!.id, note: 'after' })
      await writing.upsert(old, [{ id: other!.id, note: 'upserted' }])
      for (const { id } of [row!, other!]) {
        const { before, after } = await both(id)
        expect(after).toEqual(before)
      }
      const [gone] = await plain.insert(old, [fresh()])
      await writing.delete(old, { id: gone!.id })
      expect((await both(gone!.id)).before).toBeUndefined()
    })

    it('read the old table in phase writing and the new table in phase reading', async () => {
      const [row] = await writing.insert(old, [fresh({ note: 'a' })])
      const { id, startedAt } = row!
      await plain.update(made, { ...(await plain.fanOut(made).where({ id }).all())[0]!, note: 'new table' })
      expect(await reading.get(old, { id, startedAt })).toMatchObject({ note: 'new table' })
      expect(await writing.get(old, { id, startedAt, shard: 99n } as never)).toMatchObject({ note: 'a' })
      expect(await reading.fanOut(old).where({ id }).all()).toMatchObject([{ note: 'new table' }])
      expect(await reading.transaction((tx) => tx.get(old, { id, startedAt }))).toMatchObject({
        note: 'new table',
      })
      await reading.update(old, { id, startedAt, note: 'both' })
      const { before, after } = await both(id)
      expect(before).toMatchObject({ note: 'both' })
      expect(after).toEqual(before)
      await expect(reading.get(old, { id })).rejects.toMatchObject({
        code: 'KEY_INCOMPLETE',
        column: 'startedAt',
      })
    })

    it('throw ALREADY_EXISTS for a second row with the same old key and another new key', async () => {
      const [row] = await reading.insert(old, [fresh()])
      const again = { id: row!.id, startedAt: new Date(1) }
      await expect(reading.insert(old, [again])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      await expect(reading.upsert(old, [again])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
      const { before, after } = await both(row!.id)
      expect(after).toEqual(before)
    })

    it('change and delete rows in both tables in the transaction that inserted these rows', async () => {
      const [older] = await writing.insert(old, [fresh({ note: 'older' })])
      const ids = await writing.transaction(async (tx) => {
        const [first, second] = await tx.insert(old, [fresh({ note: 'first' }), fresh({ note: 'second' })])
        await tx.update(old, { id: first!.id, note: 'first changed', startedAt: new Date(5) })
        await tx.update(old, { id: older!.id, note: 'older changed' })
        await tx.delete(old, { id: second!.id })
        return [first!.id, second!.id]
      })
      const [first, second, changed] = await Promise.all([...ids, older!.id].map(both))
      expect(first!.before).toMatchObject({ note: 'first changed' })
      expect(first!.after).toEqual(first!.before)
      expect(second).toEqual({ before: undefined, after: undefined })
      expect(changed!.before).toMatchObject({ note: 'older changed' })
      expect(changed!.after).toEqual(changed!.before)
    })

    it('throw UNSUPPORTED_WRITE for a write that would change only one of the tables', async () => {
      const [row] = await writing.insert(old, [fresh()])
      const buffered = writing.transaction((tx) => tx.delete(old, { id: row!.id }, { buffered: true }))
      await expect(buffered).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE', table: 'Session' })
      await expect(writing.insert(made, [fresh()])).rejects.toMatchObject({
        code: 'UNSUPPORTED_WRITE',
        table: 'NewSession',
      })
      const unreadable = writing.transaction(async (tx) => {
        await tx.insert(old, [fresh()])
        await tx.update(old, { id: row!.id, startedAt: new Date(7) })
      })
      await expect(unreadable).rejects.toMatchObject({ code: 'UNSUPPORTED_WRITE', table: 'Session' })
      expect((await both(row!.id)).after).toEqual((await both(row!.id)).before)
    })

    it('write only the old table in phase off, and only the new table in phase done', async () => {
      await empty('NewSession')
      const [early] = await within('off').insert(old, [fresh()])
      expect(await both(early!.id)).toMatchObject({ before: early, after: undefined })
      const [late] = await within('done').insert(old, [fresh()])
      expect(await both(late!.id)).toMatchObject({ before: undefined, after: { id: late!.id } })
      expect(await within('done').get(old, late!)).toEqual(late)
    })

    it('throw an error that names isotherm_reshard when the table with the phase is missing', async () => {
      const db = openDatabase({ driver: plain.driver, schema, tables: dualWrites([{ from: old, to: made }]) })
      expect(() => db.fanOut(old)).toThrow(/Call await db\.ready\(\)/)
      await expect(db.ready()).rejects.toThrow(/isotherm_reshard.*Apply the migration/)
      await expect(db.insert(old, [fresh()])).rejects.toMatchObject({
        message: expect.stringMatching(/isotherm_reshard/),
      })
    })
  })
}
