import type { ConditionalWrites, Driver } from '@isotherm/core'

/** The conditional writes of a driver that has no transactions. */
export function conditionalOf({ atomic }: Driver): ConditionalWrites {
  if (atomic.kind !== 'conditional-writes') throw new Error('This driver has transactions.')
  return atomic
}
