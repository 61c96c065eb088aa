/** How long a string (in characters) or a byte string (in bytes) may be. */
export type Length = number | 'max'

/**
 * How the database stores a UUID: as its text, as two 64-bit integers, as 16 bytes, or in the type that newer engines have
 * for it. A row shows its text, whatever the storage. Default: `text`.
 */
export type UuidStorage = 'text' | 'int64-pair' | 'bytes' | 'native'

export type ScalarType =
  | { readonly kind: 'bool' }
  | {
      readonly kind: 'int64'
      /** How a row shows it: `number` refuses values of more than 53 bits, in writes and reads. Default: `bigint`. */
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
  /** Whole numbers of 32, 16 and 8 bits, which a row shows as numbers. */
  | { readonly kind: 'int32' }
  | { readonly kind: 'int16' }
  | { readonly kind: 'int8' }
  /** A whole number of any size. */
  | { readonly kind: 'varint' }
  /** An exact decimal of any size, as a string. */
  | { readonly kind: 'decimal' }
  /** A time of day to the nanosecond, `13:30:54.123456789`. */
  | { readonly kind: 'time' }
  /**
   * Months, days and nanoseconds, which cannot be converted into each other: durations have no order, and cannot be a key.
   */
  | { readonly kind: 'duration' }
  /** The text of an IPv4 or IPv6 address. */
  | { readonly kind: 'inet' }
  /** The text of a version 1 UUID, which is ordered by the time in it. */
  | { readonly kind: 'timeuuid' }
  | { readonly kind: 'ascii' }
  /** A number that is only ever added to. */
  | { readonly kind: 'counter' }

interface ArrayType {
  readonly kind: 'array'
  readonly of: ElementType
  /** Stored, compared and replaced as one value; otherwise an engine may keep and merge each item by itself. */
  readonly frozen?: true
}

interface SetType {
  readonly kind: 'set'
  readonly of: ElementType
  readonly frozen?: true
}

export interface MapType {
  readonly kind: 'map'
  readonly key: ScalarType
  readonly of: ElementType
  readonly frozen?: true
}

/**
 * A fixed number of values, each of its own type. The database stores it as one value: CQL has no other kind of
 * tuple.
 */
interface TupleType {
  readonly kind: 'tuple'
  readonly of: readonly ElementType[]
}

export interface UserTypeField {
  readonly name: string
  readonly type: ColumnType
  /** Absent: a write has to give it. */
  readonly nullable?: true
}

/** A type of the user's own: the schema's `userTypes` has its fields. */
export interface UdtType {
  readonly kind: 'udt'
  readonly name: string
  readonly frozen?: true
  /** Its fields, as the columns of a layout have them; those of a model are in its schema. */
  readonly fields?: readonly UserTypeField[]
}

export interface VectorType {
  readonly kind: 'vector'
  readonly of: 'float32'
  readonly dimensions: number
}

export type CompositeType = ArrayType | SetType | MapType | TupleType | UdtType | VectorType

/** Types that the database stores as one value, though they consist of several. */
export type FrozenType =
  | ((ArrayType | SetType | MapType | UdtType) & { readonly frozen: true })
  | TupleType
  | VectorType

/** The types that a collection or a tuple may contain. */
export type ElementType = ScalarType | FrozenType

/** The logical type of a column. How a database stores it is the layout's business. */
export type ColumnType = ScalarType | CompositeType

export type TypeKind = ColumnType['kind']

/** Every kind of type, in the order in which they are spoken of. */
export const TYPE_KINDS = [
  'bool',
  'int64',
  'int32',
  'int16',
  'int8',
  'varint',
  'float32',
  'float64',
  'numeric',
  'decimal',
  'string',
  'ascii',
  'bytes',
  'date',
  'time',
  'timestamp',
  'duration',
  'json',
  'uuid',
  'timeuuid',
  'inet',
  'counter',
  'array',
  'set',
  'map',
  'tuple',
  'udt',
  'vector',
] as const satisfies readonly TypeKind[]

const COMPOSITE: ReadonlySet<TypeKind> = new Set(['array', 'set', 'map', 'tuple', 'udt', 'vector'])

export function isComposite(type: ColumnType): type is CompositeType {
  return COMPOSITE.has(type.kind)
}

/** Whether a composite type is one value to the database. */
export function isFrozen(type: ColumnType): type is FrozenType {
  return type.kind === 'tuple' || type.kind === 'vector' || ('frozen' in type && type.frozen === true)
}

/** The types directly inside another: of a user type, its fields where the type has them. */
export function innerTypes(type: ColumnType): readonly ColumnType[] {
  switch (type.kind) {
    case 'array':
    case 'set':
      return [type.of]
    case 'map':
      return [type.key, type.of]
    case 'tuple':
      return type.of
    case 'udt':
      return type.fields?.map((field) => field.type) ?? NO_TYPES
    default:
      return NO_TYPES
  }
}

const NO_TYPES: readonly ColumnType[] = []

/** A type and every type within it, its own first. */
export function typesWithin(type: ColumnType): readonly ColumnType[] {
  const inner = innerTypes(type)
  return inner.length === 0 ? [type] : [type, ...inner.flatMap(typesWithin)]
}

const NO_KEY: ReadonlySet<TypeKind> = new Set(['json', 'counter', 'duration'])

/** Types that some engine takes as a key part. Composite ones are keys as one value, where they are keys at all. */
export function canBeKey(type: ColumnType): boolean {
  return (!isComposite(type) || isFrozen(type)) && typesWithin(type).every(({ kind }) => !NO_KEY.has(kind))
}

/** Types that some engine can index: of a type that is stored item by item, each item is indexed. */
export function canBeIndexed(type: ColumnType): boolean {
  return canBeKey(type) || type.kind === 'set' || type.kind === 'map' || type.kind === 'vector'
}

const HASHED: ReadonlySet<TypeKind> = new Set([
  'bool',
  'int64',
  'int32',
  'int16',
  'int8',
  'varint',
  'string',
  'ascii',
  'bytes',
  'date',
  'timestamp',
  'uuid',
  'timeuuid',
  'inet',
])

/**
 * Types that may feed a shard's hash: those whose text is the same in every engine and in JavaScript. Floats and
 * decimals print differently from engine to engine (`1.5` and `1.50`), and so do times of day; they are left out.
 */
export function canBeHashed(type: ColumnType): boolean {
  return HASHED.has(type.kind)
}

/** Types whose values grow with time unless the caller chooses other values. */
export function growsWithTime(type: ColumnType): boolean {
  return type.kind === 'timestamp' || type.kind === 'date' || type.kind === 'timeuuid'
}

export function describeType(type: ColumnType): string {
  switch (type.kind) {
    case 'array':
    case 'set':
      return `${type.kind} of ${describeType(type.of)}`
    case 'map':
      return `map from ${describeType(type.key)} to ${describeType(type.of)}`
    case 'tuple':
      return `tuple of ${type.of.map(describeType).join(', ')}`
    case 'udt':
      return `user type ${type.name}`
    case 'vector':
      return `vector of ${type.dimensions}`
    default:
      return type.kind
  }
}
