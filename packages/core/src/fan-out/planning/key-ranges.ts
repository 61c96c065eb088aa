import type { PlainRow } from '../../database/codec.js'
import type { KeyRange } from '../../database/driver.js'
import type { OrderTerm, Position } from '../../dialects/condition.js'
import type { Field, KeyOrder, PhysicalKeyPart } from '../../dialects/layout.js'
import type { Order } from '../../model/key.js'
import type { Wire } from '../../dialects/wire.js'
import { fixedValue, type Bound, type Constraints } from './constraints.js'

/** A field in a key, with all the parts it has there: a mirror and the value, or the halves of a UUID. */
export interface KeyField {
  readonly field: Field
  /** The order of the field's values, which is the reverse of its mirror's. */
  readonly order: Order
  readonly parts: readonly PhysicalKeyPart[]
}

/** The fields that follow the shard. */
export function fieldsInShard({ key, shard }: KeyOrder): readonly KeyField[] {
  const fields: { field: Field; order: Order; parts: PhysicalKeyPart[] }[] = []
  for (const part of key) {
    const { field, column, order } = part
    if (field === shard) continue
    const last = fields.at(-1)
    if (last?.field === field) last.parts.push(part)
    else fields.push({ field, order: column === field.mirror ? 'desc' : order, parts: [part] })
  }
  return fields
}

/** The fields that say in which partition a row lies. */
export function partitionFields({ key, partition = 0 }: KeyOrder): readonly Field[] {
  return [...new Set(key.slice(0, partition).map(({ field }) => field))]
}

/** The fields below the partition key, which put the rows of one in order. */
export function clusteringFields(keys: KeyOrder): readonly KeyField[] {
  const same = new Set(partitionFields(keys))
  return fieldsInShard(keys).filter(({ field }) => !same.has(field))
}

/** Those of a shard's fields that put rows in order: all, unless the key only groups. */
function orderingFields(keys: KeyOrder): readonly KeyField[] {
  const { key, grouped = key.length } = keys
  const ordering = new Set(key.slice(0, grouped).map((part) => part.field))
  return fieldsInShard(keys).filter(({ field }) => ordering.has(field))
}

/**
 * Whether reading a shard in key order gives the wanted order, within groups that are sorted here where the key only
 * groups. Fields that the filter fixes are equal in all rows, so they change no order.
 */
export function isKeyOrder(keys: KeyOrder, terms: readonly OrderTerm[], constraints: Constraints): boolean {
  const { shard, grouped } = keys
  const free = ({ field }: { readonly field: Field }): boolean =>
    field !== shard && !fixedValue(constraints, field)
  // Before the end of the order, the shard puts the rows of one shard before or behind all equal rows of another.
  const shardAt = terms.findIndex(({ field }) => field === shard)
  if (shardAt >= 0 && !fixedValue(constraints, shard!) && terms.slice(shardAt + 1).some(free)) return false
  const wanted = terms.filter(free)
  const given = orderingFields(keys).filter(free)
  const starts =
    wanted.length >= given.length &&
    given.every(({ field, order }, at) => wanted[at]!.field === field && wanted[at]!.order === order)
  if (grouped === undefined) return starts && wanted.length === given.length
  // Without an ordering field, a shard would be one group, and all of it would have to be sorted here.
  return starts && (given.length > 0 || wanted.length === 0)
}

export interface ShardRange extends KeyRange {
  /** Whether the range has an end on both sides below the shard: a window, not a whole shard. */
  readonly bounded: boolean
}

function wiresOfParts(parts: readonly PhysicalKeyPart[], value: unknown): Wire[] {
  return parts.map(({ column }) => (value === null ? null : column.encode(value)))
}

/** The keys of one shard that can match: those that start with the fixed fields, within the bounds of the next one. */
export function shardRange(keys: KeyOrder, shard: number | undefined, constraints: Constraints): ShardRange {
  return boundedRange(shard === undefined ? [] : [String(shard)], fieldsInShard(keys), constraints)
}

