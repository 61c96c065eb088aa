import { expect, test } from 'vitest'
import { formatLine } from '../src/log/format-line.js'
import { generateRequests } from '../src/log/generate.js'
import { parseLine } from '../src/log/parse-line.js'

const requests = [...generateRequests(10_000)]

test('as many as asked for, the same for the same seed', () => {
  expect(requests).toHaveLength(10_000)
  expect([...generateRequests(10_000)]).toEqual(requests)
  expect([...generateRequests(10, 2)]).not.toEqual(requests.slice(0, 10))
  expect([...generateRequests(0)]).toEqual([])
})

test('every line is parsed back', () => {
  expect(requests.map((request) => parseLine(formatLine(request)))).toEqual(requests)
})

test('clients send several requests in one second, and some clients send far more than others', () => {
  const perSecond = requests.map(({ client, time }) => `${client} ${time.getTime()}`)
  expect(new Set(perSecond).size).toBeLessThan(requests.length / 2)

  const byClient = new Map<string, number>()
  for (const { client } of requests) byClient.set(client, (byClient.get(client) ?? 0) + 1)
  const busiest = Math.max(...byClient.values())
  expect(byClient.size).toBeGreaterThan(500)
  expect(busiest).toBeGreaterThan((20 * requests.length) / byClient.size)
})

test('what is not HTTP is there too', () => {
  expect(requests.some(({ method }) => method === null)).toBe(true)
})
