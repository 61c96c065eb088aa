import { itemAt, paired } from '../known.js'
import type {
  Condition,
  GroupColumn,
  Measure,
  OrderTerm,
  Parameter,
  Position,
  Statement,
} from '../layout/statement.js'
import type { NullOrder } from '../engine/dialect.js'
import { IsothermError } from '../errors.js'
import {
  COMMIT_TIMESTAMP,
  type Field,
  type PhysicalColumn,
  type TableLayout,
  type Wire,
  type WireType,
} from '../layout/layout.js'
import type { ShardSource } from '../model/key.js'

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>='

/** The differences between SQL dialects. Expressions are columns, ready for the text. */
export interface SqlSyntax {
  readonly nulls: NullOrder
  /** How a test for NaN is written, where NaN is lowest and answers to no comparison; absent where it is a value. */
  readonly isNan?: (expression: string) => string
  /** The commit timestamp, in a statement. */
  readonly commitTimestamp: string
  quote(name: string): string
  /** Whether a bare column of this table could mean something else; absent where none ever does. */
  readonly needsQualifier?: (layout: TableLayout) => boolean
  /** The parameter with this number (from 1), as the text contains it; its name is what the driver binds. */
  parameter(number: number, type: WireType): { readonly text: string; readonly name: string }
  compare(column: PhysicalColumn, expression: string, operator: Operator, operand: string): string
  /** Compares a column with at least one value; `parameter` makes a parameter of a value, or of a list of them. */
  isOneOf(
    column: PhysicalColumn,
    expression: string,
    values: readonly Wire[],
    parameter: (type: WireType, value: Wire) => string,
  ): string
  startsWith(expression: string, prefix: string): string
  orderTerm(column: PhysicalColumn, expression: string, direction: 'asc' | 'desc'): string
  /**
   * The database scans a key from a position only where a statement says so in the columns of that key: rows are ordered by the
   * mirrors too, and come after a position by one comparison that holds for all of them. Default: it finds out by itself.
   */
  readonly scansKeys?: true
  /** The clause after an INSERT that returns values. */
  readonly returning: 'THEN RETURN' | 'RETURNING'
  /** Goes before a query: another transaction that wants the same rows then has to wait, rather than to be aborted. */
  readonly lockRows: string
  /** Several numbers of a sequence, a row each. */
  sequenceNumbers(sequence: string, count: number, parameter: (type: WireType, value: Wire) => string): string
  /** After a table's name: read it by this index. */
  forceIndex(index: string): string
  /** The names of the types to which values are cast before, or after, they are summed up. */
  readonly castTypes: { readonly numeric: string; readonly double: string; readonly text: string }
  /** The text of a NUMERIC, the same for the same number. */
  numericText(expression: string): string
  hasExtremes(type: WireType): boolean
  /** The average of floats, where the dialect's own fails as soon as their sum is not a float. */
  floatAverage?(expression: string): string
}

const OPPOSITE = { asc: 'desc', desc: 'asc' } as const

const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/**
 * The comparison of a mirror that follows from the comparison of its value: the mirror sorts in the opposite direction and
 * may be coarser.
 */
const MIRRORED = { eq: '=', lt: '>=', lte: '>=', gt: '<=', gte: '<=' } as const

/** Above this number, values that are stored in several columns are no longer compared one by one. */
const MAX_EXPANDED = 100

/** Collects the parameters of one statement while its text is made. Nothing a user gave ever enters the text. */
export class SqlWriter {
  readonly #syntax: SqlSyntax
  readonly #parameters: Parameter[]
  /** Stands before each column, as in `t.`. */
  readonly #qualifier: string

  constructor(syntax: SqlSyntax, qualifier = '', parameters: Parameter[] = []) {
    this.#syntax = syntax
    this.#qualifier = qualifier
    this.#parameters = parameters
  }

  /** A writer of the same statement for the columns of a table that is written, qualified where bare names will not do. */
  of(layout: TableLayout): SqlWriter {
    return this.#qualified(layout, this.#syntax.quote(unqualified(layout)))
  }

  /** The same for a table that is read, under its alias. */
  from(layout: TableLayout): SqlWriter {
    return this.#qualified(layout, ROW)
  }

  #qualified(layout: TableLayout, name: string): SqlWriter {
    const qualifier = this.#syntax.needsQualifier?.(layout) ? `${name}.` : ''
    return new SqlWriter(this.#syntax, qualifier, this.#parameters)
  }

