import {
  anything,
  argumentMistakes,
  declarationMistakes,
  bigint,
  callback,
  either,
  flag,
  kind,
  leaveOut,
  number,
  oneOf,
  required,
  text,
  type OptionKinds,
  type OptionMistake,
} from '../options.js'
import type { AnyCounter, ShardFunction } from './bindings.js'
import type { ColumnPatch, SourceDefinition } from './column.js'
import type { Length, ScalarType, UuidStorage } from './column-type.js'
import {
  bigintRange,
  databaseName,
  length,
  order as keyOrder,
  properties,
  shownAs,
  sql,
  uuidStorage,
} from './declaration-kinds.js'
import type { ComputedBy, HashAlgorithm } from './key.js'
import type { Sql, SqlExpression } from './sql-expression.js'

// What each column declaration means, in one place: the decorators and `defineTable` are two forms of this file.

export interface ColumnOptions<Nullable extends boolean = boolean, Value = unknown> {
  /** The name in the database. Default: the property's. */
  readonly name?: string
  /** Default: false. */
  readonly nullable?: Nullable
  /** Set at the insert and never changed: such a column may feed a shard's hash. */
  readonly immutable?: boolean
  /** The database's value when an insert leaves the column out: a value, or marked SQL, sql`CURRENT_DATE()`. */
  readonly default?: Value | Sql
  /**
   * SQL over other columns, by their names in the database: the database computes the column, and a write cannot set it.
   */
  readonly generated?: SqlExpression
  /** Whether a generated column is kept with the row, rather than computed when it is read. Default: true. */
  readonly stored?: boolean
  /** Whether the database holds a generated column that is not stored to NOT NULL. Default: false. */
  readonly notNull?: boolean
  /** Leaves the column out of `SELECT *` (GoogleSQL). Default: false. */
  readonly hidden?: boolean
  /** One value for all rows of a partition, kept once. Cassandra and Keyspaces. Default: false. */
  readonly static?: boolean
}

export interface LengthOptions<Nullable extends boolean = boolean, Value = unknown> extends ColumnOptions<
  Nullable,
  Value
> {
  /** The longest value, in characters (strings) or bytes. Default: `max`, the database's own limit. */
  readonly length?: Length
}

export interface Int64Options<Nullable extends boolean = boolean> extends ColumnOptions<
  Nullable,
  bigint | number
> {
  /**
   * How a row shows it. `number` is for values that stay within 53 bits: what does not is refused when it is written, and
   * when it is read. Default: `bigint`.
   */
  readonly as?: 'bigint' | 'number'
}

export interface UuidOptions<Nullable extends boolean = boolean> extends ColumnOptions<Nullable, string> {
  /** How the database stores it; a row shows its text. Default: `text`. */
  readonly storage?: UuidStorage
}

interface ShardRange {
  /** How many shards: a whole number from 1 to 10,000. */
  readonly shards: number
  /** The lowest shard. Default: 0. */
  readonly first?: number
  readonly name?: string
}

export type ShardKeyOptions<Property extends string = string> = ShardRange &
  (
    | {
        readonly strategy?: 'hash'
        /** The properties to hash: key parts, or immutable columns. A row is found again by these alone. */
        readonly of: readonly Property[]
        /** Default: the database wherever its rules allow, so that other writers cannot get it wrong. */
        readonly computedBy?: ComputedBy
        /** For a table that was made with `MOD(hash, shards)`, whose shards go from `1 - shards` to `shards - 1`. */
        readonly signed?: boolean
        /** For a table whose shard is computed in a way of its own: the SQL of its generated column. */
        readonly expression?: SqlExpression
        /** The same as a function of the values of `of`; absent if the client cannot compute the shard. */
        readonly compute?: ShardFunction
      }
    | RandomShardStrategy
  )

interface RandomShardStrategy {
  /** No hash, no point read by the other columns alone: the key must hold a UUID as well. */
  readonly strategy: 'random' | 'round-robin'
}

