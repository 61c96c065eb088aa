import type { Reader } from '@isotherm/core/engine'
import type { Database } from '@google-cloud/spanner'
import { googlesql, spannerPostgresql } from '@isotherm/spanner'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { translate } from '../../src/driver/errors.js'
import { dialectMismatch, otherDialect } from '../../src/driver/undecided.js'

const refused = translate(Object.assign(new Error('Syntax error'), { code: 3 }))

describe('dialectMismatch()', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function asking(query: Reader['query']) {
    const queryMock = vi.fn<Reader['query']>(query)
    const database = { formattedName_: 'd' } as Database
    const ask = (left = 500, signal?: AbortSignal, error = refused) =>
      dialectMismatch(
        database,
        googlesql,
        queryMock,
        { text: 'SELEC', left, call: signal ? { signal } : {} },
        error,
      )
    return { queryMock, ask }
  }

  it('queries the dialect of the database once, and reports INVALID_OPTION', async () => {
    const { queryMock, ask } = asking(async () => [['POSTGRESQL']])
    const named = { code: 'INVALID_OPTION', cause: refused }
    expect(await Promise.all([ask(), ask()])).toMatchObject([named, named])
    expect(await ask()).toMatchObject(named)
    expect(queryMock).toHaveBeenCalledTimes(1)
  })

  it('returns the original error when the dialect query takes longer than the timeout or is aborted', async () => {
    const { ask } = asking(() => new Promise(() => {}))
    const begun = performance.now()
    const late = ask(500)
    await vi.advanceTimersByTimeAsync(500)
    expect(await late).toBe(refused)
    expect(performance.now() - begun).toBeLessThan(600)
    const controller = new AbortController()
    const cancelled = ask(60_000, controller.signal)
    controller.abort()
    expect(await cancelled).toBe(refused)
  })

  it('does not query the dialect again after PERMISSION_DENIED', async () => {
    const denied = translate(Object.assign(new Error('PERMISSION_DENIED'), { code: 7 }))
    const { queryMock, ask } = asking(() => Promise.reject(denied))
    expect([await ask(), await ask()]).toEqual([refused, refused])
    expect(queryMock).toHaveBeenCalledTimes(1)
  })

  it('queries the dialect again after UNAVAILABLE', async () => {
    const unavailable = translate(Object.assign(new Error('gone'), { code: 14 }))
    const { queryMock, ask } = asking(() => Promise.reject(unavailable))
    const first = ask(60_000)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await first).toBe(refused)
    const { length } = queryMock.mock.calls
    queryMock.mockResolvedValue([['POSTGRESQL']])
    expect(await ask()).toMatchObject({ code: 'INVALID_OPTION' })
    expect(queryMock).toHaveBeenCalledTimes(length + 1)
  })

  it('returns an error that does not come from the database without querying the dialect', async () => {
    const { queryMock, ask } = asking(async () => [['POSTGRESQL']])
    const own = Object.assign(new Error('mine'), { code: 'DATABASE' })
    expect(await ask(500, undefined, own)).toBe(own)
    expect(queryMock).not.toHaveBeenCalled()
  })
})

it.each([
  [googlesql, 'googlesql', '@isotherm/drizzle-adapter'],
  [spannerPostgresql, 'spannerPostgresql', '@isotherm/drizzle-adapter/postgresql'],
])(
  'otherDialect() names the dialect option and the Drizzle entry of the other dialect',
  (dialect, value, entry) => {
    const reported = dialect === googlesql ? spannerPostgresql : googlesql
    const { fix } = otherDialect({ formattedName_: 'd' } as Database, dialect, reported)
    expect(fix).toBe(
      `Use spanner(database, { dialect: ${value} }), or remove dialect; with Drizzle, import from '${entry}'.`,
    )
  },
)
