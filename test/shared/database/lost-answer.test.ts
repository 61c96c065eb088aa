import { defineSchema, defineTable } from '@isotherm/core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fragileEngines } from '../../support/fragile-engines.js'

const Thing = defineTable('Thing', (t) => ({ id: t.uuidV4(), name: t.string() }))

const WAIT = { timeout: 120_000, interval: 20 }

// The request arrives, and its answer vanishes. That the write has taken place is seen past the proxy.

describe.each(fragileEngines)('in $name, a commit whose answer is lost', async ({ fragile }) => {
  const { db, proxy, whenAsked, direct, close } = await fragile(defineSchema([Thing]))
  const truth = await direct()
  // Until the connection is there, and Cassandra has prepared the statement.
  const prepared = async (): Promise<void> => {
    const insert = () =>
      db.insert(Thing, [{ id: crypto.randomUUID(), name: 'before' }]).catch((error: unknown) => error)
    await expect.poll(insert, WAIT).toMatchObject([{ name: 'before' }])
  }
  beforeEach(prepared)
  afterEach(() => {
    proxy.heal()
  })
  afterAll(close)

  const takesPlace = (id: string): Promise<unknown> =>
    expect.poll(() => truth.get(Thing, { id }), WAIT).toMatchObject({ id })
  const unknown = { code: 'OUTCOME_UNKNOWN', transient: false }

  it('says that its outcome is unknown when its signal ends it', async () => {
    const id = crypto.randomUUID()
    const controller = new AbortController()
    whenAsked('commit', () => proxy.loseAnswers())
    const outcome = db
      .insert(Thing, [{ id, name: 'given up' }], { signal: controller.signal })
      .catch((error: unknown) => error)
    await takesPlace(id)
    controller.abort()
    expect(await outcome).toMatchObject(unknown)
  })

  it('says that its outcome is unknown when its connection breaks', async () => {
    const id = crypto.randomUUID()
    whenAsked('commit', () => proxy.loseAnswers())
    const outcome = db.insert(Thing, [{ id, name: 'cut' }]).catch((error: unknown) => error)
    await takesPlace(id)
    proxy.refuse()
    proxy.cut()
    expect(await outcome).toMatchObject(unknown)
  })
})
