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

/** So that clients can find out how many sessions there are. max_connections would make the table of locks smaller too. */
const ONE_SESSION = ['-c', 'isotherm.sessions=1']

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
  const { description, client, stop } = await openPglite(options, 'in this process')
  return { description, client, stop, [Symbol.asyncDispose]: stop }
}

export interface OpenedPglite {
  readonly description: string
  readonly client: PGlite
  /** Tells other processes that look for the folder where it is served. */
  announce(url: string): void
  stop(): Promise<void>
}

/** @param where for the description: `in this process` */
export async function openPglite({ folder: given }: PgliteOptions, where: string): Promise<OpenedPglite> {
  const { PGlite } = await loadPglite()
  const locked = given === undefined ? undefined : lockFolder(given)
  const folder = locked?.path
  try {
    const isNew = folder === undefined || !hasDatabase(folder)
    const kept = isNew ? await keptFirstState() : undefined
    const client = await PGlite.create({
      ...(folder !== undefined && { dataDir: folder }),
      ...(kept && { loadDataDir: kept }),
      startParams: [...PGlite.defaultStartParams, ...ONE_SESSION],
    })
    if (isNew && !kept) await keepFirstState(client)
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    const stop = async (): Promise<void> => {
      if (!client.closed) await client.close()
      locked?.release()
    }
    return {
      description: `PGlite, PostgreSQL ${rows[0]?.server_version} ${where}${given === undefined ? '' : `, data in ${given}`}`,
      client,
      announce: (url) => locked?.announce(url),
      stop,
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
