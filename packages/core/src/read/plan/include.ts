import { quoted } from '../../errors.js'
import { type OptionKinds, anything, callback, checkOptions } from '../../options.js'
import type { CompiledTable, CompiledTables } from '../../rows/compiled-table.js'
import { type Where, compileWhere } from '../../rows/filter.js'
import type { Condition, OrderTerm } from '../../layout/statement.js'
import { type KeyOrder, type PhysicalKeyPart, type TableLayout, keyFields } from '../../layout/layout.js'
import type { Model } from '../../model/model.js'
import type { PropertyOf, Row } from '../../model/row.js'
import { type WantedOrder, checkedLimit, invalidQuery, termsOf, totalOrder } from './order.js'
import type { CostProfile } from '../../engine/driver.js'
import { tableConstraints } from './constraints.js'
import { SELECTIVITY, TABLE_ROWS } from './costs.js'
import { type DescribedCondition, conditionFrom, describeCondition } from './cursor.js'
import { type ReadOrder, isImplied, isKeyOrder, readOrder, shardRange } from './key-ranges.js'

// Rows of an interleaved table, the children, are stored beside the row whose key their keys begin with.

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
  /** The includes of the children. */
  readonly include?: (children: Includes<Fields>) => Includes<Fields, Nested>
}

const INCLUDE_OPTIONS: OptionKinds<UncheckedOptions> = {
  // Checked by what compiles them, with the table's name.
  where: anything,
  orderBy: anything,
  limit: anything,
  include: callback,
}

/** A name that none of a row's properties has: `never` for any other. */
export type FreeName<Name extends string, Taken> = string extends Taken
  ? Name
  : Name extends Taken
    ? never
    : Name

/** The properties that an include adds to a row. */
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
 * The children to read with each row of a table. `include` returns a new list.
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
    checkOptions('fanOut.include', INCLUDE_OPTIONS, options)
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
      `cannot give its rows the property ${quoted(name)}.`,
      "Name what is included: include('orders', Order).",
    )
  }
  if (layout.byProperty.has(name) || taken.some((each) => each.name === name)) {
    throw invalidQuery(
      layout,
      `has the property ${quoted(name)} already.`,
      'Include the children under another name.',
    )
  }
}

