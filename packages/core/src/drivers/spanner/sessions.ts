import type { Database, Snapshot as ClientSnapshot } from '@google-cloud/spanner'
import type { CallOptions } from '../../database/driver.js'
import { answer } from '../calls.js'
import { translate } from './errors.js'
import type { Bounds } from './requests.js'
import { paceResumption } from './resumption.js'

// The client's sessions, which its typings have though its guide does not. A version that does not show them is served by
// `getSnapshot`, which takes a round trip more.

/** More than the client keeps: after a long rest all of them may be lost, and each is found out by a call. */
export const MOST_SESSIONS = 500

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

interface ClientInternals {
  readonly sessionFactory_?: SessionFactory
  readonly queryOptions_?: unknown
}

/** The client's snapshot in a session of its own, before it has begun. */
export interface OpenSnapshot {
  readonly snapshot: ClientSnapshot
  /** Whether it has begun already, since the client would not do otherwise. */
  readonly hasBegun: boolean
  /** Gives the session back. One that was lost is dropped by the client, which gives another the next time. */
  release(lost?: unknown): void
}

async function openSnapshot(database: Database, bounds: Bounds): Promise<OpenSnapshot> {
  const { sessionFactory_: factory, queryOptions_: queryOptions } = database as unknown as ClientInternals
  if (typeof factory?.getSession !== 'function' || typeof factory.release !== 'function') {
    const [snapshot] = await database.getSnapshot(bounds)
    paceResumption(snapshot)
    return { snapshot, hasBegun: true, release: () => snapshot.end() }
  }
  const session = await nextSession(factory)
  const snapshot = session.snapshot(bounds, queryOptions)
  paceResumption(snapshot)
  return {
    snapshot,
    hasBegun: false,
    release(lost) {
      if (lost !== undefined) session.lastError = lost
      factory.release(session)
    },
  }
}

/** A session can be long in coming. One that comes after the caller has gone is given back. */
export async function openInTime(
  database: Database,
  bounds: Bounds,
  deadline: number,
  call: CallOptions,
): Promise<OpenSnapshot> {
  let late: Promise<OpenSnapshot> | undefined
  try {
    return await answer(() => (late = openSnapshot(database, bounds)), deadline, call)
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
      else reject(error ?? new Error('The client has no session to give.'))
    })
  })
}