type RandomShardOptions = ShardRange & RandomShardStrategy

export interface HashKeyOptions<Property extends string = string> {
  /** The properties to hash, which together are unique. */
  readonly of: readonly Property[]
  /** `farm-fingerprint` is 64 bits, a `bigint`; the others are digests of 32 and 64 bytes. Default: `farm-fingerprint`. */
  readonly algorithm?: HashAlgorithm
  /** Default: the database wherever its rules allow. */
  readonly computedBy?: ComputedBy
  readonly name?: string
}

export interface MadeKeyOptions {
  readonly name?: string
  /** `false`: a plain column, whose value is made on insert all the same. Default: true, a part of the primary key. */
  readonly key?: boolean
}

export type BitReversedIdOptions = MadeKeyOptions & {
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startCounter?: bigint
  /** Ids (as stored) that are never handed out, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
} & (
    | {
        /** Default: `identity`, the column's own sequence. */
        readonly from?: 'identity'
      }
    | {
        readonly from: 'sequence'
        /** Default: the table's and the column's names and `seq`, joined by `_`. */
        readonly sequence?: string
      }
    | {
        /** The application's own counter: its numbers are stored with their bits reversed. */
        readonly from: AnyCounter
        readonly startCounter?: never
        readonly skipRange?: never
      }
  )

export interface KeyOptions {
  /** Default: `asc`. */
  readonly order?: 'asc' | 'desc'
}

export interface SequentialOptions {
  readonly name?: string
  /** The application's own counter: `inTransaction('invoice')`, for numbers in order and without gaps. */
  readonly from: AnyCounter
}

export interface UuidV4Options extends MadeKeyOptions {
  /** How the database stores it; a row shows its text. Default: `text`. */
  readonly storage?: UuidStorage
}

export interface DescTimestampOptions {
  readonly name?: string
  /**
   * Who sets it when an insert leaves it out: `now` is the client's clock, `commit` the database's commit timestamp,
   * `required` requires a value from the caller. Default: `required`.
   */
  readonly default?: 'now' | 'commit' | 'required'
}

/**
 * `2026-08-01T00:00:00+01:00`: the compiler distinguishes it from a misspelled word; its day and its offset are checked
 * later.
 */
export type IsoText = `${number}-${string}`

export interface TimestampOptions<Nullable extends boolean = boolean> extends Omit<
  ColumnOptions<Nullable>,
  'default'
> {
  /**
   * Who sets it when an insert leaves it out: `now` is the client's clock, `commit` the database's commit timestamp; a
   * `Date`, ISO text with an offset or marked SQL is a default of the database. Default: `required`, which requires a value
   * from the caller.
   */
  readonly default?: 'now' | 'commit' | 'required' | Date | IsoText | Sql
}

// The same as data, to check what comes without a compiler.

export const COLUMN: OptionKinds<ColumnOptions> = {
  name: databaseName,
  nullable: flag,
  immutable: flag,
  // Judged with the column's type, when the schema is made.
  default: anything,
  generated: sql,
  stored: flag,
  notNull: flag,
  hidden: flag,
  static: flag,
}
const LENGTH: OptionKinds<LengthOptions> = { ...COLUMN, length }
const INT64: OptionKinds<Int64Options> = { ...COLUMN, as: shownAs }
const UUID: OptionKinds<UuidOptions> = { ...COLUMN, storage: uuidStorage }

const computedBy = oneOf('database', 'client')

