import { PreciseDate } from '@google-cloud/precise-date'
import { randomInt } from 'node:crypto'
import { IsothermError } from '../errors.js'
import { uuidV4 } from '../keys/uuid-v4.js'
import { keyFields, type Field, type TableLayout } from '../dialects/layout.js'
import { shardBounds, type ShardSource } from '../model/key.js'
import type { PlainRow } from './codec.js'
import { timeUuid } from '../keys/time-uuid.js'
import { BucketFiller } from './bucket-fill.js'
import { derivedFill, derivedFrom, derivedValue, hashShard, wholeHash, type Derived } from './derived.js'

/** Makes the values that an insert left out. */
export type Filler = (row: PlainRow) => unknown

/** How a shard's value follows from its row. */
export function shardFiller(source: ShardSource): Filler {
  const { shards } = source
  const { lowest, highest } = shardBounds(source)
  // Once per row: a bigint of each shard is made beforehand.
  const values = Array.from({ length: highest - lowest + 1 }, (_, at) => BigInt(lowest + at))
  switch (source.strategy) {
    case 'random':
      return () => values[randomInt(shards)]
    case 'round-robin': {
      let next = 0
      return () => values[next++ % shards]
    }
    case 'hash':
      return (row) => values[hashShard(source, row) - lowest]
  }
}

/** What the client can make for a field; undefined where the caller or the database must. */
export function fillerOf({ fill }: Field): Filler | undefined {
  switch (fill.by) {
    case 'uuid-v4':
      return uuidV4
    case 'clock':
      return () => new PreciseDate()
    case 'shard':
      return shardFiller(fill.source)
    case 'hash': {
      const { source } = fill
      return (row) => wholeHash(source, row)
    }
    case 'bucket': {
      const filler = new BucketFiller(fill.source)
      return (row) => filler.of(row)
    }
    case 'timeuuid':
      return timeUuid
    case 'counter':
    case 'caller':
    case 'commit-timestamp':
    case 'database':
      return undefined
  }
}

/**
 * A key given by a user, complete and accepted: hash shards are computed.
 *
 * @throws {IsothermError} `KEY_INCOMPLETE` naming the parts that are missing.
 */
export function completeKey(layout: TableLayout, given: Readonly<Record<string, unknown>>): PlainRow {
  const { table } = layout
  const key: PlainRow = {}
  const derived: { readonly property: string; readonly fill: Derived }[] = []
  for (const field of keyFields(layout)) {
    const { property, nullable } = field.column
    const value = given[property]
    if (value === undefined || (value === null && !nullable)) {
      const fill = derivedFill(field)
      if (fill) {
        derived.push({ property, fill })
        continue
      }
      throw incompleteKey(layout, property)
    }
    key[property] = value === null ? null : field.accept(value)
  }
  for (const { property, fill } of derived) {
    const values: PlainRow = {}
    for (const name of derivedFrom(fill)) {
      const field = layout.byProperty.get(name)!
      const value = name in key ? key[name] : given[name]
      if (value === undefined) throw incompleteKey(layout, name)
      values[name] = value === null || name in key ? value : field.accept(value)
    }
    key[property] = derivedValue(fill, values)
  }
  for (const property of Object.keys(given)) {
    if (!layout.byProperty.has(property)) throw unknownProperty(table.name, property, layout)
  }
  return key
}

export function incompleteKey(layout: TableLayout, property: string): IsothermError {
  const needed = keyFields(layout).map((field) => field.column.property)
  return new IsothermError('KEY_INCOMPLETE', `The key of ${layout.table.name} lacks ${property}.`, {
    fix: `Its key is ${needed.join(', ')}; a hash may be left out if what it hashes is given.`,
    table: layout.table.name,
    column: property,
  })
}

export function unknownProperty(table: string, property: string, layout: TableLayout): IsothermError {
  return new IsothermError('INVALID_VALUE', `${table} has no property ${JSON.stringify(property)}.`, {
    fix: `Its properties are ${[...layout.byProperty.keys()].join(', ')}.`,
    table,
    column: property,
  })
}
