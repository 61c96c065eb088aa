import { defineSchema, defineTable, sql, type ScalarType, type Schema, type SqlDialect } from '@isotherm/core'
import fc from 'fast-check'

// Random schemas that either dialect accepts: features that `dialect` does not have are left out.

interface Shape {
  readonly keys: readonly KeyKind[]
  readonly columns: readonly ColumnShape[]
  readonly indexes: readonly IndexShape[]
  readonly child: boolean
  readonly cascade: boolean
  readonly check: boolean
  readonly deletion: boolean
  readonly namespace: boolean
  readonly refers: boolean
}

const KEYS = [
  'shard',
  'hash',
  'digest',
  'uuid',
  'uuidPair',
  'identity',
  'sequence',
  'desc',
  'int64',
  'string',
] as const
type KeyKind = (typeof KEYS)[number]

const SCALARS = [
  { kind: 'bool' },
  { kind: 'int64' },
  { kind: 'float32' },
  { kind: 'float64' },
  { kind: 'numeric' },
  { kind: 'string', length: 'max' },
  { kind: 'string', length: 17 },
  { kind: 'bytes', length: 'max' },
  { kind: 'date' },
  { kind: 'timestamp' },
  { kind: 'json' },
  { kind: 'uuid' },
] as const satisfies readonly ScalarType[]

interface ColumnShape {
  readonly type: ScalarType
  readonly array: boolean
  readonly nullable: boolean
  readonly made: 'default' | 'generated' | 'virtual' | 'commit' | 'now' | undefined
}

interface IndexShape {
  readonly of: number
  readonly order: 'asc' | 'desc'
  readonly unique: boolean
  readonly nullFiltered: boolean
  readonly storing: boolean
  readonly sharded: boolean
}

const column: fc.Arbitrary<ColumnShape> = fc.record({
  type: fc.constantFrom<ScalarType>(...SCALARS),
  array: fc.boolean(),
  nullable: fc.boolean(),
  made: fc.constantFrom('default', 'generated', 'virtual', 'commit', 'now', undefined, undefined),
})

const index: fc.Arbitrary<IndexShape> = fc.record({
  of: fc.nat(20),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  unique: fc.boolean(),
  nullFiltered: fc.boolean(),
  storing: fc.boolean(),
  sharded: fc.boolean(),
})

const shape: fc.Arbitrary<Shape> = fc.record({
  // A shard is the first key part, or the key has no shard.
  keys: fc
    .uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 4 })
    .map((kinds) => kinds.toSorted((a, b) => Number(b === 'shard') - Number(a === 'shard'))),
  columns: fc.array(column, { maxLength: 8, size: 'max' }),
  indexes: fc.array(index, { maxLength: 3 }),
  child: fc.boolean(),
  cascade: fc.boolean(),
  check: fc.boolean(),
  deletion: fc.boolean(),
  namespace: fc.boolean(),
  refers: fc.boolean(),
})

const objects = fc.record({
  sequence: fc.boolean(),
  view: fc.boolean(),
  stream: fc.constantFrom('all', 'tables', undefined),
  namespace: fc.boolean(),
})

/** Types that an index and a key accept in both dialects. */
const INDEXED = new Set<ScalarType['kind']>(['bool', 'int64', 'string', 'bytes', 'date', 'timestamp', 'uuid'])

export function randomSchemas(dialect: SqlDialect): fc.Arbitrary<Schema> {
  return fc
    .tuple(fc.array(shape, { minLength: 1, maxLength: 3 }), objects)
    .map(([shapes, rest]) =>
      speaks(dialect, 'postgresql')
        ? schemaOf(dialect, shapes.map(onPostgresql), { ...rest, stream: undefined })
        : schemaOf(dialect, shapes, rest),
    )
}

/** Packages whose tests use this file know the names of some dialects only. */
function speaks({ name }: { readonly name: string }, dialect: string): boolean {
  return name === dialect
}

