import { IsothermError } from '@isotherm/core'
import { columnCodec, type Wire, type WireType } from '@isotherm/core/adapter'

// Values as PostgreSQL writes them, for DDL and for `inlineParams()`.

export function quoteName(name: string): string {
  return `"${name.includes('"') ? name.replaceAll('"', '""') : name}"`
}

/** Spanner reads a backslash in a plain string as itself. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * A value as it is sent, of a column's type; or as a user wrote it, where no column says of what type it is.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a placeholder, and for what has no literal without a type.
 */
export function literal(value: unknown, type: WireType | undefined): string {
  if (value === null) return type ? `null::${typeName(type)}` : 'null'
  return type ? typed(value as Wire, type) : untyped(value)
}

function typed(wire: Wire, type: WireType): string {
  switch (type.kind) {
    case 'bool':
      return String(wire)
    case 'string':
    case 'uuid':
      return quoteText(String(wire))
    case 'bytes':
      return `${quoteText(`\\x${Buffer.from(String(wire), 'base64').toString('hex')}`)}::bytea`
    case 'array': {
      const items = wire as readonly Wire[]
      // Spanner casts no arrays but empty ones; the items say what they are.
      if (items.length === 0) return `'{}'::${typeName(type)}`
      return `array[${items.map((item) => literal(item, type.of)).join(', ')}]`
    }
    default:
      // Below zero, a number would take the operator before it for its own.
      return `${quoteText(String(wire))}::${typeName(type)}`
  }
}

function untyped(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoteText(value)
    case 'boolean':
      return String(value)
    case 'bigint':
      return value < 0n ? `(${value})` : String(value)
    case 'number':
      if (Number.isFinite(value)) return value < 0 ? `(${value})` : String(value)
  }
  if (value instanceof Date) return typed(value.toISOString(), { kind: 'timestamp' })
  throw new IsothermError('UNSUPPORTED', 'A value of no known type cannot be written into SQL.', {
    fix: 'Give it a column’s type with sql.param(value, column). A placeholder cannot stand here.',
  })
}

function typeName(type: WireType): string {
  return columnCodec(type, 'spanner-postgresql').sqlType
}
