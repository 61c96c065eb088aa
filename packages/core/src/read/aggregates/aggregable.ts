import type { PropertyOf } from '../../model/row.js'
import { type MethodArguments, refuseExtraArguments } from '../../extra-arguments.js'
import { type AggregateRequest, aggregateOf, countOf, distinctCountOf } from './aggregate.js'
import {
  type AverageOf,
  GroupedFanOut,
  type MinOf,
  type NumberProperty,
  type OrderedProperty,
  type SumOf,
} from './groups.js'
import { invalidQuery } from '../plan/order.js'

/** The fix for an argument that a method of a fan-out does not accept. */
export const EARLIER_CALLS =
  'Give filters and options by calls before this one, each with its own arguments: .where({ … }), .orderBy(…), .limit(…), .options({ … }).'

/** The aggregates of a fan-out, computed over the rows of all shards at once. Order, limit and index are ignored. */
export abstract class Aggregable<Fields> {
  constructor() {
    refuseExtraArguments(Aggregable, 'fanOut', ARGUMENTS)
  }

  /** Which rows, and how to read them. @internal */
  protected abstract aggregateRequest(): AggregateRequest

  /** How many rows match. */
  count(): Promise<number> {
    return countOf(this.aggregateRequest())
  }

  /**
   * How many different values a property has, NULL not counted.
   *
   * @example
   * await db.fanOut(Request).where({ page: '/docs' }).countDistinct('userId') // 512
   */
  countDistinct(property: OrderedProperty<Fields>): Promise<number> {
    return distinctCountOf(this.aggregateRequest(), property)
  }

  /**
   * The sum of a property; NULL where no row has a value. It is exact for integers, as a `bigint` that may have more than 64
   * bits, and for NUMERIC, as text; of floats it is a number.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a property that is not a number.
   * @example
   * await db.fanOut(Request).sum('bytes') // 73120934n
   */
  sum<Property extends NumberProperty<Fields>>(property: Property): Promise<SumOf<Fields, Property>> {
    return aggregateOf(this.aggregateRequest(), 'sum', property) as Promise<SumOf<Fields, Property>>
  }

  /**
   * The average of a property, NULL not counted; NULL where no row has a value. For NUMERIC it is text, rounded as the
   * database does.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a property that is not a number.
   * @example
   * await db.fanOut(Request).avg('seconds') // 0.125
   */
  avg<Property extends NumberProperty<Fields>>(property: Property): Promise<AverageOf<Fields, Property>> {
    return aggregateOf(this.aggregateRequest(), 'avg', property) as Promise<AverageOf<Fields, Property>>
  }

  /**
   * The least value of a property; NULL where no row has a value.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a property of whose type the database has no least value.
   * @example
   * await db.fanOut(Request).where({ status: 500n }).min('at')
   */
  min<Property extends OrderedProperty<Fields>>(property: Property): Promise<MinOf<Fields, Property>> {
    return aggregateOf(this.aggregateRequest(), 'min', property) as Promise<MinOf<Fields, Property>>
  }

  /** The greatest value of a property; otherwise as `min`. */
  max<Property extends OrderedProperty<Fields>>(property: Property): Promise<MinOf<Fields, Property>> {
    return aggregateOf(this.aggregateRequest(), 'max', property) as Promise<MinOf<Fields, Property>>
  }

  /**
   * Groups the rows by the values of properties: `count` counts each group, `select` computes more of it.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a property that is not there, or that cannot be grouped by.
   * @example
   * await db.fanOut(Request).groupBy('status').count() // [{ status: 200n, count: 9126 }, …]
   */
  groupBy<Property extends PropertyOf<Fields>>(
    ...properties: readonly [Property, ...Property[]]
  ): GroupedFanOut<Fields, Property> {
    const request = this.aggregateRequest()
    if ((properties as readonly Property[]).length > 0) return new GroupedFanOut(request, properties)
    throw invalidQuery(
      request.table.layout,
      'has a groupBy() without properties.',
      "Name a property: groupBy('status').",
    )
  }

  /**
   * All rows as one group, from which several values are computed at once; without any rows there may be no group.
   * @internal
   */
  totals(): GroupedFanOut<Fields, never> {
    return new GroupedFanOut<Fields, never>(this.aggregateRequest(), [])
  }
}

const ARGUMENTS: MethodArguments<Aggregable<object>> = {
  sync: { groupBy: 'any', totals: [] },
  async: {
    count: [],
    countDistinct: ['property'],
    sum: ['property'],
    avg: ['property'],
    min: ['property'],
    max: ['property'],
  },
  fix: EARLIER_CALLS,
}
