import type { CostProfile } from '../../database/driver.js'
import { readingOrder, type ReadingOrder } from '../planning/backward.js'
import { tableConstraints } from '../planning/constraints.js'
import { SELECTIVITY } from '../planning/chunks.js'
import { TABLE_ROWS } from '../planning/costs.js'
import { describeCondition, type DescribedCondition } from '../describe.js'
import { isImplied } from '../planning/implied.js'
import type { Include } from './include.js'
import { isKeyOrder, shardRange } from '../planning/key-ranges.js'

/**
 * How the children of a batch of rows are read.
 *
 * - `read`: one `read` of a key range for each row; filtered, ordered and limited here.
 * - `statement`: one statement for many rows, with filter, order and limit pushed into each.
 */
export type IncludeWay = 'read' | 'statement'

/** How one include is read, as data. */
export interface PlannedInclude {
  readonly name: string
  readonly table: string
  readonly via: IncludeWay
  /**
   * A read for each row, which ends with its limit: for engines that have no statements over the children of several rows,
   * where the order is the key's.
   */
  readonly apart?: true
  readonly reason: string
  /** Estimated milliseconds for one batch of rows; absent where the choice was not by cost. */
  readonly estimates?: Readonly<Record<IncludeWay, number>>
  readonly filter?: DescribedCondition
  readonly order: readonly { readonly property: string; readonly order: 'asc' | 'desc' }[]
  /** For each row. */
  readonly limit?: number
  /** What the children include. */
  readonly includes: readonly PlannedInclude[]
}

/** How many rows get their children at once. */
export const INCLUDE_BATCH = 256

/** How many children a row is taken to have where its model does not say: reading too many is the worse mistake. */
const CHILDREN = 1_000

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
      ...(table.dialect.sql ? cheapestWay(include, shape, costs) : partitionWay(include)),
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

function cheapestWay(include: Include, shape: IncludeShape, costs: CostProfile) {
  const estimates = { read: 0, statement: 0 }
  for (const way of ['read', 'statement'] as const) estimates[way] = estimateInclude(way, shape, costs)
  const via = estimates.statement < estimates.read ? 'statement' : 'read'
  return { via, reason: reasonFor(via, include, costs), estimates } as const
}

/** Each row's children lie in one partition, and are a read of their own however they are asked for. */
function partitionWay(include: Include) {
  return limitedOrder(include)
    ? ({ via: 'read', apart: true, reason: 'the limit ends the read of each row' } as const)
    : ({ via: 'read', reason: "each row's children are a key range of one partition" } as const)
}

/** The order in which a read of each row's children gives those that a limit wants, before all others. */
export function limitedOrder({ table, below, condition, order, limit }: Include): ReadingOrder | undefined {
  const { layout, dialect } = table
  const constraints = tableConstraints(layout, condition, dialect)
  if (limit === undefined || !isImplied(condition, below, constraints)) return undefined
  const found = readingOrder(below, order, constraints)
  return found?.keys.grouped === undefined ? found : undefined
}

interface IncludeShape {
  /** How many rows get children at once. */
  readonly rows: number
  readonly statements: number
  /** Of each row, how many children lie in the key range. */
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
  const children = layout.table.expect?.childrenPerRow ?? CHILDREN
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

/** What a statement asks for, but for the parents. */
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
  way: IncludeWay,
  { rows, statements, inRange, looked, kept }: IncludeShape,
  costs: CostProfile,
): number {
  // Either way each row's children are looked for at a place of their own.
  const places = rows * costs.range
  if (way === 'read') return costs.roundTrip + costs.call + places + rows * inRange * costs.row
  const waves = Math.ceil(statements / costs.concurrency)
  return (
    waves * (costs.roundTrip + costs.statement) +
    statements * costs.call +
    places +
    rows * (costs.statementsScan ? TABLE_ROWS : looked) * costs.scannedRow +
    rows * kept * costs.row
  )
}

/** Why children are read as they are: each way's reason, in one place. */
function reasonFor(via: IncludeWay, { condition, limit }: Include, costs: CostProfile): string {
  if (via === 'statement') {
    return limit === undefined
      ? 'the database leaves out what the filter does not want'
      : 'the limit is pushed into each row'
  }
  if (condition === undefined && limit === undefined)
    return 'all are wanted, and one read takes many key ranges'
  return costs.statementsScan
    ? 'statements scan the whole table here'
    : 'to read all of them costs less than a statement'
}
