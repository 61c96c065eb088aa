import { preciseDate } from '@isotherm/core/engine'
import type { PlainRow } from '@isotherm/core/tools'
import { IsothermError } from '@isotherm/core'
import { createHash } from 'node:crypto'
import { spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileWhere } from '../../src/rows/filter.js'
import { decodeCursor, encodeCursor, momentRefused, queryFingerprint } from '../../src/read/plan/cursor.js'
import { positionOf, rowAt, totalOrder, type WantedOrder } from '../../src/read/plan/order.js'
import {
  bytes,
  day,
  int53,
  int64,
  moment,
  numeric,
  text,
  timestamp,
  uuid,
  wideNumeric,
} from '../support/arbitraries.js'
import { dialects, logLayout } from '../support/layout.js'
import { refusal } from '../support/refusal.js'

const DAMAGED = 'INVALID_CURSOR: The cursor is damaged. Pass the cursor unchanged, as page() returned it.'
const UNFIT = 'INVALID_CURSOR: The cursor holds values that do not fit the query. Read the first page again.'

describe.each(dialects)('cursors in $name', (dialect) => {
  const layout = logLayout(dialect, (t) => ({
    shardId: t.shardKey({ shards: 64, of: ['userId'] }),
    at: t.descTimestamp(),
    userId: t.int64().key(),
    page: t.string({ nullable: true }),
    total: t.numeric({ nullable: true }),
    ratio: t.float64({ nullable: true }),
    digest: t.bytes({ nullable: true }),
    day: t.date({ nullable: true }),
    active: t.bool({ nullable: true }),
    count: t.int64({ as: 'number' }),
    pair: t.uuid({ nullable: true, storage: 'int64-pair' }),
    ref: t.uuid({ storage: 'bytes' }),
  }))

  const order = (...wanted: readonly (readonly [string, 'asc' | 'desc'])[]) =>
    totalOrder(
      layout,
      wanted.map(([property, direction]): WantedOrder => ({ property, direction })),
    )

  const everyTerm = order(
    ['page', 'asc'],
    ['total', 'desc'],
    ['ratio', 'asc'],
    ['digest', 'desc'],
    ['day', 'asc'],
    ['active', 'asc'],
    ['count', 'desc'],
    ['pair', 'asc'],
    ['ref', 'desc'],
  )
  const fingerprint = queryFingerprint(layout, undefined, everyTerm)

  const row: fc.Arbitrary<PlainRow> = fc
    .record({
      shardId: fc.bigInt({ min: 0n, max: 63n }),
      at: timestamp,
      userId: int64,
      page: fc.option(text),
      total: fc.option(dialect === spannerPostgresql ? wideNumeric : numeric),
      ratio: fc.option(fc.double().map((value) => (value === 0 ? 0 : value))),
      digest: fc.option(bytes),
      day: fc.option(day),
      active: fc.option(fc.boolean()),
      count: int53,
      pair: fc.option(uuid),
      ref: uuid,
    })
    .map((values) => ({ ...values }))

  const sample: PlainRow = {
    shardId: 7n,
    at: moment(1_770_091_506_789, 123_456),
    userId: -1n,
    page: 'Grüße 😀',
    total: '1.5',
    ratio: Number.NaN,
    digest: Buffer.from([0, 255]),
    day: '2026-02-03',
    active: null,
    count: Number.MIN_SAFE_INTEGER,
    pair: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
    ref: '00000000-0000-4000-8000-000000000000',
  }
  const cursor = encodeCursor(fingerprint, { position: positionOf(everyTerm, sample) })

  /** The result of decoding. Any error but an `IsothermError` passes through, and fails the test. */
  function answer(input: unknown): string {
    try {
      decodeCursor(input as string, fingerprint, everyTerm)
      return 'taken'
    } catch (error) {
      if (error instanceof IsothermError) return `${error.code}: ${error.message}`
      throw error
    }
  }

  /** The cursors that are not rejected as damaged. */
  function taken(cursors: readonly string[]): string[] {
    return cursors.filter((each) => answer(each) !== DAMAGED)
  }

  describe('encodeCursor() and decodeCursor()', () => {
    it('decodeCursor() restores the position of a row exactly, to the nanosecond and the last bit', () => {
      fc.assert(
        fc.property(row, (input) => {
          const position = positionOf(everyTerm, input)
          const decoded = decodeCursor(encodeCursor(fingerprint, { position }), fingerprint, everyTerm)
          expect(decoded).toStrictEqual({ position })
          expect(rowAt(everyTerm, decoded.position)).toStrictEqual(input)
        }),
        { numRuns: 500 },
      )
    })

    it('encodeCursor() returns the same text for the same row, with characters that are safe in a URL', () => {
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
      expect(encodeCursor(fingerprint, { position: positionOf(everyTerm, sample) })).toBe(cursor)
    })
  })

  describe('a signed cursor', () => {
    const position = positionOf(everyTerm, sample)
    const [old, fresh] = ['o'.repeat(32), Buffer.alloc(32, 7)]
    const signed = encodeCursor(fingerprint, { position }, [old])

    it('is accepted by decodeCursor() only if it was signed with one of the secrets', () => {
      for (const secrets of [[old], [fresh, old]])
        expect(decodeCursor(signed, fingerprint, everyTerm, secrets)).toStrictEqual({ position })
      for (const secrets of [[fresh], [], ['p'.repeat(32)]]) {
        const error = refusal(() => decodeCursor(signed, fingerprint, everyTerm, secrets))
        expect(error).toMatchObject({ code: 'INVALID_CURSOR' })
      }
      const error = refusal(() => decodeCursor(cursor, fingerprint, everyTerm, [old]))
      expect(error.message).toContain('is damaged, or was signed with another cursorSecret')
    })

    it('is rejected by decodeCursor() when any one character is changed', () => {
      for (let at = 0; at < signed.length; at++) {
        const changed = signed.slice(0, at) + (signed[at] === 'A' ? 'B' : 'A') + signed.slice(at + 1)
        expect(refusal(() => decodeCursor(changed, fingerprint, everyTerm, [old])).code).toBe(
          'INVALID_CURSOR',
        )
      }
    })
  })

  it('a cursor of a query with consistent pages carries its read timestamp, to the nanosecond', () => {
    const position = positionOf(everyTerm, sample)
    const readTimestamp = preciseDate('2026-11-21T10:00:00.123456789Z')
    const cursor = encodeCursor(fingerprint, { position, readTimestamp })
    const decoded = decodeCursor(cursor, fingerprint, everyTerm)
    expect(decoded.readTimestamp?.toISOString()).toBe('2026-11-21T10:00:00.123456789Z')
  })

  describe('a damaged cursor', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

    const positions = Array.from(cursor, (_, at) => at)

    it('decodeCursor() rejects an unsigned cursor with any one character changed', () => {
      const changed = positions.flatMap((at) => {
        // Neighbours in the alphabet differ in the lowest bits, which the end of a base64 text leaves unused.
        const value = alphabet.indexOf(cursor[at]!)
        const others = [value ^ 1, value ^ 2, value ^ 16, value ^ 32].map((other) => alphabet[other]!)
        return [...others, '+', '/', '=', ' ', '.', 'é', '\0'].map(
          (other) => cursor.slice(0, at) + other + cursor.slice(at + 1),
        )
      })
      expect(taken(changed)).toStrictEqual([])
    })

    it('decodeCursor() rejects a cursor with any one character removed or added', () => {
      expect(taken(positions.map((at) => cursor.slice(0, at) + cursor.slice(at + 1)))).toStrictEqual([])
      const longer = [...positions, cursor.length].flatMap((at) =>
        ['A', '_', '=', '\n'].map((more) => cursor.slice(0, at) + more + cursor.slice(at)),
      )
      expect(taken(longer)).toStrictEqual([])
    })

    it('decodeCursor() rejects a cursor that is cut off, doubled, in upper case or in padded base64', () => {
      expect(taken(positions.map((at) => cursor.slice(0, at)))).toStrictEqual([])
      const padded = Buffer.from(cursor, 'base64url').toString('base64').replace(/=*$/, '==')
      expect(taken([cursor + cursor, cursor.toUpperCase(), padded])).toStrictEqual([])
    })

    it.each([undefined, null, 7, {}, [], Buffer.from('x'), true])(
      'decodeCursor() rejects %j, which is not a text',
      (input) => {
        expect(answer(input)).toBe(DAMAGED)
      },
    )

    it('decodeCursor() rejects random texts and random values', () => {
      const garbage = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.string({ maxLength: 200 }),
        fc.base64String({ maxLength: 300 }),
        fc.array(fc.constantFrom(...alphabet), { maxLength: 300 }).map((all) => all.join('')),
        fc.anything(),
      )
      fc.assert(
        fc.property(garbage, (each) => {
          expect(answer(each)).toBe(DAMAGED)
        }),
        { numRuns: 2000 },
      )
    })
  })

  describe('a cursor of another query', () => {
    const where = (filter: Record<string, unknown>) => compileWhere(layout, filter)
    const wanted = order(['page', 'asc'])
    const query = queryFingerprint(layout, where({ userId: 7n }), wanted)
    const others = {
      'without a filter': queryFingerprint(layout, undefined, wanted),
      'with another value in the filter': queryFingerprint(layout, where({ userId: 8n }), wanted),
      'with another operator in the filter': queryFingerprint(layout, where({ userId: { gte: 7n } }), wanted),
      'with another property in the filter': queryFingerprint(layout, where({ shardId: 7n }), wanted),
      'with one more condition': queryFingerprint(layout, where({ userId: 7n, page: null }), wanted),
      'with the negated filter': queryFingerprint(layout, where({ NOT: { userId: 7n } }), wanted),
      'in another direction': queryFingerprint(layout, where({ userId: 7n }), order(['page', 'desc'])),
      'in another order': queryFingerprint(layout, where({ userId: 7n }), order(['total', 'asc'])),
      'without an order': queryFingerprint(layout, where({ userId: 7n }), order()),
      'over another table': queryFingerprint(
        { ...layout, table: { ...layout.table, name: 'Other' } },
        where({ userId: 7n }),
        wanted,
      ),
    }

    it.each(Object.entries(others))('decodeCursor() rejects a cursor of a query %s', (_, other) => {
      const foreign = encodeCursor(other, { position: positionOf(wanted, sample) })
      const error = refusal(() => decodeCursor(foreign, query, wanted))
      expect(error).toMatchObject({
        code: 'INVALID_CURSOR',
        fix: 'Pass it to the same table, filter and order that it came from.',
      })
      expect(error.message).toContain('The cursor belongs to another query.')
    })

    it('queryFingerprint() is equal for two forms of the same filter', () => {
      expect(queryFingerprint(layout, where({ userId: { eq: 7 } }), order(['page', 'asc']))).toBe(query)
    })
  })

  describe('a forged cursor', () => {
    /** A cursor as any reader of the code can make one: the checksum protects against damage, not against malice. */
    function forge(payload: unknown): string {
      const written = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const checksum = createHash('sha256').update(written).digest('hex').slice(0, 16)
      return Buffer.from(checksum + written).toString('base64url')
    }

    const position = positionOf(everyTerm, sample)

    it('is rejected by decodeCursor() when it has another version', () => {
      const version = (found: string) =>
        `INVALID_CURSOR: The cursor has version ${found}, not 1. Read the first page again.`
      expect(answer(forge([2, fingerprint, position]))).toBe(version('2'))
      expect(answer(forge([undefined, fingerprint, position]))).toBe(version('null'))
    })

    it('is rejected by decodeCursor() when it contains an array of 200,000 levels', () => {
      const deep = '['.repeat(200_000) + ']'.repeat(200_000)
      expect(answer(forge(deep))).toBe(
        'INVALID_CURSOR: The cursor has version that is not a number, not 1. Read the first page again.',
      )
      const text = JSON.stringify([1, fingerprint])
      for (const [forged, said] of [
        [`[1,${deep},[]]`, 'INVALID_CURSOR: The cursor belongs to another query.'],
        [`${text.slice(0, -1)},${deep}]`, UNFIT],
        [`${text.slice(0, -1)},[${position.map(() => `[${deep}]`).join(',')}]]`, UNFIT],
        [`${text.slice(0, -1)},${JSON.stringify(position)},${deep}]`, UNFIT],
      ] as const)
        expect(answer(forge(forged))).toContain(said)
    })

    it.each([
      '2026-11-22',
      '2026',
      'now',
      5,
      null,
      [],
      '2026-02-30T00:00:00Z',
      '0001-01-01T00:00:00Z',
      '1969-12-31T23:59:59.999Z',
      '+275760-09-13T00:00:00.000Z',
    ])('is rejected by decodeCursor() when its read timestamp is %j', (moment) => {
      expect(answer(forge([1, fingerprint, position, moment]))).toBe(UNFIT)
    })

    it.each([5, null, true, 'text', {}, 'not json', '', '[', '[1'])(
      'is rejected by decodeCursor() when its payload is %j',
      (payload) => {
        expect(answer(forge(payload))).toMatch(/^INVALID_CURSOR: The cursor .*\.$/)
      },
    )

    it.each([
      ['an empty list', []],
      ['a number', 7],
      ['null', null],
      ['an object', {}],
      ['too few terms', position.slice(1)],
      ['too many terms', [...position, ['1']]],
      ['terms that are not arrays', position.map(([wire]) => wire)],
      ['terms without values', position.map(() => [])],
      ['terms with too many values', position.map(([wire]) => [wire, wire])],
      ['values of other types', position.map((wires) => wires.map(() => ({})))],
      ['NULL in every term', position.map((wires) => wires.map(() => null))],
      ['one half of each UUID', position.map((wires) => (wires.length === 2 ? [wires[0]!] : wires))],
      [
        'NULL for the second half of each UUID',
        position.map((wires) => (wires.length === 2 ? [wires[0]!, null] : wires)),
      ],
      [
        'NULL for the first half of each UUID',
        position.map((wires) => (wires.length === 2 ? [null, wires[1]!] : wires)),
      ],
      ['a list of the terms in reverse order', position.toReversed()],
    ])('is rejected by decodeCursor() when its position is %s', (_, forged) => {
      expect(answer(forge([1, fingerprint, forged]))).toBe(UNFIT)
    })

    it('decodeCursor() accepts an unsigned cursor that another program made correctly', () => {
      expect(decodeCursor(forge([1, fingerprint, position]), fingerprint, everyTerm)).toStrictEqual({
        position,
      })
    })
  })
})

describe('momentRefused()', () => {
  const notFound = (message: string) => new IsothermError('NOT_FOUND', message)

  it('returns INVALID_CURSOR when the table or its index did not exist at the read timestamp', () => {
    for (const message of ['Table not found: Log.', 'Index not found on table Log: LogByPage.'])
      expect(momentRefused('Log', notFound(message))).toMatchObject({ code: 'INVALID_CURSOR' })
  })

  it('returns the original error when the database, the session or another table does not exist', () => {
    for (const message of [
      'Database not found: projects/p/instances/i/databases/Log',
      'Session not found: projects/p/instances/Log/databases/d/sessions/s',
      'Table not found: Other.',
    ]) {
      const error = notFound(message)
      expect(momentRefused('Log', error)).toBe(error)
    }
  })
})
