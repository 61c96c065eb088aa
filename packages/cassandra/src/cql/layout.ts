import {
  type Column,
  type Field,
  type Fill,
  type IndexLayout,
  IsothermError,
  NotAccepted,
  type PhysicalKeyPart,
  type SecondaryIndex,
  type Table,
  type TableLayout,
  type ValueCodec,
  fieldErrors,
  fillOf,
  partitionLength,
  plainField,
  refuseClashes,
  splitUuidField,
  valueCodec,
  known,
} from '@isotherm/core/engine'
import { foldOf } from './fold.js'
import { cqlCodec, scalarRules } from './values.js'
import { type LaidIn, indexedType, laidType } from './types.js'

/**
 * A table as Cassandra stores it: the rows of a partition are in the order of the clustering columns, partitions have no
 * order.
 *
 * @param schema absent: the table stands alone
 * @throws {IsothermError} `UNSUPPORTED_MODEL` where two columns would have one name.
 */
export function cqlLayout(table: Table, schema: LaidIn = { tables: [table] }): TableLayout {
  const partitionProperties = partitionLength(table)
  const lone = partitionProperties === 1 ? table.primaryKey[0]?.property : undefined
  const fields = table.columns.map((column) => fieldOf(table, column, schema, column.property === lone))
  const byProperty = new Map(fields.map((field) => [field.column.property, field]))
  const parts = table.primaryKey.map(({ property, order }) => keyParts(known(byProperty, property), order))
  const key = parts.flat()
  const partition = parts.slice(0, partitionProperties).flat().length
  const columns = fields.flatMap((field) => field.physical)
  refuseClashes(table, columns)
  const stored = foldOf(table, schema)
  return {
    table,
    fields,
    byProperty,
    columns,
    key,
    partition,
    ...(key.length > partition && { reversible: true }),
    shard: fields.find(({ column }) => column.source?.kind === 'shard' && isKey(table, column)),
    indexes: table.indexes.map((index) => indexLayout(index, byProperty)),
    hash64: scalarRules.hash64,
    ...(stored && { stored }),
  }
}

function keyParts(field: Field, order: PhysicalKeyPart['order']): PhysicalKeyPart[] {
  return field.physical.map((column) => ({ field, column, order }))
}

function isKey(table: Table, { property }: Column): boolean {
  return table.primaryKey.some((part) => part.property === property)
}

/**
 * An index does not keep rows in an order, and Isotherm does not read by it: it is for statements that the application
 * writes.
 */
function indexLayout(index: SecondaryIndex, byProperty: ReadonlyMap<string, Field>): IndexLayout {
  const key = index.parts.flatMap(({ property, order }) => keyParts(known(byProperty, property), order))
  return { index, key, grouped: 0, shard: undefined, covered: new Set() }
}

function fieldOf(table: Table, column: Column, schema: LaidIn, lone: boolean): Field {
  const fill = fillOf(table, column, scalarRules)
  const { type } = column
  if (type.kind === 'uuid' && (type.storage === 'int64-pair' || type.storage === 'bytes'))
    return splitUuidField(table.name, column, type.storage, { fill, made: [] })
  if (column.source?.kind === 'shard' && type.kind === 'int64') return shardField(table, column)
  const laid = laidType(type, schema)
  const plain = cqlCodec(laid)
  const holdsVectors = indexedType(type).kind === 'vector' && isIndexed(table, column)
  const codec = holdsVectors ? indexable(table, column, plain) : plain
  const field = plainField(table.name, column, lone ? notEmpty(codec) : codec, { fill })
  return {
    ...field,
    physical: [{ ...field.physical[0], type: laid }],
    // Until something is added to a counter, it has no cell; in a row whose other counters were added to, it is zero.
    ...(type.kind === 'counter' && !column.nullable && { join: (cells, at) => cells[at] ?? 0n }),
  }
}

