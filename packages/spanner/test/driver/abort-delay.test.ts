import { describe, expect, it } from 'vitest'
import { delayAfterAbort } from '../../src/driver/abort-delay.js'

const KEY = 'google.rpc.retryinfo-bin'

/** An error of the transport, with what the database said beside it. */
function aborted(...said: readonly Buffer[]) {
  const entries = new Map<string, readonly unknown[]>(said.length > 0 ? [[KEY, said]] : [])
  return {
    metadata: {
      get: (key: string) => entries.get(key) ?? [],
      set: (key: string, value: Buffer) => void entries.set(key, [value]),
    },
  }
}

/** The delay in milliseconds, read as the protocol has it: field 1 is the delay, its field 2 the nanoseconds. */
function delayOf({ metadata }: ReturnType<typeof aborted>): number {
  const [field, length, nanos, ...bytes] = metadata.get(KEY)[0] as Buffer
  expect([field, length, nanos]).toEqual([0x0a, bytes.length + 1, 0x10])
  return bytes.reduce((sum, byte, at) => sum + (byte & 0x7f) * 2 ** (7 * at), 0) / 1e6
}

describe('the rest before an aborted transaction runs again', () => {
  it('is short at first, longer each time, and never more than a second', () => {
    for (let before = 0; before < 40; before++) {
      const error = aborted()
      delayAfterAbort(error, before)
      const longest = Math.min(10 * 2 ** before, 1000)
      const delay = delayOf(error)
      expect(delay).toBeLessThanOrEqual(longest)
      expect(delay).toBeGreaterThanOrEqual(longest / 2)
    }
  })

  it('is what the database says, where it says anything', () => {
    const said = Buffer.from([0x0a, 0x02, 0x08, 0x07])
    const error = aborted(said)
    delayAfterAbort(error, 3)
    expect(error.metadata.get(KEY)).toEqual([said])
  })

  it('is left to the client for an error that has no place for it', () => {
    const error = new Error('Session not found')
    expect(() => delayAfterAbort(error, 0)).not.toThrow()
  })
})