const SHARD = {
  name: databaseName,
  shards: required(number),
  first: number,
  strategy: oneOf('hash', 'random', 'round-robin'),
}
const HASH_SHARD: OptionKinds<ShardKeyOptions> = {
  ...SHARD,
  of: required(properties),
  computedBy,
  signed: flag,
  expression: sql,
  compute: callback,
}
/** Of either kind of strategy, before it is known which. */
const SHARD_KEY: OptionKinds<ShardKeyOptions> = {
  ...SHARD,
  of: anything,
  computedBy: anything,
  signed: anything,
  expression: anything,
  compute: anything,
}
const hashesNothing = leaveOut('Remove it: a random or round-robin shard is not computed from columns.')
const RANDOM_SHARD: OptionKinds<ShardKeyOptions> = {
  ...SHARD,
  of: hashesNothing,
  computedBy: hashesNothing,
  signed: hashesNothing,
  expression: hashesNothing,
  compute: hashesNothing,
}
const HASH_KEY: OptionKinds<HashKeyOptions> = {
  name: databaseName,
  of: required(properties),
  algorithm: oneOf('farm-fingerprint', 'sha256', 'sha512'),
  computedBy,
}
const counter = kind(
  "a counter, such as inTransaction('invoice')",
  (value) =>
    typeof value === 'object' && value !== null && (hasMethod(value, 'next') || hasMethod(value, 'takeIn')),
)

function hasMethod(value: object, name: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>>)[name] === 'function'
}

const BIT_REVERSED_ID: OptionKinds<BitReversedIdOptions> = {
  name: databaseName,
  key: flag,
  from: either("one of 'identity', 'sequence', or a counter", oneOf('identity', 'sequence'), counter),
  sequence: text("'OrderNumbers'"),
  startCounter: bigint,
  skipRange: bigintRange,
}
const SEQUENTIAL: OptionKinds<SequentialOptions> = { name: databaseName, from: required(counter) }
const UUID_V4: OptionKinds<UuidV4Options> = { name: databaseName, key: flag, storage: uuidStorage }
const KEY: OptionKinds<KeyOptions> = { order: keyOrder }
const DESC_TIMESTAMP: OptionKinds<DescTimestampOptions> = {
  name: databaseName,
  default: oneOf('now', 'commit', 'required'),
}

/**
 * The declaration, or the mistakes in its options: `defineSchema` reports these with everything else, and with the table
 * and the column.
 */
export function declared<Options extends object>(
  kinds: OptionKinds<Options>,
  userOptions: Options | undefined,
  patch: (options: Options) => ColumnPatch,
): ColumnPatch {
  const mistakes = declarationMistakes(kinds, userOptions)
  if (mistakes.length > 0) return { mistakes }
  const { stored, generated, notNull }: ColumnOptions = userOptions ?? {}
  if (stored !== undefined && generated === undefined)
    return mistaken(
      'stored',
      'is given without generated.',
      'Give the SQL too, generated, or leave stored out.',
    )
  if (notNull !== undefined && generated === undefined)
    return mistaken(
      'notNull',
      'is given without generated.',
      'Leave notNull out: a column is NOT NULL unless it is declared with nullable: true.',
    )
  return patch(userOptions ?? ({} as Options))
}

export function mistaken(path: string, what: string, fix: string): ColumnPatch {
  const mistakes: readonly OptionMistake[] = [{ path, message: `${path} ${what}`, fix }]
  return { mistakes }
}

export function scalarColumn(kind: PlainKind, userOptions?: ColumnOptions): ColumnPatch {
  return typedColumn({ kind }, userOptions)
}

export function typedColumn(type: ScalarType, userOptions?: ColumnOptions): ColumnPatch {
  return declared(COLUMN, userOptions, (options) => column(type, options))
}

/** A type that has options of its own is declared by them. */
export type PlainKind = Exclude<ScalarType['kind'], 'int64' | 'uuid' | 'string' | 'bytes' | 'timestamp'>

export function textColumn(kind: 'string' | 'bytes', userOptions?: LengthOptions): ColumnPatch {
  return declared(LENGTH, userOptions, ({ length = 'max', ...options }) => column({ kind, length }, options))
}

