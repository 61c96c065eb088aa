import {
  IsothermError,
  type ScalarType,
  type TypeKind,
  type WireType,
  foreignKind,
} from '@isotherm/core/engine'

/** The types of the model that PostgreSQL has. */
export const POSTGRESQL_TYPES: ReadonlySet<TypeKind> = new Set([
  'bool',
  'int64',
  'float32',
  'float64',
  'numeric',
  'string',
  'bytes',
  'date',
  'timestamp',
  'json',
  'uuid',
  'array',
])

/** Source: https://www.postgresql.org/docs/current/datatype-character.html */
const MAX_STRING = 10_485_760

/**
 * The type of a value in a statement. `bytea` has no length: the client checks the length that a model declares.
 *
 * Source: https://www.postgresql.org/docs/current/datatype.html
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL` for a length that a column cannot have, or a type that PostgreSQL does not have.
 */
export function postgresqlType(type: WireType): string {
  switch (type.kind) {
    case 'bool':
      return 'boolean'
    case 'int64':
      return 'bigint'
    case 'float32':
      return 'real'
    case 'float64':
      return 'double precision'
    case 'numeric':
      return 'numeric'
    case 'string':
      return type.length === 'max' ? 'text' : `varchar(${checked(type.length)})`
    case 'bytes':
      return 'bytea'
    case 'date':
      return 'date'
    case 'timestamp':
      return 'timestamptz'
    case 'json':
      return 'jsonb'
    case 'uuid':
      return type.storage === 'native' ? 'uuid' : 'varchar(36)'
    case 'array':
      return `${postgresqlType(type.of)}[]`
    default:
      throw foreignKind(type, 'postgresql')
  }
}

/** The type of a parameter. A length in a cast would cut a longer text in silence. */
export function parameterType(type: WireType): string {
  if (type.kind === 'array') return `${parameterType(type.of)}[]`
  return type.kind === 'string' || (type.kind === 'uuid' && type.storage !== 'native')
    ? 'text'
    : postgresqlType(type)
}

/** The type of a list of a column's values, as one parameter. */
export function listType(type: WireType): WireType {
  return { kind: 'array', of: type as ScalarType }
}

/** Whether values are compared as text, for which a column has the collation of bytes. */
export function isText(type: WireType): boolean {
  return parameterType(type).startsWith('text')
}

function checked(length: number): number {
  if (length <= MAX_STRING) return length
  throw new IsothermError('UNSUPPORTED_MODEL', `PostgreSQL does not support the length ${length}.`, {
    fix: `Use a length of up to ${MAX_STRING}, or 'max'.`,
  })
}
