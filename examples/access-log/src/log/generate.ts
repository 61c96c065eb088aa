import type { ParsedRequest } from './parse-line.js'

const CLIENTS = 1_750
const FIRST = Date.UTC(2025, 5, 1)
const DOCUMENTATION_NETWORKS = ['192.0.2', '198.51.100', '203.0.113']

const PAGES = [
  '/',
  '/blog/',
  '/projects/',
  '/articles/hot-keys/',
  '/articles/caf\u00e9/',
  '/docs/?q="shard"',
  '/feed.xml',
]
const ASSETS = [
  '/style.css',
  '/site.js',
  '/images/logo.png',
  '/images/chart.svg',
  '/fonts/text.woff2',
  '/favicon.ico',
]
const STATUSES = [200n, 200n, 200n, 200n, 200n, 200n, 200n, 200n, 304n, 301n, 404n]
const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
]

/**
 * Requests like those of a real server: a few clients dominate, a page is followed by its assets within the same second,
 * now and then something that is not HTTP at all. The same seed gives the same requests.
 */
export function* generateRequests(count: number, seed = 1): Generator<ParsedRequest, void, undefined> {
  const random = randomNumbers(seed)
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
  let left = count
  let time = FIRST
  while (left > 0) {
    time += Math.floor(random() * 200) * 1000
    const rank = Math.floor(CLIENTS * random() ** 2.5)
    const client = clientOf(rank)
    const page = pick(PAGES)
    const agent = rank === 0 ? 'ExampleBot/1.0 (+https://crawler.example.net/)' : pick(BROWSERS)
    const assets = rank === 0 ? 0 : Math.floor(random() * 7)
    for (let at = 0; at <= assets && left > 0; at++, left--) {
      const status = pick(STATUSES)
      yield random() < 0.001
        ? { ...noHttp, time: new Date(time), client }
        : {
            time: new Date(time),
            client,
            method: random() < 0.01 ? 'HEAD' : 'GET',
            path: at === 0 ? page : pick(ASSETS),
            status,
            bytes: status === 304n ? null : BigInt(Math.floor(200 / (random() + 0.001))),
            referrer: at === 0 ? null : `https://www.example.org${page}`,
            agent,
          }
    }
  }
}

/** What a TLS client says to a port that does not speak TLS. */
const noHttp = {
  method: null,
  path: '\x16\x03\x01',
  status: 400n,
  bytes: 226n,
  referrer: null,
  agent: null,
} as const

function clientOf(rank: number): string {
  if (rank === 0) return 'crawler.example.net'
  const network = DOCUMENTATION_NETWORKS[Math.floor(rank / 254)]
  return network === undefined ? `2001:db8::${rank.toString(16)}` : `${network}.${(rank % 254) + 1}`
}

/** Mulberry32: numbers in [0, 1), random enough for a demo. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
