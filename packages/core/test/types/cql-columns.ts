// Compiled in both decorator modes, never run: the types of Cassandra, and the rows that models of them have.
import {
  Column,
  defineTable,
  defineUserType,
  Key,
  Table,
  TimeBucket,
  TimeUuid,
  UserType,
  UuidV4,
  type Generated,
  type Insert,
  type Row,
  type TableModel,
  type UserTypeModel,
  type ValueOf,
} from '@isotherm/core'
import type { Equal, Expect } from './equal.js'

const text = { kind: 'string', length: 'max' } as const

@UserType('address')
export class Address {
  @Column.string()
  street!: string

  @Column.ascii({ nullable: true })
  zip!: string | null

  get line(): string {
    return `${this.street} ${this.zip}`
  }

  describe(): string {
    return this.line
  }
}

@Table('fits')
export class Fits {
  @TimeBucket({ by: 'day', of: 'at' })
  day!: Generated<string>

  @TimeBucket({ by: 'hour', of: 'at' })
  hour!: Generated<Date>

  @TimeUuid({ default: 'now' })
  id!: Generated<string>

  @TimeUuid()
  given!: string

  @Key()
  @Column.int32()
  int32!: number

  @Column.int16({ static: true })
  int16!: number

  @Column.int8({ nullable: true })
  int8!: number | null

  @Column.varint()
  varint!: bigint

  @Column.decimal()
  decimal!: string

  @Column.time()
  time!: string

  @Column.duration()
  duration!: string

  @Column.inet()
  inet!: string

  @Column.timeuuid()
  timeuuid!: string

  @Column.ascii()
  ascii!: string

  @Column.counter()
  counter!: bigint

  @Column.set({ kind: 'int32' }, { nullable: true })
  set!: ReadonlySet<number> | null

  @Column.set({ kind: 'int64', as: 'number' })
  numbers!: Set<number>

  @Column.map(text, { kind: 'varint' }, { frozen: true })
  map!: ReadonlyMap<string, bigint>

  @Column.map(text, Address)
  addresses!: ReadonlyMap<string, Address>

  @Column.tuple([{ kind: 'int32' }, { kind: 'array', of: { kind: 'uuid' }, frozen: true }])
  tuple!: readonly [number | null, readonly string[] | null]

  @Column.udt(Address)
  home!: Address

  @Column.udt(Address, { nullable: true, frozen: true })
  plain!: { readonly street: string; readonly zip: string | null; readonly line: string } | null

  @Column.vector(3)
  vector!: readonly number[]

  @Column.array({ kind: 'array', of: { kind: 'int32' }, frozen: true })
  lists!: readonly (readonly number[])[]
}

@Table('DoesNotFit')
export class DoesNotFit {
  // @ts-expect-error: a day is a string, not a Date
  @TimeBucket({ by: 'week', of: 'at' })
  week!: Generated<Date>

  // @ts-expect-error: an hour is a Date, not a string
  @TimeBucket({ by: 'hour', of: 'at' })
  hour!: Generated<string>

  // @ts-expect-error: 32 bits fit a number
  @Column.int32()
  int32!: bigint

  // @ts-expect-error: a whole number of any size is a bigint
  @Column.varint()
  varint!: number

  // @ts-expect-error: a counter is a bigint
  @Column.counter()
  counter!: number

  // @ts-expect-error: a set is not an array
  @Column.set(text)
  set!: readonly string[]

  // @ts-expect-error: a set of texts is not a set of numbers
  @Column.set(text)
  numbers!: ReadonlySet<number>

  // @ts-expect-error: the values of this map are numbers
  @Column.map(text, { kind: 'int32' })
  map!: ReadonlyMap<string, string>

  // @ts-expect-error: a map is not an object
  @Column.map(text, { kind: 'int32' })
  record!: Record<string, number>

  // @ts-expect-error: a tuple of two
  @Column.tuple([{ kind: 'int32' }, text])
  tuple!: readonly [number, string, string]

  // @ts-expect-error: an address has no country
  @Column.udt(Address)
  home!: { readonly country: string }

  // @ts-expect-error: a nullable column needs a field that admits null
  @Column.vector(3, { nullable: true })
  vector!: readonly number[]
}

// What the options themselves refuse.

// @ts-expect-error: a bucket is of a time
TimeBucket({ by: 'day' })