  statement(text: string): Statement {
    return { text, parameters: this.#parameters }
  }

  parameter(type: WireType, value: Wire): string {
    const { text, name } = this.#syntax.parameter(this.#parameters.length + 1, type)
    this.#parameters.push({ name, type, value })
    return text
  }

  column(column: PhysicalColumn): string {
    return this.#qualifier + this.#syntax.quote(column.name)
  }

  columns(columns: readonly PhysicalColumn[]): string {
    return columns.map((column) => this.column(column)).join(', ')
  }

  /** A value to be written. */
  value(type: WireType, value: Wire): string {
    return value === COMMIT_TIMESTAMP && type.kind === 'timestamp'
      ? this.#syntax.commitTimestamp
      : this.parameter(type, value)
  }

  /** The shard is one of these. */
  inShards(shard: Field, shards: readonly number[]): string {
    const column = shard.physical[0]
    return shards.length === 1
      ? this.#compare(column, '=', String(shards[0]))
      : this.#isOneOf(column, shards.map(String))
  }

  shardList(shards: readonly number[]): string {
    return this.parameter({ kind: 'array', of: { kind: 'int64' } }, shards.map(String))
  }

  /** @param hasMirrors whether the rows that are ordered have them: not so those of a query within */
  orderBy(order: readonly OrderTerm[], hasMirrors = true): string {
    const terms = order.flatMap(({ field, order: direction }) => {
      const term = (to: 'asc' | 'desc') => (column: PhysicalColumn) =>
        this.#syntax.orderTerm(column, this.column(column), to)
      const { mirror, physical } = field
      if (!mirror || !hasMirrors || !this.#syntax.scansKeys) return physical.map(term(direction))
      const turned = term(OPPOSITE[direction])
      // Behind a mirror that is exact, the value is always the same: it is named because the key has it there.
      return [turned(mirror), ...physical.map(field.coarseMirror ? term(direction) : turned)]
    })
    return terms.join(', ')
  }

  condition(condition: Condition): string {
    switch (condition.kind) {
      case 'compare': {
        const { field, op, value, wires } = condition
        const compared = this.#compareFields(field.physical, op, wires)
        if (!field.mirror || op === 'ne') return compared
        // Says nothing new, but is what the key is sorted by.
        return `(${this.#compare(field.mirror, MIRRORED[op], field.mirror.encode(value))} AND ${compared})`
      }
      case 'in':
        return this.#in(condition.field, condition.wires)
      case 'null':
        return `${this.column(condition.field.physical[0])} IS NULL`
      case 'prefix': {
        const column = condition.field.physical[0]
        return this.#syntax.startsWith(this.column(column), this.parameter(column.type, condition.value))
      }
      case 'and':
      case 'or': {
        if (condition.of.length === 0) return condition.kind === 'and' ? 'TRUE' : 'FALSE'
        const joined = condition.of
          .map((part) => this.condition(part))
          .join(condition.kind === 'and' ? ' AND ' : ' OR ')
        return condition.of.length === 1 ? joined : `(${joined})`
      }
      case 'not':
        return `NOT (${this.condition(condition.of)})`
    }
  }

  #compare(column: PhysicalColumn, operator: Operator, wire: Wire): string {
    return this.#syntax.compare(column, this.column(column), operator, this.parameter(column.type, wire))
  }

  /** Compares a value that may be stored in several columns, the most significant first. */
  #compareFields(
    columns: readonly PhysicalColumn[],
    op: keyof typeof OPERATORS,
    wires: readonly Wire[],
  ): string {
    const [first, wire] = [itemAt(columns, 0), itemAt(wires, 0)]
    if (columns.length === 1) return this.#compare(first, OPERATORS[op], wire)
    if (op === 'eq' || op === 'ne') {
      const equal = paired(columns, wires)
        .map(([column, each]) => this.#compare(column, '=', each))
        .join(' AND ')
      return op === 'eq' ? `(${equal})` : `NOT (${equal})`
    }
    const strict = op === 'lt' || op === 'lte' ? '<' : '>'
    const beyond = this.#compare(first, strict, wire)
    const level = this.#compare(first, '=', wire)
    return `(${beyond} OR (${level} AND ${this.#compareFields(columns.slice(1), op, wires.slice(1))}))`
  }

  #in({ physical }: Field, wires: readonly (readonly Wire[])[]): string {
    if (wires.length === 0) return 'FALSE'
    const [only, ...more] = physical
    if (more.length > 0 && wires.length > MAX_EXPANDED) return this.#inTuples(physical, wires)
    if (more.length > 0)
      return `(${wires.map((each) => this.#compareFields(physical, 'eq', each)).join(' OR ')})`
    return this.#isOneOf(
      only,
      wires.map((each) => itemAt(each, 0)),
    )
  }

  /**
   * Compares many values that are stored in several columns. The dialects have no common list of tuples, and a statement
   * has room for some hundreds of them; so the columns are compared as one text, and the first column, with which keys
   * begin, also by itself.
   */
  #inTuples(columns: readonly PhysicalColumn[], wires: readonly (readonly Wire[])[]): string {
    const first = itemAt(columns, 0)
    const text = { ...first, type: { kind: 'string', length: 'max' } } as const
    const joined = columns
      .map((column) => `CAST(${this.column(column)} AS ${this.#syntax.castTypes.text})`)
      .join(` || ' ' || `)
    const leading = this.#isOneOf(first, [...new Set(wires.map((each) => itemAt(each, 0)))])
    const tuples = this.#syntax.isOneOf(
      text,
      `(${joined})`,
      wires.map((each) => each.join(' ')),
      (type, value) => this.parameter(type, value),
    )
    return `(${leading} AND ${tuples})`
  }

  #isOneOf(column: PhysicalColumn, values: readonly Wire[]): string {
    return this.#syntax.isOneOf(column, this.column(column), values, (type, value) =>
      this.parameter(type, value),
    )
  }

  /**
   * The rows that come after a position. The comparison is written out, because engines refuse `(a, b) > (x, y)`, and
   * because NULL and NaN have a position in the order but no comparison is true for them.
   */
  after(order: readonly OrderTerm[], position: Position): string {
    const terms = paired(order, position).flatMap(([{ field, order: direction }, wires]) =>
      paired(field.physical, wires).map(([column, wire]) => ({ column, direction, wire })),
    )
    const alternatives: string[] = []
    terms.forEach((term, at) => {
      const beyond = this.#beyond(term.column, term.direction, term.wire)
      if (beyond === undefined) return
      const equal = terms.slice(0, at).map(({ column, wire }) => this.same(column, wire))
      alternatives.push(equal.length === 0 ? beyond : `(${[...equal, beyond].join(' AND ')})`)
    })
    if (alternatives.length === 0) return 'FALSE'
    const after = `(${alternatives.join(' OR ')})`
    const start = this.#syntax.scansKeys && this.#start(itemAt(order, 0), itemAt(position, 0))
    return start === undefined ? after : `(${start} AND ${after})`
  }

  /** What holds for all rows that do not come before a position, by the first column of their order; undefined for none. */
  #start({ field, order }: OrderTerm, wires: readonly Wire[]): string | undefined {
    const [column, wire] = [field.physical[0], itemAt(wires, 0)]
    if (field.mirror) {
      const operator = order === 'desc' ? '>=' : '<='
      return this.#compare(field.mirror, operator, field.mirror.encode(field.parse(wires)))
    }
    if (wire === null || column.nullable || isFloat(column)) return undefined
    return this.#compare(column, order === 'desc' ? '<=' : '>=', wire)
  }

  /** The column has this value, NULL and NaN included. */
  same(column: PhysicalColumn, wire: Wire): string {
    const name = this.column(column)
    if (wire === null) return `${name} IS NULL`
    const { isNan } = this.#syntax
    if (isNan && wire === 'NaN' && isFloat(column)) return isNan(name)
    return this.#compare(column, '=', wire)
  }

  /** The condition for values strictly after another one in a column's order; undefined if there can be none. */
  #beyond(column: PhysicalColumn, direction: 'asc' | 'desc', wire: Wire): string | undefined {
    const name = this.column(column)
    const nullsAhead = (this.#syntax.nulls === 'highest') === (direction === 'asc')
    const { isNan } = this.#syntax
    if (wire === null) return nullsAhead ? undefined : `${name} IS NOT NULL`
    const alternatives: string[] = []
    if (isNan && wire === 'NaN' && isFloat(column)) {
      // No comparison is true for NaN: a value that is neither NULL nor NaN is a number.
      if (direction === 'asc') alternatives.push(`(${name} IS NOT NULL AND NOT ${isNan(name)})`)
    } else {
      alternatives.push(this.#compare(column, direction === 'asc' ? '>' : '<', wire))
      if (isNan && isFloat(column) && direction === 'desc') alternatives.push(isNan(name))
    }
    if (column.nullable && nullsAhead) alternatives.push(`${name} IS NULL`)
    if (alternatives.length === 0) return undefined
    return alternatives.length === 1 ? alternatives[0] : `(${alternatives.join(' OR ')})`
  }
}

