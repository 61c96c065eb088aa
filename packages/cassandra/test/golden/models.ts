import { defineTable, defineUserType, type TableBuilder } from '@isotherm/core'

const next = (): bigint => 1n

/** A day in 200 shards, and each post in a random shard. */
export const blogByRandomShard = [
  defineTable(
    'post',
    (t) => ({
      publishDate: t.date({ name: 'publish_date' }).key(),
      shard: t.shardKey({ strategy: 'random', shards: 200, first: 1 }),
      publishedAt: t.descTimestamp({ name: 'published_at', default: 'now' }),
      id: t.uuidV4(),
      title: t.string({ nullable: true }),
    }),
    { partitionKey: ['publishDate', 'shard'] },
  ),
]

/** A post whose shard is a hash of its title. */
export const blogByHashShard = [
  defineTable(
    'post',
    (t) => ({
      publishDate: t.date({ name: 'publish_date' }).key(),
      shard: t.shardKey({ shards: 200, of: ['title'] }),
      title: t.string().key(),
      publishedAt: t.timestamp({ name: 'published_at' }),
      body: t.string({ nullable: true }),
    }),
    { partitionKey: ['publishDate', 'shard'] },
  ),
]

/** Time buckets, and rows that expire. */
export const accessLog = [
  defineTable(
    'access_log',
    (t) => ({
      day: t.timeBucket({ by: 'day', of: 'at', since: '2024-01-01' }),
      shard: t.shardKey({ shards: 64, of: ['userId'] }),
      at: t.descTimestamp({ default: 'now' }),
      userId: t.int64({ name: 'user_id' }).key(),
      page: t.string({ nullable: true }),
    }),
    { ttlSeconds: 30 * 86_400 },
  ),
  defineTable(
    'hourly',
    (t) => ({
      hour: t.timeBucket({ by: 'hour', of: 'at' }),
      sensor: t.int32().key(),
      at: t.timestamp().key(),
    }),
    { partitionKey: ['hour', 'sensor'] },
  ),
]

const Order = defineTable('order', (t) => ({
  id: t.uuidV4(),
  customer: t.string(),
  total: t.decimal(),
}))

/** A child in its parent's partition, and a child in its own table. */
export const orders = [
  Order,
  defineTable(
    'order_line',
    (t) => ({
      id: t.parentKey<string>(),
      line: t.int32().key(),
      sku: t.string(),
      amount: t.int32(),
    }),
    { interleaveIn: () => Order, onDelete: 'cascade' },
  ),
  defineTable(
    'order_event',
    (t) => ({
      id: t.parentKey<string>(),
      at: t.descTimestamp({ default: 'now' }),
      event: t.uuidV4(),
      what: t.string(),
    }),
    { interleaveIn: () => Order, rows: 'own' },
  ),
]

const Day = defineTable(
  'day',
  (t) => ({
    day: t.date().key(),
    shard: t.shardKey({ shards: 16, of: ['region'] }),
    region: t.string().key(),
    weather: t.string({ nullable: true }),
  }),
  { partitionKey: ['day', 'shard', 'region'] },
)

/** A whole composite partition key is the parent's row; a column of the child's is static beside the parent's. */
export const foldedShards = [
  Day,
  defineTable(
    'sighting',
    (t) => ({
      day: t.parentKey<string>(),
      shard: t.parentKey<bigint>(),
      region: t.parentKey<string>(),
      at: t.timeUuid({ default: 'now', order: 'desc' }),
      bird: t.string(),
      observer: t.string({ nullable: true, static: true }),
    }),
    { interleaveIn: () => Day, onDelete: 'cascade' },
  ),
]

export const counters = [
  defineTable('page_hits', (t) => ({
    page: t.string().key(),
    day: t.date().key('desc'),
    hits: t.counter(),
  })),
]

const Country = defineUserType('Country', (t) => ({ code: t.ascii(), name: t.string({ nullable: true }) }))

const Address = defineUserType('address', (t) => ({
  street: t.string(),
  zip: t.ascii({ nullable: true }),
  country: t.udt(Country, { nullable: true }),
}))

