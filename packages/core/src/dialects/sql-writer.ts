import type { Condition, OrderTerm, Position } from './condition.js'
import type { NullOrder } from './dialect.js'
import type { Field, PhysicalColumn, TableLayout } from './layout.js'
import type { Parameter, Statement } from './statement.js'
import { COMMIT_TIMESTAMP, type Wire, type WireType } from './wire.js'

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>='

/** Where SQL dialects differ from one another. Expressions are columns, ready to stand in the text. */
export interface SqlSyntax {
  readonly nulls: NullOrder
  /** How a test for NaN is written, where NaN is lowest and answers to no comparison; absent where it is a value. */
  readonly isNan?: (expression: string) => string
  /** The commit timestamp, in a statement. */
  readonly commitTimestamp: string
  quote(name: string): string
  /** Whether a bare column of this table could mean something else; absent where none ever does. */
  readonly needsQualifier?: (layout: TableLayout) => boolean
  /** The parameter with this number (from 1), as it stands in the text; its name is what the driver binds. */
  parameter(number: number): { readonly text: string; readonly name: string }
  compare(column: PhysicalColumn, expression: string, operator: Operator, operand: string): string
  /** One of at least one value; `parameter` makes a parameter of a value, or of a list of them. */
  isOneOf(
    column: PhysicalColumn,
    expression: string,
    values: readonly Wire[],
    parameter: (type: WireType, value: Wire) => string,
  ): string
  startsWith(expression: string, prefix: string): string
  orderTerm(column: PhysicalColumn, expression: string, direction: 'asc' | 'desc'): string
  /** After an INSERT: what it gives back. */
  readonly returning: 'THEN RETURN' | 'RETURNING'
  /** Before a query: whoever else wants the rows that it reads has to wait, rather than to be aborted. */
  readonly lockRows: string
  /** So many numbers of a sequence, a row each. */
  sequenceNumbers(sequence: string, count: number, parameter: (type: WireType, value: Wire) => string): string
  /** After a table's name: read it by this index. */
  forceIndex(index: string): string
  /** What the types are called that values are cast to before, or after, they are summed up. */
  readonly castTypes: { readonly numeric: string; readonly double: string; readonly text: string }
  /** The text of a NUMERIC, the same for the same number. */
  numericText(expression: string): string
  hasExtremes(type: WireType): boolean
}

const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** What a comparison of a value says of its mirror, which sorts the other way round and may be coarser. */
const MIRRORED = { eq: '=', lt: '>=', lte: '>=', gt: '<=', gte: '<=' } as const

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
    const { text, name } = this.#syntax.parameter(this.#parameters.length + 1)
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
    const column = shard.physical[0]!
    return shards.length === 1
      ? this.#compare(column, '=', String(shards[0]))
      : this.#isOneOf(column, shards.map(String))
  }

  shardList(shards: readonly number[]): string {
    return this.parameter({ kind: 'array', of: { kind: 'int64' } }, shards.map(String))
  }

  orderBy(order: readonly OrderTerm[]): string {
    const terms = order.flatMap(({ field, order: direction }) =>
      field.physical.map((column) => this.#syntax.orderTerm(column, this.column(column), direction)),
    )
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
        return `${this.column(condition.field.physical[0]!)} IS NULL`
      case 'prefix': {
        const column = condition.field.physical[0]!
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

  /** Compares a value that may lie in several columns, the most significant first. */
  #compareFields(
    columns: readonly PhysicalColumn[],
    op: keyof typeof OPERATORS,
    wires: readonly Wire[],
  ): string {
    const [first, ...rest] = columns
    if (rest.length === 0) return this.#compare(first!, OPERATORS[op], wires[0]!)
    if (op === 'eq' || op === 'ne') {
      const equal = columns.map((column, at) => this.#compare(column, '=', wires[at]!)).join(' AND ')
      return op === 'eq' ? `(${equal})` : `NOT (${equal})`
    }
    const strict = op === 'lt' || op === 'lte' ? '<' : '>'
    const beyond = this.#compare(first!, strict, wires[0]!)
    const level = this.#compare(first!, '=', wires[0]!)
    return `(${beyond} OR (${level} AND ${this.#compareFields(rest, op, wires.slice(1))}))`
  }

  #in({ physical }: Field, wires: readonly (readonly Wire[])[]): string {
    if (wires.length === 0) return 'FALSE'
    const [only, ...more] = physical
    if (more.length > 0)
      return `(${wires.map((each) => this.#compareFields(physical, 'eq', each)).join(' OR ')})`
    return this.#isOneOf(
      only!,
      wires.map((each) => each[0]!),
    )
  }

  #isOneOf(column: PhysicalColumn, values: readonly Wire[]): string {
    return this.#syntax.isOneOf(column, this.column(column), values, (type, value) =>
      this.parameter(type, value),
    )
  }

  /**
   * The rows that come after a position. Spelled out, because engines refuse `(a, b) > (x, y)`, and because NULL and NaN
   * have a place in the order but answer to no comparison.
   */
  after(order: readonly OrderTerm[], position: Position): string {
    const terms = order.flatMap(({ field, order: direction }, at) =>
      field.physical.map((column, part) => ({ column, direction, wire: position[at]![part]! })),
    )
    const alternatives: string[] = []
    terms.forEach((term, at) => {
      const beyond = this.#beyond(term.column, term.direction, term.wire)
      if (beyond === undefined) return
      const equal = terms.slice(0, at).map(({ column, wire }) => this.same(column, wire))
      alternatives.push(equal.length === 0 ? beyond : `(${[...equal, beyond].join(' AND ')})`)
    })
    return alternatives.length === 0 ? 'FALSE' : `(${alternatives.join(' OR ')})`
  }

  /** The column has this value, NULL and NaN included. */
  same(column: PhysicalColumn, wire: Wire): string {
    const name = this.column(column)
    if (wire === null) return `${name} IS NULL`
    const { isNan } = this.#syntax
    if (isNan && wire === 'NaN' && isFloat(column)) return isNan(name)
    return this.#compare(column, '=', wire)
  }

  /** What stands strictly after a value in one column's order; undefined if nothing can. */
  #beyond(column: PhysicalColumn, direction: 'asc' | 'desc', wire: Wire): string | undefined {
    const name = this.column(column)
    const nullsAhead = (this.#syntax.nulls === 'highest') === (direction === 'asc')
    const { isNan } = this.#syntax
    if (wire === null) return nullsAhead ? undefined : `${name} IS NOT NULL`
    const alternatives: string[] = []
    if (isNan && wire === 'NaN' && isFloat(column)) {
      // NaN answers to no comparison: what is not NULL and not NaN is a number.
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
