// Compiled in both decorator modes, never run: each field that fits its column compiles, and each that does not fails.
import {
  BitReversedId,
  Column,
  DescTimestamp,
  Key,
  ParentKey,
  ShardKey,
  Table,
  UuidV4,
  // Without `type`: its value is what such an import finds.
  Generated,
} from '@isotherm/core'

type Any = ReturnType<typeof JSON.parse>

type Status = 'open' | 'paid' | 'void'

interface Address {
  readonly street: string
}

@Table('Fits')
export class Fits {
  @ShardKey({ shards: 64, of: ['userId'] })
  shardId!: Generated<bigint>

  @ShardKey({ shards: 64, strategy: 'random' })
  plainShardId!: bigint

  @BitReversedId()
  reversedId!: Generated<bigint>

  @UuidV4()
  uuidKey!: Generated<string>

  @DescTimestamp({ default: 'now' })
  lastAccess!: Generated<Date>

  @DescTimestamp()
  givenAccess!: Date

  @Key()
  @Column.int64()
  userId!: bigint

  @Column.string({ length: 36 })
  @Key({ order: 'desc' })
  name!: string

  @Key()
  @Column.string({ nullable: true })
  nullableKey!: string | null

  @ParentKey()
  customerId!: string

  @ParentKey()
  orderId!: Generated<bigint>

  @ParentKey()
  region!: string | null

  @Column.bool()
  bool!: boolean

  @Column.float32()
  float32!: number

  @Column.float64()
  float64!: number

  @Column.numeric()
  numeric!: string

  @Column.date()
  date!: string

  @Column.uuid()
  uuid!: string

  @Column.bytes({ length: 16 })
  bytes!: Uint8Array

  @Column.bytes()
  buffer!: Buffer

  @Column.timestamp()
  timestamp!: Date

  @Column.timestamp({ default: 'commit' })
  committed!: Generated<Date>

  @Column.json()
  json!: Address

  @Column.json({ nullable: true })
  nullableJson!: Address | null

  @Column.json()
  unknownJson!: unknown

  @Column.array({ kind: 'string', length: 'max' })
  array!: readonly string[]

  @Column.array({ kind: 'int64' }, { nullable: true })
  nullableArray!: bigint[] | null

  @Column.string()
  status!: Status

  @Column.string({ nullable: true })
  nullableStatus!: Status | null

  @Column.string()
  generatedStatus!: Generated<Status>

  @Column.string({ nullable: true })
  generatedOrNull!: Generated<string | null>

  @Column.bool()
  generatedBool!: Generated<boolean>

  @Column.timestamp({ nullable: true })
  nullableTimestamp!: Date | null

  @Column.bytes({ nullable: true })
  nullableBytes!: Uint8Array | null
}

@Table('DoesNotFit')
export class DoesNotFit {
  // @ts-expect-error: a bigint column on a number
  @Column.int64()
  int64OnNumber!: number

  // @ts-expect-error: a bigint column on a string
  @Column.int64()
  int64OnString!: string

  // @ts-expect-error: a bigint column on a field that may be a number too
  @Column.int64()
  int64OnEither!: bigint | number

  // @ts-expect-error: a bigint column on a field that may be anything
  @Column.int64()
  int64OnUnknown!: unknown

  // @ts-expect-error: a float column on a bigint
  @Column.float64()
  float64OnBigint!: bigint

  // @ts-expect-error: an exact decimal is a string, not a number
  @Column.numeric()
  numericOnNumber!: number

  // @ts-expect-error: a calendar day is a string, not a Date
  @Column.date()
  dateOnDate!: Date

  // @ts-expect-error: a timestamp is a Date, not a string
  @Column.timestamp()
  timestampOnString!: string

  // @ts-expect-error: a string is not a Date
  @Column.string()
  stringOnDate!: Date

  // @ts-expect-error: bytes are not string
  @Column.bytes()
  bytesOnString!: string

  // @ts-expect-error: a boolean is not a string
  @Column.bool()
  boolOnString!: string

  // @ts-expect-error: an array is not a string
  @Column.array({ kind: 'string', length: 'max' })
  arrayOnString!: string

  // @ts-expect-error: a nullable column needs a field that admits null
  @Column.string({ nullable: true })
  nullableOnString!: string

  // @ts-expect-error: a nullable column needs a field that admits null, generated or not
  @Column.timestamp({ nullable: true })
  nullableOnGenerated!: Generated<Date>

  // @ts-expect-error: a nullable column on undefined instead of null
  @Column.string({ nullable: true })
  nullableOnUndefined!: string | undefined

