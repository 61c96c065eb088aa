// Compiled, never run: what `defineTable` makes of the options of columns, and what it asks of the options of a table.
import {
  defineTable,
  type Counter,
  type Generated,
  type Insert,
  type KeyOf,
  type Row,
  type TableModel,
  sql,
} from '@isotherm/core'
import type { PreciseDate } from '@google-cloud/precise-date'
import type { Equal, Expect } from './equal.js'

type FieldsOf<Model> = Model extends TableModel<infer Fields> ? Fields : never
type Flat<T> = { [Name in keyof T]: T[Name] }

declare const counter: Counter
declare const nullable: boolean
declare const as: 'bigint' | 'number'
declare const algorithm: 'farm-fingerprint' | 'sha256'

export const Made = defineTable('Made', (t) => ({
  fingerprint: t.hashKey({ of: ['page'] }),
  named: t.hashKey({ of: ['page'], algorithm: 'farm-fingerprint' }),
  sha256: t.hashKey({ of: ['page'], algorithm: 'sha256' }),
  sha512: t.hashKey({ of: ['page'], algorithm: 'sha512', computedBy: 'client' }),
  counted: t.bitReversedId({ from: counter }),
  pair: t.uuidV4({ storage: 'int64-pair' }),
  raw: t.uuid({ storage: 'bytes' }),
  number: t.int64({ as: 'number' }).key(),
  bigint: t.int64({ as: 'bigint' }),
  plain: t.int64(),
  page: t.string(),
  nullableNumber: t.int64({ as: 'number', nullable: true }),
  notNullable: t.int64({ nullable: false }),
  defaultNumber: t.int64({ as: 'number', default: 0 }),
  defaultKey: t.int64({ default: 0n }).key(),
  defaultEach: t.date({ default: sql({ googlesql: 'CURRENT_DATE()' }) }),
  defaultBytes: t.bytes({ length: 4, default: Buffer.of(1) }),
  defaultUuid: t.uuid({ default: sql`GENERATE_UUID()` }),
  defaultList: t.array({ kind: 'int64' }, { default: [1n, null] }),
  generatedBool: t.bool({ generated: 'TRUE' }),
  generatedTime: t.timestamp({ generated: 'x', stored: false }),
  now: t.timestamp({ default: 'now' }),
  given: t.timestamp({ default: 'required' }),
  ownTime: t.timestamp({ default: sql({ googlesql: 'CURRENT_TIMESTAMP()' }) }),
  nullableDefault: t.string({ nullable: true, default: 'x' }),
  nullableGenerated: t.float64({ nullable: true, generated: '1' }),
  nullableNow: t.timestamp({ nullable: true, default: 'now' }),
  hidden: t.numeric({ hidden: true, immutable: true, name: 'x' }),
}))

/** Values that an insert has to bring. */
interface Required {
  raw: string
  number: number
  bigint: bigint
  plain: bigint
  page: string
  notNullable: bigint
  given: Date
  hidden: string
}

/** Values that Isotherm or the database generates, or that may be NULL. */
interface Optional {
  fingerprint: bigint
  named: bigint
  sha256: Uint8Array
  sha512: Uint8Array
  counted: bigint
  pair: string
  nullableNumber: number | null
  defaultNumber: number
  defaultKey: bigint
  defaultEach: string
  defaultBytes: Uint8Array
  defaultUuid: string
  defaultList: readonly (bigint | null)[]
  generatedBool: boolean
  generatedTime: Date
  now: Date
  ownTime: Date
  nullableDefault: string | null
  nullableGenerated: number | null
  nullableNow: Date | null
}

interface Read extends Omit<
  Required & Optional,
  'given' | 'generatedTime' | 'now' | 'ownTime' | 'nullableNow'
> {
  given: PreciseDate
  generatedTime: PreciseDate
  now: PreciseDate
  ownTime: PreciseDate
  nullableNow: PreciseDate | null
}

/** An argument for a timestamp may be text. */
type Argument<T> = {
  [Name in keyof T]: T[Name] extends infer Value ? (Value extends Date ? Value | string : Value) : never
}

type Fields = FieldsOf<typeof Made>

export type Inferred = [
  Expect<Equal<Flat<Insert<Fields>>, Flat<Argument<Required> & Partial<Argument<Optional>>>>>,
  Expect<Equal<Row<Fields>, Flat<Read>>>,
  Expect<Equal<KeyOf<Fields>, Flat<Partial<Argument<Required & Optional>>>>>,
  // NULL wins: such a field may be left out as it is, and with a mark it could not be set to NULL.
  Expect<Equal<Fields['nullableDefault'], string | null>>,
  Expect<Equal<Fields['nullableGenerated'], number | null>>,
  Expect<Equal<Fields['nullableNow'], Date | null>>,
  Expect<Equal<Fields['nullableNumber'], number | null>>,
  Expect<Equal<Fields['defaultNumber'], Generated<number>>>,
  Expect<Equal<Fields['generatedBool'], Generated<boolean>>>,
  Expect<Equal<Fields['sha256'], Generated<Uint8Array>>>,
]

export const Undecided = defineTable('Undecided', (t) => ({
  id: t.uuidV4(),
  nullable: t.string({ nullable }),
  either: t.int64({ as }),
  hash: t.hashKey({ of: ['id'], algorithm }),
}))

