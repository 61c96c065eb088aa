import { describe, expect, it } from 'vitest'
import { delayAfterAbort } from '../../src/driver/abort-delay.js'

const KEY = 'google.rpc.retryinfo-bin'

/** An error of the transport with the metadata that the database sent. */
function aborted(...said: readonly Buffer[]) {
  const entries = new Map<string, readonly unknown[]>(said.length > 0 ? [[KEY, said]] : [])
  return {
    metadata: {
      get: (key: string) => entries.get(key) ?? [],
      set: (key: string, value: Buffer) => void entries.set(key, [value]),
    },
  }
}

/** The delay in milliseconds, in the encoding of the protocol: field 1 is the delay, and its field 2 the nanoseconds. */
function delayOf({ metadata }: ReturnType<typeof aborted>): number {
  const [field, length, nanos, ...bytes] = metadata.get(KEY)[0] as Buffer
  expect([field, length, nanos]).toEqual([0x0a, bytes.length + 1, 0x10])
  return bytes.reduce((sum, byte, at) => sum + (byte & 0x7f) * 2 ** (7 * at), 0) / 1e6
}

describe('delayAfterAbort()', () => {
  it('sets a delay that doubles with each attempt, up to one second', () => {
    for (let before = 0; before < 40; before++) {
      const error = aborted()
      delayAfterAbort(error, before)
      const longest = Math.min(10 * 2 ** before, 1000)
      const delay = delayOf(error)
      expect(delay).toBeLessThanOrEqual(longest)
      expect(delay).toBeGreaterThanOrEqual(longest / 2)
    }
  })

  it('keeps a delay that the database sent', () => {
    const said = Buffer.from([0x0a, 0x02, 0x08, 0x07])
    const error = aborted(said)
    delayAfterAbort(error, 3)
    expect(error.metadata.get(KEY)).toEqual([said])
  })

  it('accepts an error without metadata', () => {
    const error = new Error('Session not found')
    expect(() => delayAfterAbort(error, 0)).not.toThrow()
  })
})
