import type { ColumnSchema, SqlDialect } from '@isotherm/core'
import type { ValueRecord } from '../source/source-text.js'
import {
  type Call,
  type DrizzleSyntax,
  ORM,
  columnArgs,
  expressionOf,
  generatedCalls,
  sqlCode,
} from './drizzle-syntax.js'

const ADAPTER = '@isotherm/drizzle-adapter'
const OF_DRIZZLE = new Set(['desc', 'relations', 'sql'])

/** Tables of `spannerTable`. */
export const googleSqlSyntax = (dialect: SqlDialect): DrizzleSyntax => ({
  dialect,
  adapter: ADAPTER,
  table: 'spannerTable',
  schema: 'spannerSchema',
  sequence: 'spannerSequence',
  view: 'spannerView',
  extra: 'SpannerTableExtra',
  from: (name) => (OF_DRIZZLE.has(name) ? ORM : ADAPTER),
  column: (type, name) => ({ name: type.kind, args: columnArgs(name, configOf(type)) }),
  special: () => undefined,
  calls(_, options) {
    const { nullable, immutable, hidden } = options
    return [
      ...(nullable === true ? [] : [{ name: 'notNull', args: [] }]),
      ...(immutable === true ? [{ name: 'immutable', args: [] }] : []),
      ...(hidden === true ? [{ name: 'hidden', args: [] }] : []),
      ...defaultCalls(options, dialect),
      ...generatedCalls(options, dialect),
    ]
  },
  saysImmutableApart: false,
  sequenceOptions: ({ startCounter, skipRange }) => ({
    startWith: startCounter === undefined ? undefined : BigInt(startCounter),
    skipRange: skipRange?.map(BigInt),
  }),
  definer: { security: 'definer' },
  undeclarable: inTwoIntegers,
  undeclarableKey: () => undefined,
  undeclarableSequence: () => undefined,
})

/** @returns the end of a sentence that begins with the column */
export function inTwoIntegers({ type }: ColumnSchema): string | undefined {
  return type.kind === 'uuid' && type.storage === 'int64-pair'
    ? "is a UUID in two integers, which no column of Drizzle's can be"
    : undefined
}

function configOf(type: Exclude<ColumnSchema['type'], { readonly kind: 'array' }>): ValueRecord {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return { length: type.length === 'max' ? undefined : type.length }
    case 'int64':
      return { mode: type.as === 'number' ? type.as : undefined }
    case 'uuid':
      return { storage: type.storage === 'text' ? undefined : type.storage }
    default:
      return {}
  }
}

function defaultCalls({ default: value }: ValueRecord, dialect: SqlDialect): readonly Call[] {
  if (value === undefined) return []
  if (value === 'now') return [{ name: 'defaultNow', args: [] }]
  if (value === 'commit') return [{ name: 'commitTimestamp', args: [] }]
  return [{ name: 'default', args: [sqlCode(expressionOf(value, dialect))] }]
}