export function int64Column(userOptions?: Int64Options): ColumnPatch {
  return declared(INT64, userOptions, ({ as, ...options }) =>
    column({ kind: 'int64', ...(as === 'number' && { as }) }, options),
  )
}

export function uuidColumn(userOptions?: UuidOptions): ColumnPatch {
  return declared(UUID, userOptions, ({ storage, ...options }) => column(uuidType(storage), options))
}

export function timestampColumn(userOptions?: TimestampOptions): ColumnPatch {
  return declared<TimestampOptions>(COLUMN, userOptions, ({ default: from, ...options }) => {
    const isSource = from === undefined || from === 'now' || from === 'commit' || from === 'required'
    return isSource
      ? { ...column({ kind: 'timestamp' }, options), ...timestampSource(from) }
      : column({ kind: 'timestamp' }, { ...options, default: from })
  })
}

/** The declaration of a column whose options are valid. */
export function column(type: ScalarType, options: ColumnOptions = {}): ColumnPatch {
  return { type, nullable: options.nullable ?? false, ...described(options) }
}

/** @param order what `.key()` or `@Key` was called with */
export function keyColumn(order: 'asc' | 'desc' = 'asc'): ColumnPatch {
  const mistakes = argumentMistakes('the order of the key', keyOrder, order)
  return mistakes.length > 0 ? { mistakes } : { key: order }
}

export function keyOptionsColumn(userOptions?: KeyOptions): ColumnPatch {
  return declared(KEY, userOptions, ({ order }) => keyColumn(order))
}

export function parentKeyColumn(): ColumnPatch {
  return { parentKey: true }
}

export function shardKeyColumn(userOptions: ShardKeyOptions): ColumnPatch {
  // The strategy has to be known before it is known what else there may be.
  const { mistakes = [] } = declared(SHARD_KEY, userOptions, () => ({}))
  if (mistakes.length > 0) return { mistakes }
  return declared(isRandom(userOptions) ? RANDOM_SHARD : HASH_SHARD, userOptions, shardColumn)
}

function isRandom(options: ShardKeyOptions): options is RandomShardOptions {
  return options.strategy === 'random' || options.strategy === 'round-robin'
}

function shardColumn(options: ShardKeyOptions): ColumnPatch {
  const { shards, first } = options
  const range = { shards, ...(first !== undefined && first !== 0 && { first }) }
  const key = { type: { kind: 'int64' }, nullable: false, key: 'asc', ...named(options) } as const
  if (isRandom(options)) {
    return {
      ...key,
      source: { kind: 'shard', strategy: options.strategy, ...range, of: [], computedBy: 'client' },
    }
  }
  const { of, computedBy, signed, expression, compute } = options
  const source: SourceDefinition = {
    kind: 'shard',
    strategy: 'hash',
    ...range,
    ...(signed && { signed }),
    of: [...of],
    ...(computedBy && { computedBy }),
    ...(expression !== undefined && { expression }),
    // A function alone says nothing that the database could compute.
    ...(compute && expression === undefined && { computedBy: computedBy ?? 'client', ownFunction: true }),
  }
  return { ...key, source, ...(compute && { binding: { shard: compute } }) }
}

const DIGEST_BYTES = { sha256: 32, sha512: 64 } as const

export function hashKeyColumn(userOptions: HashKeyOptions): ColumnPatch {
  return declared(HASH_KEY, userOptions, hashColumn)
}

function hashColumn(options: HashKeyOptions): ColumnPatch {
  const { of, algorithm = 'farm-fingerprint', computedBy } = options
  return {
    type:
      algorithm === 'farm-fingerprint'
        ? { kind: 'int64' }
        : { kind: 'bytes', length: DIGEST_BYTES[algorithm] },
    nullable: false,
    key: 'asc',
    source: { kind: 'hash', algorithm, of: [...of], ...(computedBy && { computedBy }) },
    ...named(options),
  }
}

