import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hottest, shardBars } from '../src/heat.js'
import { bar, counted, cut, fit, printable, wrap } from '../src/text.js'

test.each([80, 110])('64 shards fit a screen of %i columns, whatever they hold', (width) => {
  const counts = fc.array(fc.nat(1_000_000), { minLength: 64, maxLength: 64 })
  fc.assert(
    fc.property(counts, (rows) => {
      const lines = shardBars(rows, width)
      expect(lines).toHaveLength(16)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
    }),
  )
})

test('shards are read downwards, column by column', () => {
  expect(shardBars([8, 4, 2, 1, 8, 4, 2, 1], 40)).toEqual([
    '0 ████ 8  2 █    2  4 ████ 8  6 █    2',
    '1 ██   4  3 ▌    1  5 ██   4  7 ▌    1',
  ])
})

test('the hottest shard and its share', () => {
  expect(hottest([1, 6, 3])).toEqual({ shard: 1, share: 0.6 })
  expect(hottest([0, 0])).toEqual({ shard: 0, share: 0 })
})

test('a bar is as long as its share', () => {
  expect([0, 0.25, 0.5, 1].map((share) => bar(share, 4))).toEqual(['', '█', '██', '████'])
  expect(bar(1 / 32, 4)).toBe('▏')
})

test('a client cannot reach the terminal through what it sent', () => {
  expect(printable('a\u001B[31m\u0007\u009Bb\u202E\u2028é日')).toBe('a·[31m··b··é日')
})

test('texts are cut and wrapped to a width', () => {
  expect([cut('abc', 3), cut('abcd', 3), cut('😀😀😀', 2), fit('a', 3)]).toEqual(['abc', 'ab…', '😀…', 'a  '])
  expect(wrap('short\n  one two three', 12)).toEqual(['short', '  one two', '      three'])
  expect(wrap('x'.repeat(25), 12)).toEqual(['x'.repeat(12), `    ${'x'.repeat(8)}`, `    ${'x'.repeat(5)}`])
  expect([counted(0, 'row'), counted(1, 'row'), counted(2_000, 'row')]).toEqual([
    '0 rows',
    '1 row',
    '2,000 rows',
  ])
})
