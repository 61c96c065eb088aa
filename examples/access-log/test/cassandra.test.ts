import { expect, test } from 'vitest'
import { sharedCassandra } from '../../../test/support/cassandra.js'
import { onCassandra } from '../src/engine.js'
import { storesEveryRow } from './stores-every-row.js'

test('the demo stores every row on Cassandra, and reads the newest rows in order', async () => {
  const printed = await storesEveryRow(onCassandra(await sharedCassandra()))
  expect(printed).toContain('PRIMARY KEY (("shard"), "time", "id")')
})
