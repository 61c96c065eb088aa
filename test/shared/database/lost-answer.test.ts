import { defineSchema, defineTable } from '@isotherm/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

const WAIT = { timeout: 120_000, interval: 20 }

// The request arrives, and its answer is lost. A read without the proxy shows that the write happened.

describe.each(fragileEngines)('a commit in $name whose answer is lost', ({ fragile }) => {
  /** A database with a separate client, so that a repeated call of another test's client is not mistaken for this commit. */
  const connected = async () => {
    const { db, proxy, whenAsked, direct, close } = await fragile(defineSchema([Thing]))
    onTestFinished(close)
    const truth = await direct()
    // After this, the connection is open, and Cassandra has prepared the statement.
    await db.insert(Thing, [{ id: crypto.randomUUID(), name: 'before' }])
    whenAsked('commit', () => proxy.loseAnswers())
    const takesPlace = (id: string): Promise<unknown> =>
      expect.poll(() => truth.get(Thing, { id }), WAIT).toMatchObject({ id })
    return { db, proxy, takesPlace }
  }
  const unknown = { code: 'OUTCOME_UNKNOWN', retryable: false }

  it('throws OUTCOME_UNKNOWN when its signal is aborted', async () => {
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

  it('throws OUTCOME_UNKNOWN when its connection breaks', async () => {
    const { db, proxy, takesPlace } = await connected()
    const id = crypto.randomUUID()
    const outcome = db.insert(Thing, [{ id, name: 'cut' }]).catch((error: unknown) => error)
    await takesPlace(id)
    proxy.refuse()
    proxy.cut()
    expect(await outcome).toMatchObject(unknown)
  })
})
