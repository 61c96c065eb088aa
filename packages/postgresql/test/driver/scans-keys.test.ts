import { type Driver, compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { pglite, postgresql } from '@isotherm/postgresql'
import { beforeAll, expect, it } from 'vitest'
import { databaseOf } from '../support/pglite.js'

// PostgreSQL scans a key only where a statement names its columns: else each shard would be read and sorted as a whole.

const SHARDS = 8

const Visit = defineTable('Visit', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
  page: t.string(),
}))
const Name = defineTable('Name', (t) => ({
  shard: t.shardKey({ shards: SHARDS, of: ['name'] }),
  name: t.string().key(),
}))
const Post = defineTable('Post', (t) => ({
  day: t.date().key(),
  shard: t.shardKey({ shards: SHARDS, of: ['id'] }),
  at: t.descTimestamp(),
  id: t.int64().key(),
}))
const schema = defineSchema([Visit, Name, Post])

interface Node {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}

const statements: { readonly text: string; readonly values: readonly unknown[] }[] = []
let database: Awaited<ReturnType<typeof databaseOf>>
let db: ReturnType<typeof open>

function open(driver: Driver) {
  return openDatabase({ driver, schema })
}

beforeAll(async () => {
  const own = await databaseOf(compileDdl(schema, { dialect: postgresql }))
  database = own
  const listening: typeof own = Object.assign(Object.create(own) as typeof own, {
    query: (text: string, values: unknown[], options: object) => {
      statements.push({ text, values })
      return own.query(text, values, options)
    },
  })
  db = open(pglite(listening))
  const ids = Array.from({ length: 2_000 }, (_, at) => at)
  await db.insert(
    Visit,
    ids.map((id) => ({ id: BigInt(id), at: new Date(1_700_000_000_000 + id * 1000), page: '/' })),
  )
  await db.insert(
    Name,
    ids.map((id) => ({ name: `n${String(id).padStart(5, '0')}` })),
  )
  await own.exec('ANALYZE')
})

/** The plan of the last statement, below the join with the list of shards: what is done in each shard. */
async function planInShard(): Promise<readonly Node[]> {
  const { text, values } = statements.at(-1)!
  const { rows } = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: Node }[] }>(
    `EXPLAIN (FORMAT JSON) ${text}`,
    [...values],
    { serializers: Object.fromEntries([20, 25, 1016, 1184].map((type) => [type, (value: string) => value])) },
  )
  const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)]
  const join = nodes(rows[0]!['QUERY PLAN'][0]!.Plan).find((node) => node['Node Type'] === 'Nested Loop')!
  return nodes(join.Plans!.at(-1)!)
}

it.each([
  ['the newest rows', () => db.fanOut(Visit).orderBy('at', 'desc').limit(10), 'at_desc'],
  ['the first names', () => db.fanOut(Name).orderBy('name').limit(10), 'name'],
])(
  'a fan-out of %s, and its next page, scan an index in each shard without a sort',
  async (_, query, start) => {
    const first = await query().page()
    expect((await planInShard()).map((node) => node['Node Type'])).not.toContain('Sort')
    const second = await query().after(first.next!).page()
    const plan = await planInShard()
    expect(plan.map((node) => node['Node Type'])).not.toContain('Sort')
    // From where the first page ended, rather than from the beginning of the shard.
    expect(plan.map((node) => node['Index Cond']).join()).toContain(start)
    const keys = [...first.rows, ...second.rows].map((row) => ('name' in row ? row.name : row.at.getTime()))
    expect(new Set(keys).size).toBe(20)
  },
)

it('explain() says that the database sorts the rows of shards behind a fixed key part', () => {
  const plan = db.fanOut(Post).where({ day: '2026-01-01' }).orderBy('at', 'desc').limit(10).explain()
  expect(plan.reason).toBe('the order is not that of the key, so the database sorts')
  expect(plan.calls).toHaveLength(1)
})
