import { expect, test } from 'vitest'
import { onPglite } from '../src/engine.js'
import { printedParts } from './printed-parts.js'

test('the blog prints its lint findings, DDL and results in order on PGlite', async () => {
  const parts = [
    'hot_post',
    'CREATE TABLE "post"',
    'PRIMARY KEY ("publish_date", "shard"',
    'Post 2000, Post 1999',
  ]
  const engine = await onPglite()
  try {
    expect(await printedParts(engine, parts)).toEqual(parts)
  } finally {
    await engine.stop()
  }
})
