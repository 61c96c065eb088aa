import type { Database, Snapshot } from '@google-cloud/spanner'
import { isSessionLost } from './errors.js'
import type { Bounds } from './requests.js'

interface ClientSession {
  snapshot(bounds: Bounds, queryOptions?: unknown): Snapshot
  lastError?: unknown
}

/** What the client's `Database` has in its typings, though not in its guide. */
interface SessionFactory {
  getSession(callback: (error: Error | null, session?: ClientSession | null) => void): void
  release(session: ClientSession): void
}

/**
 * Reads once, as of one moment, in one round trip. The client's own `table.read` and `getSnapshot` take two: they begin a
 * transaction before they read in it. Where a version of the client does not show its sessions, that is what happens.
 */
export async function singleUse<T>(
  database: Database,
  bounds: Bounds,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { sessionFactory_: factory, queryOptions_: queryOptions } = database as unknown as {
    sessionFactory_?: SessionFactory
    queryOptions_?: unknown
  }
  if (typeof factory?.getSession !== 'function' || typeof factory.release !== 'function') {
    const [snapshot] = await database.getSnapshot(bounds)
    try {
      return await read(snapshot)
    } finally {
      snapshot.end()
    }
  }
  for (let attempt = 1; ; attempt++) {
    const session = await nextSession(factory)
    try {
      return await read(session.snapshot(bounds, queryOptions))
    } catch (error) {
      if (!isSessionLost(error) || attempt === MAX_ATTEMPTS) throw error
      // The database forgets idle sessions: the client drops one that is marked so, and gives another.
      session.lastError = (error as Error).cause
    } finally {
      factory.release(session)
    }
  }
}

const MAX_ATTEMPTS = 5

function nextSession(factory: SessionFactory): Promise<ClientSession> {
  return new Promise((resolve, reject) => {
    factory.getSession((error, session) => {
      if (session) resolve(session)
      else reject(error ?? new Error('The client has no session to give.'))
    })
  })
}
