import { expect, test } from 'vitest'
import { bars, share, shown } from '../src/print.js'

test('shown() replaces control characters, so that a client cannot send them to the terminal', () => {
  expect(shown('a\u001B[31m\u0007\u009Bb\u202E\u2028é日')).toBe('a·[31m··b··é日')
})

test('shown() cuts a long text at its maximum length', () => {
  expect([shown('abc', 3), shown('abcd', 3)]).toEqual(['abc', 'ab…'])
})

test('bars() draws bars whose heights are proportional to the numbers', () => {
  expect([bars([8, 4, 1, 0]), bars([0, 0])]).toEqual(['█▄▁▁', '▁▁'])
})

test('share() returns a percentage, or a dash when the whole is zero', () => {
  expect([share(1, 64), share(0, 0)]).toEqual(['1.6 %', '–'])
})
