import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { IsothermError, type OptionKinds, checkOptions, text } from '@isotherm/core/engine'
import { PeerMissing, importPeer } from '@isotherm/core/local'
import { keepFirstState, keptFirstState } from './first-state.js'
import { lockFolder } from './folder-lock.js'

/** A PGlite of this process. */
export interface StartedPglite extends AsyncDisposable {
  /** For people: which version of PostgreSQL it is, and where its data are. */
  readonly description: string
  /** The client, for the driver `pglite`. */
  readonly client: PGlite
  stop(): Promise<void>
}

export interface PgliteOptions {
  /** Where the data are kept, to be there at the next start. Default: in memory, until this process ends. */
  readonly folder?: string
}

const OPTIONS: OptionKinds<PgliteOptions> = { folder: text("'.isotherm/pglite'") }

/**
 * Starts PGlite: PostgreSQL as WebAssembly in this process, with one database. It needs no server and no container. It takes a second,
 * the first time a few more, after which a new database is kept in the user's cache (5 MB); and it ends with this process.
 *
 * @throws {IsothermError} `ENGINE_UNAVAILABLE` where the package `@electric-sql/pglite` is not installed, or another process has the
 * folder.
 * @example
 * await using engine = await startPglite({ folder: '.isotherm/pglite' })
 * const driver = pglite(engine.client)
 * await driver.applyDdl(compileDdl(schema, { dialect: postgresql }))
 * const db = openDatabase({ driver, schema })
 */
export async function startPglite(options: PgliteOptions = {}): Promise<StartedPglite> {
  checkOptions('startPglite', OPTIONS, options)
  const { PGlite } = await loadPglite()
  const locked = options.folder === undefined ? undefined : lockFolder(options.folder)
  const folder = locked?.path
  try {
    const isNew = folder === undefined || !hasDatabase(folder)
    const kept = isNew ? await keptFirstState() : undefined
    const client = await PGlite.create({
      ...(folder !== undefined && { dataDir: folder }),
      ...(kept && { loadDataDir: kept }),
    })
    if (isNew && !kept) await keepFirstState(client)
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    const stop = async (): Promise<void> => {
      if (!client.closed) await client.close()
      locked?.release()
    }
    return {
      description: `PGlite, PostgreSQL ${rows[0]?.server_version} in this process${folder === undefined ? '' : `, data in ${options.folder}`}`,
      client,
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    locked?.release()
    throw error
  }
}

/** Whether a folder has the data of a PGlite. */
export function hasDatabase(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
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
