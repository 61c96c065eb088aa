import {
  Code,
  type LinePosition,
  type Value,
  type ValueRecord,
  call,
  fits,
  lines,
  templateLiteral,
} from '../source/source-text.js'
import type { ColumnSchema, Schema, SqlDialect, TableSchema } from '@isotherm/core'
import type { Declaration } from '../source/declaration.js'

// Calls one after another, as Drizzle's builders are written: `string({ length: 10 }).notNull()`.

export interface Call {
  readonly name: string
  readonly args: readonly Value[]
}

/** SQL as Drizzle takes it: whatever it holds, it stays within the template. */
export function sqlCode(text: string): Code {
  return new Code(`sql${templateLiteral(text)}`)
}

/** The calls in one line, or one of them spread out, or each on a line of its own: as formatters have it. */
export function chain(calls: readonly [Call, ...Call[]], position: LinePosition): string {
  const [head, ...rest] = calls
  const isShort = rest.length < 2
  const flat = calls.map(inLine).join('.')
  if (!flat.includes('\n') && fits(flat, position) && (isShort || calls.every(isSimple))) return flat
  if (isShort) {
    const spread = spreadAt(calls, position)
    const before = calls.slice(0, spread).map((each) => `${inLine(each)}.`)
    const after = calls.slice(spread + 1).map((each) => `.${inLine(each)}`)
    const { name, args } = calls[spread]!
    const used = position.used + before.join('').length
    return [...before, call(name, args, { ...position, used }), ...after].join('')
  }
  const indent = position.indent + 2
  const lined = rest.map(({ name, args }) => {
    return `${' '.repeat(indent)}.${call(name, args, { indent, used: indent + 1, after: 0 })}`
  })
  return [call(head.name, head.args, position), ...lined].join('\n')
}

/** The first call after which the line is too long before it may be broken again. */
function spreadAt(calls: readonly Call[], { used, after }: LinePosition): number {
  const at = calls.findIndex((_, index) => {
    const next = calls.slice(index + 1)
    const open = next.findIndex(({ args }) => args.length > 0)
    const line = calls
      .slice(0, index + 1)
      .map(inLine)
      .join('.')
    const rest = (open < 0 ? next : next.slice(0, open)).map((each) => `.${inLine(each)}`).join('')
    const last = open < 0 ? '' : `.${next[open]!.name}(`
    return !fits(line + rest + last, { used, after: open < 0 ? after : 0 })
  })
  return Math.max(0, at)
}

function inLine({ name, args }: Call): string {
  return call(name, args, { indent: 0, used: Number.NEGATIVE_INFINITY, after: 0 })
}

/** Formatters break a chain of three calls that has SQL in it, or an object of more than literals. */
function isSimple({ args }: Call): boolean {
  return args.every((arg) => {
    if (arg instanceof Code) return !arg.text.startsWith('sql`')
    return typeof arg !== 'object' || !Object.values(arg).some((each) => typeof each === 'object')
  })
}

/** `[a, b]`, of code. */
export function list(items: readonly string[], position: LinePosition): string {
  const flat = `[${items.join(', ')}]`
  return !flat.includes('\n') && fits(flat, position) ? flat : lines('[', items, ']', position.indent)
}

/** The SQL of a value that models say for one dialect, or for all of them. */
export function expressionOf(value: Value, dialect: SqlDialect): string {
  const text = typeof value === 'object' ? (value as ValueRecord)[dialect.name] : value
  return typeof text === 'string' ? text : ''
}

export function generatedCalls({ generated, stored }: ValueRecord, dialect: SqlDialect): readonly Call[] {
  if (generated === undefined) return []
  const mode = stored === false ? [{ mode: 'virtual' }] : []
  return [{ name: 'generatedAlwaysAs', args: [sqlCode(expressionOf(generated, dialect)), ...mode] }]
}

export const ORM = 'drizzle-orm'

type ScalarType = Exclude<ColumnSchema['type'], { readonly kind: 'array' }>

/** The names and calls that differ between the tables of the dialects. */
export interface DrizzleSyntax {
  readonly dialect: SqlDialect
  /** The adapter's entry, which has `toSchema`. */
  readonly adapter: string
  readonly table: string
  readonly schema: string
  readonly sequence: string
  readonly view: string
  /** The type of the third argument of a table. */
  readonly extra: string
  /** Where a name is imported from. */
  from(name: string): string
  /** A column of the type. */
  column(type: ScalarType, name: string | undefined): Call
  /** The declarations of a column besides its type, without its key. */
  calls(column: Declaration, options: ValueRecord): readonly Call[]
  /** A column that is declared by a builder of its own, if its options need one. */
  special(column: Declaration, options: ValueRecord): Call | undefined
  /** Whether a column's promise never to change is said beside the columns. */
  readonly saysImmutableApart: boolean
  sequenceOptions(sequence: Schema['sequences'][number]): ValueRecord
  readonly definer: ValueRecord
  /** The reason why Drizzle's tables cannot declare a column, though models can. */
  undeclarable(column: ColumnSchema, declaration: Declaration): string | undefined
  undeclarableKey(key: TableSchema['foreignKeys'][number]): string | undefined
  undeclarableSequence(sequence: Schema['sequences'][number]): string | undefined
}

/** The arguments of a column: `('id', { length: 10 })`, each if it is given. */
export function columnArgs(name: string | undefined, config: ValueRecord): readonly Value[] {
  const hasConfig = Object.values(config).some((value) => value !== undefined)
  return [...(name === undefined ? [] : [name]), ...(hasConfig ? [config] : [])]
}
