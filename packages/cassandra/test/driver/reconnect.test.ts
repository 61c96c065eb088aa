import { errors, type Client } from 'cassandra-driver'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { cassandraCapabilities } from '../../src/cql/capabilities.js'
import type { CqlStatement } from '../../src/cql/statements.js'
import { Session } from '../../src/driver/execute.js'

afterEach(() => void vi.restoreAllMocks())

const statement: CqlStatement = { text: 'x', parameters: [], idempotent: true, kind: 'write', routing: [] }
const down = new errors.NoHostAvailableError({ '10.0.0.1:9042': 'Host considered as DOWN' })
const closed = Object.assign(new Error('Socket was closed'), { isSocketError: true })
const busy = new errors.ResponseError(0x1000, 'Cannot achieve')

/** Writes through a client that fails the given number of times; each attempt takes 100 milliseconds. */
async function write(failures: number, error: Error, purpose: 'write' | 'once' = 'write') {
  let now = 0
  let sent = 0
  let writtenAt: number | null | undefined
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  // Makes the pauses between attempts as short as possible.
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const client = {
    keyspace: 'shop',
    options: { contactPoints: ['10.0.0.1:9042'] },
    async execute(_text: string, _values: unknown, { timestamp }: { readonly timestamp?: number | null }) {
      sent++
      writtenAt = timestamp
      now += 100
      if (sent <= failures) throw error
      return { rows: [] }
    },
  } as unknown as Client
  const consistency = { read: 'one', write: 'one', serial: 'serial' } as const
  const has = cassandraCapabilities
  const session = new Session(client, { name: 'Cassandra', has, timeoutMs: 10_000, consistency })
  const result = session.call(purpose, {}, (call) => call.write(statement))
  const code = await result.then(
    () => 'written',
    ({ code: why }: { readonly code: string }) => why,
  )
  return { sent, code, writtenAt }
}

describe('a write after the client has lost its nodes', () => {
  it.each([
    ['never reached the nodes', down],
    ['lost its connection', closed],
  ])('is repeated until the nodes are reachable again, when the write %s', async (_, error) => {
    // The client reconnects after up to 1,150 milliseconds.
    expect(await write(15, error)).toMatchObject({ sent: 16, code: 'written' })
  })

  it('fails with UNAVAILABLE when the nodes do not come back', async () => {
    const { sent, code } = await write(Infinity, down)
    expect(code).toBe('UNAVAILABLE')
    expect(sent).toBeLessThan(50)
  })

  it('is sent three times when a node answers with the error 0x1000 (unavailable)', async () => {
    expect(await write(Infinity, busy)).toMatchObject({ sent: 3, code: 'UNAVAILABLE' })
  })

  it('fails with OUTCOME_UNKNOWN when the connection breaks and the write must not run twice', async () => {
    expect(await write(1, closed, 'once')).toMatchObject({ sent: 1, code: 'OUTCOME_UNKNOWN' })
  })

  it('is repeated although it must not run twice when it certainly had no effect', async () => {
    expect(await write(15, down, 'once')).toMatchObject({ sent: 16, code: 'written' })
    expect(await write(2, busy, 'once')).toMatchObject({ sent: 3, code: 'written' })
  })

  it('is repeated with the millisecond of the first attempt as write time after a lost answer', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(1_763_800_000_123)
    expect(await write(2, closed)).toMatchObject({
      sent: 3,
      code: 'written',
      writtenAt: 1_763_800_000_123_999,
    })
    expect(await write(0, closed)).toMatchObject({ sent: 1, writtenAt: null })
  })
})
