import {
  BitReversedId,
  Column,
  defineSchema,
  defineTable,
  DescTimestamp,
  HashKey,
  Index,
  Key,
  Sequential,
  ShardKey,
  sql,
  Table,
  TimeBucket,
  TimeUuid,
  UserType,
  UuidV4,
  type SchemaOptions,
} from '@isotherm/core'
import { inTransaction } from '@isotherm/core/sequences'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findingsWith } from '../support/refusal.js'

// Random valid models, declared in three ways, and the same models with one mistake in one of their options.

type Options = Readonly<Record<string, unknown>>

/** `t.string({ … }).key('desc')` and `@Key({ order: 'desc' }) @Column.string({ … })`, as data. */
interface Declared {
  readonly property: string
  readonly builder: string
  readonly args: readonly unknown[]
  readonly key?: Options
}

interface Model {
  readonly columns: readonly Declared[]
  readonly indexes: readonly Options[]
  readonly options: Options
  readonly schema: Options
}

type Path = readonly (string | number)[]

// --- Models that are valid

const some = (options: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Options> =>
  fc.record(options, { requiredKeys: [] })

const Region = defineTable('Region', (t) => ({ id: t.int64().key(), name: t.string() }))
class Money {
  amount!: string
}
const amount = Column.numeric() as unknown as Field
const count = inTransaction('invoice')

const sqlText = sql`'a'`
const sqlNumber = sql`1`
const flags = { nullable: fc.boolean(), immutable: fc.boolean(), hidden: fc.boolean() }
/** Names of dialects are not options: a misspelled one is found when the DDL of its dialect is compiled. */
const sqlByDialect = { googlesql: '1', 'spanner-postgresql': '1' }
const expression = fc.constantFrom('1', sqlByDialect)
const storage = fc.constantFrom('text', 'bytes', 'int64-pair', 'native')
const computedBy = fc.constantFrom('database', 'client')
const small = fc.integer({ min: 1, max: 99 })

/** The builder, and what each of its arguments may be. */
const COLUMNS: readonly (readonly [string, ...fc.Arbitrary<unknown>[]])[] = [
  ...['bool', 'float32', 'float64', 'numeric', 'date', 'json'].map(
    (builder) => [builder, some(flags)] as const,
  ),
  ...['int32', 'int16', 'int8', 'varint', 'decimal', 'time', 'duration', 'inet', 'timeuuid', 'ascii'].map(
    (builder) => [builder, some(flags)] as const,
  ),
  [
    'string',
    some({ ...flags, length: fc.oneof(small, fc.constant('max')), default: fc.constantFrom('a', sqlText) }),
  ],
  ['bytes', some({ ...flags, length: fc.oneof(small, fc.constant('max')) })],
  [
    'int64',
    some({ ...flags, as: fc.constantFrom('bigint', 'number'), default: fc.constantFrom(1n, sqlNumber) }),
  ],
  ['int64', fc.record({ generated: expression, stored: fc.boolean() })],
  ['int64', fc.record({ generated: expression, stored: fc.constant(false), notNull: fc.boolean() })],
  ['uuid', some({ ...flags, storage })],
  ['timestamp', some({ hidden: fc.boolean(), default: fc.constantFrom('now', 'required') })],
  ['array', fc.constantFrom({ kind: 'string', length: 9 }, { kind: 'int64', as: 'number' }), some(flags)],
  ['set', fc.constant({ kind: 'uuid', storage: 'native' }), some({ frozen: fc.boolean() })],
  [
    'map',
    fc.constant({ kind: 'int32' }),
    fc.constant({ kind: 'string', length: 'max' }),
    some({ frozen: fc.boolean() }),
  ],
  ['tuple', fc.constant([{ kind: 'date' }, { kind: 'bytes', length: 5 }]), some(flags)],
  ['udt', fc.constant(Money), some({ frozen: fc.constant(true) })],
  ['vector', small, some(flags)],
]

/** Builders whose arguments have names in errors. The last argument is the options, whose names appear alone. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  array: ['of'],
  set: ['of'],
  map: ['key', 'of'],
  tuple: ['of'],
  udt: ['the user type'],
  vector: ['dimensions'],
}

/** SQL: one value. */
const MARKED: ReadonlySet<object> = new Set([sqlText, sqlNumber, sqlByDialect])

const range = fc.constant([1n, 1000n])

/** Parts of a key, beside the `id` that each table has. */
const KEYS: readonly (readonly [string, fc.Arbitrary<Options>])[] = [
  [
    'shardKey',
    fc.record(
      {
        shards: small,
        of: fc.constant(['id']),
        first: fc.nat(3),
        strategy: fc.constant('hash'),
        computedBy,
        signed: fc.constant(false),
      },
      { requiredKeys: ['shards', 'of'] },
    ),
  ],
  [
    'hashKey',
    fc.record({ of: fc.constant(['id']), algorithm: fc.constant('sha256') }, { requiredKeys: ['of'] }),
  ],
  ['bitReversedId', some({ from: fc.constant('identity'), startCounter: fc.constant(5n), skipRange: range })],
  ['bitReversedId', fc.record({ from: fc.constant('sequence'), sequence: fc.constant('Numbers') })],
  ['sequential', fc.record({ from: fc.constant(count) })],
  ['uuidV4', some({ storage, key: fc.constant(true) })],
  ['timeUuid', some({ order: fc.constantFrom('asc', 'desc'), default: fc.constantFrom('now', 'required') })],
  ['descTimestamp', some({ default: fc.constantFrom('now', 'commit', 'required') })],
  [
    'timeBucket',
    fc.record(
      {
        of: fc.constant('at'),
        by: fc.constantFrom('day', 'month'),
        since: fc.constant('2024-01-01'),
        ahead: fc.nat(3),
      },
      { requiredKeys: ['of', 'by'] },
    ),
  ],
]

const named = (property: string, options: Options, isNamed: boolean): Options =>
  isNamed ? { ...options, name: `named_${property}` } : options

const part: fc.Arbitrary<Declared> = fc
  .tuple(fc.constantFrom(...KEYS), fc.boolean())
  .chain(([[builder, options], isNamed]) =>
    options.map((each) => ({ property: 'part', builder, args: [named('part', each, isNamed)] })),
  )

const column = (property: string): fc.Arbitrary<Declared> =>
  fc.tuple(fc.constantFrom(...COLUMNS), fc.boolean()).chain(([[builder, ...args], isNamed]) =>
    fc.tuple(...args).map((each) => ({
      property,
      builder,
      args: [...each.slice(0, -1), named(property, each.at(-1) as Options, isNamed)],
    })),
  )

const columns = fc
  .tuple(fc.option(part), column('one'), column('two'), some({ order: fc.constantFrom('asc', 'desc') }))
  .map(([key, one, two, order]): Declared[] => [
    ...(key ? [key] : []),
    { property: 'id', builder: 'int64', args: [{ immutable: true }], key: order },
    { property: 'at', builder: 'timestamp', args: [{ immutable: true }] },
    one,
    two,
  ])

const index = fc.record(
  {
    on: fc.constantFrom(
      ['at'],
      ['at', { property: 'id', order: 'desc' }],
      [{ property: 'at', nulls: 'last' }],
    ),
    name: fc.constant('ByTime'),
    unique: fc.boolean(),
    nullFiltered: fc.constant(false),
    notNull: fc.constant(['at']),
    shard: fc.constant({ shards: 8, of: ['id'] }),
  },
  { requiredKeys: ['on'] },
)

const tableOptions = some({
  checks: expression.map((text) => [{ name: 'Checked', expression: text }]),
  foreignKeys: fc.constantFrom(
    [{ name: 'Own', columns: ['id'], references: 'self', on: ['id'], onDelete: 'no action' }],
    [{ columns: ['id'], references: () => Region, on: ['id'], enforced: false, unnamed: true }],
  ),
  rowDeletion: fc.record({ property: fc.constant('at'), days: small }),
  opaqueColumns: fc.constant([{ name: 'Tokens', definition: 'TOKENLIST', before: 'id' }]),
  ttlSeconds: small,
  writesExpire: fc.boolean(),
  workload: some({
    writesPerSecond: fc.nat(),
    rowBytes: fc.nat(),
    nodes: small,
    distinct: fc.constant({ id: 5 }),
  }),
  suppress: fc.constant([{ rule: 'spanner/shard-count', on: 'id', reason: 'few rows' }]),
})

const schemaOptions = some({
  namespaces: fc.constant(['sales']),
  sequences: fc.constant([{ name: 'Others', startCounter: 5n, skipRange: [1n, 9n] }]),
  views: expression.map((query) => [{ name: 'Seen', query, security: 'invoker' }]),
  changeStreams: fc.constantFrom(
    [
      {
        name: 'Changes',
        watch: 'all',
        retention: '3d',
        values: 'NEW_ROW',
        options: { exclude_insert: 'true' },
      },
    ],
    [{ name: 'Changes', watch: [Region, { table: Region, columns: ['name'] }] }],
  ),
  opaqueStatements: fc.constant([
    { create: 'CREATE SEARCH INDEX S ON T(Tokens)', drop: 'DROP SEARCH INDEX S' },
  ]),
})

const model: fc.Arbitrary<Model> = fc.record({
  columns,
  indexes: fc.array(index, { maxLength: 1 }),
  options: tableOptions,
  schema: schemaOptions,
})

// --- Three ways to declare a model

type Field = (target: unknown, context: unknown) => void
type Builder = Readonly<Record<string, (...args: readonly unknown[]) => { key(options: unknown): unknown }>>

const DECORATORS: Readonly<Record<string, unknown>> = {
  ...Column,
  shardKey: ShardKey,
  hashKey: HashKey,
  bitReversedId: BitReversedId,
  sequential: Sequential,
  uuidV4: UuidV4,
  timeUuid: TimeUuid,
  descTimestamp: DescTimestamp,
  timeBucket: TimeBucket,
}

/** Applies decorators in the order of a compiler: fields from top to bottom, classes from bottom to top. */
function decorated(
  fields: readonly (readonly [string, readonly unknown[]])[],
  ofClass: readonly unknown[],
  isStandard: boolean,
  target: new () => object = class Model {},
): object {
  const metadata = {}
  for (const [name, decorators] of fields) {
    for (const decorator of decorators.toReversed() as Field[])
      if (isStandard) decorator(undefined, { kind: 'field', name, metadata, static: false, private: false })
      else decorator(target.prototype, name)
  }
  for (const decorator of ofClass.toReversed() as Field[])
    decorator(target, isStandard ? { kind: 'class', name: target.name, metadata } : undefined)
  return target
}

decorated([['amount', [amount]]], [UserType('money')], true, Money)

function byDecorators({ columns: declared, indexes, options }: Model, isStandard: boolean): object {
  return decorated(
    declared.map(({ property, builder, args, key }) => [
      property,
      [
        ...(key ? [Key(key)] : []),
        (DECORATORS[builder] as (...args: readonly unknown[]) => unknown)(...args),
      ],
    ]),
    [Table('T', options), ...indexes.map((each) => Index(each as never))],
    isStandard,
  )
}

const DEFINE_TABLE = 'defineTable'

const STYLES: Readonly<Record<string, (model: Model) => object>> = {
  [DEFINE_TABLE]: ({ columns: declared, indexes, options }) =>
    defineTable(
      'T',
      (t) =>
        Object.fromEntries(
          declared.map(({ property, builder, args, key }) => {
            const made = (t as unknown as Builder)[builder]!(...args)
            return [property, key ? made.key(key['order']) : made]
          }),
        ) as never,
      { ...options, ...(indexes.length > 0 && { indexes }) } as never,
    ),
  'standard decorators': (valid) => byDecorators(valid, true),
  'legacy decorators': (valid) => byDecorators(valid, false),
}

// --- One mistake

interface Mistake {
  readonly mistaken: Model
  readonly table: string
  readonly column?: string
  /** What the message begins with. */
  readonly says: string
  /** The intended name, if it is long enough to be proposed. */
  readonly meant?: string
}

function isPlain(value: unknown): value is Options {
  if (typeof value !== 'object' || value === null || value === count || value === Region || MARKED.has(value))
    return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return prototype === null || prototype === Object.prototype
}

function isRange(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === 'bigint'
}

/** Every nested value with its path. A model, a counter and marked SQL count as one value. */
function* valuesIn(
  value: unknown,
  path: Path = [],
): Generator<{ readonly path: Path; readonly value: unknown }> {
  yield { path, value }
  if (isRange(value)) return
  if (Array.isArray(value)) for (const [at, item] of value.entries()) yield* valuesIn(item, [...path, at])
  else if (isPlain(value))
    for (const [name, inner] of Object.entries(value)) yield* valuesIn(inner, [...path, name])
}

function replaced(value: unknown, [first, ...rest]: Path, change: (inner: unknown) => unknown): unknown {
  if (first === undefined) return change(value)
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Options) }) as Record<
    string | number,
    unknown
  >
  copy[first] = replaced(copy[first], rest, change)
  return copy
}

