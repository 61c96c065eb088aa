import { type TableBuilder, compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { shardOf } from '@isotherm/core/keys'
import { describe, expect, it, vi } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

// Each cell has its own time to live, and an update of one column makes that one outlive the others. What is left of a row is
// none. A cell that was deleted is as one that has expired; the first test waits for one that does.

const Item = defineTable(
  'Item',
  (t) => ({
    place: t.int32().key(),
    at: t.int32().key(),
    must: t.string(),
    also: t.int32(),
    may: t.string({ nullable: true }),
  }),
  { writesExpire: true },
)
const Lock = defineTable(
  'Lock',
  (t) => ({ id: t.int32().key(), holder: t.string(), note: t.string({ nullable: true }) }),
  { ttlSeconds: 86_400 },
)
const Owner = defineTable(
  'Owner',
  (t) => ({ id: t.int32().key(), name: t.string(), note: t.string({ nullable: true }) }),
  { writesExpire: true },
)
const Pet = defineTable(
  'Pet',
  (t) => ({ id: t.parentKey<number>(), pet: t.int32().key(), kind: t.string() }),
  { writesExpire: true, interleaveIn: () => Owner, onDelete: 'cascade' },
)
const Seat = defineTable(
  'Seat',
  (t) => ({
    room: t.int32().key(),
    seat: t.int32().key(),
    owner: t.string({ nullable: true, static: true }),
    guest: t.string(),
    note: t.string({ nullable: true }),
  }),
  { writesExpire: true },
)
const Lasting = defineTable('Lasting', (t) => ({
  place: t.int32().key(),
  at: t.int32().key(),
  must: t.string(),
  may: t.string({ nullable: true }),
}))
/** Found by a column outside its key. */
const Session = defineTable(
  'Session',
  (t) => ({
    shard: t.shardKey({ shards: 16, of: ['user'] }),
    id: t.int32().key(),
    user: t.int32({ immutable: true }),
    data: t.string(),
    note: t.string({ nullable: true }),
  }),
  { writesExpire: true },
)
/** Without another column that it must have. */
const Sole = defineTable(
  'Sole',
  (t) => ({
    shard: t.shardKey({ shards: 16, of: ['user'] }),
    id: t.int32().key(),
    user: t.int32({ immutable: true }),
    note: t.string({ nullable: true }),
  }),
  { writesExpire: true },
)
const Parted = defineTable('Parted', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['a', 'b'] }),
  id: t.int32().key(),
  a: t.string({ immutable: true }),
  b: t.string({ immutable: true, nullable: true }),
  note: t.string({ nullable: true }),
}))
/** With two other columns that it must have. */
const Meeting = defineTable(
  'Meeting',
  (t) => ({
    shard: t.shardKey({ shards: 16, of: ['user'] }),
    id: t.int32().key(),
    user: t.int32({ immutable: true }),
    from: t.int32(),
    to: t.int32(),
    note: t.string({ nullable: true }),
  }),
  { writesExpire: true },
)
const Kept = defineTable('Kept', (t) => ({
  shard: t.shardKey({ shards: 16, of: ['user'] }),
  id: t.int32().key(),
  user: t.int32({ immutable: true }),
  data: t.string(),
  title: t.string({ nullable: true, static: true }),
}))
const found = (t: TableBuilder) => ({
  shard: t.shardKey({ shards: 16, of: ['owner'] }),
  id: t.int32().key(),
  owner: t.string({ immutable: true, nullable: true }),
})
const Doc = defineTable('Doc', (t) => ({ ...found(t), note: t.string({ nullable: true }) }))
/** The same after a migration. */
const Grown = defineTable('Doc', (t) => ({
  ...found(t),
  status: t.string(),
  note: t.string({ nullable: true }),
}))
const Loose = defineTable('Loose', (t) => ({
  ...found(t),
  tags: t.array({ kind: 'ascii' }, { nullable: true }),
  note: t.string({ nullable: true }),
}))
const Made = defineTable('Made', (t) => ({
  id: t.int32().key(),
  name: t.string(),
  created: t.timestamp({ default: 'now' }),
  seen: t.timestamp({ nullable: true }),
}))
const Shared = defineTable('Shared', (t) => ({
  room: t.int32().key(),
  seat: t.int32().key(),
  owner: t.string({ static: true }),
  guest: t.string(),
}))
const schema = defineSchema([
  Item,
  Lock,
  Owner,
  Pet,
  Seat,
  Lasting,
  Session,
  Sole,
  Parted,
  Meeting,
  Kept,
  Doc,
  Loose,
  Made,
  Shared,
])

