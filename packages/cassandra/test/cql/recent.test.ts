import { expect, it, vi } from 'vitest'
import { Recent } from '../../src/cql/write-statements.js'

it('keeps so many at most, and makes again what is gone', () => {
  const recent = new Recent<object>(2)
  const make = vi.fn<() => object>(() => ({}))
  const first = recent.get('a', make)
  expect(recent.get('a', make)).toBe(first)
  recent.get('b', make)
  const third = recent.get('c', make)
  expect(make).toHaveBeenCalledTimes(3)
  expect(recent.get('c', make)).toBe(third)
  expect(recent.get('a', make)).not.toBe(first)
  expect(make).toHaveBeenCalledTimes(4)
})
