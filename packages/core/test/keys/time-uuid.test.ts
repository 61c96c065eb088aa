import { afterEach, expect, it, vi } from 'vitest'
import { timeUuid } from '../../src/keys/uuid.js'

afterEach(() => void vi.useRealTimers())

/** Steps of 100 ns since 1970. */
function timeOf(uuid: string): bigint {
  const [low, mid, high] = uuid.split('-')
  return BigInt(`0x${high!.slice(1)}${mid}${low}`) - 122_192_928_000_000_000n
}

it('timeUuid() returns a UUID of version 1 with the current time', () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T10:30:00.123Z'), toFake: ['Date'] })
  const uuid = timeUuid()
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-1[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(timeOf(uuid) / 10_000n).toBe(BigInt(Date.now()))
  // The multicast bit is set: the node is not the address of a network card.
  expect(Number.parseInt(uuid.slice(24, 26), 16) & 1).toBe(1)
})

it('timeUuid() returns 25,000 unique UUIDs in one millisecond, the first 9,000 in ascending order', () => {
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

it('timeUuid() returns unique UUIDs when the clock goes back', () => {
  const made: string[] = []
  for (const second of [5, 4, 5, 4, 5]) {
    vi.useFakeTimers({ now: new Date(`2026-11-22T10:30:0${second}Z`), toFake: ['Date'] })
    for (let count = 0; count < 100; count++) made.push(timeUuid())
  }
  expect(new Set(made).size).toBe(500)
})
