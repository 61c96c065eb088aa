import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { connectSpanner } from '@isotherm/spanner/local'
import { spanner } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { dialects, sharedEmulator } from '../support/spanner.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))
const schema = defineSchema([Thing])

/** A database of a client of its own, with a row in it. */
async function opened(dialect: (typeof dialects)[number]) {
  const emulator = await sharedEmulator()
  const made = await emulator.database({ dialect, ddl: compileDdl(schema, { dialect }) })
  const [, project, , instance, , name] = made.formattedName_.split('/') as string[]
  const client = await connectSpanner(emulator.host, project!)
  const database = client.instance(instance!).database(name!)
  const driver = spanner(database)
  const db = openDatabase({ driver, schema })
  const [row] = await db.insert(Thing, [{ name: 'one' }])
  // So that the client for the schema is there before it is closed.
  await driver.readDdl()
  const { partitions } = await db.fanOut(Thing).queryPartitions(1)
  return { client, database, driver, db, row: row!, part: partitions[0]!, snapshot: await driver.snapshot() }
}

const closed = {
  name: 'IsothermError',
  code: 'DATABASE',
  retryable: false,
  fix: expect.stringContaining('open a new client') as string,
}

describe.each(dialects)('a database of $name whose client is closed', (dialect) => {
  it('rejects reads, writes and transactions with the code DATABASE after database.close()', async () => {
    const { database, db, row, snapshot } = await opened(dialect)
    // The query partitions and the snapshot hold sessions that the client waits for.
    await Promise.resolve(database.close()).catch(() => {})
    for (const call of [
      () => db.get(Thing, row),
      () => db.insert(Thing, [{ name: 'two' }]),
      () => db.update(Thing, row),
      () => db.fanOut(Thing).all(),
      () => db.transaction((tx) => tx.get(Thing, row)),
      () => snapshot.run({ text: 'SELECT 1 AS n', parameters: [] }),
    ])
      await expect(call()).rejects.toMatchObject(closed)
    snapshot.close()
  })

  it('rejects every call with the code DATABASE after client.close(), also schema changes and query partitions', async () => {
    const { client, driver, db, row, part, snapshot } = await opened(dialect)
    void client.close()
    for (const call of [
      () => db.get(Thing, row),
      () => db.insert(Thing, [{ name: 'two' }]),
      () => db.fanOut(Thing).all(),
      () => db.fanOut(Thing).queryPartitions(1),
      () => db.readQueryPartition(Thing, part).next(),
      () => db.closeQueryPartitions(part),
      () => db.transaction((tx) => tx.get(Thing, row)),
      () => snapshot.run({ text: 'SELECT 1 AS n', parameters: [] }),
      () => driver.applyDdl(['DROP TABLE Other']),
      () => driver.readDdl(),
      () => driver.schemaChanges!.begin(['DROP TABLE Other'], 'drop_other'),
      () => driver.schemaChanges!.state('drop_other'),
    ])
      await expect(call()).rejects.toMatchObject(closed)
    snapshot.close()
  })
})