/** The alias of a table whose columns need one. */
export const ROW = '_row'

/** A table's name without its named schema. */
export function unqualified({ table }: TableLayout): string {
  return table.name.slice(table.name.indexOf('.') + 1)
}

export function isFloat(column: PhysicalColumn): boolean {
  return column.type.kind === 'float64' || column.type.kind === 'float32'
}

// The items between SELECT and FROM of a grouped query.

export function groupExpression(
  syntax: SqlSyntax,
  writer: SqlWriter,
  { column, asText }: GroupColumn,
): string {
  const expression = writer.column(column)
  return asText ? syntax.numericText(expression) : expression
}

export function measureExpression(syntax: SqlSyntax, writer: SqlWriter, measure: Measure): string {
  const { castTypes } = syntax
  const [column] = measure.columns
  if (!column) return 'COUNT(*)'
  const expression = writer.column(column)
  const { kind } = column.type
  switch (measure.compute) {
    case 'count':
      return 'COUNT(*)'
    case 'countDistinct':
      return `COUNT(DISTINCT ${distinguished(syntax, writer, measure)})`
    case 'sum':
      return kind === 'int64' ? wholeSum(syntax, expression) : `SUM(${doubled(syntax, expression, kind)})`
    case 'avg':
      // Their own averages of integers are of different types, and one of them adds up floats.
      return kind === 'int64'
        ? `CAST(${wholeSum(syntax, expression)} AS ${castTypes.double}) / COUNT(${expression})`
        : averageOf(syntax, doubled(syntax, expression, kind), kind)
    case 'min':
      return `MIN(${expression})`
    case 'max':
      return `MAX(${expression})`
    case 'values':
      return `ARRAY_AGG(${expression})`
  }
}