const many = { allowMultipleCommits: true, conditional: false } as const

describe.each(sampledDialects)('rows with expired or missing cells in $name', async (dialect) => {
  const { client, driver } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  const lose = (column: string, table: string, where: string) =>
    client.execute(`DELETE "${column}" FROM "${table}" WHERE ${where}`)

  it('are gone once a required column has expired, even if an update wrote another column', async () => {
    const key = { place: 1, at: 1 }
    await db.insert(Item, [{ ...key, must: 'm', also: 1, may: 'x' }], { ttlSeconds: 1 })
    // Whether it finds the row depends on the clock.
    await db.update(Item, { ...key, may: 'y' }, { conditional: false })
    const left = async () =>
      (await client.execute('SELECT "must", "may" FROM "Item" WHERE "place" = 1')).rows.map((row) => [
        row['must'] as unknown,
        row['may'] as unknown,
      ])
    await expect.poll(left, { timeout: 30_000 }).toEqual([[null, 'y']])
    expect(await db.get(Item, key)).toBeUndefined()
    expect(await db.fanOut(Item).where({ place: 1 }).all()).toEqual([])
    expect(await db.fanOut(Item).where({ place: 1 }).count()).toBe(0)
    await expect(db.update(Item, { ...key, may: 'z' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await db.insert(Item, [{ ...key, must: 'n', also: 2 }])
    expect(await db.get(Item, key)).toEqual({ ...key, must: 'n', also: 2, may: null })
  })

  it('are left out of pages, counts and groups, with each strategy and in both directions', async () => {
    const rows = Array.from({ length: 90 }, (_, n) => ({
      place: 10 + (n % 3),
      at: n,
      must: `m${n % 4}`,
      also: n,
      may: null,
    }))
    await db.insert(Item, rows, many)
    const isLeft = (at: number) => at % 5 < 3 && at < 60
    for (const { place, at } of rows)
      if (!isLeft(at)) await lose(at % 2 ? 'must' : 'also', 'Item', `"place" = ${place} AND "at" = ${at}`)
    const whole = rows.filter(({ at }) => isLeft(at))
    const query = db.fanOut(Item).where({ place: { in: [10, 11, 12] } })
    for (const order of ['asc', 'desc'] as const) {
      const wanted = order === 'asc' ? whole : whole.toReversed()
      for (const strategy of [undefined, 'merge-shards', 'client-sort'] as const) {
        const plain = query.orderBy('at', order)
        const ordered = strategy ? plain.strategy(strategy) : plain
        for (const limit of [1, 7, 36, 90])
          expect(await ordered.limit(limit).all()).toEqual(wanted.slice(0, limit))
        const paged: object[] = []
        let after: string | undefined
        do {
          const { rows: page, next } = await ordered.limit(5).after(after).page()
          expect(page).toHaveLength(next === undefined ? wanted.length % 5 || 5 : 5)
          paged.push(...page)
          after = next
        } while (after !== undefined)
        expect(paged).toEqual(wanted)
      }
    }
    expect(await query.count()).toBe(whole.length)
    expect(await query.where({ at: { gte: 55 } }).count()).toBe(whole.filter(({ at }) => at >= 55).length)
    expect(await query.sum('also')).toBe(BigInt(whole.reduce((sum, { also }) => sum + also, 0)))
    const groups = await query
      .groupBy('must')
      .select({ rows: { count: true } })
      .orderBy('must')
      .all()
    expect(groups).toEqual(
      ['m0', 'm1', 'm2', 'm3'].map((must) => ({
        must,
        rows: whole.filter((row) => row.must === must).length,
      })),
    )
  })

  it('an update extends the expiry of the hashed column outside the key, and never changes its value', async () => {
    const [first, second] = Array.from({ length: 99 }, (_, at) => at + 1).filter(
      (user) => shardOf(user, 16) === shardOf(1, 16),
    ) as [number, number]
    await db.insert(Session, [{ id: 1, user: first, data: 'a' }], { ttlSeconds: 600 })
    await db.update(Session, { id: 1, user: first, data: 'b' }, { ttlSeconds: 6_000 })
    const { rows } = await client.execute('SELECT ttl("user") AS user, ttl("data") AS data FROM "Session"')
    expect(rows[0]!['user']).toBeGreaterThan(600)
    expect(rows[0]!['data']).toBeGreaterThan(600)
    await expect(db.update(Session, { id: 1, user: second, data: 'c' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await db.get(Session, { id: 1, user: first })).toMatchObject({ user: first, data: 'b' })

    // It does not shorten the life of a row either, of which it gives a part.
    await db.insert(Session, [{ id: 2, user: first, data: 'a' }])
    await db.update(Session, { id: 2, user: first, note: 'n' }, { ttlSeconds: 600 })
    await db.update(Session, { id: 2, user: first, note: 'n' }, { ttlSeconds: 600, conditional: false })
    const left = await client.execute(
      'SELECT "user", ttl("user") AS kept, ttl("note") AS note FROM "Session" WHERE "id" = 2 ALLOW FILTERING',
    )
    expect(left.rows[0]).toMatchObject({ user: first, kept: null })
    expect(left.rows[0]!['note']).toBeGreaterThan(0)
    const refused = db.update(Session, { id: 2, user: second, note: 'o' }, { ttlSeconds: 600 })
    await expect(refused).rejects.toThrow(
      /^Session has no row with \{ shard: \d+n, id: 2, user: \d+ \}\. Insert it\.$/,
    )
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('an update without a check writes all required columns, or throws UNSUPPORTED_WRITE if one is missing', async () => {
    const unchecked = { ttlSeconds: 600, conditional: false } as const
    await db.update(Session, { id: 3, user: 3, data: 'a', note: 'n' }, unchecked)
    await db.update(
      Session,
      { id: 3, user: 3, data: 'b' },
      { conditional: false, writeTime: 9_000_000_000_000_000n },
    )
    expect(await db.get(Session, { id: 3, user: 3 })).toMatchObject({ user: 3, data: 'b', note: 'n' })
    // Nothing of a row that is not there.
    await db.update(Session, { id: 4, user: 4, note: 'n' }, unchecked)
    expect(await db.get(Session, { id: 4, user: 4 })).toBeUndefined()

    await db.update(Meeting, { id: 1, user: 1, from: 1, to: 2, note: 'n' }, unchecked)
    await db.update(Meeting, { id: 1, user: 1, note: 'o' }, unchecked)
    expect(await db.get(Meeting, { id: 1, user: 1 })).toMatchObject({ from: 1, to: 2, note: 'o' })
    await expect(db.update(Meeting, { id: 1, user: 1, from: 2 }, unchecked)).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      column: 'to',
      message: expect.stringContaining('could leave a row without to') as string,
      fix: 'Give all of them (from, to) or none of them, or remove conditional: false and writeTime.',
    })
    await db.update(Meeting, { id: 1, user: 1, from: 2 }, { ttlSeconds: 600 })
  })

  it('an update without a check writes the columns from which the shard is computed', async () => {
    await db.update(Kept, { id: 1, user: 1, data: 'a' }, { conditional: false })
    await db.update(Parted, { id: 9, a: 'x', b: null, note: 'n' }, { conditional: false })
    expect(await db.get(Kept, { id: 1, user: 1 })).toEqual({
      shard: BigInt(shardOf(1, 16)),
      id: 1,
      user: 1,
      data: 'a',
      title: null,
    })
    expect(await db.get(Parted, { id: 9, a: 'x', b: null })).toMatchObject({ a: 'x', b: null, note: 'n' })
    await db.delete(Parted, { id: 9, a: 'x', b: null })
    // Fields of the whole partition do not make a row.
    await db.update(Kept, { id: 2, user: 1, title: 't' }, { conditional: false })
    expect(await db.get(Kept, { id: 2, user: 1 })).toBeUndefined()
    expect(await db.get(Kept, { id: 1, user: 1 })).toMatchObject({ title: 't' })
  })

  it('an update finds a row with a NULL hashed column if the row lacks a column that was added as required', async () => {
    await db.insert(Doc, [{ id: 1 }, { id: 2, owner: 'x' }], many)
    await client.execute('ALTER TABLE "Doc" ADD "status" text')
    const grown = openDatabase({ driver, schema: defineSchema([Grown]) })
    const owner = Array.from({ length: 200 }, (_, at) => `r${at}`).find(
      (each) => shardOf(each, 16) === shardOf(null, 16),
    )!
    await db.insert(Doc, [{ id: 3, owner }])
    for (const id of [3, 4]) {
      await expect(grown.update(Grown, { id, owner: null, status: 'new' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
    await grown.update(Grown, { id: 1, owner: null, note: 'n' })
    await grown.update(Grown, { id: 1, owner: null, status: 'new' })
    await grown.update(Grown, { id: 2, owner: 'x', status: 'new' })
    await grown.update(Grown, { id: 3, owner, status: 'new' })
    expect((await grown.fanOut(Grown).orderBy('id').all()).map(({ note, status }) => [note, status])).toEqual(
      [
        ['n', 'new'],
        [null, 'new'],
        [null, 'new'],
      ],
    )
  })

  it('an update checks that the hashed column is NULL in a table without required columns', async () => {
    const owner = Array.from({ length: 200 }, (_, at) => `r${at}`).find(
      (each) => shardOf(each, 16) === shardOf(null, 16),
    )!
    await db.insert(Loose, [{ id: 1 }, { id: 2, owner }], many)
    await db.update(Loose, { id: 1, owner: null, note: 'n' })
    await db.update(Loose, { id: 1, owner: null, note: 'o' })
    for (const id of [2, 3]) {
      await expect(db.update(Loose, { id, owner: null, note: 'p' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
    const rows = await db.fanOut(Loose).orderBy('id').all()
    expect(rows.map(({ note }) => note)).toEqual(['o', null])
  })

  it('an update checks that a hashed column is NULL if another hashed column shows that the row exists', async () => {
    const ofNull = shardOf(['x', null], 16)
    const other = Array.from({ length: 200 }, (_, at) => `r${at}`).find(
      (b) => shardOf(['x', b], 16) === ofNull,
    )!
    await db.insert(
      Parted,
      [
        { id: 1, a: 'x', b: other },
        { id: 2, a: 'x', b: null },
      ],
      many,
    )
    await expect(db.update(Parted, { id: 1, a: 'x', b: null, note: 'n' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await db.update(Parted, { id: 2, a: 'x', b: null, note: 'n' })
    expect((await db.fanOut(Parted).orderBy('id').all()).map(({ note }) => note)).toEqual([null, 'n'])
  })

  it('an update of an optional column does not change the time to live of the only required column', async () => {
    await db.insert(Sole, [{ id: 1, user: 1 }])
    await db.update(Sole, { id: 1, user: 1, note: 'n' }, { ttlSeconds: 600 })
    const { rows } = await client.execute('SELECT ttl("user") AS kept, ttl("note") AS note FROM "Sole"')
    expect(rows[0]!['kept']).toBeNull()
    expect(rows[0]!['note']).toBeGreaterThan(0)
  })

  it('compileDdl() rejects a hashed column outside the key that is static, or nullable where rows expire', () => {
    const shared = defineTable(
      'SharedUser',
      (t) => ({
        shard: t.shardKey({ shards: 16, of: ['user'] }),
        room: t.int32().key(),
        id: t.int32().key(),
        user: t.int32({ immutable: true, static: true }),
      }),
      { partitionKey: ['shard', 'room'] },
    )
    expect(() => compileDdl(defineSchema([shared]), { dialect })).toThrow(
      'SharedUser.user is static, and a key part is computed from it',
    )
    const nullable = defineTable(
      'Nullable',
      (t) => ({
        shard: t.shardKey({ shards: 16, of: ['user'] }),
        id: t.int32().key(),
        user: t.int32({ immutable: true, nullable: true }),
      }),
      { writesExpire: true },
    )
    expect(() => compileDdl(defineSchema([nullable]), { dialect })).toThrow(
      'Nullable.user is nullable, and a key part is computed from it, but rows of this table expire',
    )
    // A child's own column of that name may be both: its key is its parent's.
    const child = (column: object) =>
      defineSchema([
        Session,
        defineTable(
          'Step',
          (t) => ({
            shard: t.parentKey<bigint>(),
            id: t.parentKey<number>(),
            step: t.int32().key(),
            user: t.int32({ nullable: true, ...column }),
          }),
          { interleaveIn: () => Session, rows: 'own', writesExpire: true },
        ),
      ])
    for (const column of [{}, { static: true }])
      expect(() => compileDdl(child(column), { dialect })).not.toThrow()
  })

  it('an upsert without a value for a required column throws INVALID_VALUE', async () => {
    const refused = (message: string) => ({
      code: 'INVALID_VALUE',
      message: expect.stringContaining(message),
    })
    await expect(db.upsert(Made, [{ id: 1, name: 'a' }])).rejects.toMatchObject(
      refused('Made.created of row 0 is not given'),
    )
    await expect(
      db.upsert('Made', [
        { id: 1, name: 'a', created: new Date(0) },
        { id: 2, created: new Date(0) },
      ]),
    ).rejects.toMatchObject(refused('Made.name of row 1 is not given'))
    await expect(db.upsert('Shared', [{ room: 1, seat: 1, guest: 'g' }])).rejects.toMatchObject(
      refused('Shared.owner of row 0 is not given'),
    )
    expect(await db.get(Made, { id: 1 })).toBeUndefined()
    await db.upsert(Made, [{ id: 1, name: 'a', created: new Date(0) }])
    expect(await db.get(Made, { id: 1 })).toMatchObject({ name: 'a', seen: null })
  })

  it('an insert replaces the remains of an expired row, and throws ALREADY_EXISTS for a complete row', async () => {
    await db.insert(Lock, [{ id: 1, holder: 'a', note: 'old' }])
    await expect(db.insert(Lock, [{ id: 1, holder: 'b' }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    expect(await db.get(Lock, { id: 1 })).toEqual({ id: 1, holder: 'a', note: 'old' })
    await lose('holder', 'Lock', '"id" = 1')
    await db.insert(Lock, [{ id: 1, holder: 'b' }], { ttlSeconds: 600 })
    expect(await db.get(Lock, { id: 1 })).toEqual({ id: 1, holder: 'b', note: null })
    const { rows } = await client.execute('SELECT ttl("holder") AS left FROM "Lock" WHERE "id" = 1')
    expect(rows[0]!['left']).toBeLessThanOrEqual(600)
    await expect(db.insert(Lock, [{ id: 1, holder: 'c' }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })

    for (const lost of ['must', 'also'] as const) {
      const key = { place: 2, at: lost.length }
      await db.insert(Item, [{ ...key, must: 'm', also: 1, may: 'old' }])
      await lose(lost, 'Item', `"place" = 2 AND "at" = ${key.at}`)
      const inserts = [1, 2, 3].map((also) => db.insert(Item, [{ ...key, must: 'n', also }]).then(() => also))
      const settled = await Promise.allSettled(inserts)
      const made = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      expect(made).toHaveLength(1)
      expect(await db.get(Item, key)).toEqual({ ...key, must: 'n', also: made[0], may: null })
      await db.delete(Item, [key])
    }
  })

  it('an insert over the remains of an expired row keeps the static columns of the partition', async () => {
    const key = { room: 1, seat: 1 }
    await db.insert(Seat, [{ ...key, owner: 'o', guest: 'g', note: 'old' }])
    await db.insert(Seat, [{ room: 1, seat: 2, guest: 'h' }])
    await lose('guest', 'Seat', '"room" = 1 AND "seat" = 1')
    await db.insert(Seat, [{ ...key, guest: 'i' }])
    expect(await db.fanOut(Seat).where({ room: 1 }).orderBy('seat').all()).toEqual([
      { ...key, owner: 'o', guest: 'i', note: null },
      { room: 1, seat: 2, owner: 'o', guest: 'h', note: null },
    ])
    await lose('guest', 'Seat', '"room" = 1 AND "seat" = 1')
    await db.insert(Seat, [{ ...key, guest: 'j', owner: 'p' }])
    await db.update(Seat, { ...key, owner: 'q' })
    expect((await db.fanOut(Seat).where({ room: 1 }).all()).map(({ owner }) => owner)).toEqual(['q', 'q'])
  })

  it('a row behind 1,499 expired rows is found with at most 6 calls', async () => {
    const rows = Array.from({ length: 1_500 }, (_, at) => ({ place: 20, at, must: 'm', also: at, may: null }))
    await db.insert(Item, rows, many)
    const gone = rows.slice(0, -1).map(({ at }) => at)
    for (let from = 0; from < gone.length; from += 100)
      await lose('must', 'Item', `"place" = 20 AND "at" IN (${gone.slice(from, from + 100).join(', ')})`)
    const calls = vi.spyOn(client, 'execute')
    expect(await db.fanOut(Item).where({ place: 20 }).orderBy('at').limit(1).all()).toEqual([rows.at(-1)])
    expect(calls.mock.calls.length).toBeLessThanOrEqual(6)
    calls.mockRestore()
  })

  it('parents and children in one partition expire by their own required columns', async () => {
    await db.insert(Owner, [{ id: 1, name: 'o', note: 'old' }])
    await db.insert(
      Pet,
      [1, 2].map((pet) => ({ id: 1, pet, kind: 'cat' })),
      many,
    )
    await lose('kind', 'Owner', '"id" = 1 AND "pet" = 1')
    expect(await db.fanOut(Pet).where({ id: 1 }).all()).toEqual([{ id: 1, pet: 2, kind: 'cat' }])
    await lose('name', 'Owner', '"id" = 1')
    expect(await db.get(Owner, { id: 1 })).toBeUndefined()
    await expect(db.update(Owner, { id: 1, note: 'new' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await db.insert(Owner, [{ id: 1, name: 'p' }])
    expect(await db.get(Owner, { id: 1 })).toEqual({ id: 1, name: 'p', note: null })
    await db.update(Owner, { id: 1, note: 'new' })
    // Its marker expires with the insert, and what has been written since stays.
    await lose('_row', 'Owner', '"id" = 1')
    await db.update(Owner, { id: 1, note: 'newer' })
    await expect(db.insert(Owner, [{ id: 1, name: 'q' }])).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    await db.update(Owner, { id: 1, note: 'new' })
    const [found] = await db.fanOut(Owner).where({ id: 1 }).include('pets', Pet).all()
    expect(found).toEqual({ id: 1, name: 'p', note: 'new', pets: [{ id: 1, pet: 2, kind: 'cat' }] })
  })

  it('a row that lacks a required value in a table without expiry throws ROW_INCOMPLETE with its key', async () => {
    await db.insert(
      Lasting,
      [1, 2].map((at) => ({ place: 1, at, must: 'm', may: 'x' })),
      many,
    )
    await db.update(Lasting, { place: 1, at: 3, may: 'y' }, { conditional: false })
    const expected = {
      code: 'ROW_INCOMPLETE',
      table: 'Lasting',
      column: 'must',
      message: expect.stringContaining('Lasting { place: 1, at: 3 } is NULL in must') as string,
    }
    await expect(db.get(Lasting, { place: 1, at: 3 })).rejects.toMatchObject(expected)
    await expect(db.fanOut(Lasting).where({ place: 1 }).all()).rejects.toMatchObject(expected)
    expect(await db.fanOut(Lasting).where({ place: 1 }).count()).toBe(3)
    await db.update(Lasting, { place: 1, at: 3, must: 'n' })
    expect(await db.get(Lasting, { place: 1, at: 3 })).toEqual({ place: 1, at: 3, must: 'n', may: 'y' })
  })

  it('writes with ttlSeconds throw INVALID_OPTION if the model does not allow expiry', async () => {
    const row = { place: 3, at: 1, must: 'm' }
    for (const call of [
      () => db.insert(Lasting, [row], { ttlSeconds: 60 }),
      () => db.upsert(Lasting, [row], { ttlSeconds: 60 }),
      () => db.update(Lasting, row, { ttlSeconds: 60 }),
    ])
      await expect(call()).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        fix: expect.stringContaining('writesExpire: true') as string,
      })
    expect(await db.get(Lasting, row)).toBeUndefined()
  })
})
