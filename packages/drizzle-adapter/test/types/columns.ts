import type { JsonDocument } from '@isotherm/core'
import {
  alias,
  bitReversedId,
  bool,
  bytes,
  customType,
  date,
  descTimestamp,
  float32,
  float64,
  hashKey,
  int64,
  interleaveIn,
  json,
  numeric,
  parentKey,
  primaryKey,
  shardKey,
  spannerSchema,
  spannerTable,
  spannerTableCreator,
  spannerView,
  string,
  timestamp,
  uuid,
  uuidV4,
} from '@isotherm/drizzle-adapter'
import { desc, sql, type InferSelectViewModel } from 'drizzle-orm'
import { expectType, type Equal } from './equal.js'

// Types of rows and of inserts.

const everything = spannerTable('Everything', {
  flag: bool(),
  small: float32('small_one').notNull(),
  large: float64(),
  whole: int64().notNull(),
  counted: int64({ mode: 'number' }).notNull().default(0),
  given: int64('given_one', { mode: 'number' }),
  exact: numeric().notNull(),
  near: numeric({ mode: 'number' }),
  units: numeric('unit', { mode: 'bigint' }),
  text: string().notNull(),
  color: string({ enum: ['red', 'green'] }).notNull(),
  named: string('named_one', { length: 10, enum: ['a'] }),
  raw: bytes({ length: 10 }),
  day: date().notNull(),
  midnight: date({ mode: 'date' }),
  moment: timestamp().notNull().defaultNow(),
  castForm: timestamp({ mode: 'string' }).notNull(),
  stamped: timestamp('stamped_at').notNull().commitTimestamp(),
  document: json(),
  typed: json().$type<{ theme: 'dark' }>().notNull(),
  token: uuid({ storage: 'bytes' }).notNull().defaultRandom(),
  list: int64().array().notNull(),
  words: string({ enum: ['x', 'y'] }).array(),
  branded: string().$type<'id-1' | 'id-2'>().array().notNull(),
  holes: float64().array().$type<(number | null)[]>(),
  lower: string()
    .notNull()
    .generatedAlwaysAs(sql`LOWER(text)`),
  made: string()
    .notNull()
    .$defaultFn(() => 'made'),
  touched: timestamp()
    .notNull()
    .$onUpdate(() => new Date()),
  identity: int64().generatedByDefaultAsIdentity(),
})

expectType<
  Equal<
    typeof everything.$inferSelect,
    {
      flag: boolean | null
      small: number
      large: number | null
      whole: bigint
      counted: number
      given: number | null
      exact: string
      near: number | null
      units: bigint | null
      text: string
      color: 'red' | 'green'
      named: 'a' | null
      raw: Uint8Array | null
      day: string
      midnight: Date | null
      moment: Date
      castForm: string
      stamped: Date
      document: JsonDocument | null
      typed: { theme: 'dark' }
      token: string
      list: bigint[]
      words: ('x' | 'y')[] | null
      branded: ('id-1' | 'id-2')[]
      holes: (number | null)[] | null
      lower: string
      made: string
      touched: Date
      identity: bigint
    }
  >
>()

expectType<
  Equal<
    typeof everything.$inferInsert,
    {
      small: number
      whole: bigint
      exact: string
      text: string
      color: 'red' | 'green'
      day: string
      castForm: string
      typed: { theme: 'dark' }
      list: bigint[]
      branded: ('id-1' | 'id-2')[]
      flag?: boolean | null | undefined
      large?: number | null | undefined
      counted?: number | undefined
      given?: number | null | undefined
      near?: number | null | undefined
      units?: bigint | null | undefined
      named?: 'a' | null | undefined
      raw?: Uint8Array | null | undefined
      midnight?: Date | null | undefined
      moment?: Date | undefined
      stamped?: Date | undefined
      document?: JsonDocument | null | undefined
      token?: string | undefined
      words?: ('x' | 'y')[] | null | undefined
      holes?: (number | null)[] | null | undefined
      made?: string | undefined
      touched?: Date | undefined
      identity?: bigint | undefined
    }
  >
>()

// Generated key parts may be omitted; the columns that they are computed from are required.

const log = spannerTable(
  'Log',
  {
    shardId: shardKey({ shards: 8, of: ['userId'] }),
    at: descTimestamp({ default: 'now' }),
    day: descTimestamp('day_of'),
    userId: int64().primaryKey(),
    print: hashKey({ of: ['userId'] }),
    digest: hashKey('digest_of', { of: ['userId'], algorithm: 'sha256' }),
    id: uuidV4(),
    number: bitReversedId('no'),
    page: string(),
  },
  (t) => [primaryKey({ columns: [t.shardId, desc(t.at), t.userId] })],
)

