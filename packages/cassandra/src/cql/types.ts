import { type ColumnType, type Schema, type WireType, findUserType, isFrozen } from '@isotherm/core/engine'
import { quote } from './identifier.js'

/** The parts of the schema that a layout needs: the tables that may share one, and the fields of user types. */
export type LaidIn = Pick<Schema, 'tables' | 'userTypes'>

/**
 * A type as a column stores it: without what exists only in the model, and with the fields of user types, which who checks a value,
 * and who hands one to the database, have to know without a schema at hand.
 */
export function laidType<Type extends ColumnType>(type: Type, schema: Pick<Schema, 'userTypes'>): Type {
  return laid(type, schema) as Type
}

function laid(type: ColumnType, schema: Pick<Schema, 'userTypes'>): ColumnType {
  switch (type.kind) {
    case 'array':
    case 'set':
      return { ...type, of: laidType(type.of, schema) }
    case 'map':
      return { ...type, key: laidType(type.key, schema), of: laidType(type.of, schema) }
    case 'tuple':
      return { ...type, of: type.of.map((part) => laidType(part, schema)) }
    case 'udt': {
      const fields = findUserType(schema, type.name)?.fields
      if (!fields) return type
      return { ...type, fields: fields.map((field) => ({ ...field, type: laidType(field.type, schema) })) }
    }
    case 'uuid':
      // One type for all of them; the storages of several columns, or of bytes, are fields of their own.
      return { kind: 'uuid' }
    default:
      return type
  }
}

/** The type of the values that an index of a column holds: each item of a set that is not frozen, each value of such a map. */
export function indexedType(type: ColumnType): ColumnType {
  return (type.kind === 'set' || type.kind === 'map') && !isFrozen(type) ? type.of : type
}

const NAMES = {
  bool: 'boolean',
  int64: 'bigint',
  int32: 'int',
  int16: 'smallint',
  int8: 'tinyint',
  varint: 'varint',
  float32: 'float',
  float64: 'double',
  numeric: 'decimal',
  decimal: 'decimal',
  string: 'text',
  ascii: 'ascii',
  bytes: 'blob',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  duration: 'duration',
  json: 'text',
  uuid: 'uuid',
  timeuuid: 'timeuuid',
  inet: 'inet',
  counter: 'counter',
} as const

/**
 * A type as DDL has it: `text`, `frozen<map<text, int>>`.
 *
 * Source: https://cassandra.apache.org/doc/5.0/cassandra/reference/cql-commands/create-table.html
 */
export function cqlType(type: WireType): string {
  switch (type.kind) {
    case 'array':
      return frozen(type, `list<${cqlType(type.of)}>`)
    case 'set':
      return frozen(type, `set<${cqlType(type.of)}>`)
    case 'map':
      return frozen(type, `map<${cqlType(type.key)}, ${cqlType(type.of)}>`)
    case 'tuple':
      // Always one value: the word is what the catalogue shows.
      return `frozen<tuple<${type.of.map(cqlType).join(', ')}>>`
    case 'udt':
      return frozen(type, quote(type.name))
    case 'vector':
      return `vector<${NAMES[type.of]}, ${type.dimensions}>`
    default:
      return NAMES[type.kind]
  }
}

function frozen(type: { readonly frozen?: true }, text: string): string {
  return type.frozen ? `frozen<${text}>` : text
}
