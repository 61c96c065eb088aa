import { asAsked } from './pace.js'
import type { SequenceOptions, SequencePlace } from './place.js'
import { TableSequence } from './table-sequence.js'

/**
 * Numbers in order, each taken in a transaction of its own before the one that uses it: what that does not write is a gap.
 * Those who ask at the same time get their numbers by one transaction.
 *
 * @example
 * const employees = asynchronous(db, 'employee')
 * const number = await employees.next()
 * await db.insert(Employee, [{ number, name }])
 */
export function asynchronous(
  place: SequencePlace,
  name: string,
  options: SequenceOptions = {},
): TableSequence {
  return new TableSequence(place, name, options, asAsked)
}