/** A PostgreSQL server has no row deletion and no virtual columns, and its foreign keys refer to unique columns only. */
function onPostgresql(shaped: Shape): Shape {
  return {
    ...shaped,
    deletion: false,
    refers: false,
    columns: shaped.columns.map((each) => (each.made === 'virtual' ? { ...each, made: 'generated' } : each)),
    indexes: shaped.indexes.map((each) => ({ ...each, sharded: false })),
  }
}

/** The models of such schemas. */
export function randomModels(dialect: SqlDialect): fc.Arbitrary<readonly object[]> {
  return fc
    .array(shape, { minLength: 1, maxLength: 3 })
    .map((shapes) => shapes.flatMap((each, at) => tablesOf(dialect, each, at)))
}

type Objects = typeof objects extends fc.Arbitrary<infer T> ? T : never

function schemaOf(dialect: SqlDialect, shapes: readonly Shape[], rest: Objects): Schema {
  const tables = shapes.flatMap((each, at) => tablesOf(dialect, each, at))
  const [first] = tables
  return defineSchema(tables, {
    ...(rest.namespace && { namespaces: ['empty'] }),
    ...(rest.sequence && {
      sequences: [
        { name: 'Spare' },
        {
          name: 'Counted',
          startCounter: 500n,
          ...(!speaks(dialect, 'postgresql') && { skipRange: [1n, 1000n] as const }),
        },
      ],
    }),
    ...(rest.view && {
      views: [
        { name: 'V2', query: viewOf(dialect, first!.name), security: 'invoker' as const },
        { name: 'V1', query: viewOf(dialect, 'V2'), security: 'invoker' as const },
      ],
    }),
    ...(rest.stream && {
      changeStreams: [
        rest.stream === 'all'
          ? { name: 'Everything', watch: 'all' as const, retention: '36h' }
          : { name: 'Some', watch: [{ table: first!, columns: [] }], values: 'NEW_ROW' as const },
      ],
    }),
  })
}

function viewOf(dialect: SqlDialect, table: string): string {
  return speaks(dialect, 'googlesql')
    ? `SELECT t.plain FROM ${table} AS t`
    : `SELECT t.plain FROM ${table
        .split('.')
        .map((part) => `"${part}"`)
        .join('.')} AS t`
}

function tablesOf(dialect: SqlDialect, each: Shape, at: number) {
  const name = `${each.namespace ? 'ns.' : ''}Table${at}`
  const keys = keyProperties(each.keys)
  const columns = each.columns.map((shaped) => plain(dialect, shaped))
  const parent = defineTable(
    name,
    (t) => ({
      ...Object.fromEntries(
        each.keys.map((kind, index) => [`k${index}`, keyColumn(dialect, t, kind, index, keys)]),
      ),
      ...Object.fromEntries(columns.map((shaped, index) => [`c${index}`, valueColumn(t, shaped, index)])),
      stamp: t.timestamp({ nullable: true }),
      plain: t.int64({ nullable: true }),
    }),
    {
      ...(each.check && {
        checks: [
          { name: `Check${at}`, expression: speaks(dialect, 'googlesql') ? 'plain > 0' : '"plain" > 0' },
        ],
      }),
      ...(each.deletion && !each.child && !each.refers && { rowDeletion: { property: 'stamp', days: 30 } }),
      ...(each.refers && {
        foreignKeys: [
          {
            columns: ['plain' as never],
            references: 'self' as const,
            on: ['plain'],
            onDelete: each.cascade ? 'cascade' : 'no action',
          },
        ],
      }),
      indexes: each.indexes.flatMap((shaped, index) => indexOf(shaped, index, at, columns, each)) as never,
    },
  )
  const child = defineTable(
    `${name}Child`,
    (t) => ({
      ...Object.fromEntries(each.keys.map((_, index) => [`k${index}`, t.parentKey()])),
      line: t.int64().key(),
    }),
    { interleaveIn: () => parent, onDelete: each.cascade ? 'cascade' : 'no action' },
  )
  return each.child ? [parent, child] : [parent]
}

