import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

const WAIT = { timeout: 120_000, interval: 20 }

// The request arrives, and its answer vanishes. That the write has taken place is seen past the proxy.

describe.each(fragileEngines)('in $name, a commit whose answer is lost', ({ fragile }) => {
  /** A database with a client of its own: what the client of another test sends again is not taken for this one's commit. */
  const connected = async () => {
    const { db, proxy, whenAsked, direct, close } = await fragile(defineSchema([Thing]))
    onTestFinished(close)
    const truth = await direct()
    // The connection is there then, and Cassandra has prepared the statement.
    await db.insert(Thing, [{ id: crypto.randomUUID(), name: 'before' }])
    whenAsked('commit', () => proxy.loseAnswers())
    const takesPlace = (id: string): Promise<unknown> =>
      expect.poll(() => truth.get(Thing, { id }), WAIT).toMatchObject({ id })
    return { db, proxy, takesPlace }
  }
  const unknown = { code: 'OUTCOME_UNKNOWN', retryable: false }

  it('says that its outcome is unknown when its signal ends it', async () => {
    const { db, takesPlace } = await connected()
    const id = crypto.randomUUID()
    const controller = new AbortController()
    const outcome = db
      .insert(Thing, [{ id, name: 'given up' }], { signal: controller.signal })
      .catch((error: unknown) => error)
    await takesPlace(id)
    controller.abort()
    expect(await outcome).toMatchObject(unknown)
  })

  it('says that its outcome is unknown when its connection breaks', async () => {
    const { db, proxy, takesPlace } = await connected()
    const id = crypto.randomUUID()
    const outcome = db.insert(Thing, [{ id, name: 'cut' }]).catch((error: unknown) => error)
    await takesPlace(id)
    proxy.refuse()
    proxy.cut()
    expect(await outcome).toMatchObject(unknown)
  })
})