/** User types, within each other and within collections. */
export const people = [
  defineTable('person', (t) => ({
    id: t.uuidV4(),
    home: t.udt(Address, { frozen: true, nullable: true }),
    work: t.udt(Address, { nullable: true }),
    past: t.array(Address, { nullable: true }),
    phones: t.map({ kind: 'string', length: 'max' }, { kind: 'string', length: 'max' }, { nullable: true }),
    tags: t.set({ kind: 'string', length: 'max' }, { nullable: true }),
  })),
]

/** Ids that the client generates. */
export const accounts = [
  defineTable('account', (t) => ({ id: t.bitReversedId({ from: { next } }), name: t.string() })),
  defineTable('invoice', (t) => ({ id: t.uuidV4(), number: t.sequential({ from: { next } }) })),
  defineTable('digest', (t) => ({
    hash: t.hashKey({ of: ['name'], algorithm: 'sha256' }),
    name: t.string().key(),
  })),
]

const scalars = (nullable: boolean) => (t: TableBuilder) => ({
  id: t.uuidV4(),
  bool: t.bool({ nullable }),
  int64: t.int64({ nullable }),
  number: t.int64({ nullable, as: 'number' }),
  int32: t.int32({ nullable }),
  int16: t.int16({ nullable }),
  int8: t.int8({ nullable }),
  varint: t.varint({ nullable }),
  float32: t.float32({ nullable }),
  float64: t.float64({ nullable }),
  numeric: t.numeric({ nullable }),
  decimal: t.decimal({ nullable }),
  text: t.string({ nullable }),
  shortText: t.string({ nullable, length: 1 }),
  ascii: t.ascii({ nullable }),
  bytes: t.bytes({ nullable }),
  date: t.date({ nullable }),
  time: t.time({ nullable }),
  timestamp: t.timestamp({ nullable }),
  clock: t.timestamp({ nullable, default: 'now' }),
  json: t.json({ nullable }),
  uuid: t.uuid({ nullable }),
  timeuuid: t.timeuuid({ nullable }),
  inet: t.inet({ nullable }),
})

/** Every scalar type that both dialects have. The DDL of CQL does not declare NULL. */
export const scalarTypes = [
  defineTable('scalar_types', scalars(false)),
  defineTable('nullable_scalar_types', scalars(true)),
]

export const compositeTypes = [
  defineTable('composite_types', (t) => ({
    id: t.uuidV4(),
    list: t.array({ kind: 'int32' }, { nullable: true }),
    frozenList: t.array({ kind: 'timestamp' }, { frozen: true }),
    listOfLists: t.array({ kind: 'array', of: { kind: 'int8' }, frozen: true }, { nullable: true }),
    set: t.set({ kind: 'uuid' }, { nullable: true }),
    frozenSet: t.set({ kind: 'inet' }, { frozen: true }),
    map: t.map({ kind: 'timeuuid' }, { kind: 'decimal' }, { nullable: true }),
    frozenMap: t.map(
      { kind: 'date' },
      { kind: 'set', of: { kind: 'ascii' }, frozen: true },
      { frozen: true },
    ),
    tuple: t.tuple([{ kind: 'int32' }, { kind: 'string', length: 'max' }, { kind: 'bool' }]),
    tupleOfTuples: t.tuple([{ kind: 'tuple', of: [{ kind: 'int64' }] }], { nullable: true }),
  })),
]

/** Types that Keyspaces does not have. */
export const cassandraTypes = [
  defineTable('cassandra_types', (t) => ({
    id: t.uuidV4(),
    duration: t.duration({ nullable: true }),
    waits: t.array({ kind: 'duration' }, { nullable: true }),
    vector: t.vector(3),
    vectors: t.map({ kind: 'ascii' }, { kind: 'vector', of: 'float32', dimensions: 2 }, { nullable: true }),
  })),
]

const keyed = (order: 'asc' | 'desc') => (t: TableBuilder) => ({
  partition: t.uuidV4(),
  bool: t.bool().key(order),
  int64: t.int64().key(order),
  int32: t.int32().key(order),
  float64: t.float64().key(order),
  decimal: t.decimal().key(order),
  text: t.string().key(order),
  bytes: t.bytes().key(order),
  date: t.date().key(order),
  time: t.time().key(order),
  timestamp: t.timestamp().key(order),
  uuid: t.uuid().key(order),
  timeuuid: t.timeUuid({ order }),
  inet: t.inet().key(order),
})

