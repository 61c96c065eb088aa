import { compileWhere, type Where } from '../../database/filter.js'
import type { Condition } from '../../dialects/condition.js'
import type { TableLayout } from '../../dialects/layout.js'
import type { Row } from '../../model/row.js'
import { aggregated, type AggregateRequest } from './aggregate.js'
import { checkedLimit } from '../limit.js'
import type { GroupResult, MeasureResult } from './measure.js'
import { totalOrder, type WantedOrder } from '../order.js'

interface GroupState {
  readonly request: AggregateRequest
  readonly groups: readonly GroupResult[]
  readonly measures: readonly MeasureResult[]
  readonly condition: Condition | undefined
  readonly wanted: readonly WantedOrder[]
  readonly limit: number | undefined
}

/**
 * Groups of a fan-out, and what is computed of each. Each method returns a new query; nothing is read before `all`.
 *
 * @example
 * const busiest = db.fanOut(Request).groupBy('status').select({ rows: { count: true } }).orderBy('rows', 'desc').limit(3)
 * for (const { status, rows } of await busiest.all()) console.log(status, rows)
 */
export class GroupQuery<Groups, Values> {
  readonly #state: GroupState

  private constructor(state: GroupState) {
    this.#state = state
  }

  /** @internal */
  static over<Groups, Values>(
    request: AggregateRequest,
    groups: readonly GroupResult[],
    measures: readonly MeasureResult[],
  ): GroupQuery<Groups, Values> {
    return new GroupQuery({
      request,
      groups,
      measures,
      condition: undefined,
      wanted: [],
      limit: undefined,
    })
  }

  /**
   * Only groups whose measures match: a filter as in `where`, which is for the rows. Further calls narrow the result.
   *
   * @throws {IsothermError} `INVALID_QUERY` for an unknown measure; `INVALID_VALUE` for a value of another type.
   */
  having(having: Where<Values>): GroupQuery<Groups, Values> {
    const { measures, condition } = this.#state
    const more = compileWhere(this.#layout(measures), having)
    return this.#with({ condition: condition ? { kind: 'and', of: [condition, more] } : more })
  }

  /**
   * The order, most significant first: by measures, or by properties that are grouped by. Ties are broken by the latter,
   * ascending, which are the order where there is no other.
   */
  orderBy(
    name: keyof (Groups & Values) & string,
    direction: 'asc' | 'desc' = 'asc',
  ): GroupQuery<Groups, Values> {
    const wanted = [...this.#state.wanted, { property: name, direction }]
    this.#order(wanted)
    return this.#with({ wanted })
  }

  /** At most this many groups. */
  limit(limit: number): GroupQuery<Groups, Values> {
    return this.#with({ limit: checkedLimit(this.#state.request.table.layout, limit) })
  }

  /** The groups, each as an object of its properties and measures. */
  async all(): Promise<Row<Groups & Values>[]> {
    const { request, groups, measures, condition: having, wanted, limit } = this.#state
    const order = this.#order(wanted)
    return (await aggregated(request, { groups, measures, having, order, limit })) as Row<Groups & Values>[]
  }

  #with(change: Partial<GroupState>): GroupQuery<Groups, Values> {
    return new GroupQuery({ ...this.#state, ...change })
  }

  #order(wanted: readonly WantedOrder[]) {
    const { groups, measures } = this.#state
    return totalOrder(this.#layout([...groups, ...measures]), wanted)
  }

  /** The result as a table whose key is what it is grouped by. */
  #layout(results: readonly Pick<MeasureResult, 'field'>[]): TableLayout {
    const { request, groups } = this.#state
    const { layout } = request.table
    const primaryKey = groups.map(({ field }) => ({ property: field.column.property, order: 'asc' as const }))
    return {
      ...layout,
      table: { ...layout.table, primaryKey },
      byProperty: new Map(results.map(({ field }) => [field.column.property, field])),
      shard: undefined,
    }
  }
}