/** A shard is an `int` in the table, and in rows the same as in other dialects. */
function shardField(table: Table, column: Column): Field {
  const { accept, compare, parse, decode } = valueCodec(column.type, scalarRules)
  const errors = fieldErrors(table.name, column)
  const shown = decode ?? ((cell: unknown) => cell)
  return {
    column,
    physical: [
      {
        name: column.name,
        type: { kind: 'int32' },
        nullable: column.nullable,
        written: true,
        encode: Number,
      },
    ],
    fill: shardFill(table, column),
    accept: (value) => errors(() => inInt(accept(value))),
    parse: ([wire]) =>
      errors(() => {
        if (typeof wire !== 'number') throw new NotAccepted('takes a shard.')
        return inInt(parse(String(wire)))
      }),
    join: (cells, at) => {
      const cell = cells[at]
      return cell === null || cell === undefined ? cell : errors(() => shown(BigInt(cell as number)))
    },
    compare,
  }
}

/** A value that only a database could compute, by an expression without a function, must be given by the caller. */
function shardFill(table: Table, column: Column): Fill {
  const fill = fillOf(table, column, scalarRules)
  return fill.by === 'database' ? { by: 'caller' } : fill
}

/** A caller may give any number as a shard, and the column takes 32 bits. */
function inInt(value: unknown): unknown {
  const number = Number(value)
  if (number === Math.trunc(number) && number === (number | 0)) return value
  throw new NotAccepted(`takes a shard of 32 bits, not ${String(value)}.`)
}

function isIndexed({ indexes }: Table, { property }: Column): boolean {
  return indexes.some(({ parts }) => parts.some((part) => part.property === property))
}

/**
 * The largest number that the engine puts into the index of a vector column.
 *
 * Source: https://github.com/apache/cassandra/blob/cassandra-5.0/src/java/org/apache/cassandra/index/sai/disk/v1/vector/OnHeapGraph.java
 */
const MAX_INDEXED = Math.fround(1e17)

/**
 * Values whose vectors the column's index accepts. Cassandra refuses others only after Paxos has accepted them or the commit log
 * has them: their partition then takes no conditional write any more, and the node may not start again.
 */
function indexable(table: Table, column: Column, codec: ValueCodec): ValueCodec {
  const isOne = column.type.kind === 'vector'
  return {
    ...codec,
    accept(value) {
      const accepted = codec.accept(value)
      if (accepted === null) return null
      // Of a map, the index holds the values.
      const vectors = isOne ? [accepted] : (accepted as ReadonlyMap<unknown, unknown>).values()
      for (const vector of vectors) checkIndexable(table, column, vector as readonly number[])
      return accepted
    },
  }
}

/** @throws {IsothermError} `INVALID_VALUE` for a vector that the column's index does not accept. */
function checkIndexable(table: Table, column: Column, vector: readonly number[]): void {
  const refused = (what: string, fix: string): IsothermError =>
    new IsothermError(
      'INVALID_VALUE',
      `${table.name}.${column.property} has an index, which does not accept ${what}.`,
      { fix, table: table.name, column: column.property },
    )
  let isZero = true
  for (const number of vector) {
    // Stored with 32 bits: the smallest numbers become zero, and the largest infinite.
    const stored = Math.fround(number)
    // In this form it also refuses NaN.
    if (!(Math.abs(stored) <= MAX_INDEXED))
      throw refused(`the number ${number} in a vector`, 'Give finite numbers from -1e17 to 1e17.')
    if (stored !== 0) isZero = false
  }
  if (isZero)
    throw refused(
      'a vector of zeros',
      'Give a vector with a finite length above zero: cosine similarity has no meaning without.',
    )
}

/** A partition key of one column cannot be empty; of several, each of them can. */
function notEmpty(codec: ValueCodec): ValueCodec {
  return {
    ...codec,
    accept(value) {
      const accepted = codec.accept(value) as { readonly length?: unknown } | null
      if (accepted?.length !== 0 || Array.isArray(accepted)) return accepted
      throw new NotAccepted('does not accept an empty value: it is the whole partition key.')
    },
  }
}
