import type { PGlite } from '@electric-sql/pglite'
import {
  CommandError,
  type ConnectCall,
  type OpenedDatabase,
  messageWithoutFix,
} from '@isotherm/core/command'
import { type Driver, IsothermError } from '@isotherm/core/engine'
import { PeerMissing, importPeer, withinTime } from '@isotherm/core/local'
import type { Pool } from 'pg'
import { pg, pglite } from '../driver/driver.js'
import { hasDatabase, startPglite } from '../local/start-pglite.js'
import { type PostgresqlAddress, ignoredSchema } from './address.js'

const FIRST_CALL = 20_000
const CLOSING = 2_000
/** A command runs few statements at once; beside them it may renew its lease. */
const CONNECTIONS = 4

/** Opens a database of a server, or the folder of a PGlite. */
export async function connect(
  { url, folder }: PostgresqlAddress,
  { ifMissing }: Pick<ConnectCall, 'ifMissing'>,
): Promise<OpenedDatabase> {
  if (url !== undefined && folder === undefined) return connectServer(url)
  if (folder !== undefined && url === undefined) return openFolder(folder, ifMissing)
  throw new CommandError('CONFIG', 'The database needs exactly one of url and folder.', {
    fix: "Give one of them: { url: 'postgresql://user@host:5432/database' } for a server, { folder: './.isotherm/pglite' } for PGlite.",
  })
}

async function openFolder(folder: string, ifMissing: ConnectCall['ifMissing']): Promise<OpenedDatabase> {
  const exists = hasDatabase(folder)
  if (!exists && ifMissing === 'refuse') {
    throw new CommandError('DATABASE', `There is no database in the folder ${folder}.`, {
      fix: 'Create it with isotherm migrate or isotherm push, or name another folder.',
    })
  }
  const isStandIn = !exists && ifMissing === 'empty'
  const { client, description, stop } = await startPglite(isStandIn ? {} : { folder })
  return {
    driver: pglite(client),
    description: isStandIn ? `${description}: the folder ${folder} does not exist yet` : description,
    [Symbol.asyncDispose]: stop,
  }
}

async function connectServer(url: string): Promise<OpenedDatabase> {
  const ignored = ignoredSchema(url)
  if (ignored) {
    throw new CommandError(
      'CONFIG',
      `The URL of the database has the parameter ${ignored.parameter}, which pg ignores.`,
      { fix: ignored.fix },
    )
  }
  const { Pool: Opened } = await vendor()
  const description = describe(url)
  const pool = new Opened({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: FIRST_CALL,
  })
  const close = (): Promise<void> => withinTime(CLOSING, 'closing', pool.end()).catch(() => {})
  try {
    return { driver: await answering(pg(pool), description), description, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens a `Pool` of `pg` or a `PGlite`, whichever version made it. */
export async function connectClient(client: object): Promise<OpenedDatabase | undefined> {
  const driver = isPool(client) ? pg(client) : isPglite(client) ? pglite(client) : undefined
  if (!driver) return undefined
  const description = `${driver.name} of the configuration`
  // A connection that the configuration opened is closed by the configuration.
  return {
    driver: await answering(driver, description),
    description,
    [Symbol.asyncDispose]: async () => {},
  }
}

function isPool(client: object): client is Pool {
  return 'totalCount' in client && 'connect' in client
}

function isPglite(client: object): client is PGlite {
  return 'exec' in client && 'execProtocolRaw' in client
}

async function vendor(): Promise<(typeof import('pg'))['default']> {
  try {
    // Its exports are of a CommonJS module.
    return (await importPeer('pg', () => import('pg'))).default
  } catch (cause) {
    if (!(cause instanceof PeerMissing)) throw cause
    throw new CommandError('NOT_INSTALLED', 'pg is not installed.', {
      fix: 'Install it: npm install pg',
      cause,
    })
  }
}

/** Without a password. */
function describe(url: string): string {
  const { pathname, host, searchParams } = new URL(url)
  return `${decodeURIComponent(pathname.slice(1))} of PostgreSQL at ${searchParams.get('host') ?? (host || 'localhost')}`
}

/** The driver, once its database has answered. */
async function answering<Opened extends Driver>(driver: Opened, description: string): Promise<Opened> {
  try {
    await driver.query({ text: 'SELECT 1', parameters: [] }, [{ kind: 'int64' }], { timeoutMs: FIRST_CALL })
    return driver
  } catch (error) {
    throw explained(error, description)
  }
}

/** SQLSTATE of a sign-in that failed: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const NO_SIGN_IN = /^28/

function explained(error: unknown, description: string): unknown {
  if (!(error instanceof IsothermError)) return error
  const { code: sqlState } = (error.cause ?? {}) as { readonly code?: unknown }
  if (typeof sqlState === 'string' && NO_SIGN_IN.test(sqlState)) {
    return new CommandError('DATABASE', `${description} rejects the sign-in: ${messageWithoutFix(error)}`, {
      fix: 'Give the user in the URL, and the password in PGPASSWORD.',
      cause: error,
    })
  }
  if (error.code === 'NOT_FOUND') {
    return new CommandError('DATABASE', `The database does not exist: ${description}.`, {
      fix: 'Create it (createdb), or use another one.',
      cause: error,
    })
  }
  if (error.code !== 'UNAVAILABLE' && error.code !== 'TIMEOUT') return error
  return new CommandError('DATABASE', `${description} does not answer: ${messageWithoutFix(error)}`, {
    fix: 'Check that it runs, and that the URL is right: host, port, and files of certificates.',
    cause: error,
  })
}