expectType<
  Equal<
    typeof log.$inferInsert,
    {
      day: Date
      userId: bigint
      shardId?: bigint | undefined
      at?: Date | undefined
      print?: bigint | undefined
      digest?: Uint8Array | undefined
      id?: string | undefined
      number?: bigint | undefined
      page?: string | null | undefined
    }
  >
>()
expectType<Equal<(typeof log.$inferSelect)['digest'], Uint8Array>>()
expectType<Equal<(typeof log.number)['_']['name'], 'no'>>()
expectType<Equal<(typeof log.page)['_']['name'], 'page'>>()
expectType<Equal<(typeof log.page)['_']['tableName'], 'Log'>>()

// A child has its parent's key: a shard that the parent computes is computed for the child too.

const details = spannerTable(
  'Detail',
  {
    shardId: parentKey(log.shardId),
    at: parentKey(log.at),
    userId: parentKey(log.userId),
    number: parentKey(log.number),
    line: int64().primaryKey(),
  },
  () => [interleaveIn(log, { onDelete: 'cascade' })],
)

expectType<
  Equal<
    typeof details.$inferInsert,
    { at: Date; userId: bigint; number: bigint; line: bigint; shardId?: bigint | undefined }
  >
>()
expectType<Equal<(typeof details.number)['_']['name'], 'no'>>()

// Column builders as a parameter; named schemas; table creators.

const callback = spannerTable('Callback', (t) => ({ id: t.uuidV4(), age: t.int64({ mode: 'number' }) }))
expectType<Equal<typeof callback.$inferSelect, { id: string; age: number | null }>>()

const invoices = spannerSchema('finance').table('Invoice', { id: uuidV4() })
expectType<Equal<(typeof invoices)['_']['schema'], 'finance'>>()
expectType<Equal<(typeof callback)['_']['schema'], undefined>>()
expectType<Equal<(typeof invoices)['_']['name'], 'Invoice'>>()

const prefixed = spannerTableCreator((name) => `app_${name}`)('User', { id: uuidV4() })
expectType<Equal<typeof prefixed.$inferInsert, { id?: string | undefined }>>()

// Aliases keep the columns, under another name.

const other = alias(log, 'other')
expectType<Equal<(typeof other)['_']['name'], 'other'>>()
expectType<Equal<(typeof other.userId)['_']['tableName'], 'other'>>()
expectType<Equal<typeof other.$inferSelect, typeof log.$inferSelect>>()

// Views.

const adults = spannerView('Adult', { id: string().notNull(), age: int64() }).existing()
expectType<Equal<InferSelectViewModel<typeof adults>, { id: string; age: bigint | null }>>()
expectType<Equal<(typeof adults.id)['_']['tableName'], 'Adult'>>()
const again = alias(adults, 'again')
expectType<Equal<(typeof again.id)['_']['tableName'], 'again'>>()

// Custom types.

const point = customType<{ data: { x: number; y: number }; driverData: string; config: { digits: number } }>({
  dataType: (config) => `STRING(${2 * (config?.digits ?? 8) + 1})`,
  toDriver: ({ x, y }) => `${x},${y}`,
  fromDriver: (text) => ({ x: Number(text.split(',')[0]), y: Number(text.split(',')[1]) }),
})
const strict = customType<{
  data: number
  driverData: bigint
  config: { unit: string }
  configRequired: true
}>({
  dataType: (config) => (config.unit === 'm' ? 'INT64' : 'FLOAT64'),
})
const positions = spannerTable('Place', {
  at: point().notNull(),
  near: point('near_to', { digits: 3 }),
  path: point({ digits: 4 }).array(),
  height: strict({ unit: 'm' }),
})
interface Point {
  x: number
  y: number
}
expectType<
  Equal<
    typeof positions.$inferSelect,
    { at: Point; near: Point | null; path: Point[] | null; height: number | null }
  >
>()

// Invalid declarations do not compile.

// @ts-expect-error the config of this type is required
strict()
// @ts-expect-error a storage of two columns is not supported
uuid({ storage: 'int64-pair' })
// @ts-expect-error a shard needs source columns
shardKey({ shards: 4 })
// @ts-expect-error the default is not a value of the enum
string({ enum: ['a', 'b'] }).default('c')
// @ts-expect-error the default has another type
int64().default('7')
// @ts-expect-error a string is not an item of the third argument
spannerTable('Wrong', { id: uuidV4() }, () => ['index'])