function averageOf({ floatAverage }: SqlSyntax, expression: string, kind: string): string {
  return floatAverage && kind !== 'numeric' ? floatAverage(expression) : `AVG(${expression})`
}

/** 64 bits do not hold the sum of many integers of 64 bits. */
function wholeSum({ castTypes }: SqlSyntax, expression: string): string {
  return `SUM(CAST(${expression} AS ${castTypes.numeric}))`
}

/** Sums of 32-bit floats are computed and returned in 64 bits. */
function doubled({ castTypes }: SqlSyntax, expression: string, kind: string): string {
  return kind === 'float32' ? `CAST(${expression} AS ${castTypes.double})` : expression
}

/** One expression that differs where the values do. */
function distinguished(syntax: SqlSyntax, writer: SqlWriter, { columns, asText }: Measure): string {
  const expressions = columns.map((column) => writer.column(column))
  const [first = '', ...others] = expressions
  if (asText) return syntax.numericText(first)
  // COUNT takes one expression. A value in several columns is stored as integers, whose texts contain no slash.
  return others.length === 0
    ? first
    : expressions.map((each) => `CAST(${each} AS ${syntax.castTypes.text})`).join(" || '/' || ")
}

/** The range that a shard is in. */
export type ShardRange = Pick<ShardSource, 'shards' | 'first' | 'signed'>

/** The syntax of the two functions that bring a hash into the range of shards. */
interface RangeFunctions {
  readonly mod: string
  readonly abs: string
}

/**
 * The shard of a hash, as the database computes it: `shardOf` in SQL. The remainder comes before the absolute value, which
 * fails on the smallest integer; without it half of the shards would be negative.
 */
export function shardOfHash(
  hash: string,
  { shards, first = 0, signed }: ShardRange,
  { mod, abs }: RangeFunctions,
): string {
  const remainder = `${mod}(${hash}, ${shards})`
  if (signed) return remainder
  return first === 0 ? `${abs}(${remainder})` : `${first} + ${abs}(${remainder})`
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/

/**
 * Checks a name for a hint, where quoting protects less: letters, digits and underscores, as the databases require of every
 * name. A schema that was assembled by hand may hold anything.
 *
 * @throws {IsothermError} `SCHEMA_INVALID`
 */
export function plainName(name: string): string {
  if (PLAIN.test(name)) return name
  throw new IsothermError(
    'SCHEMA_INVALID',
    `${JSON.stringify(name.slice(0, 140))} is not a name of an index.`,
    {
      fix: 'A name has letters, digits and underscores.',
    },
  )
}
