import type { Database, Snapshot, Snapshot as ClientSnapshot } from '@google-cloud/spanner'
import type { CallOptions, ReadOptions } from '@isotherm/core/engine'
import { isSessionLost, delayResumption, translate } from './errors.js'
import type { Bounds } from './requests.js'
import { reachabilityOf } from './reachability.js'

// The client's sessions, which its typings have though its guide does not. A version that does not show them is served by
// `getSnapshot`, which takes a round trip more.

/** In how many sessions a call is tried: the database may have forgotten all that the client keeps, by default a hundred. */
export const MAX_ATTEMPTS = 101

interface ClientSession {
  snapshot(bounds: Bounds, queryOptions?: unknown): ClientSnapshot
  lastError?: unknown
}

interface SessionFactory {
  getSession(callback: (error: Error | null, session?: ClientSession | null) => void): void
  release(session: ClientSession): void
}

/** Undefined for a client that keeps its sessions in another way. */
function sessionFactoryOf(database: Database): SessionFactory | undefined {
  const factory = 'sessionFactory_' in database ? database.sessionFactory_ : undefined
  return isSessionFactory(factory) ? factory : undefined
}

function isSessionFactory(value: unknown): value is SessionFactory {
  const { getSession, release } = (value ?? {}) as Partial<SessionFactory>
  return typeof getSession === 'function' && typeof release === 'function'
}

/** The client's snapshot in a session of its own, before it has begun. */
export interface OpenSnapshot {
  readonly snapshot: ClientSnapshot
  /** Whether it has begun already, since the client would not do otherwise. */
  readonly hasBegun: boolean
  /** Releases the session. The client drops a lost session, and gives another one the next time. */
  release(lost?: unknown): void
}

async function openSnapshot(database: Database, bounds: Bounds): Promise<OpenSnapshot> {
  const factory = sessionFactoryOf(database)
  if (!factory) {
    const [snapshot] = await database.getSnapshot(bounds)
    delayResumption(snapshot)
    return { snapshot, hasBegun: true, release: () => snapshot.end() }
  }
  const session = await nextSession(factory)
  const snapshot = session.snapshot(bounds, 'queryOptions_' in database ? database.queryOptions_ : undefined)
  delayResumption(snapshot)
  return {
    snapshot,
    hasBegun: false,
    release(lost) {
      if (lost !== undefined) session.lastError = lost
      try {
        factory.release(session)
      } catch {
        // A client that was closed in the meantime has forgotten its sessions.
      }
    },
  }
}

/** A session can take long to open. If it opens after the caller has gone, it is released. */
export async function openInTime(
  database: Database,
  bounds: Bounds,
  timeoutMs: number,
  call: CallOptions,
): Promise<OpenSnapshot> {
  let late: Promise<OpenSnapshot> | undefined
  try {
    return await reachabilityOf(database).answer(
      () => (late = openSnapshot(database, bounds)),
      timeoutMs,
      call,
    )
  } catch (error) {
    late?.then(
      (opened) => opened.release(),
      () => {},
    )
    throw translate(error)
  }
}

function nextSession(factory: SessionFactory): Promise<ClientSession> {
  return new Promise((resolve, reject) => {
    factory.getSession((error, session) => {
      if (session) resolve(session)
      else reject(error ?? new Error('The client has no session.'))
    })
  })
}

/**
 * Reads once, at one timestamp, in one round trip. The client's own `table.read` and `getSnapshot` take two: they begin a
 * transaction before they read in it.
 *
 * @param timeoutMs for all of it, in milliseconds
 */
export async function singleUse<T>(
  database: Database,
  bounds: Bounds,
  call: ReadOptions,
  timeoutMs: number,
  read: (snapshot: Snapshot, call: ReadOptions) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + timeoutMs
  for (let attempt = 1; ; attempt++) {
    const { snapshot, release } = await openInTime(database, bounds, endsAt - performance.now(), call)
    let lost: unknown
    try {
      return await read(snapshot, { ...call, timeoutMs: endsAt - performance.now() })
    } catch (error) {
      if (!isSessionLost(error) || attempt === MAX_ATTEMPTS) throw error
      // The database forgets idle sessions.
      lost = (error as Error).cause
    } finally {
      release(lost)
    }
  }
}
