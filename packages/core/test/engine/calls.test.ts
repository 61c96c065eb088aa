import { answer } from '@isotherm/core/engine'
import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'

describe('a call under a deadline and a signal', () => {
  const never = (): Promise<never> => new Promise(() => {})

  it.each<[string, () => Promise<unknown>]>([
    ['answers', async () => 'a'],
    ['fails', () => Promise.reject(new Error('failed'))],
    [
      'fails before it waits for anything',
      () => {
        throw new Error('failed')
      },
    ],
  ])('leaves neither timer nor listener behind when it %s', async (_, call) => {
    vi.useFakeTimers()
    const { signal } = new AbortController()
    await answer(call, 10_000, { signal }).catch(() => {})
    const [timers, listeners] = [vi.getTimerCount(), getEventListeners(signal, 'abort').length]
    vi.useRealTimers()
    expect([timers, listeners]).toEqual([0, 0])
  })

  it('leaves nothing behind when it is cancelled, and begins nothing when it was before', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const waiting = answer(never, 10_000, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    const call = vi.fn<typeof never>(never)
    await expect(answer(call, 10_000, { signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    const left = [vi.getTimerCount(), getEventListeners(controller.signal, 'abort').length]
    vi.useRealTimers()
    expect(left).toEqual([0, 0])
    expect(call).not.toHaveBeenCalled()
  })
})
