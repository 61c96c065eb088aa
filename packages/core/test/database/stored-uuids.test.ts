import { valueCodec, type Wire } from '@isotherm/core/engine'
import { keyWires, rowCodec } from '@isotherm/core/tools'
import { compileDdl, defineSchema, type UuidStorage, sql } from '@isotherm/core'
import { googlesql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wiresOf } from '../../src/engine/codec.js'
import { uuid } from '../support/arbitraries.js'
import { dialects, fieldOf, logLayout, logTable } from '../support/layout.js'
import { refusal, verdict } from '../support/refusal.js'

// A UUID is text in a row, a filter and a cursor. In the database it has the form of its storage.

/** Halves that are zero, all ones or at the limit of the sign more often than random halves. */
const half = fc.oneof(
  fc.constantFrom('0000000000000000', 'ffffffffffffffff', '7fffffffffffffff', '8000000000000000'),
  fc.stringMatching(/^[0-9a-f]{16}$/),
)
const anyUuid = fc.oneof(
  uuid,
  fc.tuple(half, half).map(([high, low]) => {
    const hex = high + low
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }),
)

const signed = (hex: string): bigint => BigInt.asIntN(64, BigInt(`0x${hex}`))
const halvesOf = (text: string): [bigint, bigint] => {
  const hex = text.replaceAll('-', '')
  return [signed(hex.slice(0, 16)), signed(hex.slice(16))]
}

/** How the database orders the stored columns, computed without the layout. */
const orders: Readonly<Record<UuidStorage, (a: string, b: string) => number>> = {
  text: (a, b) => (a < b ? -1 : Number(a > b)),
  native: (a, b) => (a < b ? -1 : Number(a > b)),
  bytes: (a, b) =>
    Buffer.compare(Buffer.from(a.replaceAll('-', ''), 'hex'), Buffer.from(b.replaceAll('-', ''), 'hex')),
  'int64-pair': (a, b) => {
    const [[highA, lowA], [highB, lowB]] = [halvesOf(a), halvesOf(b)]
    const order = (left: bigint, right: bigint): number => (left < right ? -1 : Number(left > right))
    return order(highA, highB) || order(lowA, lowB)
  },
}

const expectedWires: Readonly<Record<UuidStorage, (text: string) => readonly Wire[]>> = {
  text: (text) => [text],
  native: (text) => [text],
  bytes: (text) => [Buffer.from(text.replaceAll('-', ''), 'hex').toString('base64')],
  'int64-pair': (text) => halvesOf(text).map(String),
}

const expectedCells: Readonly<Record<UuidStorage, (text: string) => readonly unknown[]>> = {
  text: (text) => [text],
  native: (text) => [text],
  bytes: (text) => [Buffer.from(text.replaceAll('-', ''), 'hex')],
  'int64-pair': halvesOf,
}

