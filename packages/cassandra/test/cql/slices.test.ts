import type { KeyRange, PhysicalKeyPart, Wire } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import { googlesql } from '@isotherm/spanner'
import { describe, expect, it } from 'vitest'
import { type Slice, slicesOf } from '../../src/cql/clauses.js'
import type { KeyOrder } from '../../../core/src/layout/layout.js'
import { compareKeys, isInRange } from '../../../core/test/fan-out/support/key-order.js'
import { type Direction, partsOf } from './support/key.js'

// Every dialect orders integers in the same way, so any dialect can compare them in this test.
const dialect = googlesql
const values = ['-1', '0', '7'] as const

const directions = fc.array(fc.constantFrom<Direction>('asc', 'desc'), { minLength: 1, maxLength: 4 })

/** The directions of the clustering columns of a table, a range of the table, and how the range is read. */
const readings = directions.chain((order) => {
  const bound = fc.array(fc.constantFrom(...values), { maxLength: order.length })
  return fc.record({
    order: fc.constant(order),
    range: fc.record({ start: bound, startOpen: fc.boolean(), end: bound, endOpen: fc.boolean() }),
    tuples: fc.boolean(),
    reversed: fc.boolean(),
  })
})

function keyOrder(key: readonly PhysicalKeyPart[]): KeyOrder {
  return { key, shard: undefined }
}

/** All possible keys, in order. */
function allKeys(key: readonly PhysicalKeyPart[]): Wire[][] {
  let keys: Wire[][] = [[]]
  for (const _ of key) keys = keys.flatMap((beginning) => values.map((value) => [...beginning, value]))
  return keys.sort((a, b) => compareKeys(dialect, keyOrder(key), a, b))
}

/** Reads as the engine does: compares values without regard to the direction of the range. */
function isInSlice(wires: readonly Wire[], { equal, lower, upper }: Slice): boolean {
  const rest = wires.slice(equal.length)
  const compare = (bound: readonly Wire[]): number => {
    const at = bound.findIndex((wire, at) => wire !== rest[at])
    return at < 0 ? 0 : Number(rest[at]) - Number(bound[at])
  }
  return (
    equal.every((wire, at) => wire === wires[at]) &&
    (!lower || compare(lower.wires) > (lower.open ? 0 : -1)) &&
    (!upper || compare(upper.wires) < (upper.open ? 0 : 1))
  )
}

function rowOf(key: readonly PhysicalKeyPart[], wires: readonly Wire[]) {
  return Object.fromEntries(key.map(({ field }, at) => [field.column.property, BigInt(wires[at] as string)]))
}

describe('slicesOf', () => {
  it('returns slices with exactly the keys of the range, in order and without duplicates', () => {
    fc.assert(
      fc.property(readings, ({ order, range, tuples, reversed }) => {
        const key = partsOf(order)
        const keys = allKeys(key)
        const read = slicesOf(key, range, { tuples, reversed }).flatMap((slice) => {
          const rows = keys.filter((wires) => isInSlice(wires, slice))
          return reversed ? rows.toReversed() : rows
        })
        const wanted = keys.filter((wires) => isInRange(dialect, keyOrder(key), rowOf(key, wires), range))
        expect(read).toEqual(reversed ? wanted.toReversed() : wanted)
      }),
      { numRuns: 3_000 },
    )
  })

  it('returns bounds over one column, or over a tuple of columns with the same direction', () => {
    fc.assert(
      fc.property(readings, ({ order, range, tuples, reversed }) => {
        for (const { equal, lower, upper } of slicesOf(partsOf(order), range, { tuples, reversed })) {
          for (const { wires } of [lower, upper].filter((bound) => bound !== undefined)) {
            const bounded = order.slice(equal.length, equal.length + wires.length)
            expect(bounded).toHaveLength(tuples ? wires.length : 1)
            expect(new Set(bounded).size).toBe(1)
          }
        }
      }),
    )
  })

  const behind = (...start: string[]): KeyRange => ({ start, startOpen: true, end: [], endOpen: false })

  it('continues after a key in two slices, or in one slice when tuples are compared', () => {
    const key = partsOf(['desc', 'desc'])
    expect(slicesOf(key, behind('5', '7'), { tuples: false, reversed: false })).toEqual([
      { equal: ['5'], upper: { wires: ['7'], open: true } },
      { equal: [], upper: { wires: ['5'], open: true } },
    ])
    expect(slicesOf(key, behind('5', '7'), { tuples: true, reversed: false })).toEqual([
      { equal: [], upper: { wires: ['5', '7'], open: true } },
    ])
  })

  it('does not compare columns with opposite directions as a tuple', () => {
    const key = partsOf(['desc', 'asc'])
    for (const tuples of [true, false]) {
      expect(slicesOf(key, behind('5', '7'), { tuples, reversed: false })).toEqual([
        { equal: ['5'], lower: { wires: ['7'], open: true } },
        { equal: [], upper: { wires: ['5'], open: true } },
      ])
    }
  })

  it('compares adjacent columns with the same direction as a tuple', () => {
    const key = partsOf(['asc', 'asc', 'desc', 'desc'])
    expect(slicesOf(key, behind('1', '2', '3', '4'), { tuples: true, reversed: false })).toEqual([
      { equal: ['1', '2'], upper: { wires: ['3', '4'], open: true } },
      { equal: [], lower: { wires: ['1', '2'], open: true } },
    ])
  })

  it('returns one slice for a whole partition, and no slice when an open bound excludes the partition', () => {
    const key = partsOf(['asc', 'desc'])
    const all: KeyRange = { start: [], startOpen: false, end: [], endOpen: false }
    const options = { tuples: false, reversed: false }
    expect(slicesOf(key, all, options)).toEqual([{ equal: [] }])
    expect(slicesOf(key, { ...all, startOpen: true }, options)).toEqual([])
  })

  it('returns no slice for a range whose end is before its start', () => {
    const key = partsOf(['desc', 'asc'])
    const range: KeyRange = { start: ['1', '2'], startOpen: false, end: ['5', '2'], endOpen: false }
    expect(slicesOf(key, range, { tuples: false, reversed: false })).toEqual([])
  })

  it('returns no slice for a range with NULL in a key column', () => {
    const range: KeyRange = { start: [null], startOpen: false, end: [null], endOpen: false }
    expect(slicesOf(partsOf(['asc', 'asc']), range, { tuples: true, reversed: false })).toEqual([])
  })
})
