import { type WriteCallOptions, defineSchema, defineTable } from '@isotherm/core'
import { cassandra } from '@isotherm/cassandra'
import { policies, types } from 'cassandra-driver'
import { describe, expect, it } from 'vitest'
import type { Cells, Mutation, TableLayout, Wire } from '@isotherm/core/engine'
import { sharedCassandra } from '../../support/cassandra.js'
import { clientOptions, sampledDialects, testKeyspace } from '../support/keyspace.js'

const Item = defineTable('item', (t) => ({
  list: t.string().key(),
  place: t.int32().key(),
  text: t.string({ nullable: true }),
  note: t.string({ nullable: true }),
}))
const schema = defineSchema([Item])

type RowOp = 'insert' | 'update' | 'upsert'

function mutationOf(layout: TableLayout, op: RowOp, row: Readonly<Record<string, Wire>>): Mutation {
  return { op, table: layout.table.name, layout, columns: Object.keys(row), rows: [Object.values(row)] }
}

describe.each(sampledDialects)('writes of the driver in $name', async (dialect) => {
  const { driver, client, layout } = await testKeyspace(schema, dialect)
  const item = layout('item')
  const most = dialect.cql.has.statementsPerBatch
  const write = (op: RowOp, row: Readonly<Record<string, Wire>>, options?: WriteCallOptions) =>
    driver.writes.commit([mutationOf(item, op, row)], options)
  const get = async (list: string, place = 0): Promise<Cells | undefined> => {
    const [row] = await driver.read({ layout: item, columns: item.columns.slice(2), keys: [[list, place]] })
    return row
  }
  const rowsOf = (list: string, count: number): Wire[][] =>
    Array.from({ length: count }, (_, place) => [list, place, `${place}`])
  const upsertOf = (rows: Wire[][]): Mutation => ({
    op: 'upsert',
    table: 'item',
    layout: item,
    columns: ['list', 'place', 'text'],
    rows,
  })
  const countOf = async (list: string): Promise<unknown> => {
    const { rows } = await client.execute('SELECT count(*) AS n FROM item WHERE list = ?', [list])
    return rows[0]!['n']
  }

  it('insert a row once, and throw ALREADY_EXISTS the second time', async () => {
    const row = { list: 'once', place: 0, text: 'a' }
    await expect(write('insert', row)).resolves.toEqual({ commitTimestamp: undefined, commits: 1, made: [] })
    await expect(write('insert', { ...row, text: 'b' })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
      table: 'item',
      message: expect.stringContaining("{ list: 'once', place: 0 }"),
    })
    expect(await get('once')).toEqual(['a', null])
  })

  it('update only an existing row, and throw NOT_FOUND otherwise', async () => {
    await expect(write('update', { list: 'none', place: 0, text: 'a' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      table: 'item',
      message: expect.stringContaining("{ list: 'none', place: 0 }"),
    })
    expect(await get('none')).toBeUndefined()
    await write('upsert', { list: 'there', place: 0, text: 'a', note: 'n' })
    await write('update', { text: 'b', place: 0, list: 'there' })
    expect(await get('there')).toEqual(['b', 'n'])
  })

  it('check nothing with conditional: false, nor for a row that is marked as fresh', async () => {
    await write('insert', { list: 'free', place: 0, text: 'a' }, { conditional: false })
    await write('insert', { list: 'free', place: 0, text: 'b' }, { conditional: false })
    await write('update', { list: 'free', place: 0, note: 'n' }, { conditional: false })
    expect(await get('free')).toEqual(['b', 'n'])
    const mutation = mutationOf(item, 'insert', { list: 'free', place: 0, text: 'c' })
    await driver.writes.commit([{ ...mutation, fresh: true } as Mutation])
    expect(await get('free')).toEqual(['c', 'n'])
  })

  it('omit the NULLs of an insert without a check, and store the NULLs of an upsert and an update', async () => {
    const row = { list: 'nulls', place: 0, text: 'a', note: 'n' }
    await write('upsert', row)
    // A NULL that was written would have deleted what is there.
    await write('insert', { ...row, note: null }, { conditional: false })
    expect(await get('nulls')).toEqual(['a', 'n'])
    await write('upsert', { ...row, note: null })
    expect(await get('nulls')).toEqual(['a', null])
    await write('update', { list: 'nulls', place: 0, text: null })
    expect(await get('nulls')).toEqual([null, null])
  })

  it('omit the NULLs of an inserted row that is written together with an upsert', async () => {
    const rows = [0, 1].map((place) => ({ list: 'beside', place, text: 'a', note: 'n' }))
    await driver.writes.commit(rows.map((row) => mutationOf(item, 'upsert', row)))
    const [fresh, other] = rows.map((row) => ({ ...row, note: null }))
    await driver.writes.commit([mutationOf(item, 'insert', fresh!), mutationOf(item, 'upsert', other!)], {
      conditional: false,
    })
    expect([await get('beside', 0), await get('beside', 1)]).toEqual([
      ['a', 'n'],
      ['a', null],
    ])
  })

  it('store rows of one partition up to the limit of a batch, and throw TOO_MANY_MUTATIONS beyond', async () => {
    await driver.writes.commit([upsertOf(rowsOf('batch', most))])
    expect(await countOf('batch')).toBe(BigInt(most))
    await expect(driver.writes.commit([upsertOf(rowsOf('larger', most + 1))])).rejects.toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      table: 'item',
      message: expect.stringContaining(
        `${most + 1} rows of item lie in one partition, and a commit holds ${most}.`,
      ),
    })
    expect(await get('larger')).toBeUndefined()
  })

  it('apply several mutations of one partition with the same write time', async () => {
    await driver.writes.commit([upsertOf(rowsOf('mixed', 2))])
    await driver.writes.commit([
      { op: 'delete', table: 'item', layout: item, keys: [['mixed', 0]] },
      upsertOf([['mixed', 1, 'x']]),
      mutationOf(item, 'upsert', { list: 'mixed', place: 2, note: 'n' }),
    ])
    const { rows } = await client.execute(
      `SELECT place, text, note, writetime(text) AS a, writetime(note) AS b FROM item WHERE list = 'mixed'`,
    )
    expect(rows.map((row) => [row['place'], row['text'], row['note']])).toEqual([
      [1, 'x', null],
      [2, null, 'n'],
    ])
    expect(rows[0]!['a']).toBe(rows[1]!['b'])
  })

  it('throw TOO_MANY_MUTATIONS for rows of several partitions, and store no row', async () => {
    const rows = [...rowsOf('one', 2), ...rowsOf('other', 1)]
    await expect(driver.writes.commit([upsertOf(rows)])).rejects.toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      message: expect.stringContaining(
        '3 rows of item lie in 2 partitions, but a commit writes one partition.',
      ),
    })
    expect(await get('one')).toBeUndefined()
  })

  it('throw TOO_MANY_MUTATIONS for several rows of which one is checked, and store no row', async () => {
    const mutation = { ...upsertOf(rowsOf('checked', 2)), op: 'insert' } as Mutation
    await expect(driver.writes.commit([mutation])).rejects.toMatchObject({ code: 'TOO_MANY_MUTATIONS' })
    await expect(
      driver.writes.commit([
        upsertOf(rowsOf('checked', 1)),
        { ...mutation, rows: rowsOf('checked', 1) } as Mutation,
      ]),
    ).rejects.toMatchObject({
      code: 'TOO_MANY_MUTATIONS',
      fix: expect.stringContaining('conditional: false'),
    })
    expect(await countOf('checked')).toBe(0n)
  })

  it('make no commit for an empty list of mutations or rows', async () => {
    await expect(driver.writes.commit([])).resolves.toMatchObject({ commits: 0 })
    await expect(driver.writes.commit([upsertOf([])])).resolves.toMatchObject({ commits: 0 })
  })

  it('delete a row, and accept the delete of a missing row', async () => {
    await write('upsert', { list: 'gone', place: 0, text: 'a' })
    const gone: Mutation = { op: 'delete', table: 'item', layout: item, keys: [['gone', 0]] }
    await driver.writes.commit([gone])
    await driver.writes.commit([gone])
    expect(await get('gone')).toBeUndefined()
  })

  it('set the time to live of cells from ttlSeconds, with and without a check', async () => {
    const ttlOf = async (list: string): Promise<number> => {
      const { rows } = await client.execute('SELECT ttl(text) AS t FROM item WHERE list = ?', [list])
      return rows[0]!['t'] as number
    }
    await write('insert', { list: 'lives', place: 0, text: 'a' }, { ttlSeconds: 1_000 })
    expect(await ttlOf('lives')).toBeGreaterThan(900)
    await write('update', { list: 'lives', place: 0, text: 'b' }, { ttlSeconds: 2_000 })
    expect(await ttlOf('lives')).toBeGreaterThan(1_900)
    await write('upsert', { list: 'lives', place: 0, text: 'c' }, { ttlSeconds: 3_000 })
    expect(await ttlOf('lives')).toBeGreaterThan(2_900)
    await driver.writes.commit([upsertOf([['lives', 0, 'd']])], { ttlSeconds: 4_000 })
    expect(await ttlOf('lives')).toBeGreaterThan(3_900)
    await write('upsert', { list: 'lives', place: 0, text: 'e' }, { ttlSeconds: 0 })
    expect(await ttlOf('lives')).toBeNull()
  })

  it('with ttlSeconds make a row that reads no longer return after its time to live', async () => {
    await write('upsert', { list: 'short', place: 0, text: 'a' }, { ttlSeconds: 1 })
    await write('upsert', { list: 'short', place: 1, text: 'b' })
    await expect.poll(() => get('short'), { timeout: 10_000 }).toBeUndefined()
    const whole = { start: ['short'], startOpen: false, end: ['short'], endOpen: false }
    expect(await driver.read({ layout: item, columns: item.columns.slice(2), ranges: [whole] })).toEqual([
      ['b', null],
    ])
  })

  it('keep the value with the later writeTime, and reject writeTime in a checked write', async () => {
    const row = { list: 'times', place: 0, text: 'later' }
    const [earlier, later] = [1_700_000_000_000_000n, 1_700_000_000_000_001n]
    await write('upsert', row, { writeTime: later })
    await write('upsert', { ...row, text: 'earlier' }, { writeTime: earlier })
    expect(await get('times')).toEqual(['later', null])
    const gone: Mutation = { op: 'delete', table: 'item', layout: item, keys: [['times', 0]] }
    await driver.writes.commit([gone], { writeTime: earlier })
    expect(await get('times')).toEqual(['later', null])
    await driver.writes.commit([gone], { writeTime: later })
    expect(await get('times')).toBeUndefined()
    await expect(write('insert', row, { writeTime: later })).rejects.toMatchObject({
      code: 'INVALID_VALUE',
      fix: expect.stringContaining('conditional: false'),
    })
  })

  it('take the write time from the server, even if the clock of the client is ahead', async () => {
    const ahead = Object.assign(policies.defaultTimestampGenerator(), {
      next: () => types.Long.fromNumber((Date.now() + 3_600_000) * 1_000),
    })
    const engine = await sharedCassandra()
    const fast = await engine.client(client.keyspace, {
      ...clientOptions,
      policies: { timestampGeneration: ahead },
    })
    const { commit } = cassandra(fast, { dialect }).writes
    const row = { list: 'turn', place: 0 }
    await commit([mutationOf(item, 'upsert', { ...row, text: 'plain' })])
    await commit([mutationOf(item, 'update', { ...row, text: 'checked' })])
    expect(await get('turn')).toEqual(['checked', null])
    await commit([
      upsertOf([
        ['turn', 0, 'plain'],
        ['turn', 1, 'b'],
      ]),
    ])
    await commit([mutationOf(item, 'update', { ...row, text: 'checked again' })])
    expect(await get('turn')).toEqual(['checked again', null])
  })

  it('throw UNSUPPORTED_WRITE for a table without a model', async () => {
    const mutation: Mutation = { op: 'delete', table: 'item', keys: [['a', 0]] }
    await expect(driver.writes.commit([mutation])).rejects.toMatchObject({
      code: 'UNSUPPORTED_WRITE',
      table: 'item',
    })
  })
})
