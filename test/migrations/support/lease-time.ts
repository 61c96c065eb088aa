import { onTestFinished, vi } from 'vitest'
import { leaseClock } from '../../../packages/migrations/src/history/lease-clock.js'

/** Stops the time of all leases in this process until the test ends: it passes only when the test says so. */
export function stopLeaseTime() {
  const timers = new Map<() => void, number>()
  let now = 0
  let wall = Date.now()
  const spies = [
    vi.spyOn(leaseClock, 'now').mockImplementation(() => now),
    vi.spyOn(leaseClock, 'wall').mockImplementation(() => wall),
    vi.spyOn(leaseClock, 'after').mockImplementation((milliseconds, call) => {
      timers.set(call, now + milliseconds)
      return () => timers.delete(call)
    }),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return {
    /** Starts the renewals that are due after this time, after the previous renewals have ended. */
    async pass(milliseconds: number): Promise<void> {
      await vi.waitUntil(() => timers.size > 0, 60_000)
      now += milliseconds
      wall += milliseconds
      for (const [call, at] of timers) {
        if (at > now) continue
        timers.delete(call)
        call()
      }
    },
    /** Time in which the machine sleeps. */
    sleep: (milliseconds: number): void => void (wall += milliseconds),
  }
}