// @ts-expect-error: there is no such size
TimeBucket({ by: 'decade', of: 'at' })

// @ts-expect-error: within a set, a set is frozen
Column.set({ kind: 'set', of: text })

// @ts-expect-error: a map's key is a scalar
Column.map({ kind: 'array', of: text, frozen: true }, text)

// @ts-expect-error: a tuple is frozen as it is
Column.tuple([text], { frozen: true })

const AddressType = defineUserType('address', (t) => ({
  street: t.string(),
  zip: t.ascii({ nullable: true }),
}))

export type FieldsOfAddress = Expect<
  Equal<
    typeof AddressType extends UserTypeModel<infer Fields> ? Fields : never,
    { street: string; zip: string | null }
  >
>

defineUserType('loose', (t) => ({
  // @ts-expect-error: a user type has no key
  id: t.uuidV4(),
}))

defineUserType('loose', (t) => ({
  // @ts-expect-error: a counter is a column of its own
  hits: t.counter(),
}))

const Everything = defineTable('everything', (t) => ({
  day: t.timeBucket({ by: 'day', of: 'at' }),
  hour: t.timeBucket({ by: 'hour', of: 'at' }),
  id: t.timeUuid({ default: 'now' }),
  given: t.timeUuid(),
  int8: t.int8({ nullable: true }),
  varint: t.varint(),
  set: t.set({ kind: 'timestamp' }, { nullable: true }),
  map: t.map(text, AddressType),
  byClass: t.map({ kind: 'int64', as: 'number' }, Address),
  tuple: t.tuple([{ kind: 'int32' }, AddressType]),
  home: t.udt(AddressType, { nullable: true }),
  nested: t.array({
    kind: 'map',
    key: text,
    of: { kind: 'set', of: { kind: 'inet' }, frozen: true },
    frozen: true,
  }),
  named: t.set({ kind: 'udt', name: 'address', frozen: true }),
  vector: t.vector(3),
  numbers: t.array({ kind: 'int64', as: 'number' }),
}))

type FieldsOf<Model> = Model extends TableModel<infer Fields> ? Fields : never

interface PlainAddress {
  readonly street: string
  readonly zip: string | null
}

export type RowOfEverything = Expect<
  Equal<
    Omit<Row<FieldsOf<typeof Everything>>, 'hour' | 'byClass' | 'map' | 'tuple' | 'home'>,
    {
      day: string
      id: string
      given: string
      int8: number | null
      varint: bigint
      set: ReadonlySet<Date> | null
      nested: readonly (ReadonlyMap<string, ReadonlySet<string>> | null)[]
      named: ReadonlySet<Readonly<Record<string, unknown>>>
      vector: readonly number[]
      numbers: readonly (number | null)[]
    }
  >
>

declare const row: Row<FieldsOf<typeof Everything>>
export const hour: Date = row.hour
export const map: ReadonlyMap<string, PlainAddress> = row.map
export const byClass: ReadonlyMap<number, PlainAddress & { readonly line: string }> = row.byClass
export const tuple: readonly [number | null, PlainAddress | null] = row.tuple
export const home: PlainAddress | null = row.home
// @ts-expect-error: a method is not a field
export const described = row.byClass.get(1)?.describe()

type MayLeaveOut = {
  [Name in keyof Insert<FieldsOf<typeof Everything>>]-?: undefined extends Insert<
    FieldsOf<typeof Everything>
  >[Name]
    ? Name
    : never
}[keyof Insert<FieldsOf<typeof Everything>>]
export type Optional = Expect<Equal<MayLeaveOut, 'day' | 'hour' | 'id' | 'int8' | 'set' | 'home'>>

export type OfAnyType = Expect<Equal<ValueOf<Parameters<typeof Column.set>[0]>, unknown>>

defineTable('hits', (t) => ({ id: t.uuidV4(), hits: t.counter() }), { partitionKey: ['id'] })

// @ts-expect-error: a partition key is of properties
defineTable('hits', (t) => ({ id: t.uuidV4() }), { partitionKey: ['page'] })

// @ts-expect-error: rows are a table's own, or their parent's
defineTable('hits', (t) => ({ id: t.uuidV4() }), { rows: 'shared' })

// @ts-expect-error: a class names its own properties
@Table('classy', { partitionKey: ['page'] })
export class Classy {
  @UuidV4()
  id!: Generated<string>
}
