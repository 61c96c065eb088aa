import assert from 'node:assert/strict'
import { compileDdl, defineSchema, lint, openDatabase, type Database } from '@isotherm/core'
import { keyspacesCql } from '@isotherm/cassandra'
import type { BlogEngine } from './engine.js'
import { HotPost, Post, PostByTitle, schema } from './models.js'
import type { Report } from './report.js'

const DAY = '2026-11-22'
const POSTS = 2_000

/** The dialect of production, whose rules the tables keep wherever they are developed. */
const production = keyspacesCql

/** The blog: both kinds of shard, and a day of either read back in order. */
export async function blog(engine: BlogEngine, report: Report): Promise<void> {
  refuseHotTable(report)

  report.section('The tables')
  assert.deepEqual(lint(schema, { dialect: production }), [])
  const ddl = compileDdl(schema, { dialect: engine.dialect })
  report.text(ddl.join(';\n'))
  const db = openDatabase({ driver: await engine.open(ddl), schema })

  await fill(db, report)
  await readDay(db, report)
  await findOne(db, report)
}

function refuseHotTable(report: Report): void {
  report.section('Refused before it is made: a partition key of the day alone')
  const hot = defineSchema([HotPost])
  const finding = lint(hot, { dialect: production }).find(({ rule }) => rule === 'cassandra/time-partition')
  assert(finding)
  report.text(`${finding.table}: ${finding.message}\n${finding.fix}`)
  assert.throws(() => compileDdl(hot, { dialect: production }))
}

interface NewPost {
  readonly publishDate: string
  readonly publishedAt: Date
  readonly title: string
  readonly body: string
}

function newPosts(): NewPost[] {
  const midnight = Date.parse(`${DAY}T00:00:00Z`)
  return Array.from({ length: POSTS }, (_, at) => ({
    publishDate: DAY,
    publishedAt: new Date(midnight + at * 40_000),
    title: `Post ${at + 1}`,
    body: 'What there is to say.',
  }))
}

/** Shards and ids are filled in. Each partition is a commit of its own: `allowMultipleCommits` says that this is meant. */
async function fill(db: Database, report: Report): Promise<void> {
  report.section(`${POSTS.toLocaleString('en')} posts of one day, by either model`)
  const posts = newPosts()
  const rows = await db.insert(Post, posts, { allowMultipleCommits: true })
  const byTitle = await db.insert(PostByTitle, posts, { allowMultipleCommits: true })
  report.text(`random shard:    ${spreadOf(rows)}`)
  report.text(`shard of title:  ${spreadOf(byTitle)}`)
}

function spreadOf(rows: readonly { readonly shard: bigint }[]): string {
  const counts = new Map<bigint, number>()
  for (const { shard } of rows) counts.set(shard, (counts.get(shard) ?? 0) + 1)
  const max = Math.max(...counts.values())
  return `${rows.length} rows in ${counts.size} partitions, ${max} in the fullest`
}

/** Every shard is asked at once, and only for what can still be among the newest. */
async function readDay(db: Database, report: Report): Promise<void> {
  report.section('The day read back, newest first')
  const newest = db.fanOut(Post).where({ publishDate: DAY }).orderBy('publishedAt', 'desc').limit(50)
  report.text(newest.explain().toString())
  const expected = newPosts().map(({ title }) => title)
  const titles: string[] = []
  let cursor: string | undefined
  do {
    const page = await newest.after(cursor).page()
    titles.push(...page.rows.map(({ title }) => title))
    cursor = page.next
  } while (cursor !== undefined)
  assert.deepEqual(titles, expected.toReversed())
  report.text(`${titles.length} posts in ${titles.length / 50} pages: ${titles.slice(0, 3).join(', ')}, …`)

  report.section('The same of the other table, whose partitions are in the order of titles: sorted here')
  const sorted = db.fanOut(PostByTitle).where({ publishDate: DAY }).orderBy('publishedAt', 'desc').limit(50)
  report.text(sorted.explain().toString())
  const { rows } = await sorted.page()
  assert.deepEqual(
    rows.map(({ title }) => title),
    titles.slice(0, 50),
  )
}

async function findOne(db: Database, report: Report): Promise<void> {
  report.section('One post, by its day and title: one query')
  const post = await db.get(PostByTitle, { publishDate: DAY, title: 'Post 1234' })
  assert.equal(post?.title, 'Post 1234')
  report.value(post)

  report.section('How many, and when the last of them: counted here')
  const day = db.fanOut(Post).where({ publishDate: DAY })
  const [posts, last] = [await day.count(), await day.max('publishedAt')]
  assert.equal(posts, POSTS)
  report.value({ posts, last })
}