/** The keys that begin like this and can match: fields that follow are fixed, and the next one has bounds. */
export function boundedRange(
  beginning: readonly Wire[],
  fields: readonly KeyField[],
  constraints: Constraints,
): ShardRange {
  const prefix: Wire[] = [...beginning]
  let at = 0
  for (; at < fields.length; at++) {
    const { field, parts } = fields[at]!
    const fixed = fixedValue(constraints, field)
    if (!fixed) break
    prefix.push(...wiresOfParts(parts, fixed.value))
  }
  const next = fields[at]
  const constraint = next && constraints.get(next.field)
  const [first, last] =
    next?.order === 'desc' ? [constraint?.upper, constraint?.lower] : [constraint?.lower, constraint?.upper]
  // Other values share a coarse mirror with the bound: its end stays closed, and the filter sees to the rest.
  const coarse = next?.field.coarseMirror === true
  const parts = next === undefined ? [] : next.field.mirror ? next.parts.slice(0, 1) : next.parts
  const end = (bound: Bound | undefined): Wire[] =>
    bound ? [...prefix, ...wiresOfParts(parts, bound.value)] : prefix
  return {
    start: end(first),
    startOpen: !coarse && (first?.open ?? false),
    end: end(last),
    endOpen: !coarse && (last?.open ?? false),
    bounded: next === undefined || (first !== undefined && last !== undefined),
  }
}

/** A range of keys, behind the key that all of them begin with. */
export function rangeUnder(key: readonly Wire[], { start, startOpen, end, endOpen }: KeyRange): KeyRange {
  return { start: [...key, ...start], startOpen, end: [...key, ...end], endOpen }
}

/**
 * What is left of a range after a position. A row that equals the position in everything but the shard comes after it if
 * its shard does, since the shard is the last term of the order. Where the key only groups, the position's group is read
 * again from its start, and what does not come after the position has to be left out.
 */
export function rangeAfter(
  keys: KeyOrder,
  shard: number | undefined,
  range: ShardRange,
  terms: readonly OrderTerm[],
  position: Position,
  constraints: Constraints,
): ShardRange {
  const { key, grouped } = keys
  const valueOf = (field: Field): readonly Wire[] => {
    const at = terms.findIndex((term) => term.field === field)
    if (at >= 0) return position[at]!
    const { value } = fixedValue(constraints, field)!
    return field.physical.map((column) => (value === null ? null : column.encode(value)))
  }
  const start = key.slice(0, grouped).map(({ field, column }): Wire => {
    if (field === keys.shard) return String(shard)
    const wires = valueOf(field)
    if (column !== field.mirror) return wires[field.physical.indexOf(column)]!
    return wires[0] === null ? null : column.encode(field.parse(wires))
  })
  if (grouped !== undefined) return { ...range, start, startOpen: false }
  const shardAt = terms.findIndex((term) => term.field === keys.shard)
  const positionShard = shardAt < 0 ? undefined : Number(position[shardAt]![0])
  const descending = terms[shardAt]?.order === 'desc'
  const startOpen =
    shard === undefined ||
    positionShard === undefined ||
    shard === positionShard ||
    shard < positionShard !== descending
  return { ...range, start, startOpen }
}

/** What a range holds up to a row of another shard, or up to the end of that row's group where the key only groups. */
export function rangeUpTo(
  keys: KeyOrder,
  shard: number | undefined,
  range: KeyRange,
  row: PlainRow,
): KeyRange {
  return { ...range, end: groupKey(keys, shard, row), endOpen: false }
}

/** The key parts that put a row into its group, as stored. */
export function groupKey(
  { key, grouped, shard }: KeyOrder,
  ofShard: number | undefined,
  row: PlainRow,
): Wire[] {
  return key.slice(0, grouped).map(({ field, column }) => {
    if (field === shard && ofShard !== undefined) return String(ofShard)
    const value = row[field.column.property]
    return value === null ? null : column.encode(value)
  })
}
