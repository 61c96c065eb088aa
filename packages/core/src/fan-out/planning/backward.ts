import type { KeyRange } from '../../database/driver.js'
import type { OrderTerm } from '../../dialects/condition.js'
import type { KeyOrder } from '../../dialects/layout.js'
import { fixedValue, type Constraints } from './constraints.js'
import { clusteringFields, partitionFields } from './key-ranges.js'

/** The rows of a partition in the order in which they are read. */
export interface ReadingOrder {
  readonly keys: KeyOrder
  /** From the end of the partition to its start. */
  readonly reversed: boolean
}

/**
 * How to read a partition so that its rows come in the wanted order, or in groups of it that are sorted here; undefined where
 * neither way does that. Backwards all parts of the key turn at once: `at desc, id asc` gives `at asc, id desc`, and
 * wherever that is not what is wanted of the ids, those of one time are sorted here.
 */
export function readingOrder(
  keys: KeyOrder,
  terms: readonly OrderTerm[],
  constraints: Constraints,
): ReadingOrder | undefined {
  const forward = matched(keys, terms, constraints)
  const backward = keys.reversible ? matched(turned(keys), terms, constraints) : undefined
  if (backward && (!forward || backward.fields > forward.fields))
    return { keys: backward.keys, reversed: true }
  return forward && { keys: forward.keys, reversed: false }
}

/** The range that a read from its end to its start has to be given. */
export function backwards({ start, startOpen, end, endOpen }: KeyRange): KeyRange {
  return { start: end, startOpen: endOpen, end: start, endOpen: startOpen }
}

/** The same keys from the last to the first. */
function turned(keys: KeyOrder): KeyOrder {
  const { key, partition = 0 } = keys
  return {
    ...keys,
    key: key.map((part, at) =>
      at < partition ? part : { ...part, order: part.order === 'asc' ? 'desc' : 'asc' },
    ),
  }
}

interface Matched {
  readonly keys: KeyOrder
  /** How many fields order rows as is wanted; Infinity for all. */
  readonly fields: number
}

/** The longest beginning of the keys that orders rows as is wanted: what follows it makes groups. */
function matched(keys: KeyOrder, terms: readonly OrderTerm[], constraints: Constraints): Matched | undefined {
  const { key, partition = 0 } = keys
  const same = new Set(partitionFields(keys))
  const isFree = ({ field }: Pick<OrderTerm, 'field'>): boolean =>
    !same.has(field) && !fixedValue(constraints, field)
  const given = clusteringFields(keys).filter(isFree)
  const wanted = terms.filter(isFree)
  let fields = 0
  while (
    fields < given.length &&
    wanted[fields]?.field === given[fields]!.field &&
    wanted[fields]!.order === given[fields]!.order
  ) {
    fields++
  }
  const { grouped: _, ...whole } = keys
  if (fields === given.length && wanted.length === fields) return { keys: whole, fields: Infinity }
  // Without a field that orders, all of a partition would be one group; of one row, where nothing is free.
  if (fields === 0 && given.length > 0) return undefined
  const last = given[fields - 1]?.parts.at(-1)
  return { keys: { ...whole, grouped: last ? key.indexOf(last) + 1 : partition }, fields }
}
