import { Limits, withRetries } from '@isotherm/core/engine'
import { IsothermError } from '@isotherm/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

// Fake timers, so that the tests do not wait.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** The times, in milliseconds, at which a call is made that fails until `until`. */
async function attempts(
  details: ConstructorParameters<typeof IsothermError>[2],
  options: { readonly timeoutMs?: number; readonly until?: number } = {},
): Promise<{ readonly at: readonly number[]; readonly end: unknown }> {
  const { until = Infinity, ...limits } = options
  const began = performance.now()
  const at: number[] = []
  const call = withRetries(async () => {
    at.push(performance.now() - began)
    if (at.at(-1)! < until) throw new IsothermError('UNAVAILABLE', 'No server answers.', details)
    return 'done'
  }, new Limits(limits)).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { at, end: await call }
}

const failed = expect.objectContaining({ code: 'UNAVAILABLE' }) as unknown

describe('withRetries()', () => {
  it('makes one call if the error is not retryable', async () => {
    expect(await attempts({})).toEqual({ at: [0], end: failed })
  })

  it('makes five calls if the error is retryable', async () => {
    const { at, end } = await attempts({ retryable: true })
    expect(end).toEqual(failed)
    expect(at).toHaveLength(5)
  })

  it('repeats the call for more than five calls within retryFor of the error', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 }, { until: 15_000 })
    expect(end).toBe('done')
    expect(at.length).toBeGreaterThan(5)
  })

  it('throws the error once retryFor of the error is over', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 })
    expect(end).toEqual(failed)
    expect(at.at(-1)).toBeGreaterThanOrEqual(20_000)
    expect(at.at(-2)).toBeLessThan(20_000)
  })

  it('makes five calls even if retryFor is shorter than their backoff', async () => {
    expect((await attempts({ retryable: true, retryFor: 1 })).at).toHaveLength(5)
  })

  it('throws the error by timeoutMs even if retryFor of the error is longer', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 }, { timeoutMs: 3_000 })
    expect(end).toEqual(failed)
    expect(at.at(-1)).toBeLessThan(3_000)
  })
})
