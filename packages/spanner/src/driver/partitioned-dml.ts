import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Session } from '@google-cloud/spanner'
import {
  type CallOptions,
  IsothermError,
  type SqlDialectRuntime,
  type Statement,
  clientLimit,
} from '@isotherm/core/engine'
import { abortPause } from './abort-delay.js'
import { delayResumption, translate } from './errors.js'
import { reachabilityOf } from './reachability.js'
import { CallHandle, served, sqlRequest } from './requests.js'

/**
 * Partitioned DML: how many rows it changed, at least.
 *
 * The client has one call for it, but that one asks again without a pause while the database cannot be reached.
 *
 * Source: https://cloud.google.com/spanner/docs/dml-partitioned
 *
 * @param own the timeout, in milliseconds
 */
export async function partitionedDml(
  database: Database,
  statement: Statement,
  dialect: SqlDialectRuntime,
  own: number,
  call: CallOptions,
): Promise<number> {
  const handle = new CallHandle()
  const request = { ...sqlRequest(statement, own, dialect, handle), ...served(call) }
  let isAbandoned = false
  const work = async (): Promise<number> => {
    const [session] = await database.createSession({ gaxOptions: { timeout: clientLimit(own) } })
    try {
      for (let aborted = 0; ; aborted++) {
        try {
          return await run(session, request)
        } catch (error) {
          // Which rows were changed before does not matter: the statement has to be idempotent.
          if (isAbandoned || !isAborted(error)) throw error
        }
        await sleep(abortPause(aborted))
      }
    } finally {
      await session.delete().catch(() => {})
    }
  }
  try {
    return await reachabilityOf(database).answer(work, own, call)
  } catch (error) {
    isAbandoned = true
    // Otherwise the database would go on with partitions whose result is not wanted.
    handle.cancel()
    throw translate(error)
  }
}

async function run(session: Session, request: ReturnType<typeof sqlRequest>): Promise<number> {
  const transaction = session.partitionedDml()
  delayResumption(transaction)
  await transaction.begin()
  const [rows] = await transaction.runUpdate(request)
  return rows
}

function isAborted(error: unknown): boolean {
  const translated = translate(error)
  return translated instanceof IsothermError && translated.code === 'ABORTED'
}