export function bitReversedIdColumn(userOptions?: BitReversedIdOptions): ColumnPatch {
  return declared(BIT_REVERSED_ID, userOptions, idColumn)
}

function idColumn(options: BitReversedIdOptions): ColumnPatch {
  const { startCounter, skipRange, from = 'identity' } = options
  if (from !== 'sequence' && 'sequence' in options && options.sequence !== undefined)
    return mistaken(
      'sequence',
      "is given without from: 'sequence'.",
      "Give from: 'sequence', or leave it out.",
    )
  if (typeof from === 'object' && (startCounter !== undefined || skipRange !== undefined)) {
    const path = startCounter === undefined ? 'skipRange' : 'startCounter'
    return mistaken(path, 'is given with a counter of the application.', 'Leave it out: the counter counts.')
  }
  const made = { type: { kind: 'int64' }, nullable: false, ...madeKey(options), ...named(options) } as const
  if (typeof from === 'object')
    return { ...made, source: { kind: 'bit-reversed', from: 'client' }, binding: { counter: from } }
  const source: SourceDefinition = {
    kind: 'bit-reversed',
    from,
    ...(options.from === 'sequence' && options.sequence !== undefined && { sequence: options.sequence }),
    ...(startCounter !== undefined && { startCounter: String(startCounter) }),
    ...(skipRange && { skipRange: [String(skipRange[0]), String(skipRange[1])] as const }),
  }
  return { ...made, source }
}

export function sequentialColumn(userOptions: SequentialOptions): ColumnPatch {
  return declared(SEQUENTIAL, userOptions, numberColumn)
}

function numberColumn({ from, ...options }: SequentialOptions): ColumnPatch {
  if (from.bitReversed) {
    return mistaken(
      'from',
      'is a counter that returns numbers with reversed bits, but a sequential number is for people to read.',
      'Leave bitReversed out of the counter, or declare the column as a bit-reversed id.',
    )
  }
  return {
    type: { kind: 'int64' },
    nullable: false,
    source: { kind: 'sequential' },
    binding: { counter: from },
    ...named(options),
  }
}

export function uuidV4Column(userOptions?: UuidV4Options): ColumnPatch {
  return declared(UUID_V4, userOptions, (options) => ({
    type: uuidType(options.storage),
    nullable: false,
    ...madeKey(options),
    source: { kind: 'uuid-v4' },
    ...named(options),
  }))
}

export function descTimestampColumn(userOptions?: DescTimestampOptions): ColumnPatch {
  return declared(DESC_TIMESTAMP, userOptions, (options) => ({
    type: { kind: 'timestamp' },
    nullable: false,
    key: 'desc',
    ...timestampSource(options.default),
    ...named(options),
  }))
}

/** A column that makes its own values is a key part, unless `key` is false. */
export function madeKey({ key = true }: MadeKeyOptions, order: 'asc' | 'desc' = 'asc'): ColumnPatch {
  return { key: key && order }
}

function uuidType(storage: UuidStorage = 'text'): ScalarType {
  return { kind: 'uuid', ...(storage !== 'text' && { storage }) }
}

function timestampSource(from: 'now' | 'commit' | 'required' = 'required'): ColumnPatch {
  return from === 'required' ? {} : { source: { kind: 'timestamp', from } }
}

export function named(options: { readonly name?: string }): ColumnPatch {
  return options.name === undefined ? {} : { name: options.name }
}

export function described(options: ColumnOptions): ColumnPatch {
  const { immutable, generated, stored, notNull, hidden, static: isStatic } = options
  return {
    ...named(options),
    ...(immutable !== undefined && { immutable }),
    ...(options.default !== undefined && { default: options.default }),
    ...(generated !== undefined && {
      generated: { expression: generated, stored: stored ?? true, ...(notNull && { notNull }) },
    }),
    ...(hidden && { hidden }),
    ...(isStatic && { static: isStatic }),
  }
}
