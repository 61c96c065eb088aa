import type { Database } from '@google-cloud/spanner'
import { googlesql } from '@isotherm/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { applySchemaChange } from '../../src/driver/schema-changes.js'
import { rejection } from '../../../core/test/support/refusal.js'

const never = (): Promise<never> => new Promise(() => {})
const grpc = (code: number, message: string) => Object.assign(new Error(message), { code, details: message })
const unconnected = grpc(14, 'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:1.')

/** A client whose requests have these outcomes; the last outcome is repeated. */
function clientOf(...outcomes: readonly (() => Promise<unknown>)[]) {
  const left = [...outcomes]
  const updateSchema = vi.fn<() => Promise<unknown>>(() => (left.length > 1 ? left.shift()! : left[0]!)())
  return { updateSchema, database: { updateSchema, formattedName_: 'p/d' } as unknown as Database }
}

describe('applySchemaChange()', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const apply = (database: Database, timeoutMs = 60_000, signal?: AbortSignal): Promise<void> =>
    applySchemaChange(database, ['DROP TABLE T'], googlesql, timeoutMs, signal ? { signal } : {})
  const fails = async (database: Database, timeoutMs?: number) => {
    const failed = rejection(apply(database, timeoutMs))
    await vi.advanceTimersByTimeAsync(timeoutMs ?? 0)
    return failed
  }
  const accepted = (promise: () => Promise<unknown>) => async () => [{ promise }]
  const unknown = {
    code: 'OUTCOME_UNKNOWN',
    retryable: false,
    fix: expect.stringContaining('driver.readDdl()') as string,
  }

  it('resolves when the operation of the schema change has ended', async () => {
    const { database, updateSchema } = clientOf(accepted(async () => []))
    await apply(database)
    expect(updateSchema).toHaveBeenCalledTimes(1)
  })

  it.each<[string, () => Promise<unknown>]>([
    ['the request has no answer', never],
    ['the operation has not ended', accepted(never)],
  ])('throws OUTCOME_UNKNOWN when the timeout passes while %s', async (_, outcome) => {
    expect(await fails(clientOf(outcome).database, 500)).toMatchObject(unknown)
  })

  it('throws OUTCOME_UNKNOWN when the signal is aborted', async () => {
    const controller = new AbortController()
    const applied = rejection(apply(clientOf(accepted(never)).database, 60_000, controller.signal))
    await vi.advanceTimersByTimeAsync(10)
    controller.abort()
    expect(await applied).toMatchObject(unknown)
  })

  it.each([
    ['the request', () => Promise.reject(grpc(14, 'Connection dropped'))],
    ['the operation', accepted(() => Promise.reject(grpc(14, 'Connection dropped')))],
  ] as const)(
    'throws OUTCOME_UNKNOWN without a second request when the connection breaks during %s',
    async (_, outcome) => {
      const { database, updateSchema } = clientOf(outcome)
      expect(await fails(database)).toMatchObject(unknown)
      expect(updateSchema).toHaveBeenCalledTimes(1)
    },
  )

  it('repeats the request until a connection is established', async () => {
    const refused = () => Promise.reject(unconnected)
    const { database, updateSchema } = clientOf(
      refused,
      refused,
      accepted(async () => []),
    )
    const applied = apply(database)
    await vi.advanceTimersByTimeAsync(1_000)
    await applied
    expect(updateSchema).toHaveBeenCalledTimes(3)
  })

  it('throws TIMEOUT when no connection is established, and sends no request afterwards', async () => {
    const { database, updateSchema } = clientOf(() => Promise.reject(unconnected))
    expect(await fails(database, 1_100)).toMatchObject({ code: 'TIMEOUT' })
    const { length } = updateSchema.mock.calls
    await vi.advanceTimersByTimeAsync(60_000)
    expect(updateSchema).toHaveBeenCalledTimes(length)
  })

  it('throws UNAVAILABLE after at most six seconds without a connection', async () => {
    const { database } = clientOf(() => Promise.reject(unconnected))
    const failed = rejection(apply(database, 3_600_000))
    await vi.advanceTimersByTimeAsync(6_000)
    expect(await failed).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
  })

  it.each([
    ['in the request', () => Promise.reject(grpc(9, 'Duplicate name in schema: T.'))],
    ['in its operation', accepted(() => Promise.reject(grpc(9, 'Duplicate name in schema: T.')))],
  ] as const)('throws CONSTRAINT when the database rejects the schema change %s', async (_, outcome) => {
    expect(await fails(clientOf(outcome).database)).toMatchObject({ code: 'CONSTRAINT' })
  })
})