/** Key parts that shards and hashes may hash: those that expressions of other columns can read. */
function keyProperties(kinds: readonly KeyKind[]): readonly string[] {
  return kinds.flatMap((kind, index) =>
    kind === 'int64' || kind === 'string' || kind === 'desc' || kind === 'uuid' ? [`k${index}`] : [],
  )
}

type Builder = Parameters<Parameters<typeof defineTable>[1]>[0]

function keyColumn(dialect: SqlDialect, t: Builder, kind: KeyKind, index: number, keys: readonly string[]) {
  const of = keys.length > 0 ? keys : undefined
  switch (kind) {
    case 'shard':
      return of ? t.shardKey({ shards: 16, of }) : t.int64().key()
    case 'hash':
      return of ? t.hashKey({ of }) : t.int64().key()
    case 'digest':
      return of ? t.hashKey({ of, algorithm: 'sha256' }) : t.bytes({ length: 32 }).key()
    case 'uuid':
      return t.uuidV4()
    case 'uuidPair':
      return t.uuidV4({ storage: 'int64-pair' })
    case 'identity':
      return t.bitReversedId({
        startCounter: 7n,
        ...(!speaks(dialect, 'postgresql') && { skipRange: [1n, 99n] as const }),
      })
    case 'sequence':
      return t.bitReversedId({ from: 'sequence', startCounter: 100n })
    case 'desc':
      return t.descTimestamp({ default: 'now' })
    case 'int64':
      return t.int64().key()
    case 'string':
      return t.string({ length: 40 + index }).key()
  }
}

/** Combinations that no dialect accepts become plain columns. */
function plain(dialect: SqlDialect, shaped: ColumnShape): ColumnShape {
  const { type, array, made } = shaped
  const stamped = type.kind === 'timestamp' && !array
  const numbered = type.kind === 'int64' && !array
  if (made === 'commit' || made === 'now') return stamped ? shaped : { ...shaped, made: undefined }
  if (made === 'default' || made === 'generated' || made === 'virtual')
    return numbered ? { ...shaped, nullable: made !== 'default' } : { ...shaped, made: undefined }
  return speaks(dialect, 'googlesql') ? shaped : { ...shaped }
}

function valueColumn(t: Builder, { type, array, nullable, made }: ColumnShape, index: number) {
  if (array) return t.array(type as never, { nullable })
  switch (type.kind) {
    case 'timestamp':
      return t.timestamp({
        nullable: made === undefined && nullable,
        default: made === 'commit' || made === 'now' ? made : 'required',
      })
    case 'int64':
      return t.int64({
        nullable,
        ...(made === 'default' && { default: index % 2 === 0 ? BigInt(index - 3) : sql(`${index} + 1`) }),
        ...(made === 'generated' && { generated: 'plain * 2' }),
        ...(made === 'virtual' && { generated: 'plain + 1', stored: false }),
      })
    case 'string':
      return t.string({ length: type.length, nullable })
    case 'bytes':
      return t.bytes({ length: type.length, nullable })
    default:
      return (t[type.kind] as Builder['bool'])({ nullable })
  }
}

function indexOf(
  { of, order, unique, nullFiltered, storing, sharded }: IndexShape,
  index: number,
  at: number,
  columns: readonly ColumnShape[],
  { keys, namespace }: Shape,
) {
  const candidates = columns.flatMap(({ type, array, made }, each) =>
    !array && INDEXED.has(type.kind) && made !== 'virtual' ? [`c${each}`] : [],
  )
  const property = candidates[of % Math.max(1, candidates.length)]
  if (property === undefined) return []
  const hashable = keyProperties(keys)
  return [
    {
      name: `${namespace ? 'ns.' : ''}Index${at}x${index}`,
      on: [{ property, order }],
      unique,
      nullFiltered,
      storing: storing && property !== 'plain' ? ['plain'] : [],
      ...(sharded && hashable.length > 0 && { shard: { shards: 8, of: hashable } }),
    },
  ]
}
