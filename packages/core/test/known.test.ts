import { expect, it } from 'vitest'
import { itemAt, known, paired, present } from '../src/known.js'

it('known(), itemAt(), present() and paired() return existing entries', () => {
  expect(known(new Map([['a', 1]]), 'a')).toBe(1)
  expect(itemAt(['a', 'b'], 0)).toBe('a')
  expect(itemAt(['a', 'b'], -1)).toBe('b')
  expect(present(null, 'value')).toBeNull()
  expect(paired([1, 2], ['a', undefined])).toEqual([
    [1, 'a'],
    [2, undefined],
  ])
})

it('known(), itemAt(), present() and paired() throw an error that names the missing entry', () => {
  expect(() => known(new Map([['a', 1]]), 'b')).toThrow('There is no entry for b: a defect of Isotherm.')
  expect(() => itemAt([], 0)).toThrow('There is no item 0 in a list of 0: a defect of Isotherm.')
  expect(() => present(undefined, 'column Order.id')).toThrow('There is no column Order.id')
  expect(() => paired([1, 2], ['a'])).toThrow('A list of 1 has no pair for each of 2.')
})