export const keyTypes = [
  defineTable('ascending', keyed('asc')),
  defineTable('descending', keyed('desc')),
  defineTable('mixed', (t) => ({
    id: t.uuidV4(),
    at: t.timestamp().key('desc'),
    place: t.string().key(),
    rank: t.int16().key('desc'),
  })),
]

/** Composite values as key parts. */
export const compositeKeys = [
  defineTable(
    'composite_partition',
    (t) => ({
      tags: t.set({ kind: 'ascii' }, { frozen: true }).key(),
      point: t.tuple([{ kind: 'int32' }, { kind: 'int32' }]).key(),
      at: t.timestamp().key(),
    }),
    { partitionKey: ['tags', 'point'] },
  ),
]

export const compositeClustering = [
  defineTable('composite_clustering', (t) => ({
    id: t.uuidV4(),
    list: t.array({ kind: 'int32' }, { frozen: true }).key(),
    set: t.set({ kind: 'int32' }, { frozen: true }).key('desc'),
    map: t.map({ kind: 'int32' }, { kind: 'int32' }, { frozen: true }).key(),
    tuple: t.tuple([{ kind: 'int32' }, { kind: 'ascii' }]).key('desc'),
    country: t.udt(Country, { frozen: true }).key(),
  })),
]

/** UUIDs stored in one column or in two. */
export const uuidStorages = [
  defineTable('uuid_pair', (t) => ({
    id: t.uuidV4({ storage: 'int64-pair' }),
    second: t.uuidV4({ storage: 'int64-pair', name: 'second_id' }),
    other: t.uuid({ storage: 'int64-pair', nullable: true }),
  })),
  defineTable('uuid_bytes', (t) => ({ id: t.uuidV4({ storage: 'bytes' }) })),
  defineTable('uuid_native', (t) => ({ id: t.uuidV4({ storage: 'native' }), other: t.uuid() })),
]

export const indexed = [
  defineTable(
    'indexed',
    (t) => ({
      id: t.uuidV4(),
      at: t.timestamp().key(),
      title: t.string(),
      tags: t.set({ kind: 'ascii' }, { nullable: true }),
      scores: t.map({ kind: 'ascii' }, { kind: 'int32' }, { nullable: true }),
      frozenTags: t.set({ kind: 'ascii' }, { frozen: true }),
      point: t.tuple([{ kind: 'int32' }, { kind: 'int32' }]),
      embedding: t.vector(4),
    }),
    {
      indexes: (['at', 'title', 'tags', 'scores', 'frozenTags', 'point', 'embedding'] as const).map((on) => ({
        on: [on],
      })),
      suppress: [{ rule: 'monotonic-index', reason: 'each node indexes its own rows' }],
    },
  ),
]

const Select = defineUserType('Select', (t) => ({ From: t.string(), token: t.ascii({ nullable: true }) }))

/** Keywords, capitals, and names in the database that are not the properties'. */
export const names = [
  defineTable(
    'Order',
    (t) => ({
      hash: t.shardKey({ shards: 4, of: ['select'], name: 'group' }),
      select: t.string({ name: 'from' }).key(),
      at: t.timestamp({ name: 'Primary' }).key('desc'),
      where: t.bytes({ name: 'Token', nullable: true }),
      limit: t.bool({ name: 'NULL' }),
      of: t.udt(Select, { nullable: true, name: 'static' }),
    }),
    { partitionKey: ['hash', 'select'] },
  ),
  defineTable(`t${'x'.repeat(47)}`, (t) => ({ id: t.uuidV4({ name: `c${'y'.repeat(47)}` }) })),
]

/** Columns that are the same for all rows of a partition. */
export const statics = [
  defineTable('room', (t) => ({
    id: t.uuidV4(),
    at: t.descTimestamp(),
    temperature: t.float64(),
    name: t.string({ static: true }),
    floor: t.int8({ static: true, nullable: true }),
  })),
]
