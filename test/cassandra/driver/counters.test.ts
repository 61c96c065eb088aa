import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { describe, expect, it } from 'vitest'
import { sampledDialects, testKeyspace } from '../support/keyspace.js'

const schema = defineSchema([
  defineTable('page_hits', (t) => ({
    page: t.string().key(),
    day: t.date().key('desc'),
    hits: t.counter({ nullable: true }),
    users: t.counter({ nullable: true }),
  })),
  defineTable('word', (t) => ({
    text: t.string().key(),
    place: t.int32().key(),
    seen: t.counter(),
    heard: t.counter(),
    read: t.counter({ nullable: true }),
  })),
])

describe.each(sampledDialects)('counters in $name', async (dialect) => {
  const { driver, layout, client } = await testKeyspace(schema, dialect)
  const table = layout('page_hits')
  const [, , hits, users] = table.columns
  const { add } = driver.counters!
  const day = '2026-11-22'
  const read = (page: string) => driver.read({ layout: table, columns: [hits!, users!], keys: [[page, day]] })

  it('add amounts to the stored values, beyond 2^53', async () => {
    await add(table, [{ key: ['/', day], amounts: new Map([[hits!, 9_007_199_254_740_993n]]) }])
    await add(table, [
      {
        key: ['/', day],
        amounts: new Map([
          [hits!, 2n],
          [users!, -1n],
        ]),
      },
    ])
    expect(await read('/')).toEqual([[9_007_199_254_740_995n, -1n]])
  })

  it('count each of 100 additions to ten rows', async () => {
    const pages = Array.from({ length: 100 }, (_, at) => `/${at % 10}`)
    await add(
      table,
      pages.map((page) => ({ key: [page, day], amounts: new Map([[hits!, 1n]]) })),
      { allowMultipleCommits: true },
    )
    for (const page of ['/0', '/9']) expect(await read(page)).toEqual([[10n, null]])
    await add(table, [])
  })

  it('report the committed additions if another addition of the call fails', async () => {
    const broken = { key: ['/broken', 'no day'], amounts: new Map([[hits!, 1n]]) }
    await expect(add(table, [broken])).rejects.not.toHaveProperty('committed')
    const good = { key: ['/good', day], amounts: new Map([[hits!, 1n]]) }
    const calls = Array.from({ length: 64 }, () => good)
    await expect(add(table, [...calls, broken])).rejects.toMatchObject({ code: 'TOO_MANY_MUTATIONS' })
    await expect(add(table, [...calls, broken], { allowMultipleCommits: true })).rejects.toMatchObject({
      committed: calls.map((_, index) => index),
      unknown: [],
    })
    const { rows } = await client.execute(`SELECT hits FROM page_hits WHERE page = '/good'`)
    expect(rows.map((row) => row['hits'])).toEqual([64n])
  })

  it('are read as 0 beside another counter of the row, or as NULL if nullable', async () => {
    const db = openDatabase({ driver, schema })
    const key = { text: 'w', place: 1 }
    await db.increment('word', { ...key, seen: 2n })
    const row = { ...key, seen: 2n, heard: 0n, read: null }
    expect(await db.get('word', key)).toEqual(row)
    const words = db.fanOut('word').where({ text: 'w' })
    expect((await words.page()).rows).toEqual([row])
    await db.increment('word', { ...key, heard: -(2n ** 63n) })
    expect(await db.get('word', key)).toEqual({ ...row, heard: -(2n ** 63n) })
  })
})
