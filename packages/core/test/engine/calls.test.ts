import { answer, onAbort } from '@isotherm/core/engine'
import { getEventListeners, once } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connection } from '../support/standstill.js'

afterEach(() => void vi.useRealTimers())

describe('answer() and onAbort()', () => {
  const never = (): Promise<never> => new Promise(() => {})

  it.each<[string, () => Promise<unknown>]>([
    ['returns', async () => 'a'],
    ['rejects', () => Promise.reject(new Error('failed'))],
    [
      'throws before the first await',
      () => {
        throw new Error('failed')
      },
    ],
  ])('answer() leaves no timer and no abort listener behind when the call %s', async (_, call) => {
    vi.useFakeTimers()
    const { signal } = new AbortController()
    await answer(call, 10_000, { signal }).catch(() => {})
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  it('answer() leaves no timer and no listener behind when cancelled, and does not start an aborted call', async () => {
    vi.useFakeTimers()
    const controller = new AbortController()
    const waiting = answer(never, 10_000, { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    const call = vi.fn<typeof never>(never)
    await expect(answer(call, 10_000, { signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect([vi.getTimerCount(), getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
    expect(call).not.toHaveBeenCalled()
  })

  it('answer() shares one abort listener of a signal between all calls', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const waiting = Array.from({ length: 50 }, () => answer(never, 10_000, { signal }))
    await answer(async () => 'a', 10_000, { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    controller.abort()
    const ended = await Promise.allSettled(waiting)
    expect(ended.every((each) => each.status === 'rejected' && each.reason.code === 'CANCELLED')).toBe(true)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('onAbort() does not call a listener that another listener has removed', () => {
    const controller = new AbortController()
    const called: string[] = []
    onAbort(controller.signal, () => {
      called.push('first')
      forget()
    })
    const forget = onAbort(controller.signal, () => called.push('second'))
    controller.abort()
    expect(called).toEqual(['first'])
  })

  it('onAbort() calls a listener once for each registration that was not removed', () => {
    const controller = new AbortController()
    const listener = vi.fn<() => void>()
    const forget = onAbort(controller.signal, listener)
    onAbort(controller.signal, listener)
    onAbort(controller.signal, listener)
    forget()
    controller.abort()
    expect(listener).toHaveBeenCalledTimes(2)
  })

  it('onAbort() calls the other listeners when a listener throws, and the error becomes an uncaught exception', async () => {
    const controller = new AbortController()
    const failure = new Error('thrown by a listener')
    const uncaught = process.rawListeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const thrown = once(process, 'uncaughtException')
    const listener = vi.fn<() => void>()
    onAbort(controller.signal, () => {
      throw failure
    })
    onAbort(controller.signal, listener)
    controller.abort()
    expect(listener).toHaveBeenCalledTimes(1)
    expect((await thrown)[0]).toBe(failure)
    for (const each of uncaught) process.on('uncaughtException', each as () => void)
  })

  it('answer() returns an answer that arrived while the event loop was blocked beyond the timeout', async () => {
    const { socket, answerInStandstill } = await connection()
    const answered = answer(() => once(socket, 'data'), 20)
    answerInStandstill(20)
    await expect(answered).resolves.toEqual([Buffer.from('answer')])
  })
})
