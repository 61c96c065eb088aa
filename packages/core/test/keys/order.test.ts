import { compareDecimal, compareText } from '@isotherm/core/engine'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterPrefix, compareBytes } from '../../src/keys/order.js'

// Characters around which the order of UTF-16 units and the order of code points differ.
const edges = [
  '',
  'a',
  'b',
  '\0',
  '\u007F',
  '\u0080',
  '\u07FF',
  '\uD7FF',
  '\uE000',
  '\uFFFF',
  '\u{10000}',
  '\u{10FFFE}',
  '\u{10FFFF}',
]

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.constantFrom(...edges), { maxLength: 5 }).map((characters) => characters.join('')),
)

describe('compareText()', () => {
  it('orders texts by their UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(a.isWellFormed() && b.isWellFormed()).toBe(true)
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
      { numRuns: 3000 },
    )
  })

  it('orders characters above U+FFFF after U+FFFF, unlike the operator <', () => {
    expect(['\uFFFF', '\u{10000}'].toSorted()).toStrictEqual(['\u{10000}', '\uFFFF'])
    expect(compareText('\u{10000}', '\uFFFF')).toBeGreaterThan(0)
    expect(compareText('\uFFFF', '\u{10000}')).toBeLessThan(0)
    expect(compareText('\u{10000}', '\u{10001}')).toBeLessThan(0)
    expect(compareText('\uD7FF', '\u{10000}')).toBeLessThan(0)
  })

  it('orders a prefix before a longer text', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, a + b))).toBe(b === '' ? 0 : -1)
      }),
    )
  })
})

describe('afterPrefix()', () => {
  it('returns the smallest text after all texts with the prefix', () => {
    const pair = fc.oneof(
      fc.tuple(text, text),
      fc.tuple(text, text).map(([prefix, rest]): [string, string] => [prefix, prefix + rest]),
    )
    fc.assert(
      fc.property(pair, ([prefix, other]) => {
        const after = afterPrefix(prefix)
        const inside =
          compareText(other, prefix) >= 0 && (after === undefined || compareText(other, after) < 0)
        expect(inside).toBe(other.startsWith(prefix))
      }),
      { numRuns: 3000 },
    )
  })

  it('returns well-formed text that is greater than the prefix', () => {
    fc.assert(
      fc.property(text, (prefix) => {
        const after = afterPrefix(prefix)
        if (after === undefined) return
        expect(after.isWellFormed()).toBe(true)
        expect(compareText(after, prefix)).toBeGreaterThan(0)
      }),
    )
  })

  it.each([
    ['a', 'b'],
    ['az', 'a{'],
    ['\uD7FF', '\uE000'],
    ['\uFFFF', '\u{10000}'],
    ['a\u{10FFFF}', 'b'],
    ['a\u{10FFFF}\u{10FFFF}', 'b'],
    ['', undefined],
    ['\u{10FFFF}', undefined],
    ['\u{10FFFF}\u{10FFFF}', undefined],
  ])('returns for the prefix %j the value %j', (prefix, after) => {
    expect(afterPrefix(prefix)).toBe(after)
  })

  it('accepts a prefix of 2,621,440 characters, the maximum size of a cell', () => {
    const long = 'x'.repeat(2_621_440)
    expect(afterPrefix(long)).toBe(`${'x'.repeat(2_621_439)}y`)
  })
})

describe('compareDecimal()', () => {
  const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${max}}$`))
  const decimal = fc
    .tuple(fc.constantFrom('', '-', '+'), digits(29), digits(9))
    .filter(([, whole, fraction]) => whole !== '' || fraction !== '')
    .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`)
  const small = fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '1',
    '1.0',
    '01',
    '-1',
    '-1.5',
    '1.5',
    '1.50',
    '.5',
    '-.5',
    '10',
    '9.999',
  )

  /** In units of 10^-9. */
  function scaled(value: string): bigint {
    const [whole = '', fraction = ''] = value.replace(/^[+-]/, '').split('.')
    const units = BigInt(whole + fraction.padEnd(9, '0'))
    return value.startsWith('-') ? -units : units
  }

  it('orders decimals by value for any number of digits and leading or trailing zeros', () => {
    fc.assert(
      fc.property(fc.oneof(decimal, small), fc.oneof(decimal, small), (a, b) => {
        const left = scaled(a)
        const right = scaled(b)
        expect(compareDecimal(a, b)).toBe(left < right ? -1 : left > right ? 1 : 0)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('compareBytes()', () => {
  it('orders bytes as unsigned numbers, and a prefix before longer bytes', () => {
    expect(compareBytes(Uint8Array.of(0x7f), Uint8Array.of(0x80))).toBe(-1)
    expect(compareBytes(Uint8Array.of(1), Uint8Array.of(1, 0))).toBe(-1)
    expect(compareBytes(Uint8Array.of(2), Uint8Array.of(1, 255))).toBe(1)
    expect(compareBytes(Uint8Array.of(), Uint8Array.of())).toBe(0)
  })
})