const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    if (part.includes('-')) return `${text}['${part}']`
    return text === '' ? part : `${text}.${part}`
  }, '')

/** The position that errors name for a path, or undefined if the path is not an input. */
function positionOf(
  valid: Model,
  [top, at, ...rest]: Path,
): { table: string; column?: string; path: Path } | undefined {
  if (top === 'schema') return at === undefined ? undefined : { table: 'defineSchema', path: [at, ...rest] }
  if (top === 'options') return at === undefined ? undefined : { table: 'T', path: [at, ...rest] }
  if (top === 'indexes')
    return at === undefined || rest.length === 0 ? undefined : { table: 'T', path: ['indexes', at, ...rest] }
  if (top !== 'columns' || at === undefined) return undefined
  const { property, builder } = valid.columns[at as number]!
  const [what, argument, ...within] = rest
  if (what === 'key' && argument !== undefined)
    return { table: 'T', column: property, path: [argument, ...within] }
  if (what !== 'args' || argument === undefined) return undefined
  const name = ARGUMENTS[builder]?.[argument as number]
  return { table: 'T', column: property, path: name === undefined ? within : [name, ...within] }
}

/** For each type of a valid value, values of types that are not allowed at its position. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  boolean: ['false', 0, null, {}, []],
  string: [true, null, 5n, Symbol('wrong'), new Map()],
  number: ['5', true, null, 5n, {}],
  bigint: [5, '5', null],
  function: [7, null, Symbol('wrong'), new Map()],
  object: [7, true, null, Symbol('wrong'), new Map()],
}

/** Options whose keys are chosen by the user. */
const FREE = new Set(['distinct', 'options'])

