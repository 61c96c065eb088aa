import { expect, test } from 'vitest'
import { formatLine } from '../src/log/format-line.js'
import { generateRequests } from '../src/log/generate.js'
import { parseLine } from '../src/log/parse-line.js'

const requests = [...generateRequests(10_000)]

test('generateRequests() returns the requested number of requests, equal for equal seeds', () => {
  expect(requests).toHaveLength(10_000)
  expect([...generateRequests(10_000)]).toEqual(requests)
  expect([...generateRequests(10, 2)]).not.toEqual(requests.slice(0, 10))
  expect([...generateRequests(0)]).toEqual([])
})

test('parseLine() returns each generated request from its formatted line', () => {
  expect(requests.map((request) => parseLine(formatLine(request)))).toEqual(requests)
})

test('generateRequests() has several requests of a client in one second, and a few very busy clients', () => {
  const perSecond = requests.map(({ client, time }) => `${client} ${time.getTime()}`)
  expect(new Set(perSecond).size).toBeLessThan(requests.length / 2)

  const byClient = new Map<string, number>()
  for (const { client } of requests) byClient.set(client, (byClient.get(client) ?? 0) + 1)
  const busiest = Math.max(...byClient.values())
  expect(byClient.size).toBeGreaterThan(500)
  expect(busiest).toBeGreaterThan((20 * requests.length) / byClient.size)
})

test('generateRequests() has requests that are not HTTP', () => {
  expect(requests.some(({ method }) => method === null)).toBe(true)
})
