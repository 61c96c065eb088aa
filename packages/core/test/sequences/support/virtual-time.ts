import { vi } from 'vitest'

/** Stops the clock, so that only tests let time pass. Immediates still run, which lets promises settle. */
export function stopTime(): void {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z') })
}

/** Lets everything happen that needs no time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass, timer by timer, until something is so, or so many milliseconds are over. */
export async function passUntil(isDone: () => boolean, max = 600_000): Promise<void> {
  const end = performance.now() + max
  await settled()
  while (!isDone() && vi.getTimerCount() > 0 && performance.now() < end) {
    vi.advanceTimersToNextTimer()
    await settled()
  }
}

/** The outcome of a promise while time passes; throws if the promise never settles. */
export async function inTime<T>(work: Promise<T>, max?: number): Promise<T> {
  let isDone = false
  const done = (): void => {
    isDone = true
  }
  work.then(done, done)
  await passUntil(() => isDone, max)
  if (!isDone) throw new Error('It waits for ever.')
  return work
}

export async function pass(milliseconds: number): Promise<void> {
  let isDone = false
  setTimeout(() => (isDone = true), milliseconds)
  await passUntil(() => isDone)
}