function misspelled(name: string, at: number): string {
  const position = at % name.length
  return name.slice(0, position) + name[position]! + name.slice(position)
}

/** Makes one mistake in a valid model. `kind` and the two numbers choose the mistake and its position. */
function mistakeIn(
  valid: Model,
  kind: 'unknown' | 'misspelled' | 'mistyped',
  at: number,
  which: number,
  style: string,
): Mistake {
  const positions = [...valuesIn(valid)].flatMap(({ path, value }) => {
    const position = positionOf(valid, path)
    // In defineTable() the order is an argument of key(), not an option.
    if (!position || (style === DEFINE_TABLE && path[2] === 'key')) return []
    const isFree = path.length > 1 && FREE.has(String(path.at(-1)))
    const isOptions = isPlain(value) && !isFree
    const isWanted =
      kind === 'mistyped'
        ? position.path.length > 0 && position.path.at(-1) !== 'default'
        : isOptions && (kind === 'unknown' || Object.keys(value).length > 0)
    return isWanted ? [{ path, value, position }] : []
  })
  const { path, value, position } = positions[at % positions.length]!
  const { table, column: property } = position
  const of = { table, ...(property !== undefined && { column: property }) }
  if (kind === 'mistyped') {
    const wrong = WRONG[typeof value]!
    const mistaken = replaced(valid, path, () => wrong[which % wrong.length]) as Model
    return { ...of, mistaken, says: `${pathText(position.path)} is ` }
  }
  const names = Object.keys(value as Options)
  const name = kind === 'unknown' ? undefined : names[which % names.length]!
  const unknown = name === undefined ? 'bogusXq' : misspelled(name, which)
  const mistaken = replaced(valid, path, (inner) => {
    const entries = Object.entries(inner as Options).map(([own, each]) => [
      own === name ? unknown : own,
      each,
    ])
    return Object.fromEntries(name === undefined ? [...entries, [unknown, 1]] : entries) as unknown
  }) as Model
  return {
    ...of,
    mistaken,
    says: `${pathText([...position.path, unknown])} is not an option.`,
    ...(name !== undefined && name.length > 3 && { meant: name }),
  }
}

describe.each(Object.entries(STYLES))(
  'defineSchema() with 1,000 random models declared by %s',
  (style, made) => {
    it('accepts random valid models', () => {
      fc.assert(
        fc.property(
          model,
          (valid) => void defineSchema([Region, made(valid)], valid.schema as SchemaOptions),
        ),
        { numRuns: 1000 },
      )
    })

    it.each(['unknown', 'misspelled', 'mistyped'] as const)(
      'rejects random models with an option that is %s, with the path of the option',
      (kind) => {
        fc.assert(
          fc.property(model, fc.nat(), fc.nat(), (valid, at, which) => {
            const {
              mistaken,
              table,
              column: property,
              says,
              meant,
            } = mistakeIn(valid, kind, at, which, style)
            const findings = findingsWith(mistaken.schema as SchemaOptions, Region, made(mistaken))
            const own = findings.filter(
              (finding) =>
                finding.table === table &&
                (finding.column === property || property === undefined) &&
                finding.message.startsWith(says),
            )
            expect(own, `${says}: ${JSON.stringify(findings)}`).not.toEqual([])
            expect(own[0]!.fix).toContain(meant === undefined ? '' : `Did you mean ${meant}?`)
          }),
          { numRuns: 1000 },
        )
      },
    )
  },
)
