import {
  type Column,
  IsothermError,
  type Mirror,
  type Table,
  describeType,
  generatedName,
  unixMicros,
} from '@isotherm/core/engine'
import { quote } from './lexical-syntax.js'

// A primary key of this dialect does not support DESC. Beside a column that descends there is a generated column that sorts
// in the opposite direction; the key holds both, so that the value stays a part of it.

export function mirrorName(column: string): string {
  return generatedName(column, 'desc')
}

/** The mirror's SQL; undefined for types without a mirror. */
export function mirrorExpression(column: string, kind: Column['type']['kind']): string | undefined {
  const name = quote(column)
  switch (kind) {
    case 'timestamp':
      return `(-(EXTRACT(epoch FROM ${name}) * 1000000))::bigint`
    case 'int64':
      // Not the negative, which the smallest integer does not have.
      return `-1 - ${name}`
    case 'date':
      return `-(${name} - '0001-01-01'::date)`
    default:
      return undefined
  }
}

const MILLISECONDS_PER_DAY = 86_400_000
const FIRST_DAY = Date.parse('0001-01-01T00:00:00Z')

function encode(kind: Column['type']['kind'], value: unknown): string {
  switch (kind) {
    case 'timestamp':
      return String(-unixMicros(value as Date))
    case 'int64':
      return String(-1n - BigInt(value as bigint | number))
    default:
      return String((FIRST_DAY - Date.parse(`${value as string}T00:00:00Z`)) / MILLISECONDS_PER_DAY)
  }
}

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for a commit timestamp, and for types that have no mirror. */
export function mirrorOf(table: Table, column: Column): Mirror {
  const { name, type, source, property } = column
  const expression = mirrorExpression(name, type.kind)
  if (source?.kind === 'timestamp' && source.from === 'commit') {
    throw unsupported(
      table,
      property,
      'is a descending commit timestamp, which no generated column may read.',
      "Set it on the client with default: 'now', or use an ascending key.",
    )
  }
  if (expression === undefined) {
    throw unsupported(
      table,
      property,
      `of type ${describeType(type)} cannot descend in a primary key.`,
      'Use ascending order, or a timestamp, a date or an integer. An index can descend.',
    )
  }
  return {
    name: mirrorName(name),
    expression,
    // It holds whole microseconds, a timestamp nanoseconds.
    coarse: type.kind === 'timestamp',
    encode: (value) => encode(type.kind, value),
  }
}

function unsupported(table: Table, property: string, what: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED_MODEL', `${table.name}.${property} ${what}`, {
    fix,
    table: table.name,
    column: property,
  })
}
