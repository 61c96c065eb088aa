import type { ColumnSchema, SqlDialect } from '@isotherm/core'
import type { Value, ValueRecord } from '../source/source-text.js'
import {
  type Call,
  type DrizzleSyntax,
  ORM,
  columnArgs,
  expressionOf,
  generatedCalls,
  sqlCode,
} from './drizzle-syntax.js'
import { inTwoIntegers } from './googlesql.js'

const ADAPTER = '@isotherm/drizzle-adapter/postgresql'
const OF_DRIZZLE = new Set(['desc', 'relations', 'sql'])
const OF_ADAPTER = new Set(
  (
    'bitReversedId bytea commitTimestamp descTimestamp workload hashKey immutable index interleaveIn suppress ' +
    'parentKey rowDeletionPolicy shardKey toSchema uniqueIndex uuidV4'
  ).split(' '),
)

type ScalarType = Exclude<ColumnSchema['type'], { readonly kind: 'array' }>

/** Tables of `pgTable`. */
export const postgreSqlSyntax = (dialect: SqlDialect): DrizzleSyntax => ({
  dialect,
  adapter: ADAPTER,
  table: 'pgTable',
  schema: 'pgSchema',
  sequence: 'pgSequence',
  view: 'pgView',
  extra: 'PgTableExtraConfigValue',
  from(name) {
    if (OF_DRIZZLE.has(name)) return ORM
    return OF_ADAPTER.has(name) ? ADAPTER : `${ORM}/pg-core`
  },
  column(type, name) {
    const { builder, config } = builderOf(type)
    return { name: builder, args: columnArgs(name, config) }
  },
  special(_, { name, default: value }) {
    return value === 'commit' ? { name: 'commitTimestamp', args: columnArgs(textOf(name), {}) } : undefined
  },
  calls(_, options) {
    return [
      ...(options['nullable'] === true ? [] : [{ name: 'notNull', args: [] }]),
      ...defaultCalls(options, dialect),
      ...generatedCalls(options, dialect),
    ]
  },
  saysImmutableApart: true,
  sequenceOptions: ({ startCounter }) => ({ startWith: startCounter }),
  definer: { securityInvoker: false },
  undeclarable(column, { key }) {
    if (key === 'desc') return 'descends in the key, which pgTable can say of descTimestamp only'
    const { type, generated, source } = column
    const of = type.kind === 'array' ? type.of : type
    const isNative = of.kind === 'uuid' && of.storage !== undefined && of.storage !== 'text'
    // A key of Isotherm has a storage, Drizzle's own uuid does not.
    if (isNative && (source?.kind !== 'uuid-v4' || type.kind === 'array'))
      return `is a UUID kept as ${of.storage}, which pgTable cannot say`
    if (generated?.stored === false) return 'is computed whenever it is read, which pgTable cannot say'
    return inTwoIntegers(column)
  },
  undeclarableKey: ({ enforced }) =>
    enforced === false ? 'has a foreign key that is not enforced, which pgTable cannot say' : undefined,
  undeclarableSequence: ({ skipRange }) =>
    skipRange ? 'passes over a range, which pgSequence cannot say' : undefined,
})

function textOf(name: Value | undefined): string | undefined {
  return typeof name === 'string' ? name : undefined
}

function builderOf(type: ScalarType): { readonly builder: string; readonly config: ValueRecord } {
  switch (type.kind) {
    case 'bool':
      return { builder: 'boolean', config: {} }
    case 'int64':
      return { builder: 'bigint', config: { mode: type.as ?? 'bigint' } }
    case 'float32':
      return { builder: 'real', config: {} }
    case 'float64':
      return { builder: 'doublePrecision', config: {} }
    case 'string':
      return type.length === 'max'
        ? { builder: 'varchar', config: {} }
        : { builder: 'varchar', config: { length: type.length } }
    case 'bytes':
      return { builder: 'bytea', config: {} }
    case 'timestamp':
      return { builder: 'timestamp', config: { withTimezone: true } }
    case 'json':
      return { builder: 'jsonb', config: {} }
    default:
      return { builder: type.kind, config: {} }
  }
}

function defaultCalls({ default: value }: ValueRecord, dialect: SqlDialect): readonly Call[] {
  if (value === undefined || value === 'commit') return []
  // Not the now() of defaultNow(): models write it in this form, and the database stores the text unchanged.
  if (value === 'now') return [{ name: 'default', args: [sqlCode('CURRENT_TIMESTAMP')] }]
  return [{ name: 'default', args: [sqlCode(expressionOf(value, dialect))] }]
}
