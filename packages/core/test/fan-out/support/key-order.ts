import { type Hashable, shardOf } from '@isotherm/core/keys'
import type { PlainRow } from '../../../src/engine/codec.js'
import type { KeyRange } from '../../../src/engine/driver.js'
import type { DialectRuntime } from '../../../src/engine/dialect.js'
import type { IndexLayout, KeyOrder, PhysicalKeyPart, Wire } from '../../../src/layout/layout.js'
import type { PartitionKey } from '../../../src/read/plan/key-ranges.js'
import { valueCodec } from '../../../src/layout/values.js'

// Keys as the engine has them: columns, of which it knows nothing but their types. That some are mirrors of others, or
// halves of one value, is not known here.

/** What the keys of one shard have in common; of keys without shards, nothing. */
export function shardKey(value: number | undefined): PartitionKey {
  return value === undefined
    ? { values: [], prefix: [] }
    : { values: [BigInt(value)], prefix: [String(value)] }
}

/** How the engine orders keys, or the parts that both have: part by part, descending parts backwards. */
export function compareKeys(
  dialect: DialectRuntime,
  keys: KeyOrder,
  a: readonly Wire[],
  b: readonly Wire[],
): number {
  for (const [at, part] of keys.key.entries()) {
    if (at >= a.length || at >= b.length) return 0
    const [left, right] = [a[at]!, b[at]!]
    const difference =
      left === null || right === null
        ? (Number(right === null) - Number(left === null)) * (nullsFirst(dialect, keys, part) ? 1 : -1)
        : compareCells(dialect, part, left, right)
    if (difference !== 0) return difference
  }
  return 0
}

function compareCells(
  dialect: DialectRuntime,
  { column, order }: PhysicalKeyPart,
  left: Wire,
  right: Wire,
): number {
  const { parse, compare } = valueCodec(column.type, dialect.values)
  const ascending = compare(parse(left) as never, parse(right) as never)
  return order === 'desc' ? -ascending : ascending
}

function nullsFirst(dialect: DialectRuntime, keys: KeyOrder, { field, order }: PhysicalKeyPart): boolean {
  const { index } = keys as Partial<IndexLayout>
  const said = index?.parts.find(({ property }) => property === field.column.property)?.nulls
  return said === undefined ? (dialect.nulls === 'lowest') === (order === 'asc') : said === 'first'
}

/** The key of a row, or of its entry in an index. */
export function keyOf({ key }: KeyOrder, row: PlainRow): Wire[] {
  return key.map(({ field, column }) => {
    const { property, source } = field.column
    // An index's shard is not a property of the row.
    const value = property in row || source?.kind !== 'shard' ? row[property] : hashed(source, row)
    return value === null ? null : column.encode(value)
  })
}

function hashed(
  { of, shards }: { readonly of: readonly string[]; readonly shards: number },
  row: PlainRow,
): bigint {
  return BigInt(
    shardOf(
      of.map((property) => row[property] as Hashable),
      shards,
    ),
  )
}

/** Whether a read of this range gives the row back. A bound stands for all the keys that start with it. */
export function isInRange(dialect: DialectRuntime, keys: KeyOrder, row: PlainRow, range: KeyRange): boolean {
  const key = keyOf(keys, row)
  const fromStart = compareKeys(dialect, keys, key, range.start)
  const toEnd = compareKeys(dialect, keys, range.end, key)
  return (range.startOpen ? fromStart > 0 : fromStart >= 0) && (range.endOpen ? toEnd > 0 : toEnd >= 0)
}
