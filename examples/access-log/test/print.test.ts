import { expect, test } from 'vitest'
import { bars, share, shown } from '../src/print.js'

test('a client cannot reach the terminal through what it sent', () => {
  expect(shown('a\u001B[31m\u0007\u009Bb\u202E\u2028é日')).toBe('a·[31m··b··é日')
})

test('a long text is cut', () => {
  expect([shown('abc', 3), shown('abcd', 3)]).toEqual(['abc', 'ab…'])
})

test('a bar is as high as its number is large', () => {
  expect([bars([8, 4, 1, 0]), bars([0, 0])]).toEqual(['█▄▁▁', '▁▁'])
})

test('a share of nothing is none', () => {
  expect([share(1, 64), share(0, 0)]).toEqual(['1.6 %', '–'])
})
