import type { ValueCodec } from '@isotherm/core/engine'
import * as fc from 'fast-check'

/** The result of a check of a property that holds. */
export const HOLDS = { failed: false, counterexample: null }

/** The order of a type's values: antisymmetric, transitive, and equal only to itself. */
export function totalOrder(
  { accept, compare, encode }: ValueCodec,
  arbitrary: fc.Arbitrary<unknown>,
): fc.IProperty<unknown[]> {
  const order = (a: unknown, b: unknown): number => Math.sign(compare(a as never, b as never))
  return fc.property(arbitrary, arbitrary, arbitrary, (...values) => {
    const [a, b, c] = values.map(accept).toSorted(order)
    return (
      order(a, a) === 0 &&
      order(a, b) + order(b, a) === 0 &&
      order(a, b) <= 0 &&
      order(b, c) <= 0 &&
      order(a, c) <= 0 &&
      (order(a, b) === 0) === (JSON.stringify(encode(a)) === JSON.stringify(encode(b)))
    )
  }) as unknown as fc.IProperty<unknown[]>
}
