import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite } from '@isotherm/postgresql'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compileDdl } from '@isotherm/core'
import { postgresql } from '@isotherm/postgresql'
import { databaseOf } from '../support/pglite.js'

const Note = defineTable('Note', (t) => ({
  shard: t.shardKey({ shards: 4, of: ['id'] }),
  id: t.int64().key(),
  text: t.string({ length: 20 }),
}))
const schema = defineSchema([Note])
const rows = Array.from({ length: 400 }, (_, id) => ({ id: BigInt(id), text: `note ${id}` }))

let client: Awaited<ReturnType<typeof databaseOf>>
beforeAll(async () => {
  client = await databaseOf(compileDdl(schema, { dialect: postgresql }))
})

const db = () => openDatabase({ driver: pglite(client), schema })

beforeEach(async () => {
  await client.exec('TRUNCATE "Note"')
  await db().insert(Note, rows)
})

describe('a write during a snapshot on PGlite', () => {
  it('ends an open snapshot: the next read throws SNAPSHOT_EXPIRED instead of a deadlock', async () => {
    const { driver } = { driver: pglite(client) }
    const snapshot = await driver.snapshot!()
    const layout = postgresql.layout(schema.tables[0]!)
    const request = { layout, columns: layout.columns, keys: [['0', '1']], limit: 1 }
    await snapshot.read(request)
    await db().update(Note, [{ id: 1n, text: 'changed' }])
    await expect(snapshot.read(request)).rejects.toMatchObject({
      code: 'SNAPSHOT_EXPIRED',
      fix: expect.stringContaining('query.all()') as string,
    })
    snapshot.close()
    await expect(snapshot.read(request)).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('does not affect a query that has returned all its rows', async () => {
    for (const row of await db().fanOut(Note).all()) await db().update(Note, [{ id: row.id, text: 'seen' }])
    expect(await db().fanOut(Note).where({ text: 'seen' }).count()).toBe(400)
  })

  it('a snapshot stays readable as long as nothing is written', async () => {
    const snapshot = await pglite(client).snapshot!()
    const layout = postgresql.layout(schema.tables[0]!)
    const all = {
      layout,
      columns: layout.columns,
      ranges: [{ start: [], startOpen: false, end: [], endOpen: false }],
    }
    expect(await snapshot.read(all)).toHaveLength(400)
    await db().fanOut(Note).count()
    expect(await snapshot.read(all)).toHaveLength(400)
    expect(snapshot.readTimestamp).toBeInstanceOf(Date)
    snapshot.close()
  })
})

describe('a transaction on PGlite', () => {
  it('continues after a statement whose error was caught', async () => {
    await db().transaction(async (tx) => {
      await expect(tx.insert(Note, [{ id: 1n, text: 'again' }])).rejects.toMatchObject({
        code: 'ALREADY_EXISTS',
      })
      await tx.update(Note, [{ id: 1n, text: 'changed' }])
      await tx.insert(Note, [{ id: 1_000n, text: 'new' }])
    })
    expect((await db().get(Note, { id: 1n }))?.text).toBe('changed')
    expect((await db().get(Note, { id: 1_000n }))?.text).toBe('new')
  })

  it('keeps the results of concurrent calls when one of these calls fails', async () => {
    await db().transaction(async (tx) => {
      const outcomes = await Promise.allSettled([
        tx.insert(Note, [{ id: 2_001n, text: 'one' }]),
        tx.insert(Note, [{ id: 2n, text: 'there already' }]),
        tx.insert(Note, [{ id: 2_002n, text: 'two' }]),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    })
    expect(
      await db()
        .fanOut(Note)
        .where({ id: { gt: 2_000n } })
        .count(),
    ).toBe(2)
  })

  it('throws NOT_FOUND at its end for a buffered update of a missing row, and writes nothing', async () => {
    const failing = db().transaction(async (tx) => {
      await tx.insert(Note, [{ id: 3_000n, text: 'never' }])
      await tx.update(Note, [{ id: 9_999n, text: 'nobody' }], { buffered: true })
    })
    await expect(failing).rejects.toMatchObject({ code: 'NOT_FOUND', table: 'Note' })
    expect(await db().get(Note, { id: 3_000n })).toBeUndefined()
  })

  it('does not begin after the timeout of its caller', async () => {
    let begin!: () => void
    let release!: () => void
    const hasBegun = new Promise<void>((resolve) => (begin = resolve))
    const held = db().transaction(() => {
      begin()
      return new Promise<void>((resolve) => (release = resolve))
    })
    await hasBegun
    const late = db().insert(Note, [{ id: 4_000n, text: 'late' }], { timeoutMs: 20 })
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' })
    release()
    await held
    expect(await db().get(Note, { id: 4_000n })).toBeUndefined()
  })

  it('releases the connection at its timeout while its function still waits', async () => {
    const never = db().transaction(
      async (tx) => {
        await tx.update(Note, [{ id: 1n, text: 'never' }])
        await new Promise(() => {})
      },
      { timeoutMs: 50 },
    )
    await expect(never).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect((await db().get(Note, { id: 1n }))?.text).toBe('note 1')
  })
})

describe('a statement that fails on PGlite', () => {
  it.each([
    [
      'an existing key',
      () =>
        db().insert(Note, [
          { id: 5n, text: 'x' },
          { id: 6_000n, text: 'y' },
        ]),
      { code: 'ALREADY_EXISTS', message: expect.stringContaining('{ id: 5n }') as string },
    ],
    [
      'a missing table',
      () => db().driver.run({ text: 'SELECT * FROM nothing', parameters: [] }),
      { code: 'NOT_FOUND', fix: expect.stringContaining('isotherm migrate') as string },
    ],
    ['a syntax error', () => db().driver.run({ text: 'SELEC 1', parameters: [] }), { code: 'DATABASE' }],
  ])('a failed statement throws an error with a specific code for %s', async (_, call, expected) => {
    await expect(call()).rejects.toMatchObject(expected)
  })
})

describe('driver.run() on PGlite', () => {
  it('returns typed rows, the types of columns and the number of changed rows', async () => {
    const { driver } = db()
    const types = `SELECT 7::int8, 1.5::float8, true, 'x'::text, '\\x0102'::bytea, '2026-01-02'::date, ARRAY[1, NULL]::int4[], NULL::text, '{"a":1}'::jsonb`
    const { rows, columns } = await driver.run({ text: types, parameters: [] })
    expect(rows).toEqual([[7n, 1.5, true, 'x', Buffer.of(1, 2), '2026-01-02', [1n, null], null, '{"a": 1}']])
    expect(columns.map(({ type }) => type.kind)).toEqual([
      'int64',
      'float64',
      'bool',
      'string',
      'bytes',
      'date',
      'array',
      'string',
      'json',
    ])
    const { rowCount } = await driver.run({
      text: `UPDATE "Note" SET "text" = '' WHERE "id" < 3`,
      parameters: [],
    })
    expect(rowCount).toBe(3)
  })

  it('returns a list whose positions do not begin at 1, and rejects a list of lists', async () => {
    const { driver } = db()
    const itemsOf = (list: string): Promise<unknown> =>
      driver.run({ text: `SELECT ${list}`, parameters: [] }).then(({ rows }) => rows[0]![0])
    expect(await itemsOf(`'[2:3]={1,2}'::int8[]`)).toEqual([1n, 2n])
    expect(await itemsOf(`'[0:1]={"{a}",b}'::text[]`)).toEqual(['{a}', 'b'])
    for (const list of [
      `'{{a,b},{c,d}}'::text[]`,
      `'{{1,2},{3,4}}'::int8[]`,
      `'[2:3][5:5]={{t},{f}}'::bool[]`,
    ]) {
      await expect(itemsOf(list)).rejects.toMatchObject({
        code: 'DATABASE',
        message: expect.stringMatching(/^PostgreSQL returned '.*\{\{.*' as a list\./) as string,
        fix: expect.stringContaining('unnest') as string,
      })
    }
  })

  it('returns the same timestamps in each time zone of the connection', async () => {
    const moment = {
      text: `SELECT timestamptz '1969-12-31 23:59:59.999999+00', timestamptz '0001-06-01 00:00:00+00'`,
      parameters: [],
    }
    const shown = async () =>
      (await db().driver.run(moment)).rows[0]!.map((each) => (each as Date).toISOString())
    const utc = await shown()
    await client.exec(`SET TIME ZONE 'Asia/Kathmandu'`)
    try {
      expect(await shown()).toEqual(utc)
      expect(utc).toEqual(['1969-12-31T23:59:59.999999000Z', '0001-06-01T00:00:00.000000000Z'])
    } finally {
      await client.exec(`SET TIME ZONE 'UTC'`)
    }
  })
})

describe('pglite() with wrong arguments', () => {
  it.each([
    [
      'a string instead of a PGlite',
      () => pglite('data' as never),
      "pglite: was given 'data', not a PGlite.",
      'INVALID_CLIENT',
    ],
    ['an unknown option', () => pglite(client, { timeotMs: 5 } as never), 'timeotMs', 'INVALID_OPTION'],
    [
      'a timeout that is a string',
      () => pglite(client, { timeoutMs: '5' } as never),
      'timeoutMs',
      'INVALID_OPTION',
    ],
  ])('rejects %s with INVALID_CLIENT or INVALID_OPTION', (_, call, message, code) => {
    expect(call).toThrow(message)
    expect(call).toThrow(expect.objectContaining({ code }) as Error)
  })
})
