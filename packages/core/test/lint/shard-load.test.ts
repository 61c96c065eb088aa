import { IsothermError } from '@isotherm/core'
import { keyspacesCql, partitionShards } from '@isotherm/cassandra'
import { splitShards } from '@isotherm/spanner'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const load = { writesPerSecond: 2_000, rowBytes: 3_000 }

describe('partitionShards() and splitShards()', () => {
  it('partitionShards() computes the write units, read units and shards that a load needs on Keyspaces', () => {
    expect(partitionShards({ ...load, readsPerSecond: 500, headroom: 0.5 }, keyspacesCql)).toStrictEqual({
      writeUnitsPerRow: 3,
      writeUnits: 6_000,
      forWrites: 9,
      readUnitsPerRow: 1,
      readUnits: 500,
      forReads: 1,
      shards: 9,
      limit: { writeUnits: 1_000, readUnits: 3_000, certain: true },
      largestRow: 1_048_576,
    })
  })

  it.each([
    [1_024, 1],
    [1_025, 2],
    [0, 1],
    [1_048_576, 1_024],
  ])('partitionShards() counts a row of %d bytes as %d write units', (rowBytes, writeUnitsPerRow) => {
    expect(partitionShards({ writesPerSecond: 1, rowBytes }, keyspacesCql)).toMatchObject({
      writeUnitsPerRow,
    })
  })

  it.each([
    [{ writesPerSecond: 0, rowBytes: 1 }, 1],
    [{ writesPerSecond: 1_000, rowBytes: 1_024 }, 1],
    [{ writesPerSecond: 1_001, rowBytes: 1_024 }, 2],
    [{ writesPerSecond: 1, rowBytes: 1, readsPerSecond: 3_001 }, 2],
  ])('partitionShards() returns for the load %j a shard count of %d', (load, shards) => {
    expect(partitionShards(load, keyspacesCql).shards).toBe(shards)
  })

  it('splitShards() returns the shards that a load needs on Spanner, and the maximum that the nodes can use', () => {
    expect(splitShards(load, 3)).toStrictEqual({
      writesPerSecond: 2_000,
      writesPerSplit: 1_000,
      shards: 2,
      maxShards: 30,
    })
    expect(splitShards({ ...load, headroom: 0.5 })).toMatchObject({ shards: 3, writesPerSecond: 3_000 })
    expect(splitShards({ ...load, writesPerSecond: 50_000 }, 3)).toMatchObject({ shards: 50, maxShards: 50 })
  })

  it('partitionShards() returns the smallest shard count that keeps each partition within 1,000 write units', () => {
    const loads = fc.record({
      writesPerSecond: fc.integer({ min: 1, max: 1_000_000 }),
      rowBytes: fc.integer({ min: 1, max: 1_000_000 }),
    })
    fc.assert(
      fc.property(loads, (load) => {
        const { shards, writeUnits } = partitionShards(load, keyspacesCql)
        expect(writeUnits / shards).toBeLessThanOrEqual(1_000)
        expect(writeUnits / (shards - 1)).toBeGreaterThan(1_000)
      }),
    )
  })

  it.each([
    [{ ...load, writesPerSecond: -1 }, 'writesPerSecond is -1.'],
    [{ ...load, rowBytes: Number.NaN }, 'rowBytes is NaN.'],
    [{ ...load, readsPerSecond: Number.POSITIVE_INFINITY }, 'readsPerSecond is Infinity.'],
    [{ ...load, headroom: -0.5 }, 'headroom is -0.5.'],
  ])('reject %j', (load, message) => {
    for (const shards of [() => partitionShards(load, keyspacesCql), () => splitShards(load)]) {
      expect(shards).toThrow(IsothermError)
      expect(shards).toThrow(message)
    }
  })
})