  // @ts-expect-error: a column that is never NULL on a field that admits null
  @Column.string()
  stringOnNullable!: string | null

  // @ts-expect-error: a column that is never NULL on a generated field that admits null
  @Column.string()
  stringOnGeneratedOrNull!: Generated<string | null>

  // @ts-expect-error: a column that is never NULL on a field that admits null
  @Column.int64({ nullable: false })
  int64OnNullable!: bigint | null

  // @ts-expect-error: a shard is a bigint
  @ShardKey({ shards: 64, of: ['userId'] })
  shardOnString!: string

  // @ts-expect-error: a shard is a bigint
  @ShardKey({ shards: 64, of: ['userId'] })
  shardOnNumber!: Generated<number>

  // @ts-expect-error: a UUID is a string
  @UuidV4()
  uuidOnBigint!: Generated<bigint>

  // @ts-expect-error: a key made by Isotherm is never NULL
  @UuidV4()
  uuidOnNullable!: Generated<string | null>

  // @ts-expect-error: a timestamp is a Date
  @DescTimestamp({ default: 'now' })
  descTimestampOnBigint!: Generated<bigint>

  // @ts-expect-error: a timestamp is a Date
  @DescTimestamp()
  descTimestampOnString!: string

  // @ts-expect-error: an id is a bigint: a number would lose its lower digits
  @BitReversedId()
  bitReversedOnNumber!: number

  // @ts-expect-error: an id is a bigint: a number would lose its lower digits
  @BitReversedId()
  bitReversedOnGeneratedNumber!: Generated<number>
}

const hidden = Symbol('hidden')

@Table('NotPublic')
export class NotPublic {
  // @ts-expect-error: the types of rows have no private field
  @Column.string()
  private secret!: string

  // @ts-expect-error: the types of rows have no protected field
  @Column.json()
  protected kept!: Address

  // @ts-expect-error: a key is a public field
  @Key()
  private key!: string

  // @ts-expect-error: a key is a public field
  @ParentKey()
  protected parentKey!: string

  // @ts-expect-error: a shard is a public field
  @ShardKey({ shards: 64, of: ['userId'] })
  private shardId!: Generated<bigint>

  // @ts-expect-error: not even of type any
  @Column.string()
  private anything!: Any

  // @ts-expect-error: a row has no static field
  @Column.string()
  static shared: string

  // @ts-expect-error: a column is named by a string
  @Column.string()
  readonly [hidden]!: string

  readonly used = [this.secret, this.kept, this.key, this.parentKey, this.shardId, this.anything]
}

@Table('Optional')
export class Optional {
  // @ts-expect-error: a column that is never NULL has a value in each row
  @Column()
  inferred?: string

  // @ts-expect-error: NULL is null, not undefined
  @Column({ nullable: true })
  nullable?: string | null

  // @ts-expect-error: a column of any type too
  @Column.json()
  json?: Address

  // @ts-expect-error: a column of any type too
  @Column.json()
  unknown?: unknown

  // @ts-expect-error: a key part has a value in each row
  @Key()
  key?: string

  // @ts-expect-error: a key part has a value in each row
  @ParentKey()
  parentKey?: string

  // @ts-expect-error: an insert may leave a generated field out, a row has it
  @UuidV4()
  id?: Generated<string>

  // @ts-expect-error: not even of type any
  @Column.string()
  anything?: Any

  // @ts-expect-error: no row has undefined
  @Column()
  inferredOrUndefined!: string | undefined

  // @ts-expect-error: a number may be INT64, FLOAT64 or NUMERIC
  @Column()
  inferredNumber!: number
}

// What the options themselves refuse.

// @ts-expect-error: a hash shard names what it hashes
ShardKey({ shards: 64 })

// @ts-expect-error: a random shard hashes nothing
ShardKey({ shards: 64, strategy: 'random', of: ['userId'] })

// @ts-expect-error: only a sequence has a name
BitReversedId({ from: 'identity', sequence: 'ids' })

// @ts-expect-error: a counter is a bigint
BitReversedId({ startCounter: 1000 })

// @ts-expect-error: there is no such default
DescTimestamp({ default: 'yesterday' })

// @ts-expect-error: only strings and bytes have a length
Column.int64({ length: 8 })

// @ts-expect-error: an array of arrays is not a column type
Column.array({ kind: 'array', of: { kind: 'int64' } })

export class DecoratedByAType {
  // @ts-expect-error: a type is not a decorator
  @Generated()
  id!: string
}
// @ts-expect-error: a type is not a class
export const generated = new Generated('x')
