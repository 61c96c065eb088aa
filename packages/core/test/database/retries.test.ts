import { Limits, withRetries } from '@isotherm/core/engine'
import { IsothermError } from '@isotherm/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

// The clock is the test's own, so that nothing is waited for.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** The times, in milliseconds, at which a call is made that fails until then. */
async function attempts(
  details: ConstructorParameters<typeof IsothermError>[2],
  options: { readonly timeoutMs?: number; readonly until?: number } = {},
): Promise<{ readonly at: readonly number[]; readonly end: unknown }> {
  const { until = Infinity, ...limits } = options
  const began = performance.now()
  const at: number[] = []
  const call = withRetries(async () => {
    at.push(performance.now() - began)
    if (at.at(-1)! < until) throw new IsothermError('UNAVAILABLE', 'Nobody is there.', details)
    return 'done'
  }, new Limits(limits)).catch((error: unknown) => error)
  await vi.runAllTimersAsync()
  return { at, end: await call }
}

const failed = expect.objectContaining({ code: 'UNAVAILABLE' }) as unknown

describe('a call that fails', () => {
  it('is made once where that will not pass', async () => {
    expect(await attempts({})).toEqual({ at: [0], end: failed })
  })

  it('is made five times where it may', async () => {
    const { at, end } = await attempts({ retryable: true })
    expect(end).toEqual(failed)
    expect(at).toHaveLength(5)
  })

  it('is made again for as long as the error says that it may last', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 }, { until: 15_000 })
    expect(end).toBe('done')
    expect(at.length).toBeGreaterThan(5)
  })

  it('is given up once that time is over', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 })
    expect(end).toEqual(failed)
    expect(at.at(-1)).toBeGreaterThanOrEqual(20_000)
    expect(at.at(-2)).toBeLessThan(20_000)
  })

  it('is made no more than five times where they took longer', async () => {
    expect((await attempts({ retryable: true, retryFor: 1 })).at).toHaveLength(5)
  })

  it('is given up at the timeout, whatever the error says', async () => {
    const { at, end } = await attempts({ retryable: true, retryFor: 20_000 }, { timeoutMs: 3_000 })
    expect(end).toEqual(failed)
    expect(at.at(-1)).toBeLessThan(3_000)
  })
})
