import { compileDdl, openDatabase } from '@isotherm/core'
import { startSpannerEmulator } from '@isotherm/spanner/local'
import { googlesql, spanner } from '@isotherm/spanner'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startProxy } from '../support/proxy.js'
import { Customer, shop, UserAccessLog } from '../support/shop.js'

/** A database behind a proxy that can drop all packets. */
async function fragileDatabase() {
  const proxy = await startProxy(inject('spannerHost'))
  process.env['SPANNER_EMULATOR_HOST'] = proxy.host
  const engine = await startSpannerEmulator()
  const client = await engine.database({ ddl: compileDdl(shop, { dialect: googlesql }) })
  onTestFinished(async () => {
    // Behind a black hole, the client cannot close its sessions.
    if (!proxy.isLost) await engine.stop()
    await proxy.close()
  })
  return { db: openDatabase({ driver: spanner(client), schema: shop }), proxy }
}

describe('when the database does not answer', () => {
  it('a transaction throws OUTCOME_UNKNOWN when the answer to its commit is lost', async () => {
    const { db, proxy } = await fragileDatabase()
    const customer = { customerId: crypto.randomUUID(), name: 'lost' }
    const work = db.transaction(
      async (tx) => {
        await tx.insert(Customer, [customer])
        proxy.blackHole()
      },
      { timeoutMs: 5000 },
    )
    await expect(work).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('Read the rows back by their keys'),
    })
  })

  it('get(), page() and count() throw TIMEOUT when their timeout passes', async () => {
    const { db, proxy } = await fragileDatabase()
    const [row] = await db.insert(UserAccessLog, [{ userId: 1n }])
    expect(await db.get(UserAccessLog, row!)).toEqual(row)
    proxy.blackHole()
    await expect(db.get(UserAccessLog, row!, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const recent = db.fanOut(UserAccessLog).limit(5).options({ timeoutMs: 300 })
    await expect(recent.page()).rejects.toMatchObject({ code: 'TIMEOUT' })
    await expect(recent.count()).rejects.toMatchObject({ code: 'TIMEOUT' })
  })

  it('page() throws CANCELLED when its signal is aborted', async () => {
    const { db, proxy } = await fragileDatabase()
    await db.insert(UserAccessLog, [{ userId: 1n }])
    proxy.blackHole()
    const controller = new AbortController()
    const page = db.fanOut(UserAccessLog).options({ signal: controller.signal }).page()
    controller.abort()
    await expect(page).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('a transaction that timed out does not commit when its work ends later', async () => {
    const { db } = await fragileDatabase()
    const customer = { customerId: crypto.randomUUID(), name: 'late' }
    let finish = (): void => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let worked: Promise<void> = Promise.resolve()
    const work = db.transaction(
      (tx) => {
        worked = (async () => {
          await tx.insert(Customer, [customer])
          await finished
        })()
        return worked
      },
      { timeoutMs: 300 },
    )
    await expect(work).rejects.toMatchObject({ code: 'TIMEOUT' })
    finish()
    // On a slow machine the timeout may pass before the insert is through.
    await worked.catch(() => {})
    // Another transaction can only begin after the first released its locks, so by then the first has ended.
    await db.transaction((tx) => tx.insert(Customer, [{ name: 'after' }]))
    expect(await db.get(Customer, customer)).toBeUndefined()
  })
})
