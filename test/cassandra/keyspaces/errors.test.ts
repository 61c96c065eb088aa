import { describe, expect, it } from 'vitest'
import { openKeyspaces } from './support/open.js'
import { fresh, insert, readAll, update, upsert } from './support/post.js'
import { refusals } from './support/refusals.js'
import type { Answer } from './support/server.js'

type Expected = readonly [code: string, retryable: boolean, attempts: number]

interface Refusal {
  readonly name: string
  readonly answer: Answer
  readonly read: Expected
  /** One that may be made twice. */
  readonly write: Expected
  /** One under a condition. */
  readonly checked: Expected
}

/** One node, so that the client cannot try another node. */
const cases: readonly Refusal[] = [
  {
    name: 'unavailable',
    answer: refusals.unavailable,
    read: ['UNAVAILABLE', true, 1],
    write: ['UNAVAILABLE', true, 3],
    checked: ['UNAVAILABLE', true, 3],
  },
  {
    name: 'overloaded',
    answer: refusals.overloaded,
    read: ['UNAVAILABLE', true, 1],
    write: ['UNAVAILABLE', true, 3],
    checked: ['UNAVAILABLE', true, 3],
  },
  {
    name: 'bootstrapping',
    answer: refusals.bootstrapping,
    read: ['UNAVAILABLE', true, 1],
    write: ['UNAVAILABLE', true, 3],
    checked: ['UNAVAILABLE', true, 3],
  },
  {
    name: 'read timeout',
    answer: refusals.readTimeout,
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'read failure',
    answer: refusals.readFailure,
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'write timeout',
    answer: refusals.writeTimeout('SIMPLE'),
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'write timeout of a condition',
    answer: refusals.writeTimeout('CAS'),
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'write failure',
    answer: refusals.writeFailure('SIMPLE'),
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'unknown outcome of a condition',
    answer: refusals.casUnknown,
    read: ['UNAVAILABLE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  {
    name: 'server error',
    answer: refusals.serverError,
    read: ['DATABASE', true, 1],
    write: ['OUTCOME_UNKNOWN', true, 3],
    checked: ['OUTCOME_UNKNOWN', false, 1],
  },
  ...(
    [
      ['syntax', 'DATABASE'],
      ['unauthorized', 'DATABASE'],
      ['invalid', 'DATABASE'],
      ['missing', 'NOT_FOUND'],
      ['alreadyExists', 'ALREADY_EXISTS'],
    ] as const
  ).map(([name, code]): Refusal => {
    const expected = [code, false, 1] as const
    return { name, answer: refusals[name], read: expected, write: expected, checked: expected }
  }),
]

describe.each(cases)('the Keyspaces answer $name', ({ answer, read, write, checked }) => {
  it.each([
    ['a read', read],
    ['a write', write],
    ['a checked write', checked],
  ] as const)(
    'makes %s fail with its code and retryable flag, after the expected number of attempts',
    async (what, [code, retryable, attempts]) => {
      await using open = await openKeyspaces()
      open.server.answer(/"post"/, answer)
      const call =
        what === 'a read'
          ? open.driver.read(readAll)
          : open.driver.writes.commit([what === 'a write' ? upsert : insert])
      await expect(call).rejects.toMatchObject({ code, retryable })
      expect(open.server.requests).toHaveLength(attempts)
    },
  )
})

it('commit() repeats a write without an answer, with the same text and values', async () => {
  await using open = await openKeyspaces()
  const answers: Answer[] = [refusals.writeTimeout('SIMPLE'), refusals.overloaded, 'nothing']
  open.server.answer(/"post"/, () => answers.shift()!)
  await open.driver.writes.commit([fresh])
  const [first, ...others] = open.server.requests.map(({ text, values }) => ({ text, values }))
  expect(others).toEqual([first, first])
  // NULL of a new row is not written at all.
  expect(first!.values.at(-1)).toBeUndefined()
})

it('commit() throws OUTCOME_UNKNOWN if an attempt timed out, even if the last attempt was rejected', async () => {
  await using open = await openKeyspaces()
  const answers: Answer[] = [refusals.writeTimeout('SIMPLE'), refusals.unavailable, refusals.unavailable]
  open.server.answer(/"post"/, () => answers.shift()!)
  await expect(open.driver.writes.commit([upsert])).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    retryable: true,
  })
})

it('the error of a read timeout suggests more shards', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/SELECT/, refusals.readTimeout)
  await expect(open.driver.read(readAll)).rejects.toThrow(/more shards/)
})

it('commit() throws ALREADY_EXISTS for an insert and NOT_FOUND for an update that was not applied', async () => {
  await using open = await openKeyspaces()
  open.server.answer(/"post"/, { columns: { '[applied]': 'boolean' }, rows: [[false]] })
  await expect(open.driver.writes.commit([insert])).rejects.toMatchObject({
    code: 'ALREADY_EXISTS',
    table: 'post',
  })
  await expect(open.driver.writes.commit([update])).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

describe('a server that does not answer', () => {
  it.each([
    ['a read', 'TIMEOUT'],
    ['a write', 'OUTCOME_UNKNOWN'],
    ['a checked write', 'OUTCOME_UNKNOWN'],
  ] as const)('makes %s throw %s at its timeout', async (what, code) => {
    await using open = await openKeyspaces()
    open.server.answer(/"post"/, 'silence')
    await open.client.connect()
    const options = { timeoutMs: 200 }
    const call =
      what === 'a read'
        ? open.driver.read(readAll, options)
        : open.driver.writes.commit([what === 'a write' ? upsert : insert], options)
    await expect(call).rejects.toMatchObject({ code })
  })

  it.each([
    ['a read', 'CANCELLED'],
    ['a write', 'OUTCOME_UNKNOWN'],
  ] as const)('makes %s throw %s when the call is cancelled', async (what, code) => {
    await using open = await openKeyspaces()
    const stop = new AbortController()
    open.server.answer(/"post"/, () => {
      stop.abort()
      return 'silence'
    })
    const options = { signal: stop.signal }
    const call =
      what === 'a read' ? open.driver.read(readAll, options) : open.driver.writes.commit([upsert], options)
    await expect(call).rejects.toMatchObject({ code })
  })
})

it('the driver sends nothing for a call that is cancelled before, has no time left or an invalid timeout', async () => {
  await using open = await openKeyspaces()
  const signal = AbortSignal.abort()
  await expect(open.driver.read(readAll, { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(open.driver.writes.commit([upsert], { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(open.driver.writes.commit([upsert], { timeoutMs: 0 })).rejects.toMatchObject({
    code: 'TIMEOUT',
  })
  await expect(open.driver.read(readAll, { timeoutMs: Number.NaN })).rejects.toMatchObject({
    code: 'INVALID_VALUE',
  })
  expect(open.server.requests).toEqual([])
})

it('reads and writes throw UNAVAILABLE if no server is reachable', async () => {
  const open = await openKeyspaces()
  await open.server.stop()
  await using _ = open
  await expect(open.driver.read(readAll)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
  // Nothing can have been written by a client that has no connection.
  await expect(open.driver.writes.commit([upsert])).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryable: true,
  })
})
