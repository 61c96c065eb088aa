import { afterEach, expect, it, vi } from 'vitest'
import { timeUuid } from '../../src/keys/uuid.js'

afterEach(() => void vi.useRealTimers())

/** Steps of 100 ns since 1970. */
function timeOf(uuid: string): bigint {
  const [low, mid, high] = uuid.split('-')
  return BigInt(`0x${high!.slice(1)}${mid}${low}`) - 122_192_928_000_000_000n
}

it('is a UUID of version 1 of the clock', () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T10:30:00.123Z'), toFake: ['Date'] })
  const uuid = timeUuid()
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(timeOf(uuid) / 10_000n).toBe(BigInt(Date.now()))
  // No network card is meant.
  expect(Number.parseInt(uuid.slice(24, 26), 16) & 1).toBe(1)
})

it('comes in order within a millisecond, and is never made twice', () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T10:30:00Z'), toFake: ['Date'] })
  const made = Array.from({ length: 25_000 }, timeUuid)
  expect(new Set(made).size).toBe(made.length)
  expect(
    made
      .map(timeOf)
      .slice(1, 9_000)
      .every((time, at) => time > timeOf(made[at]!)),
  ).toBe(true)
  expect(made.every((uuid) => timeOf(uuid) / 10_000n === BigInt(Date.now()))).toBe(true)
})

it('is never made twice where the clock is set back', () => {
  const made: string[] = []
  for (const second of [5, 4, 5, 4, 5]) {
    vi.useFakeTimers({ now: new Date(`2026-11-22T10:30:0${second}Z`), toFake: ['Date'] })
    for (let count = 0; count < 100; count++) made.push(timeUuid())
  }
  expect(new Set(made).size).toBe(500)
})
