import { PassThrough } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { sharedCassandra } from '../../../test/support/cassandra.js'
import { runDemo } from '../src/demo.js'
import { onCassandra } from '../src/engine.js'
import { generatedLog } from '../src/log/log-source.js'

test('the demo stores every row on Cassandra, and reads them back in order', async () => {
  const out = new PassThrough()
  const printed = textOf(out)
  const { inTable, newest, byShard, pages } = await runDemo({
    engine: onCassandra(await sharedCassandra()),
    log: generatedLog(2_000),
    out,
  })
  out.end()
  expect(inTable).toBe(2_000)
  expect(byShard.every((rows) => rows > 0)).toBe(true)
  const times = newest.map(({ time }) => time.getTime())
  expect(times).toEqual(times.toSorted((one, other) => other - one))
  expect(newest).toHaveLength(20)
  expect(pages.flat().map(({ id }) => id)).toEqual(newest.slice(0, 10).map(({ id }) => id))
  expect(await printed).toContain('PRIMARY KEY (("shard"), "time", "id")')
})
