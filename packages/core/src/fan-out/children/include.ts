import type { CompiledTable, CompiledTables } from '../../database/compiled-table.js'
import { compileWhere, type Where } from '../../database/filter.js'
import type { Condition, OrderTerm } from '../../dialects/condition.js'
import { keyFields, type KeyOrder, type PhysicalKeyPart, type TableLayout } from '../../dialects/layout.js'
import type { Model } from '../../model/model.js'
import type { PropertyOf, Row } from '../../model/row.js'
import { invalidQuery } from '../invalid-query.js'
import { checkedLimit } from '../limit.js'
import { totalOrder, type WantedOrder } from '../order.js'

// Rows of an interleaved table lie beside the row whose key theirs begin with: its children.

/** One property to order children by; ascending where it does not say. */
export type IncludeOrder<Fields> = readonly [property: PropertyOf<Fields>, direction?: 'asc' | 'desc']

/** Which children each row gets, and in which order. */
export interface IncludeOptions<Fields, Nested = unknown> {
  /** Only children that match. */
  readonly where?: Where<Fields>
  /** One order, or several, the most significant first; ties are broken by the key. Default: the key's own order. */
  readonly orderBy?: IncludeOrder<Fields> | readonly IncludeOrder<Fields>[]
  /** At most this many children of each row. Default: all of them. */
  readonly limit?: number
  /** What the children include in their turn. */
  readonly include?: (children: Includes<Fields>) => Includes<Fields, Nested>
}

/** A name that none of a row's properties has: `never` for any other. */
export type FreeName<Name extends string, Taken> = string extends Taken
  ? Name
  : Name extends Taken
    ? never
    : Name

/** What an include adds to a row. */
export type Children<Name extends string, Child> = { [Each in Name]: Child[] }

/** An include, checked and ready. */
export interface Include {
  /** The property that holds the children. */
  readonly name: string
  readonly table: CompiledTable
  /** The parts of the child's key that are its parent's. */
  readonly inherited: readonly PhysicalKeyPart[]
  /** What follows them: the order in which one parent's children lie. */
  readonly below: KeyOrder
  readonly condition: Condition | undefined
  /** Total among the children of one parent, whose key they share. */
  readonly order: readonly OrderTerm[]
  readonly limit: number | undefined
  readonly includes: readonly Include[]
}

type UncheckedOptions = IncludeOptions<Record<string, unknown>>

/** The tables of a database, by model or by name. */
export type Tables = Pick<CompiledTables, 'of'>

/**
 * What each row of a table brings with it. `include` returns a new list.
 *
 * @example
 * db.fanOut(Customer).include('orders', Order, {
 *   limit: 10,
 *   include: (orders) => orders.include('lines', Line, { orderBy: ['price', 'desc'] }),
 * })
 */
export class Includes<Fields, Included = unknown> {
  readonly #table: CompiledTable
  readonly #tables: Tables
  /** @internal */
  readonly list: readonly Include[]

  private constructor(tables: Tables, table: CompiledTable, list: readonly Include[]) {
    this.#tables = tables
    this.#table = table
    this.list = list
  }

  /** @internal */
  static of<Fields>(tables: Tables, table: CompiledTable): Includes<Fields> {
    return new Includes(tables, table, [])
  }

  /**
   * Adds a property that holds the row's children in an interleaved table.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a name that is taken, and for a table that is not interleaved in this one.
   */
  include<Name extends string, Child extends object, Nested = unknown>(
    name: FreeName<Name, PropertyOf<Fields> | keyof Included>,
    model: Model<Child>,
    options?: IncludeOptions<Child, Nested>,
  ): Includes<Fields, Included & Children<Name, Row<Child> & Nested>>
  include<Name extends string, Nested = unknown>(
    name: FreeName<Name, PropertyOf<Fields> | keyof Included>,
    table: string,
    options?: IncludeOptions<Record<string, unknown>, Nested>,
  ): Includes<Fields, Included & Children<Name, Record<string, unknown> & Nested>>
  include(name: string, model: object | string, options?: UncheckedOptions): unknown {
    return this.add(name, model, options)
  }

  /**
   * The same without types.
   *
   * @internal
   */
  add(name: string, model: object | string, options: UncheckedOptions = {}): Includes<Fields> {
    const { layout } = this.#table
    refuseName(layout, this.list, name)
    const table = this.#tables.of(model)
    if (!isBelow(this.#tables, table, layout)) {
      const child = table.layout.table.name
      throw invalidQuery(
        layout,
        `cannot include ${child}, which is not interleaved in it.`,
        `Include a table whose rows lie within those of ${layout.table.name}, or read ${child} by a query of its own.`,
      )
    }
    const added = compileInclude(this.#tables, layout, name, table, options)
    return new Includes(this.#tables, this.#table, [...this.list, added])
  }
}

function refuseName(layout: TableLayout, taken: readonly Include[], name: unknown): void {
  if (typeof name !== 'string' || name === '' || name === '__proto__') {
    throw invalidQuery(
      layout,
      `cannot give its rows the property ${JSON.stringify(name)}.`,
      "Name what is included: include('orders', Order).",
    )
  }
  if (layout.byProperty.has(name) || taken.some((each) => each.name === name)) {
    throw invalidQuery(
      layout,
      `has the property ${JSON.stringify(name)} already.`,
      'Include the children under another name.',
    )
  }
}

/** Whether a table's rows lie within those of another, at any depth. */
function isBelow(tables: Tables, { layout }: CompiledTable, ancestor: TableLayout): boolean {
  const { parent } = layout.table
  if (!parent) return false
  return parent.table === ancestor.table.name || isBelow(tables, tables.of(parent.table), ancestor)
}

function compileInclude(
  tables: Tables,
  parent: TableLayout,
  name: string,
  table: CompiledTable,
  { where, orderBy, limit, include }: UncheckedOptions,
): Include {
  const { layout } = table
  const same = new Set(keyFields(layout).slice(0, keyFields(parent).length))
  return {
    name,
    table,
    inherited: layout.key.slice(0, parent.key.length),
    below: keyBelow(layout, parent.key.length),
    condition: where && compileWhere(layout, where),
    order: totalOrder(layout, wantedOrder(layout, orderBy)).filter(({ field }) => !same.has(field)),
    limit: limit === undefined ? undefined : checkedLimit(layout, limit),
    includes: include?.(Includes.of(tables, table)).list ?? [],
  }
}

function keyBelow({ key, grouped, reversible }: TableLayout, inherited: number): KeyOrder {
  // Among children of one parent, a mirror in their common part changes no order.
  const groups = grouped !== undefined && grouped > inherited
  return {
    key: key.slice(inherited),
    shard: undefined,
    ...(groups && { grouped: grouped - inherited }),
    ...(reversible && { reversible }),
  }
}

function wantedOrder(layout: TableLayout, orderBy: UncheckedOptions['orderBy'] = []): WantedOrder[] {
  const [first] = orderBy
  const terms = (typeof first === 'string' ? [orderBy] : orderBy) as readonly IncludeOrder<
    Record<string, unknown>
  >[]
  if (!Array.isArray(orderBy) || !terms.every((term) => Array.isArray(term))) {
    throw invalidQuery(
      layout,
      'takes a property and a direction, or a list of such, as the order of an include.',
      "Write orderBy: ['property', 'desc'].",
    )
  }
  return terms.map(([property, direction = 'asc']) => ({ property, direction }))
}
