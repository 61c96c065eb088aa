import { EventEmitter, once } from 'node:events'
import { Instance } from '@google-cloud/spanner'
import { defineSchema, defineTable, openDatabase } from '@isotherm/core'
import { spanner } from '@isotherm/spanner'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startThreadedProxy } from '../support/paused.js'
import { sampledDialects, sharedEmulator, testDatabase } from '../support/spanner.js'

const Note = defineTable('Note', (t) => ({ id: t.int64().key(), text: t.string({ nullable: true }) }))
const schema = defineSchema([Note])

/** Milliseconds: long enough for requests to be sent on a slow machine. */
const TIMEOUT = 3000

describe.each(sampledDialects)('a process that is suspended until after the timeout, on $name', (dialect) => {
  it('returns the answers that arrived during the suspension instead of throwing TIMEOUT', async () => {
    const { client } = await testDatabase(schema, dialect)
    const emulator = await sharedEmulator()
    const proxy = await startThreadedProxy(emulator.host, 'http2')
    onTestFinished(async () => void (await proxy.close()))
    process.env['SPANNER_EMULATOR_HOST'] = proxy.host
    const paused = await startSpannerEmulator({ launchers: ['environment'] })
    onTestFinished(() => paused.stop())
    const [, instance, name] = /^(.*)\/databases\/(.*)$/.exec(client.formattedName_)!
    const driver = spanner(new Instance(paused.client, instance!).database(name!), { dialect })
    const db = openDatabase({ driver, schema })
    const row = { id: 1n, text: 'here' }
    await db.insert(Note, [row], { returning: false })
    const own = { timeoutMs: TIMEOUT }

    const events = new EventEmitter()
    const hasRead = once(events, 'has read')
    const mayCommit = once(events, 'may commit')
    const committed = db.transaction(async (tx) => {
      await tx.get(Note, { id: 2n })
      await tx.insert(Note, [{ id: 2n, text: 'new' }])
      events.emit('has read')
      await mayCommit
    }, own)
    await Promise.race([hasRead, committed])
    proxy.hold()
    const got = db.get(Note, row, own)
    const all = db.fanOut(Note).where(row).options(own).all()
    const counted = db.fanOut(Note).where(row).options(own).count()
    events.emit('may commit')
    await proxy.sent(4)
    proxy.pause(TIMEOUT + 500)
    expect(await Promise.all([got, all, counted, committed])).toEqual([row, [row], 1, undefined])
    expect(await db.fanOut(Note).count()).toBe(2)
  })
})
