import type { Wire } from '@isotherm/core/engine'
import { rowCodec } from '@isotherm/core/tools'
import { spannerPostgresql } from '@isotherm/spanner'
import * as fc from 'fast-check'
import { isLosslessNumber, LosslessNumber } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { dialects, fieldOf, logLayout, logTable } from '../support/layout.js'
import { refusal, verdict } from '../support/refusal.js'

// A document keeps the digits of its numbers: a value that a number cannot hold exactly is a bigint, or its text.

const columns = (t: Parameters<Parameters<typeof logTable>[0]>[0]) => ({ id: t.int64().key(), doc: t.json() })

describe.each(dialects)('JSON documents in $name', (dialect) => {
  const layout = logLayout(dialect, columns)
  const field = fieldOf(layout, 'doc')
  const [encode] = field.physical.map((column) => column.encode.bind(column))
  const codec = rowCodec(layout.fields)
  /** Reads a document from its text, as the driver returns it. */
  const read = (text: string): unknown => codec.decode([1n, text])['doc']
  const text = fc
    .string({ unit: 'binary', maxLength: 10 })
    .filter((each) => dialect !== spannerPostgresql || !each.includes('\0'))

  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    fc.constantFrom(2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, 1e300, 5e-324, 1e21, 2 ** 53, -(2 ** 60)),
  )
  const { document } = fc.letrec<{ document: unknown }>((tie) => ({
    document: fc.oneof(
      { depthSize: 'small' },
      number,
      text,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(text, tie('document'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))

  it('a document read from its stored text equals the document that was accepted', () => {
    fc.assert(
      fc.property(document, (input) => {
        const accepted = field.accept(input)
        expect(field.accept(accepted)).toStrictEqual(accepted)
        const wire = encode!(accepted)
        expect(field.parse([JSON.parse(JSON.stringify(wire)) as Wire])).toStrictEqual(accepted)
        expect(read(wire as string)).toStrictEqual(accepted)
      }),
      { numRuns: 500 },
    )
  })

  it('a whole number is read as a number up to 53 bits, and as a bigint above', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), (whole) => {
        const shown = Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
        expect(field.accept([whole])).toStrictEqual([shown])
        expect(read(`[${whole}]`)).toStrictEqual([shown])
        expect(encode!(field.accept(whole))).toBe(String(whole))
      }),
    )
  })

  it('a whole double outside the 64-bit integers is written with ".0" and read as the same double', () => {
    for (const double of [2 ** 53, -(2 ** 63), 1e21, 1e300]) {
      const wire = encode!(field.accept(double)) as string
      expect(wire).toMatch(/^-?\d+\.0$/)
      expect([Number(wire), read(wire)]).toStrictEqual([double, double])
    }
  })

  it.each([
    ['a property with undefined is left out', { a: undefined, b: 1 }, { b: 1 }],
    ['a property with a function is left out', { a: () => 1 }, {}],
    ['undefined and a function in a list become null', [undefined, () => 1], [null, null]],
    ['a Date becomes the text of toJSON()', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a boxed value becomes a primitive value', [Object('a'), Object(1)], ['a', 1]],
    ['a negative zero becomes 0', [-0], [0]],
  ])('a document is converted as by JSON.stringify: %s', (_, input, shown) => {
    expect(field.accept(input)).toStrictEqual(shown)
  })

  it('a negative zero in stored text is read as 0', () => {
    const shown = { a: [0, 0, 0], b: { c: 0 }, d: -0.5, e: '-0, -0.0', f: -1 }
    const text = '{"a":[-0, -0.0,-0e5],"b":{"c":-0.00},"d":-0.5,"e":"-0, -0.0","f":-1}'
    expect(read(text)).toStrictEqual(shown)
    expect(read('-0')).toBe(0)
  })

  it('a property named __proto__ does not change the prototype of the document', () => {
    const accepted = field.accept(JSON.parse('{"__proto__": {"a": 1}}')) as object
    expect(Object.getPrototypeOf(accepted)).toBe(Object.prototype)
    expect(encode!(accepted)).toBe('{"__proto__":{"a":1}}')
    expect(Object.getPrototypeOf(read('{"__proto__": {"a": 12345678901234567890}}') as object)).toBe(
      Object.prototype,
    )
  })

  it('a document is accepted up to the maximum depth of the database, and rejected beyond and if circular', () => {
    const deep = (levels: number): unknown => {
      let nested: unknown = 1
      for (let level = 0; level < levels; level++) nested = level % 2 === 0 ? [nested] : { a: nested }
      return nested
    }
    const levels = dialect === spannerPostgresql ? 1000 : 80
    expect(verdict(() => field.accept(deep(levels)))).toBe('taken')
    expect(refusal(() => field.accept(deep(levels + 1)))).toMatchObject({
      code: 'INVALID_VALUE',
      column: 'doc',
    })
    const circular: Record<string, unknown> = {}
    circular['self'] = [circular]
    expect(refusal(() => field.accept(circular)).message).toContain('or the document contains itself')
  })

  describe('a decimal with more digits than a double holds', () => {
    const digits = '0.1000000000000000055511151231257828'

    it('keeps all digits in jsonb, and is rejected by databases that would round the decimal', () => {
      const input = [new LosslessNumber(digits)]
      const kept = dialect === spannerPostgresql
      expect(verdict(() => field.accept(input))).toBe(kept ? 'taken' : 'INVALID_VALUE')
      const shown = read(`[${digits}]`) as unknown[]
      expect(kept ? String(shown[0]) : shown[0]).toBe(kept ? digits : 0.1)
      expect(isLosslessNumber(shown[0])).toBe(kept)
    })

    it('is converted to a number or a bigint if the conversion is exact', () => {
      expect(
        field.accept([new LosslessNumber('1.50'), new LosslessNumber('9007199254740993')]),
      ).toStrictEqual([1.5, 9007199254740993n])
    })
  })
})
