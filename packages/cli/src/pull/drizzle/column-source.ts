import type { ColumnSchema } from '@isotherm/core'
import type { Declaration } from '../declaration.js'
import type { Imports } from '../imports.js'
import { Code, type Value, type ValueRecord } from '../source-text.js'
import type { Call } from './chain.js'
import { columnArgs, type DrizzleWords } from './words.js'

type ScalarType = Exclude<ColumnSchema['type'], { readonly kind: 'array' }>

/** How a column is declared in Drizzle's way. */
export interface DrizzleColumn {
  readonly property: string
  readonly calls: readonly [Call, ...Call[]]
  /** Whether it takes a place in the key by itself. */
  readonly isKey: boolean
  readonly note?: string
}

const SPECIAL = new Set(['shardKey', 'hashKey', 'bitReversedId', 'uuidV4', 'descTimestamp'])

export interface ColumnContext {
  readonly words: DrizzleWords
  readonly imports: Imports
  /** Whether each column says its name, since those without one are called otherwise. */
  readonly isNamed: boolean
  /** `customers.id`: the column of the parent that a key part is inherited from. */
  readonly parentColumn: (property: string) => Code
}

/** @param saysKey whether the columns say which of them are the key */
export function drizzleColumn(
  declaration: Declaration,
  column: ColumnSchema,
  saysKey: boolean,
  context: ColumnContext,
): DrizzleColumn {
  const { property, note } = declaration
  const calls = callsOf(declaration, column, saysKey, context)
  const { words, imports } = context
  imports.add(words.from(calls[0].name), calls[0].name)
  for (const { args } of calls) for (const arg of args) if (isSql(arg)) imports.add(words.from('sql'), 'sql')
  return { property, calls, isKey: declaration.isKey, ...(note !== undefined && { note }) }
}

function callsOf(
  declaration: Declaration,
  column: ColumnSchema,
  saysKey: boolean,
  { words, isNamed, parentColumn }: ColumnContext,
): readonly [Call, ...Call[]] {
  const { builder, args, key, property } = declaration
  if (builder === 'parentKey') return [{ name: builder, args: [parentColumn(property)] }]
  const given = args.at(-1)
  const options: ValueRecord = isRecord(given) && !(builder === 'array' && args.length === 1) ? given : {}
  const { name: own, ...rest } = options
  const name = typeof own === 'string' ? own : isNamed ? column.name : undefined
  if (SPECIAL.has(builder)) return [{ name: builder, args: columnArgs(name, rest) }]
  const [of] = args
  const type = builder === 'array' ? (of as ValueRecord as ScalarType) : typeFrom(builder, options)
  const head = words.special(declaration, { ...options, name }) ?? words.column(type, name)
  const array = builder === 'array' ? [{ name: 'array', args: [] }] : []
  const isKey = saysKey && key !== undefined
  // A key that the columns say is never NULL, and says so.
  const said = words.calls(declaration, options).filter((call) => !isKey || call.name !== 'notNull')
  return [head, ...array, ...(isKey ? [{ name: 'primaryKey', args: [] }] : []), ...said]
}

/** The type, as the options of its builder say it. */
function typeFrom(kind: Declaration['builder'], { length, as, storage }: ValueRecord): ScalarType {
  if (kind === 'string' || kind === 'bytes') return { kind, length: (length as number | undefined) ?? 'max' }
  if (kind === 'int64') return as === 'number' ? { kind, as } : { kind }
  if (kind === 'uuid') return { kind, storage: (storage ?? 'text') as 'text' }
  return { kind } as ScalarType
}

function isRecord(value: Value | undefined): value is ValueRecord {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Code)
}

function isSql(value: Value): boolean {
  return value instanceof Code && value.text.startsWith('sql`')
}
