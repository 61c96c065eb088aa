import type { Cells, Mutation, TableLayout, Wire } from '@isotherm/core/engine'
import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'
import { conditionalOf } from '../support/conditional.js'

const Entry = defineTable(
  'entry',
  (t) => ({
    log: t.string().key(),
    place: t.int32().key(),
    owner: t.string({ nullable: true, static: true }),
    note: t.string({ nullable: true, static: true }),
    text: t.string({ nullable: true }),
  }),
  { partitionKey: ['log'], writesExpire: true },
)
const Member = defineTable(
  'member',
  (t) => ({
    club: t.string().key(),
    person: t.string().key(),
    motto: t.string({ nullable: true, static: true }),
  }),
  { partitionKey: ['club'] },
)
const schema = defineSchema([Entry, Member])

describe.each(sampledDialects)('static columns in $name', async (dialect) => {
  const { driver, layout } = await testKeyspace(schema, dialect)
  const db = openDatabase({ driver, schema })
  const [entry, member] = [layout('entry'), layout('member')]
  const owner = entry.columns.filter(({ name }) => name === 'owner')
  let log: string

  beforeEach(() => {
    log = crypto.randomUUID()
  })

  const update = (of: TableLayout, row: Readonly<Record<string, Wire>>): Mutation => ({
    op: 'update',
    table: of.table.name,
    layout: of,
    columns: Object.keys(row),
    rows: [Object.values(row)],
  })
  const whole = (key: string) => ({ start: [key], startOpen: false, end: [key], endOpen: false })
  const owners = (more: object): Promise<Cells[]> => driver.read({ layout: entry, columns: owner, ...more })

  it('are updated through one row, and have the new value in all rows of the partition', async () => {
    await db.insert(Entry, [{ log, place: 1, owner: 'a', note: 'n', text: 's' }], {
      allowMultipleCommits: true,
    })
    await db.insert(Entry, [{ log, place: 2 }])
    await db.update(Entry, { log, place: 1, owner: 'b', note: null })
    expect(await db.get(Entry, { log, place: 1 })).toEqual({
      log,
      place: 1,
      owner: 'b',
      note: null,
      text: 's',
    })
    expect(await db.get(Entry, { log, place: 2 })).toMatchObject({ owner: 'b' })
  })

  it('are not updated through a missing row, and the update throws NOT_FOUND', async () => {
    await db.insert(Entry, [{ log, place: 1, owner: 'a' }])
    await expect(db.update(Entry, { log, place: 2, owner: 'b' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await db.get(Entry, { log, place: 1 })).toMatchObject({ owner: 'a' })
    expect(await db.get(Entry, { log, place: 2 })).toBeUndefined()
  })

  it('are updated through a missing row with conditional: false, without creating the row', async () => {
    await db.insert(Entry, [{ log, place: 1, owner: 'a', text: 's' }])
    await db.update(Entry, { log, place: 2, owner: 'b' }, { conditional: false, ttlSeconds: 1_000 })
    expect(await db.get(Entry, { log, place: 1 })).toMatchObject({ owner: 'b', text: 's' })
    expect(await db.get(Entry, { log, place: 2 })).toBeUndefined()
  })

  it('are updated on a condition on a static column or on a column of the row', async () => {
    const { writeIf } = conditionalOf(driver)
    await db.insert(Entry, [{ log, place: 1, owner: 'a', text: 's' }])
    const mutation = update(entry, { log, place: 1, owner: 'b' })
    expect(await writeIf({ mutation, condition: { owner: 'x' } }, owner)).toEqual({
      applied: false,
      found: ['a'],
    })
    expect(await writeIf({ mutation, condition: { owner: 'a' } }, owner)).toEqual({ applied: true })
    const again = update(entry, { log, place: 1, owner: 'c' })
    expect(await writeIf({ mutation: again, condition: { text: 'x' } }, owner)).toEqual({
      applied: false,
      found: ['b'],
    })
    expect(await writeIf({ mutation: again, condition: { text: 's' } }, owner)).toEqual({ applied: true })
    expect(await db.get(Entry, { log, place: 1 })).toMatchObject({ owner: 'c', text: 's' })
  })

  it('are returned by a failed conditional write, whether the row exists or not', async () => {
    const { writeIf } = conditionalOf(driver)
    await db.insert(Entry, [{ log, place: 1, owner: 'a', text: 's' }])
    const [text] = entry.columns.filter(({ name }) => name === 'text')
    for (const [place, shown] of [
      [1, 's'],
      [2, null],
    ] as const) {
      const mutation = update(entry, { log, place, text: 't' })
      const write = { mutation, condition: { text: 'x' } }
      expect(await writeIf(write, owner)).toEqual({ applied: false, found: ['a'] })
      expect(await writeIf(write, [text!, ...owner])).toEqual({ applied: false, found: [shown, 'a'] })
    }
  })

  it('make update() throw UNSUPPORTED_WRITE in a table without regular columns, unless conditional is false', async () => {
    await db.insert(Member, [{ club: log, person: 'p', motto: 'a' }])
    await expect(db.update(Member, { club: log, person: 'p', motto: 'b' })).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      table: 'member',
    })
    await db.update(Member, { club: log, person: 'p', motto: 'b' }, { conditional: false })
    expect(await db.get(Member, { club: log, person: 'p' })).toMatchObject({ motto: 'b' })
    const { writeIf } = conditionalOf(driver)
    const mutation = update(member, { club: log, person: 'p', motto: 'c' })
    expect(await writeIf({ mutation, condition: { motto: 'b' } }, [])).toEqual({ applied: true })
    expect(await db.get(Member, { club: log, person: 'p' })).toMatchObject({ motto: 'c' })
  })

  it('are read without other columns, by keys and by ranges', async () => {
    await db.insert(
      Entry,
      [1, 2, 3].map((place) => ({ log, place, owner: 'a' })),
      { allowMultipleCommits: true },
    )
    expect(await owners({ keys: [[log, 2]] })).toEqual([['a']])
    expect(await owners({ keys: [[log, 4]] })).toEqual([])
    const range = { start: [log, 2], startOpen: false, end: [log], endOpen: false }
    expect(await owners({ ranges: [range] })).toEqual([['a'], ['a']])
    expect(await owners({ ranges: [whole(log)], limit: 1, reversed: true })).toEqual([['a']])
  })

  it('do not appear as a row in a partition without rows', async () => {
    await db.insert(Entry, [{ log, place: 1, owner: 'a' }])
    await db.delete(Entry, { log, place: 1 })
    expect((await db.fanOut(Entry).where({ log }).page()).rows).toEqual([])
    expect(await db.fanOut(Entry).where({ log }).count()).toBe(0)
    expect(await owners({ ranges: [whole(log)], limit: 1 })).toEqual([])
    // What a conditional write depends on is there all the same.
    const request = { layout: entry, columns: owner, ranges: [whole(log)], limit: 1 }
    expect(await conditionalOf(driver).read(request)).toEqual([['a']])
  })
})
