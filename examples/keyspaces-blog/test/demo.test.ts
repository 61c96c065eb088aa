import { expect, test } from 'vitest'
import { sharedCassandra } from '../../../test/support/cassandra.js'
import { blog } from '../src/blog.js'
import { onCassandra } from '../src/engine.js'
import { Report } from '../src/report.js'

// The blog checks its results itself: what is left is what it prints.
test('the blog, within what Keyspaces has', async () => {
  const lines: string[] = []
  await blog(onCassandra(await sharedCassandra()), new Report((line) => lines.push(line)))
  const text = lines.join('\n')
  const places = [
    'hot_post',
    'CREATE TABLE "post"',
    'in 200 partitions',
    'Post 2000, Post 1999',
    "title: 'Post 1234'",
  ].map((part) => text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})
