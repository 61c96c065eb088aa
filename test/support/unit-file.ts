import { afterAll } from 'vitest'

// Timers that a test file leaves would fire in the next file: gRPC reconnects for a while after its client was closed, with timers
// that would be fake timers there, and counted.

const real = { setTimeout, setInterval }
const timers = new Set<NodeJS.Timeout>()

function kept<Start extends (...args: never[]) => NodeJS.Timeout>(start: Start): Start {
  const keep = (...args: Parameters<Start>): NodeJS.Timeout => {
    const timer = start(...args)
    timers.add(timer)
    return timer
  }
  return Object.assign(keep, start) as Start
}

Object.assign(globalThis, { setTimeout: kept(setTimeout), setInterval: kept(setInterval) })

afterAll(() => {
  Object.assign(globalThis, real)
  for (const timer of timers) clearTimeout(timer)
})