describe.each(dialects)('UUID columns in $name', (dialect) => {
  const storages: readonly UuidStorage[] = ['text', 'native', 'bytes', 'int64-pair']

  describe.each(storages)('a UUID that is stored as %s', (storage) => {
    const layout = logLayout(dialect, (t) => ({
      before: t.int64().key(),
      id: t.uuid({ storage, name: 'the_id' }).key(),
      ref: t.uuid({ storage, nullable: true }),
      after: t.string(),
    }))
    const field = fieldOf(layout, 'id')

    it('wiresOf() writes a UUID in the form of its storage, and parse() returns the same text', () => {
      fc.assert(
        fc.property(anyUuid, (text) => {
          const wires = wiresOf(field, field.accept(text.toUpperCase()))
          expect(wires).toStrictEqual(expectedWires[storage](text))
          // A cursor carries wires as JSON to another process.
          expect(field.parse(JSON.parse(JSON.stringify(wires)) as Wire[])).toBe(text)
        }),
        { numRuns: 500 },
      )
    })

    it('rowCodec() decodes a UUID from the cells of a row at any position', () => {
      const codec = rowCodec(layout.fields)
      const width = expectedWires[storage]('00000000-0000-4000-8000-000000000000').length
      fc.assert(
        fc.property(anyUuid, fc.option(anyUuid), (id, ref) => {
          const ownCells = expectedCells[storage](id)
          const refCells =
            ref === null ? Array.from({ length: width }, () => null) : expectedCells[storage](ref)
          expect(codec.decode([7n, ...ownCells, ...refCells, 'x'])).toStrictEqual({
            before: 7n,
            id,
            ref,
            after: 'x',
          })
          expect(codec.columns).toHaveLength(2 + 2 * width)
        }),
      )
    })

    it('is ordered by compare() as the database orders the stored columns', () => {
      fc.assert(
        fc.property(anyUuid, anyUuid, anyUuid, (...texts) => {
          const [a, b, c] = texts
          expect(Math.sign(field.compare(a, b))).toBe(orders[storage](a, b))
          expect(field.compare(a, a)).toBe(0)
          expect(field.compare(a, b) === 0).toBe(a === b)
          const [first, second, third] = [a, b, c].toSorted((left, right) => field.compare(left, right))
          expect(field.compare(first, third)).toBeLessThanOrEqual(0)
          expect(field.compare(second, third)).toBeLessThanOrEqual(0)
        }),
        { numRuns: 500 },
      )
    })

    it('is compared by compare() one stored column after another, the first column first', () => {
      fc.assert(
        fc.property(anyUuid, anyUuid, (a, b) => {
          const wires = [a, b].map((text) => wiresOf(field, text))
          const differences = field.physical.map((column, at) => {
            const { parse, compare } = valueCodec(column.type, dialect.values)
            return Math.sign(compare(parse(wires[0]![at]!) as never, parse(wires[1]![at]!) as never))
          })
          expect(Math.sign(field.compare(a, b))).toBe(differences.find((each) => each !== 0) ?? 0)
        }),
        { numRuns: 500 },
      )
    })

    it('is NULL in all of its columns when it is NULL, and has nullable columns only if it is nullable', () => {
      const ref = fieldOf(layout, 'ref')
      expect(wiresOf(ref, null)).toStrictEqual(ref.physical.map(() => null))
      expect(ref.physical.every(({ nullable }) => nullable)).toBe(true)
      expect(field.physical.some(({ nullable }) => nullable)).toBe(false)
    })

    it('adds all its stored columns to the key', () => {
      const text = 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6'
      expect(keyWires(layout, { before: 7n, id: text, ref: null, after: '' })).toStrictEqual([
        '7',
        ...expectedWires[storage](text),
      ])
    })
  })

  it('have the column names and types of their storage', () => {
    const columnsOf = (storage: UuidStorage) =>
      fieldOf(
        logLayout(dialect, (t) => ({ id: t.uuidV4({ storage, name: 'the_id' }) })),
        'id',
      ).physical.map(({ name, type }) => [name, type])
    expect(columnsOf('text')).toStrictEqual([['the_id', { kind: 'uuid' }]])
    expect(columnsOf('native')).toStrictEqual([['the_id', { kind: 'uuid', storage: 'native' }]])
    expect(columnsOf('bytes')).toStrictEqual([['the_id', { kind: 'bytes', length: 16 }]])
    expect(columnsOf('int64-pair')).toStrictEqual([
      ['the_id_high', { kind: 'int64' }],
      ['the_id_low', { kind: 'int64' }],
    ])
  })

  const wrong: readonly (readonly [UuidStorage, readonly Wire[]])[] = [
    ['int64-pair', []],
    ['int64-pair', ['1']],
    ['int64-pair', ['1', null]],
    ['int64-pair', [null, '1']],
    ['int64-pair', [1, 2]],
    ['int64-pair', ['', '']],
    ['int64-pair', [' 1', '2']],
    ['int64-pair', ['0x10', '2']],
    ['int64-pair', ['01', '2']],
    ['int64-pair', ['-0', '2']],
    ['int64-pair', ['1.0', '2']],
    ['int64-pair', ['1', 'x']],
    ['int64-pair', ['9223372036854775808', '0']],
    ['int64-pair', ['0', '-9223372036854775809']],
    ['int64-pair', [true, '1']],
    ['int64-pair', [['1'], '1']],
    ['int64-pair', ['f81d4fae-7dec-41d0-a765-00a0c91e6bf6', '0']],
    ['bytes', []],
    ['bytes', ['']],
    ['bytes', [null]],
    ['bytes', [7]],
    ['bytes', ['AAAAAAAAAAAAAAAAAAAA']],
    ['bytes', [Buffer.alloc(17).toString('base64')]],
    ['bytes', [Buffer.alloc(16).toString('base64').replace('==', '')]],
    ['bytes', [Buffer.alloc(16, 0xfb).toString('base64url')]],
    ['bytes', [`${Buffer.alloc(16).toString('base64')}\n`]],
    ['bytes', ['f81d4fae-7dec-41d0-a765-00a0c91e6bf6']],
    ['native', ['f81d4fae7dec41d0a76500a0c91e6bf6']],
    ['text', [7]],
  ]

  it.each(wrong)(
    'parse() rejects values of the storage %s that are not valid UUIDs: %j',
    (storage, wires) => {
      const layout = logLayout(dialect, (t) => ({ id: t.uuid({ storage }).key() }))
      const error = refusal(() => fieldOf(layout, 'id').parse(wires))
      expect(error).toMatchObject({ code: 'INVALID_VALUE', table: 'Log', column: 'id' })
      expect(error.message).toMatch(/^Log\.id takes a UUID/)
    },
  )

  it('a uuidV4() column has a default for each stored column if the dialect can generate the value', () => {
    const made = (storage: UuidStorage) =>
      fieldOf(
        logLayout(dialect, (t) => ({ id: t.uuidV4({ storage }) })),
        'id',
      ).physical.map((column) => column.made?.by)
    expect(made('int64-pair')).toStrictEqual(['default', 'default'])
    expect(made('text')).toStrictEqual(['default'])
    expect(made('native')).toStrictEqual(['default'])
    // The PostgreSQL dialect has no function that converts a UUID to bytes.
    expect(made('bytes')).toStrictEqual([dialect.name === 'googlesql' ? 'default' : undefined])
  })

  it.each<UuidStorage>(['int64-pair', 'bytes'])(
    'the option hidden applies to all stored columns of a UUID with the storage %s',
    (storage) => {
      const option = { storage, hidden: true } as const
      const { physical } = fieldOf(
        logLayout(dialect, (t) => ({ id: t.uuidV4(), ref: t.uuid(option) })),
        'ref',
      )
      expect(physical.map(({ hidden }) => hidden)).toStrictEqual(physical.map(() => true))
    },
  )

  it.each(storages)('with the storage %s are allowed in a descending key in googlesql only', (storage) => {
    const Log = logTable((t) => ({ id: t.uuid({ storage }).key('desc') }))
    const ddl = () => compileDdl(defineSchema([Log]), { dialect })
    expect(verdict(ddl)).toBe(dialect === googlesql ? 'taken' : 'UNSUPPORTED_MODEL')
  })

  it('compileDdl() rejects another column named like one half of a UUID with the storage int64-pair', () => {
    for (const name of ['id_high', 'ID_LOW']) {
      const Log = logTable((t) => ({ id: t.uuidV4({ storage: 'int64-pair' }), other: t.int64({ name }) }))
      expect(refusal(() => compileDdl(defineSchema([Log]), { dialect }))).toMatchObject({
        table: 'Log',
      })
    }
  })

  // One expression cannot compute two columns; for the one column of bytes it is the default or the generated value.
  it.each<UuidStorage>(['int64-pair', 'bytes'])(
    'keeps the SQL of a default or a generated value of a UUID with the storage %s only in one column',
    (storage) => {
      for (const [options, by] of [
        [{ default: sql('x') }, 'default'],
        [{ generated: 'x' }, 'generated'],
      ] as const) {
        const made: unknown[] = []
        const refused = verdict(() => {
          const layout = logLayout(dialect, (t) => ({ id: t.uuidV4(), ref: t.uuid({ storage, ...options }) }))
          made.push(...fieldOf(layout, 'ref').physical.map((column) => column.made?.by))
        })
        // Only two columns cannot be computed by one expression.
        expect([refused, ...made]).toStrictEqual(storage === 'bytes' ? ['taken', by] : ['SCHEMA_INVALID'])
      }
    },
  )
})
