import type { ColumnSchema as Column, TableSchema as Table } from '@isotherm/core'
import {
  fingerprint,
  plainField,
  type Field,
  type PhysicalKeyPart,
  type StoredRows,
  type TableLayout,
  type WireType,
} from '@isotherm/core/engine'
import { cqlCodec } from '../../../src/cql/values.js'

// Layouts made by hand, for code that needs only these parts of a layout.

export type Direction = 'asc' | 'desc'

export function fieldNamed(name: string, type: WireType = { kind: 'int64' }): Field {
  const column: Column = { property: name, name, type, nullable: true, immutable: false, inherited: false }
  return plainField('t', column, cqlCodec(type), { fill: { by: 'caller' } })
}

export function keyPart(name: string, order: Direction = 'asc', type?: WireType): PhysicalKeyPart {
  const field = fieldNamed(name, type)
  return { field, column: field.physical[0]!, order }
}

/** Parts `a`, `b`, `c` … in these directions. */
export function partsOf(directions: readonly Direction[]): readonly PhysicalKeyPart[] {
  return directions.map((order, at) => keyPart('abcdef'[at]!, order))
}

/** @param partition how many of the key parts make the partition key */
export function layoutByHand(
  name: string,
  key: readonly PhysicalKeyPart[],
  partition: number,
  rest: readonly Field[] = [],
  stored?: StoredRows,
): TableLayout {
  const fields = [...key.map(({ field }) => field), ...rest]
  const table: Table = {
    name,
    columns: fields.map(({ column }) => column),
    primaryKey: key.map(({ field, order }) => ({ property: field.column.property, order })),
    indexes: [],
    checks: [],
    foreignKeys: [],
    suppressions: [],
  }
  return {
    table,
    fields,
    byProperty: new Map(fields.map((field) => [field.column.property, field])),
    columns: fields.flatMap(({ physical }) => physical),
    key,
    partition,
    shard: undefined,
    indexes: [],
    hash64: fingerprint,
    ...(stored && { stored }),
  }
}
