import { expect, test } from 'vitest'
import { sharedCassandra } from '../../../test/support/cassandra.js'
import { onCassandra } from '../src/engine.js'
import { printedParts } from './printed-parts.js'

test('the blog prints its results in order on Cassandra, in the dialect keyspaces-cql', async () => {
  const parts = [
    'hot_post',
    'CREATE TABLE "post"',
    'in 200 partitions',
    'Post 2000, Post 1999',
    "title: 'Post 1234'",
  ]
  expect(await printedParts(onCassandra(await sharedCassandra()), parts)).toEqual(parts)
})
