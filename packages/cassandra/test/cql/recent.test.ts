import { expect, it, vi } from 'vitest'
import { Recent } from '../../src/cql/write-statements.js'

it('Recent keeps at most its maximum number of entries, and creates a removed entry again', () => {
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