/** Whether a table's rows are interleaved in those of another, at any depth. */
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
  options: UncheckedOptions,
): Include {
  const { orderBy, limit, include } = options
  const { layout } = table
  const same = new Set(keyFields(layout).slice(0, keyFields(parent).length))
  return {
    name,
    table,
    inherited: layout.key.slice(0, parent.key.length),
    below: keyBelow(layout, parent.key.length),
    // Given as undefined it is refused: it would bring all children.
    condition: 'where' in options ? compileWhere(layout, options.where) : undefined,
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

/**
 * How the children of a batch of rows are read.
 *
 * - `read`: one `read` of a key range for each row; filtered, ordered and limited here.
 * - `statement`: one statement for many rows, with filter, order and limit pushed into each.
 */
export type IncludeStrategy = 'read' | 'statement'

/** How one include is read, as data. */
export interface PlannedInclude {
  readonly name: string
  readonly table: string
  readonly strategy: IncludeStrategy
  /**
   * A read for each row, which ends with its limit: for engines that have no statements over the children of several rows,
   * where the order is the key's.
   */
  readonly apart?: true
  readonly reason: string
  /** Estimated milliseconds for one batch of rows; absent where the choice was not by cost. */
  readonly estimates?: Readonly<Record<IncludeStrategy, number>>
  readonly filter?: DescribedCondition
  readonly order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[]
  /** For each row. */
  readonly limit?: number
  /** The includes of the children. */
  readonly includes: readonly PlannedInclude[]
}

/** How many rows get their children at once. */
export const INCLUDE_BATCH = 256

/** How many children a row is taken to have where its model does not say: reading too many is the worse mistake. */
const CHILDREN = 1_000

/** The includes that were planned, as data, for the rows of a table. */
export function includesFrom(
  tables: Tables,
  parent: TableLayout,
  planned: readonly PlannedInclude[],
): readonly Include[] {
  return planned.map(({ name, table: child, filter, order, limit, includes }) => {
    const table = tables.of(child)
    const { layout } = table
    return {
      name,
      table,
      inherited: layout.key.slice(0, parent.key.length),
      below: keyBelow(layout, parent.key.length),
      condition: filter && conditionFrom(layout, filter),
      order: termsOf(layout, order),
      limit,
      includes: includesFrom(tables, layout, includes),
    }
  })
}

/** @param rows how many are wanted; undefined for all */
export function planIncludes(
  includes: readonly Include[],
  rows: number | undefined,
  costs: CostProfile,
): PlannedInclude[] {
  return includes.map((include) => {
    const { name, table, condition, order, limit } = include
    const shape = includeShape(include, rows)
    return {
      name,
      table: table.layout.table.name,
      ...(table.dialect.sql ? cheapestStrategy(include, shape, costs) : partitionStrategy(include)),
      ...(condition && { filter: describeCondition(condition) }),
      order: order.map(({ field, order: direction }) => ({
        property: field.column.property,
        order: direction,
      })),
      ...(limit !== undefined && { limit }),
      includes: planIncludes(include.includes, Math.ceil(shape.rows * shape.kept), costs),
    }
  })
}

function cheapestStrategy(include: Include, shape: IncludeShape, costs: CostProfile) {
  const estimates = { read: 0, statement: 0 }
  for (const strategy of ['read', 'statement'] as const)
    estimates[strategy] = estimateInclude(strategy, shape, costs)
  const strategy = estimates.statement < estimates.read ? 'statement' : 'read'
  return { strategy, reason: reasonFor(strategy, include, costs), estimates } as const
}

/** Each row's children are in one partition, and are a read of their own in any case. */
function partitionStrategy(include: Include) {
  return limitedOrder(include)
    ? ({ strategy: 'read', apart: true, reason: 'the limit ends the read of each row' } as const)
    : ({ strategy: 'read', reason: "each row's children are a key range of one partition" } as const)
}

/** The order in which a read of each row's children returns the children within the limit first. */
export function limitedOrder({ table, below, condition, order, limit }: Include): ReadOrder | undefined {
  const { layout, dialect } = table
  const constraints = tableConstraints(layout, condition, dialect)
  if (limit === undefined || !isImplied(condition, below, constraints)) return undefined
  const found = readOrder(below, order, constraints)
  return found?.keys.grouped === undefined ? found : undefined
}

interface IncludeShape {
  /** How many rows get children at once. */
  readonly rows: number
  readonly statements: number
  /** For each row, how many children are in the key range. */
  readonly inRange: number
  /** How many of them a statement looks at. */
  readonly looked: number
  /** How many of them are wanted. */
  readonly kept: number
}

function includeShape(include: Include, wanted: number | undefined): IncludeShape {
  const { table, below, condition, order, limit } = include
  const { layout, dialect } = table
  const constraints = tableConstraints(layout, condition, dialect)
  const { start, end } = shardRange(below, undefined, constraints)
  const filtered = !isImplied(condition, below, constraints)
  const children = layout.table.workload?.childrenPerRow ?? CHILDREN
  const inRange = start.length + end.length > 0 ? children * SELECTIVITY : children
  const matching = filtered ? inRange * SELECTIVITY : inRange
  const rows = Math.min(INCLUDE_BATCH, wanted ?? INCLUDE_BATCH)
  const each = dialect.sql?.statements.parentsPerStatement(childSelection(include)) ?? 1
  // A mirrored key puts rows in order, but no ORDER BY of a statement names it.
  const stops = limit !== undefined && below.grouped === undefined && isKeyOrder(below, order, constraints)
  return {
    rows,
    statements: Math.max(1, Math.ceil(rows / each)),
    inRange,
    looked: stops ? Math.min(inRange, filtered ? limit / SELECTIVITY : limit) : inRange,
    kept: Math.min(limit ?? Infinity, matching),
  }
}

/** What a statement asks for, without the parents. */
export function childSelection({ table: { layout }, inherited, condition, order, limit }: Include) {
  return {
    layout,
    parentKey: inherited.map(({ column }) => column),
    order,
    ...(condition && { condition }),
    ...(limit !== undefined && { limit }),
  }
}

function estimateInclude(
  strategy: IncludeStrategy,
  { rows, statements, inRange, looked, kept }: IncludeShape,
  costs: CostProfile,
): number {
  // With either strategy, the children of each row are a range of their own.
  const ranges = rows * costs.range
  if (strategy === 'read') return costs.roundTrip + costs.call + ranges + rows * inRange * costs.row
  const waves = Math.ceil(statements / costs.concurrency)
  return (
    waves * (costs.roundTrip + costs.statement) +
    statements * costs.call +
    ranges +
    rows * (costs.statementsScan ? TABLE_ROWS : looked) * costs.scannedRow +
    rows * kept * costs.row
  )
}

/** Why children are read as they are: each strategy's reason, in one place. */
function reasonFor(strategy: IncludeStrategy, { condition, limit }: Include, costs: CostProfile): string {
  if (strategy === 'statement') {
    return limit === undefined
      ? 'the database leaves out what the filter does not want'
      : 'the limit is pushed into each row'
  }
  if (condition === undefined && limit === undefined)
    return 'all are wanted, and one read takes many key ranges'
  return costs.statementsScan
    ? 'statements would scan the whole table'
    : 'reading all of them costs less than a statement'
}
