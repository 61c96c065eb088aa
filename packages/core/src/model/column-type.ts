/** How long a string (in characters) or a byte string (in bytes) may be. */
export type Length = number | 'max'

/**
 * How a UUID lies in the database: as its text, as two 64-bit integers, as 16 bytes, or in the type that newer engines
 * have for it. A row shows its text, whatever the storage. Default: `text`.
 */
export type UuidStorage = 'text' | 'int64-pair' | 'bytes' | 'native'

export type ScalarType =
  | { readonly kind: 'bool' }
  | {
      readonly kind: 'int64'
      /** How a row shows it: `number` refuses what has more than 53 bits, on the way in and out. Default: `bigint`. */
      readonly as?: 'bigint' | 'number'
    }
  | { readonly kind: 'float32' }
  | { readonly kind: 'float64' }
  | { readonly kind: 'numeric' }
  | { readonly kind: 'string'; readonly length: Length }
  | { readonly kind: 'bytes'; readonly length: Length }
  | { readonly kind: 'date' }
  | { readonly kind: 'timestamp' }
  | { readonly kind: 'json' }
  | { readonly kind: 'uuid'; readonly storage?: UuidStorage }

/** The logical type of a column. How a database stores it is the layout's business. */
export type ColumnType = ScalarType | { readonly kind: 'array'; readonly of: ScalarType }

export type TypeKind = ColumnType['kind']

/** Types that no engine takes as a key part. */
export function canBeKey(type: ColumnType): boolean {
  return type.kind !== 'json' && type.kind !== 'array'
}

/**
 * Types that may feed a shard's hash: those whose text is the same in every engine and in JavaScript. Floats and
 * NUMERIC print differently from engine to engine (`1.5` and `1.50`), so they are left out.
 */
export function canBeHashed(type: ColumnType): boolean {
  return canBeKey(type) && type.kind !== 'float32' && type.kind !== 'float64' && type.kind !== 'numeric'
}

/** Types whose values grow with time when nobody chooses them. */
export function growsWithTime(type: ColumnType): boolean {
  return type.kind === 'timestamp' || type.kind === 'date'
}

export function describeType(type: ColumnType): string {
  return type.kind === 'array' ? `array of ${type.of.kind}` : type.kind
}
