import { compileDdl, defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { cassandra, cql } from '@isotherm/cassandra'
import { Client } from 'cassandra-driver'
import { expect, it, onTestFinished } from 'vitest'
import { clientOptions, sharedCassandra } from '../../support/cassandra.js'
import { startThreadedProxy } from '../../support/paused.js'

const Note = defineTable('Note', (t) => ({ id: t.int64().key(), text: t.string({ nullable: true }) }))
const schema = defineSchema([Note])

/** Milliseconds: long enough for requests to be sent on a slow machine. */
const TIMEOUT = 3000

// What may be repeated has a limit for one node within its timeout, where the client itself goes on to another node.
it('a conditional write accepts an answer that arrived while the process was paused beyond the timeout', async () => {
  const engine = await sharedCassandra()
  const keyspace = await engine.keyspace({ ddl: compileDdl(schema, { dialect: cql }) })
  const proxy = await startThreadedProxy(engine.contactPoints[0]!, 'cql')
  onTestFinished(async () => void (await proxy.close()))
  const [host, port] = proxy.host.split(':') as [string, string]
  const client = new Client({
    contactPoints: [host],
    protocolOptions: { port: Number(port) },
    localDataCenter: engine.localDataCenter,
    keyspace,
    ...clientOptions,
  })
  onTestFinished(() => client.shutdown())
  await client.connect()
  const db = openDatabase({ driver: cassandra(client, { dialect: cql }), schema })
  await db.insert(Note, [{ id: 1n, text: 'before' }])

  proxy.hold()
  const inserted = db.insert(Note, [{ id: 2n, text: 'meanwhile' }], { timeoutMs: TIMEOUT })
  await proxy.sent(1)
  proxy.pause(TIMEOUT + 500)
  expect(await inserted).toEqual([{ id: 2n, text: 'meanwhile' }])
})