// An option that is known at run time only gives the wider type: the value may be NULL, and may have either type.
export type UndecidedFields = [
  Expect<Equal<FieldsOf<typeof Undecided>['either'], bigint | number>>,
  Expect<Equal<FieldsOf<typeof Undecided>['nullable'], string | null>>,
  Expect<Equal<Row<FieldsOf<typeof Undecided>>['hash'], bigint | Uint8Array>>,
]

export function marksAreNoWall(row: Row<Fields>): Insert<Fields> {
  return { ...row, defaultNumber: 5, sha256: Buffer.of(1) }
}

// What the options of columns refuse.

defineTable('Bad', (t) => ({
  // @ts-expect-error: a whole hash names what it hashes
  hash: t.hashKey({ algorithm: 'sha256' }),
  // @ts-expect-error: there is no such algorithm
  md5: t.hashKey({ of: ['id'], algorithm: 'md5' }),
  // @ts-expect-error: a row shows an integer as a bigint or a number
  text: t.int64({ as: 'string' }),
  // @ts-expect-error: only an integer can be shown as a number
  decimal: t.numeric({ as: 'number' }),
  // @ts-expect-error: there is no such storage
  blob: t.uuid({ storage: 'blob' }),
  // @ts-expect-error: a text is not a value of an integer
  seven: t.int64({ default: '7' }),
  // @ts-expect-error: SQL is marked as SQL
  at: t.timestamp({ default: 'CURRENT_TIMESTAMP()' }),
  // @ts-expect-error: SQL takes no interpolation
  day: t.date({ default: sql`DATE ${1}` }),
  // @ts-expect-error: a counter counts for itself
  counted: t.bitReversedId({ from: counter, skipRange: [1n, 2n] }),
  // @ts-expect-error: random shards have no sign
  shard: t.shardKey({ shards: 4, strategy: 'random', signed: true }),
  // @ts-expect-error: a shard is a whole number
  computed: t.shardKey({ shards: 4, of: ['id'], compute: () => '1' }),
}))

// What the options of a table ask for: properties that are there.

const Customer = defineTable('Customer', (t) => ({ id: t.uuidV4(), email: t.string({ name: 'e_mail' }) }))

const references = () => Customer
const columns = { id: 'id', page: 'page', at: 'at' } as const

export const Good = defineTable(
  'Good',
  (t) => ({ id: t.uuidV4(), page: t.string(), at: t.timestamp(), who: t.uuid() }),
  {
    primaryKey: ['id', columns.page],
    indexes: [
      { on: ['page', { property: 'at', order: 'desc', nulls: 'last' }], storing: ['who'], notNull: ['page'] },
      { on: [columns.at], shard: { shards: 4, of: ['id'] }, name: 'anything' },
    ],
    foreignKeys: [
      { columns: ['who'], references: () => Customer, on: ['id'], onDelete: 'cascade', enforced: true },
    ],
    rowDeletion: { property: 'at', days: 30 },
    checks: [{ name: 'Any', expression: { googlesql: 'TRUE' } }],
    workload: { writesPerSecond: 5, rowBytes: 5, childrenPerRow: 5, nodes: 5 },
    interleaveIn: () => Customer,
    requireParent: false,
  },
)

const good = (t: Parameters<Parameters<typeof defineTable>[1]>[0]) => ({
  id: t.uuidV4(),
  page: t.string(),
  at: t.timestamp(),
})

// @ts-expect-error: there is no such property in the key
defineTable('Bad', good, { primaryKey: ['id', 'url'] })

// @ts-expect-error: there is no such property to index
defineTable('Bad', good, { indexes: [{ on: ['url'] }] })

// @ts-expect-error: there is no such property to index, in whatever order
defineTable('Bad', good, { indexes: [{ on: [{ property: 'url', order: 'desc' }] }] })

// @ts-expect-error: there is no such property to store
defineTable('Bad', good, { indexes: [{ on: ['page'], storing: ['url'] }] })

// @ts-expect-error: there is no such property to filter by
defineTable('Bad', good, { indexes: [{ on: ['page'], notNull: ['url'] }] })

// @ts-expect-error: there is no such property to hash
defineTable('Bad', good, { indexes: [{ on: ['page'], shard: { shards: 4, of: ['url'] } }] })

// @ts-expect-error: NULL stands first or last
defineTable('Bad', good, { indexes: [{ on: [{ property: 'page', nulls: 'lowest' }] }] })

// @ts-expect-error: there is no such property to delete by
defineTable('Bad', good, { rowDeletion: { property: 'url', days: 1 } })

// @ts-expect-error: a row is deleted some days after a time
defineTable('Bad', good, { rowDeletion: { property: 'at' } })

// @ts-expect-error: there is no such property in the foreign key
defineTable('Bad', good, { foreignKeys: [{ columns: ['url'], references: () => Customer }] })

// @ts-expect-error: a foreign key refers to a table
defineTable('Bad', good, { foreignKeys: [{ columns: ['page'] }] })

// @ts-expect-error: a foreign key has no other way to delete
defineTable('Bad', good, { foreignKeys: [{ columns: ['page'], references, onDelete: 'set null' }] })

// @ts-expect-error: a check has a name
defineTable('Bad', good, { checks: [{ expression: 'TRUE' }] })

// @ts-expect-error: there is no such load
defineTable('Bad', good, { workload: { readsPerMinute: 5 } })

// @ts-expect-error: how many values a column has is a number of each
defineTable('Bad', good, { workload: { distinct: 5 } })

// @ts-expect-error: a load is a number
defineTable('Bad', good, { workload: { nodes: '5' } })
