import { cql } from '@isotherm/cassandra'
import { defineSchema, defineTable, openDatabase, type Transaction } from '@isotherm/core'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { silentDriver } from './support/silent-driver.js'
import { rejection } from './support/refusal.js'

const Visit = defineTable('Visit', (t) => ({
  id: t.uuidV4(),
  status: t.string(),
  bytes: t.int64(),
}))
const schema = defineSchema([Visit])
const id = '00000000-0000-4000-8000-000000000000'
const row = { status: 'a', bytes: 1n }

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => never>>

/** Calls with an argument that no method takes, which the types refuse. */
const untyped = (of: object): Methods => of as Methods

describe.each([googlesql, spannerPostgresql, cql])('extra arguments in $name', (dialect) => {
  const db = openDatabase({ driver: { ...silentDriver, dialect }, schema })
  const visits = db.fanOut(Visit)
  const query = untyped(visits)
  const { fanOut, ...calls } = {
    fanOut: () => untyped(db)['fanOut']!(Visit, { where: { status: 'a' } }),
    ready: () => untyped(db)['ready']!({}, 1),
    insert: () => untyped(db)['insert']!(Visit, [row], {}, [row]),
    get: () => untyped(db)['get']!(Visit, { id }, {}, 'c'),
    update: () => untyped(db)['update']!(Visit, { id, ...row }, {}, { id }),
    upsert: () => untyped(db)['upsert']!(Visit, [{ id, ...row }], {}, 1),
    delete: () => untyped(db)['delete']!(Visit, { id }, {}, { id }),
    increment: () => untyped(db)['increment']!(Visit, { id, bytes: 1n }, {}, 1),
    transaction: () => untyped(db)['transaction']!(async () => {}, {}, 1),
    closeQueryPartitions: () => untyped(db)['closeQueryPartitions']!('', {}, 1),
    on: () => untyped(db)['on']!('skew', () => {}, 1),
    readQueryPartition: () => untyped(db)['readQueryPartition']!(Visit, '', {}, 1),
  }
  const ofQuery = {
    count: () => query['count']!({ status: 'a' }),
    'count with options': () => query['count']!({ timeoutMs: 1 }),
    page: () => query['page']!({ limit: 1 }),
    all: () => query['all']!({ limit: 1 }),
    where: () => query['where']!({ status: 'a' }, { bytes: 1n }),
    orderBy: () => query['orderBy']!('status', 'asc', 'bytes'),
    limit: () => query['limit']!(1, 2),
    consistentPages: () => query['consistentPages']!(5),
    explain: () => query['explain']!({ timeoutMs: 1 }),
    min: () => query['min']!('status', 'bytes'),
    sum: () => query['sum']!('bytes', { status: 'a' }),
    countDistinct: () => query['countDistinct']!('status', 'bytes'),
    queryPartitions: () => query['queryPartitions']!(1, {}, 2),
  }
  const ofGroups = {
    count: () => untyped(visits.groupBy('status'))['count']!({ status: 'a' }),
    select: () => untyped(visits.groupBy('status'))['select']!({ rows: { count: true } }, {}),
    all: () => untyped(visits.groupBy('status').select({ rows: { count: true } }))['all']!({ limit: 1 }),
  }
  const within = (work: (tx: Methods) => Promise<unknown>) => () =>
    db.transaction(async (tx: Transaction) => void (await work(untyped(tx))))
  const ofTransaction = {
    insert: within((tx) => tx['insert']!(Visit, [row], {}, 1)),
    get: within((tx) => tx['get']!(Visit, { id }, { timeoutMs: 1 })),
    update: within((tx) => tx['update']!(Visit, { id, ...row }, {}, 1)),
    upsert: within((tx) => tx['upsert']!(Visit, [{ id, ...row }], {}, 1)),
    delete: within((tx) => tx['delete']!(Visit, { id }, {}, { id })),
  }
  const all = [
    ...Object.entries(calls).map(([name, call]) => [`db.${name}`, call] as const),
    ...Object.entries(ofQuery).map(([name, call]) => [`fanOut.${name}`, call] as const),
    ...Object.entries(ofGroups).map(([name, call]) => [`groupBy.${name}`, call] as const),
    ...(dialect === cql
      ? []
      : Object.entries(ofTransaction).map(([name, call]) => [`tx.${name}`, call] as const)),
  ]
  it.each(all)('are rejected by %s', async (name, call) => {
    const error = await rejection((async () => call())())
    expect(error).toMatchObject({ name: 'IsothermError', code: 'INVALID_OPTION' })
    expect(error.message).toMatch(
      new RegExp(`^${name.split(' ')[0]!}: argument \\d is .*, but the call takes (only|no arguments)`),
    )
  })

  it('lead to an error that explains how to filter a fan-out when they look like a filter', async () => {
    expect((await rejection((async () => fanOut())())).message).toBe(
      "db.fanOut: argument 2 is { where: { status: 'a' } }, but the call takes only model. Give filters and options by calls on it: db.fanOut(model).where({ … }).options({ … }).",
    )
    expect((await rejection((async () => ofQuery.count())())).message).toBe(
      "fanOut.count: argument 1 is { status: 'a' }, but the call takes no arguments. Give filters and options by calls before this one, each with its own arguments: .where({ … }), .orderBy(…), .limit(…), .options({ … }).",
    )
  })

  it('are accepted when they are undefined', async () => {
    await expect(untyped(db)['get']!(Visit, { id }, undefined, undefined)).resolves.toBeUndefined()
  })

  it('keeps the name property of checked methods', () => {
    expect([visits.count.name, db.get.name]).toEqual(['count', 'get'])
  })
})

it('asynchronous methods reject an extra argument, and synchronous methods throw', () => {
  const db = openDatabase({ driver: silentDriver, schema })
  const counted: Promise<unknown> = untyped(db.fanOut(Visit))['count']!(1)
  expect(() => untyped(db)['fanOut']!(Visit, {})).toThrow('db.fanOut: argument 2 is {}')
  return expect(counted).rejects.toThrow('fanOut.count: argument 1 is 1')
})
