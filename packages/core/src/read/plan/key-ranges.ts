import type { PlainRow } from '../../engine/codec.js'
import type { KeyRange } from '../../engine/driver.js'
import type { Condition, OrderTerm, Position } from '../../layout/statement.js'
import type { Field, KeyOrder, PhysicalColumn, PhysicalKeyPart, Wire } from '../../layout/layout.js'
import type { Order } from '../../model/key.js'
import { type Bound, type Constraints, fixedValue } from './constraints.js'

/** A field in a key, with all the parts it has there: a mirror and the value, or the halves of a UUID. */
export interface KeyField {
  readonly field: Field
  /** The order of the field's values, which is the reverse of its mirror's. */
  readonly order: Order
  readonly parts: readonly PhysicalKeyPart[]
}

/** How many leading key parts say in which partition a row lies: rows of one partition are in order. */
export function partitionLength({ partition, shard }: KeyOrder): number {
  return partition ?? (shard === undefined ? 0 : 1)
}

/** The fields that follow the shard. */
function fieldsInShard({ key, shard }: KeyOrder): readonly KeyField[] {
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
export function partitionFields(keys: KeyOrder): readonly Field[] {
  return [...new Set(keys.key.slice(0, partitionLength(keys)).map(({ field }) => field))]
}

/** The fields below the partition key, which put the rows of one in order. */
export function clusteringFields(keys: KeyOrder): readonly KeyField[] {
  const same = new Set(partitionFields(keys))
  return fieldsInShard(keys).filter(({ field }) => !same.has(field))
}

/** The fields of a shard that put rows in order: all, unless the key only groups. */
function orderingFields(keys: KeyOrder): readonly KeyField[] {
  const { key, grouped = key.length } = keys
  const ordering = new Set(key.slice(0, grouped).map((part) => part.field))
  return fieldsInShard(keys).filter(({ field }) => ordering.has(field))
}

/**
 * Whether reading a shard in key order gives the wanted order, with a client-side sort within groups if the key only
 * groups. Fields that the filter fixes are equal in all rows, so they do not change the order.
 */
export function isKeyOrder(keys: KeyOrder, terms: readonly OrderTerm[], constraints: Constraints): boolean {
  const { shard, grouped } = keys
  const free = ({ field }: { readonly field: Field }): boolean =>
    field !== shard && !fixedValue(constraints, field)
  // Before the end of the order, the shard puts the rows of one shard before or behind all equal rows of another.
  const shardAt = terms.findIndex(({ field }) => field === shard)
  if (shardAt >= 0 && !fixedValue(constraints, shard!) && terms.slice(shardAt + 1).some(free)) return false
  const wanted = terms.filter(free)
  const keyTerms = orderingFields(keys).filter(free)
  const starts =
    wanted.length >= keyTerms.length &&
    keyTerms.every(({ field, order }, at) => wanted[at]!.field === field && wanted[at]!.order === order)
  if (grouped === undefined) return starts && wanted.length === keyTerms.length
  // Without an ordering field, a shard would be one group, and all of it would need a client-side sort.
  return starts && (keyTerms.length > 0 || wanted.length === 0)
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
    for (const wire of wiresOfParts(parts, fixed.value)) prefix.push(wire)
  }
  const next = fields[at]
  const constraint = next && constraints.get(next.field)
  const [first, last] =
    next?.order === 'desc' ? [constraint?.upper, constraint?.lower] : [constraint?.lower, constraint?.upper]
  // Other values share a coarse mirror with the bound: its end stays closed, and the filter removes those rows.
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

/** The common part of all keys of a partition. */
export interface PartitionKey {
  /** The values of the fields that are the same in all of its rows: those of `partitionFields`, in their order. */
  readonly values: readonly unknown[]
  /** The stored values that the keys begin with. */
  readonly prefix: readonly Wire[]
}

/** The rest of a partition's range, in the order in which it is read; undefined if nothing is left. */
type RangeRest = (partition: PartitionKey, range: KeyRange) => KeyRange | undefined

/**
 * The rest of partitions after a position. A term that is the same in all of a partition decides alone if it differs from
 * the position: then all rows that agree so far come after it, or none of them. If the key only groups, the position's
 * group is read again from its start, and rows that do not come after the position have to be left out.
 *
 * @param terms the order of the position, in which the keys are, at least in groups
 */
export function restAfter(
  keys: KeyOrder,
  terms: readonly OrderTerm[],
  position: Position,
  constraints: Constraints,
): RangeRest {
  const same = partitionFields(keys)
  const fields = clusteringFields(keys)
  const grouped = keys.grouped ?? keys.key.length
  const reached = terms.map(({ field }, at) => {
    const index = same.indexOf(field)
    return index < 0 ? undefined : { index, value: field.parse(position[at]!) }
  })
  return ({ values, prefix }, range) => {
    const start: Wire[] = [...prefix]
    let next = 0
    let isNarrowed = false
    /** From the first row that agrees so far: it comes after the position, or is of its group. */
    const fromBound = (): KeyRange => (isNarrowed ? { ...range, start, startOpen: false } : range)
    for (const [at, { field, order }] of terms.entries()) {
      const decided = reached[at]
      if (decided) {
        const sign = order === 'desc' ? -1 : 1
        const difference = sign * field.compare(values[decided.index], decided.value)
        if (difference > 0) return fromBound()
        if (difference < 0) return isNarrowed ? { ...range, start, startOpen: true } : undefined
        continue
      }
      if (fixedValue(constraints, field)) continue
      // Fields that the filter fixes are in the key, but do not affect the order.
      for (; next < fields.length && fields[next]!.field !== field; next++) {
        const known = fixedValue(constraints, fields[next]!.field)
        if (!known) break
        for (const wire of wiresOfParts(fields[next]!.parts, known.value)) start.push(wire)
      }
      const part = fields[next]
      // The keys say no more.
      if (part?.field !== field) return fromBound()
      const ordering = part.parts.slice(0, Math.max(0, grouped - start.length))
      for (const { column } of ordering) start.push(wireAt(field, column, position[at]!))
      isNarrowed ||= ordering.length > 0
      if (ordering.length < part.parts.length) return fromBound()
      next++
    }
    return isNarrowed ? { ...range, start, startOpen: true } : undefined
  }
}

/** A key column of a field, whose value a position holds as it is stored. */
function wireAt(field: Field, column: PhysicalColumn, wires: readonly Wire[]): Wire {
  if (column !== field.mirror) return wires[field.physical.indexOf(column)]!
  return wires[0] === null ? null : column.encode(field.parse(wires))
}

/** What ranges hold up to a row, of whichever partition; up to the end of that row's group, where the key only groups. */
export function rangesUpTo(keys: KeyOrder, ranges: readonly KeyRange[], row: PlainRow): KeyRange[] {
  const length = partitionLength(keys)
  const end = orderingWires(keys, row)
  return ranges.map((range) => ({ ...range, end: [...range.start.slice(0, length), ...end], endOpen: false }))
}

/** The key parts that put a row in its place in its partition, or into its group, as stored. */
export function orderingWires(keys: KeyOrder, row: PlainRow): Wire[] {
  return keys.key.slice(partitionLength(keys), keys.grouped).map(({ field, column }) => {
    const value = row[field.column.property]
    return value === null ? null : column.encode(value)
  })
}

/**
 * Whether a shard's key range holds exactly the matching rows, so that the filter need not be checked again: the filter
 * says no more than what the leading key fields are, and between which bounds the next field lies.
 */
export function isImplied(
  condition: Condition | undefined,
  keys: KeyOrder,
  constraints: Constraints,
): boolean {
  if (condition === undefined) return true
  // Partitions are just those whose fields fit the filter.
  const ofPartition = new Set(partitionFields(keys))
  const fields = clusteringFields(keys).map(({ field }) => field)
  const free = fields.findIndex((field) => !fixedValue(constraints, field))
  const prefix = new Set(free < 0 ? fields : fields.slice(0, free))
  const next = fields[free]
  const holds = (each: Condition): boolean => {
    switch (each.kind) {
      case 'and':
        return each.of.every(holds)
      case 'null':
        return prefix.has(each.field)
      case 'in':
        return ofPartition.has(each.field) || (prefix.has(each.field) && each.values.length === 1)
      case 'compare':
        if (ofPartition.has(each.field)) return each.op !== 'ne'
        if (each.op === 'eq') return prefix.has(each.field)
        return each.op !== 'ne' && each.field === next && isExact(each.field)
      default:
        return false
    }
  }
  return holds(condition)
}

/** Whether a bound of the key is one of the values: NULL and NaN are beyond a bound that they do not match. */
function isExact({ column, coarseMirror }: Field): boolean {
  const { kind } = column.type
  return !column.nullable && coarseMirror !== true && kind !== 'float32' && kind !== 'float64'
}

/** The rows of a partition in the order in which they are read. */
export interface ReadOrder {
  readonly keys: KeyOrder
  /** From the end of the partition to its start. */
  readonly reversed: boolean
}

/**
 * How to read a partition so that its rows come in the wanted order, or in groups of it for a client-side sort; undefined
 * if neither direction does that. Backwards, all parts of the key turn at once: `at desc, id asc` gives `at asc, id desc`,
 * and if the wanted order of the ids is another one, those of one time need a client-side sort.
 */
export function readOrder(
  keys: KeyOrder,
  terms: readonly OrderTerm[],
  constraints: Constraints,
): ReadOrder | undefined {
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
  const keyTerms = clusteringFields(keys).filter(isFree)
  const wanted = terms.filter(isFree)
  let fields = 0
  while (
    fields < keyTerms.length &&
    wanted[fields]?.field === keyTerms[fields]!.field &&
    wanted[fields]!.order === keyTerms[fields]!.order
  ) {
    fields++
  }
  const { grouped: _, ...whole } = keys
  if (fields === keyTerms.length && wanted.length === fields) return { keys: whole, fields: Infinity }
  // Without a field that orders, all of a partition would be one group; of one row, where nothing is free.
  if (fields === 0 && keyTerms.length > 0) return undefined
  const last = keyTerms[fields - 1]?.parts.at(-1)
  return { keys: { ...whole, grouped: last ? key.indexOf(last) + 1 : partition }, fields }
}
