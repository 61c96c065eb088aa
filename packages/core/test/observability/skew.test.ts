import type { PlainRow } from '@isotherm/core/tools'
import { hashOf, shardOf } from '@isotherm/core/keys'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scaled } from '../../../../test/support/runs.js'
import { drawing, rowOf, seeded, watched } from './support/watched.js'

const COUNTS = [2, 7, 64, 200, 2048]

/** As many keys as many users have: none of them is frequent. */
function users(shards: number): PlainRow[] {
  return Array.from({ length: 50_000 }, (_, at) => rowOf(BigInt(at), shards))
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockImplementation(seeded(42))
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(COUNTS)('skew detection for uniform keys over %i shards', (shards) => {
  const rows = users(shards)

  it('reports nothing for reads and writes of single rows', () => {
    const { skew, events } = watched(shards)
    const draw = drawing(rows, seeded(1))
    for (let at = 0; at < scaled(100_000); at++) {
      skew.keys('reads', [draw()])
      skew.keys('writes', [draw()])
    }
    expect(events).toEqual([])
  })

  it('reports nothing for writes and query results of 1 to 5,000 rows', () => {
    const { skew, events } = watched(shards)
    const draw = drawing(rows, seeded(2))
    const sizes = drawing([1, 1, 1, 7, 64, 65, 100, 1000, 5000], seeded(3))
    for (let left = scaled(1_000_000); left > 0;) {
      const size = sizes()
      const call = times(size, draw)
      skew.keys('writes', call)
      skew.shards(call, 'at')
      left -= size
    }
    expect(events).toEqual([])
  })

  it('reports nothing for calls whose rows belong to one random user each', () => {
    const { skew, events } = watched(shards)
    const draw = drawing(rows, seeded(4))
    const sizes = drawing([1, 1, 10, 50, 100], seeded(5))
    for (let left = scaled(300_000); left > 0;) {
      const size = sizes()
      const user = draw()
      const call = times(size, () => user)
      skew.keys('writes', call)
      skew.shards(call, 'at')
      left -= size
    }
    expect(events).toEqual([])
  })

  it('reports nothing for query results that contain every shard equally often', () => {
    const { skew, events } = watched(shards)
    const inTurn = rows.toSorted((a, b) => Number(a['shardId']) - Number(b['shardId']))
    const first = new Map(inTurn.map((row) => [row['shardId'], row]))
    const call = times(4096, (at) => first.get(BigInt(at % shards))!)
    for (let left = scaled(1_000_000); left > 0; left -= call.length) skew.shards(call, 'at')
    expect(events).toEqual([])
  })
})

describe.each(COUNTS)('skew detection for uneven keys over %i shards', (shards) => {
  const rows = users(shards)
  const hot = rows.filter((row) => row['shardId'] === 1n)

  it.each([1, 20, 5000])('reports a shard that gets nearly all writes, in calls of %i rows', (size) => {
    const { skew, events } = watched(shards)
    const random = seeded(6)
    const [any, ofHot] = [drawing(rows, random), drawing(hot, random)]
    for (let call = 0; call < 5000 / Math.sqrt(size); call++)
      skew.keys(
        'writes',
        times(size, () => (random() < 0.95 ? ofHot() : any())),
      )
    expect(events).toEqual([
      {
        table: 'Log',
        of: 'shard',
        by: 'writes',
        shard: 1,
        share: expect.closeTo(0.95, 1),
        fairShare: 1 / shards,
        rows: expect.any(Number),
      },
    ])
    expect(events[0]!.rows).toBeGreaterThanOrEqual(1000)
    expect(events[0]!.rows).toBeLessThanOrEqual(4000)
  })

  it('reports a shard that holds nearly all rows returned by queries', () => {
    const { skew, events } = watched(shards)
    const random = seeded(7)
    const [any, ofHot] = [drawing(rows, random), drawing(hot, random)]
    for (let call = 0; call < 200; call++)
      skew.shards(
        times(50, () => (random() < 0.95 ? ofHot() : any())),
        'at',
      )
    expect(events).toMatchObject([{ of: 'shard', by: 'reads', shard: 1 }])
  })

  it('reports a key that gets most reads, with its shard and its hash but without its value', () => {
    const { skew, events } = watched(shards)
    const random = seeded(8)
    const any = drawing(rows, random)
    const famous = rowOf(123_456_789_012_345n, shards)
    for (let call = 0; call < 5000; call++) skew.keys('reads', [random() < 0.6 ? famous : any()])
    const keyHash = BigInt.asUintN(64, hashOf([123_456_789_012_345n], 'farm-fingerprint') as bigint)
      .toString(16)
      .padStart(16, '0')
    const shard = Number(famous['shardId'])
    const key = events.filter(({ of }) => of === 'key')
    expect(key).toEqual([
      {
        table: 'Log',
        of: 'key',
        by: 'reads',
        shard,
        keyHash,
        share: expect.closeTo(0.6, 1),
        fairShare: 1 / shards,
        rows: 1000,
      },
    ])
    expect(events.every((event) => event.shard === shard)).toBe(true)
    expect(JSON.stringify(events)).not.toContain('123456789012345')
  })
})

describe('a skew report', () => {
  it('is emitted separately for reads and for writes', () => {
    const { skew, events } = watched(64)
    const row = rowOf(7n, 64)
    for (let call = 0; call < 2000; call++) {
      skew.keys('reads', [row])
      skew.keys('writes', [row])
    }
    expect(events.map(({ by, of }) => `${by} ${of}`)).toEqual([
      'reads shard',
      'reads key',
      'writes shard',
      'writes key',
    ])
  })

  it('is emitted once for the shard and once for the key in 100,000 writes of one row', () => {
    const { skew, events } = watched(64)
    const row = rowOf(7n, 64)
    for (let call = 0; call < 100_000; call++) skew.keys('writes', [row])
    expect(events).toHaveLength(2)
  })

  it('is not emitted for 20 writes of 80,000 equal rows each', () => {
    const { skew, events } = watched(64)
    const import_ = times(80_000, () => rowOf(7n, 64))
    for (let call = 0; call < 20; call++) skew.keys('writes', import_)
    expect(events).toEqual([])
  })

  it('is emitted for queries ordered by time, but not for queries ordered by user or shard', () => {
    const { skew, events } = watched(64)
    const ofOne = times(50, () => rowOf(7n, 64))
    for (let call = 0; call < 1000; call++) {
      skew.shards(ofOne, 'userId')
      skew.shards(ofOne, 'shardId')
    }
    expect(events).toEqual([])
    for (let call = 0; call < 1000; call++) skew.shards(ofOne, 'at')
    expect(events).toMatchObject([{ of: 'shard' }])
  })

  it('is repeated after reports of 1,100 other keys, because the memory of past reports is limited', () => {
    const { skew, events } = watched(64)
    const hot = (userId: bigint): void => {
      const row = rowOf(userId, 64)
      for (let call = 0; call < 1000; call++) skew.keys('writes', [row])
    }
    for (let userId = 0n; userId < 1100n; userId++) hot(userId)
    const before = events.length
    // Both its shard and its key were reported before; the report of the key is no longer remembered.
    hot(0n)
    expect(events.slice(before).map(({ of }) => of)).toEqual(['key'])
    hot(1099n)
    expect(events).toHaveLength(before + 1)
  })
})

it.each([
  ['bytes', Buffer.from('=hot')],
  ['string', '=hot'],
  ['string', 'h'.repeat(63)],
  ['string', 'h'.repeat(64)],
] as const)('reports a key of %s that gets most writes, by its hash: %j', (type, hot) => {
  const { skew, events } = watched(64, type)
  const random = seeded(10)
  const idOf = (text: string) => (type === 'bytes' ? Buffer.from(text) : text)
  for (let call = 0; call < 1000; call++) {
    // The same bytes are in another object each time.
    const userId = random() < 0.6 ? idOf(String(hot)) : idOf(`user ${call}`)
    skew.keys('writes', [{ shardId: BigInt(shardOf(userId, 64)), at: new Date(0), userId }])
  }
  const hash = BigInt.asUintN(64, hashOf([hot], 'farm-fingerprint') as bigint)
  expect(events.filter(({ of }) => of === 'key')).toMatchObject([
    { by: 'writes', shard: shardOf(hot, 64), keyHash: hash.toString(16).padStart(16, '0') },
  ])
})

describe('the few-shards report', () => {
  const SHARDS = 200
  /** A function that fills so many of the shards, each as much as the others. */
  const filled = (used: number): PlainRow[] =>
    times(20_000, (at) => ({ shardId: BigInt((at % used) * 3), at: new Date(0), userId: BigInt(at) }))

  it.each([
    [1, 5],
    [1, 60],
    [50, 5],
    [50, 60],
  ])('is emitted once for writes in calls of %i rows when %i of 200 shards get all rows', (size, used) => {
    const { skew, events } = watched(SHARDS)
    const draw = drawing(filled(used), seeded(7))
    for (let written = 0; written < 60_000; written += size) skew.keys('writes', times(size, draw))
    expect(events.filter(({ of }) => of === 'few-shards')).toEqual([
      {
        table: 'Log',
        of: 'few-shards',
        by: 'writes',
        shard: undefined,
        usedShards: used,
        share: 1,
        fairShare: 1 / SHARDS,
        rows: expect.any(Number),
      },
    ])
  })

  it('is not emitted when only 300 keys are written, or when the rows are only read', () => {
    const { skew, events } = watched(SHARDS)
    const rows = users(SHARDS)
    const few = drawing(rows.slice(0, 300), seeded(8))
    for (let at = 0; at < 60_000; at++) skew.keys('writes', [few()])
    const draw = drawing(filled(60), seeded(9))
    for (let at = 0; at < 60_000; at++) skew.keys('reads', [draw()])
    expect(events.filter(({ of }) => of === 'few-shards')).toEqual([])
  })
})
