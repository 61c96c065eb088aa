import type { PGlite } from '@electric-sql/pglite'
import { IsothermError } from '@isotherm/core/engine'
import { PeerMissing, importPeer } from '@isotherm/core/local'

/** A PGlite of this process. */
export interface StartedPglite {
  /** For people: which version of PostgreSQL it is. */
  readonly description: string
  /** The client, for the driver `pglite`. */
  readonly client: PGlite
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts PGlite: PostgreSQL as WebAssembly in this process, with one empty database in memory. It needs no server, no container and
 * no folder; it takes a second or two, and ends with this process.
 *
 * @throws {IsothermError} `ENGINE_UNAVAILABLE` where the package `@electric-sql/pglite` is not installed.
 * @example
 * await using engine = await startPglite()
 * const driver = pglite(engine.client)
 * await driver.applyDdl(compileDdl(schema, { dialect: postgresql }))
 * const db = openDatabase({ driver, schema })
 */
export async function startPglite(): Promise<StartedPglite> {
  const { PGlite } = await loadPglite()
  const client = await PGlite.create()
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
  const stop = async (): Promise<void> => {
    if (!client.closed) await client.close()
  }
  return {
    description: `PGlite, PostgreSQL ${rows[0]?.server_version} in this process`,
    client,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function loadPglite() {
  try {
    return await importPeer('@electric-sql/pglite', () => import('@electric-sql/pglite'))
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error
    throw new IsothermError('ENGINE_UNAVAILABLE', 'PGlite needs the package @electric-sql/pglite.', {
      fix: 'Install it: npm install --save-dev @electric-sql/pglite.',
      cause: error,
    })
  }
}
