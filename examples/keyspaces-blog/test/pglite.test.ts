import { expect, test } from 'vitest'
import { blog } from '../src/blog.js'
import { onPglite } from '../src/engine.js'
import { Report } from '../src/report.js'

// The blog checks its results itself: what is left is what it prints.
test('the blog on PGlite, checked by the rules of Keyspaces', async () => {
  const lines: string[] = []
  const engine = await onPglite()
  try {
    await blog(engine, new Report((line) => lines.push(line)))
  } finally {
    await engine.stop()
  }
  const text = lines.join('\n')
  const places = [
    'hot_post',
    'CREATE TABLE "post"',
    'PRIMARY KEY ("publish_date", "shard"',
    'Post 2000, Post 1999',
  ].map((part) => text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
