import type { Condition, OrderTerm, Position } from './condition.js'
import type { NullOrder } from './dialect.js'
import type { Field, PhysicalColumn } from './layout.js'
import type { NanOrder } from './values.js'
import type { Parameter, Statement } from './statement.js'
import type { Wire, WireType } from './wire.js'

/** Where SQL dialects differ from one another. */
export interface SqlSyntax {
  readonly nulls: NullOrder
  readonly nan: NanOrder
  quote(name: string): string
  /** The parameter with this number (from 1), as it stands in the text; its name is what the driver binds. */
  parameter(number: number): { readonly text: string; readonly name: string }
  isNan(expression: string): string
  isOneOf(expression: string, list: string): string
  startsWith(expression: string, prefix: string): string
}

const OPERATORS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** Collects the parameters of one statement while its text is made. Nothing a user gave ever enters the text. */
export class SqlWriter {
  readonly #syntax: SqlSyntax
  readonly #parameters: Parameter[] = []
  /** Stands before each column, as in `t.`. */
  readonly #qualifier: string

  constructor(syntax: SqlSyntax, qualifier = '') {
    this.#syntax = syntax
    this.#qualifier = qualifier
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

  /** The shard is one of these. */
  inShards(shard: Field, shards: readonly number[]): string {
    const column = shard.physical[0]!
    return shards.length === 1
      ? `${this.column(column)} = ${this.parameter(column.type, String(shards[0]))}`
      : this.#syntax.isOneOf(this.column(column), this.shardList(shards))
  }

  shardList(shards: readonly number[]): string {
    return this.parameter({ kind: 'array', of: { kind: 'int64' } }, shards.map(String))
  }

  orderBy(order: readonly OrderTerm[]): string {
    const terms = order.flatMap(({ field, order: direction }) =>
      field.physical.map((column) => `${this.column(column)}${direction === 'desc' ? ' DESC' : ''}`),
    )
    return terms.join(', ')
  }

  condition(condition: Condition): string {
    switch (condition.kind) {
      case 'compare': {
        const equal = condition.op === 'eq' || condition.op === 'ne'
        const [column, ...more] = condition.field.physical
        if (more.length === 0 || !equal) {
          return `${this.column(column!)} ${OPERATORS[condition.op]} ${this.parameter(column!.type, condition.wires[0]!)}`
        }
        const parts = condition.field.physical.map(
          (each, at) => `${this.column(each)} = ${this.parameter(each.type, condition.wires[at]!)}`,
        )
        return condition.op === 'eq' ? `(${parts.join(' AND ')})` : `NOT (${parts.join(' AND ')})`
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

  #in(field: Field, wires: readonly (readonly Wire[])[]): string {
    const column = field.physical[0]!
    if (column.type.kind === 'array') return 'FALSE'
    const list = this.parameter(
      { kind: 'array', of: column.type },
      wires.map((each) => each[0]!),
    )
    return this.#syntax.isOneOf(this.column(column), list)
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
      const equal = terms.slice(0, at).map(({ column, wire }) => this.#sameAs(column, wire))
      alternatives.push(equal.length === 0 ? beyond : `(${[...equal, beyond].join(' AND ')})`)
    })
    return alternatives.length === 0 ? 'FALSE' : `(${alternatives.join(' OR ')})`
  }

  #sameAs(column: PhysicalColumn, wire: Wire): string {
    const name = this.column(column)
    if (wire === null) return `${name} IS NULL`
    if (wire === 'NaN' && isFloat(column)) return this.#syntax.isNan(name)
    return `${name} = ${this.parameter(column.type, wire)}`
  }

  /** What stands strictly after a value in one column's order; undefined if nothing can. */
  #beyond(column: PhysicalColumn, direction: 'asc' | 'desc', wire: Wire): string | undefined {
    const name = this.column(column)
    const nullsAhead = (this.#syntax.nulls === 'highest') === (direction === 'asc')
    const nanAhead = (this.#syntax.nan === 'highest') === (direction === 'asc')
    if (wire === null) return nullsAhead ? undefined : `${name} IS NOT NULL`
    const alternatives: string[] = []
    if (wire === 'NaN' && isFloat(column)) {
      // NaN answers to no comparison: what is not NULL and not NaN is a number.
      if (!nanAhead) alternatives.push(`(${name} IS NOT NULL AND NOT ${this.#syntax.isNan(name)})`)
    } else {
      alternatives.push(`${name} ${direction === 'asc' ? '>' : '<'} ${this.parameter(column.type, wire)}`)
      if (isFloat(column) && nanAhead) alternatives.push(this.#syntax.isNan(name))
    }
    if (column.nullable && nullsAhead) alternatives.push(`${name} IS NULL`)
    if (alternatives.length === 0) return undefined
    return alternatives.length === 1 ? alternatives[0] : `(${alternatives.join(' OR ')})`
  }
}

function isFloat(column: PhysicalColumn): boolean {
  return column.type.kind === 'float64' || column.type.kind === 'float32'
}
