import type { LocalEngine } from '@isotherm/core/command'
import { pglite } from '../driver/driver.js'
import { startPglite } from '../local/start-pglite.js'

/** A PGlite in memory for each database. */
export async function startLocal(): Promise<LocalEngine> {
  const started: AsyncDisposable[] = []
  const { description, client, ...first } = await startPglite()
  started.push(first)
  let unused: typeof client | undefined = client
  return {
    description,
    environment: {},
    details: {},
    async createDatabase({ name = 'postgres', ddl = [] }) {
      const database = unused ?? (await another())
      unused = undefined
      const driver = pglite(database)
      await driver.applyDdl(ddl)
      return { name, driver }
    },
    async [Symbol.asyncDispose]() {
      for (const each of started) await each[Symbol.asyncDispose]()
    },
  }

  async function another(): Promise<typeof client> {
    const next = await startPglite()
    started.push(next)
    return next.client
  }
}
