import type { InputOf, PropertyOf, Row } from '../../model/row.js'
import { type Where, both, compileWhere } from '../../rows/filter.js'
import type { Condition } from '../../layout/statement.js'
import type { TableLayout } from '../../layout/layout.js'
import { type MethodArguments, refuseExtraArguments } from '../../extra-arguments.js'
import { type AggregateRequest, aggregated } from './aggregate.js'
import { type WantedOrder, checkedLimit, invalidQuery, totalOrder } from '../plan/order.js'
import {
  type Computation,
  type GroupResult,
  type MeasureResult,
  groupResult,
  measureResult,
} from './measure.js'
import { anything, checkArgument, recordOf } from '../../options.js'

// Which aggregates are allowed for which properties, and their results, as TypeScript types. A property of an unknown type
// (of a table that is named, rather than given as a model) passes, and is checked when the query is made.

type ValueOf<Fields, Property> = Property extends keyof InputOf<Fields> ? InputOf<Fields>[Property] : never

type PropertiesOf<Fields, Type> = {
  [Property in PropertyOf<Fields>]: unknown extends ValueOf<Fields, Property>
    ? Property
    : NonNullable<ValueOf<Fields, Property>> extends Type
      ? Property
      : never
}[PropertyOf<Fields>]

/** Numbers: a NUMERIC is a string, as a text is, which only run time tells apart. */
export type NumberProperty<Fields> = PropertiesOf<Fields, bigint | number | string>

/** Values that have an order. */
export type OrderedProperty<Fields> = PropertiesOf<
  Fields,
  bigint | number | string | boolean | Date | Uint8Array
>

/**
 * The type of a sum, exact if its values are. For whole numbers it is a `bigint`, also if rows show them as numbers, which
 * TypeScript cannot distinguish from floats.
 */
export type SumOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property>
    ? unknown
    : NonNullable<ValueOf<Fields, Property>> extends bigint
      ? bigint | null
      : NonNullable<ValueOf<Fields, Property>> extends number
        ? bigint | number | null
        : string | null

/** The type of an average: a number, except for NUMERIC, whose digits a number would lose. */
export type AverageOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property>
    ? unknown
    : NonNullable<ValueOf<Fields, Property>> extends bigint | number
      ? number | null
      : string | null

/** A least or greatest value, as a row shows it. */
export type MinOf<Fields, Property> = Property extends keyof Row<Fields>
  ? unknown extends Row<Fields>[Property]
    ? unknown
    : NonNullable<Row<Fields>[Property]> | null
  : never

/** The same as a filter takes it. */
type ExtremeOf<Fields, Property> =
  unknown extends ValueOf<Fields, Property> ? unknown : NonNullable<ValueOf<Fields, Property>> | null

/**
 * Something computed over the rows of a group.
 *
 * @example
 * { count: true }, { countDistinct: 'userId' }, { sum: 'bytes' }, { avg: 'seconds' }, { min: 'at' }, { max: 'at' }
 */
export type MeasureOptions<Fields> =
  | { readonly count: true }
  | { readonly countDistinct: OrderedProperty<Fields> }
  | { readonly sum: NumberProperty<Fields> }
  | { readonly avg: NumberProperty<Fields> }
  | { readonly min: OrderedProperty<Fields> }
  | { readonly max: OrderedProperty<Fields> }

/** The computed values of each group, under names that you choose. */
export type Measures<Fields> = Readonly<Record<string, MeasureOptions<Fields>>>

type MeasureValue<Fields, Options> = Options extends { readonly sum: infer Property }
  ? SumOf<Fields, Property>
  : Options extends { readonly avg: infer Property }
    ? AverageOf<Fields, Property>
    : Options extends { readonly min: infer Property } | { readonly max: infer Property }
      ? ExtremeOf<Fields, Property>
      : number

/** The values of the measures of one group. */
export type MeasureValues<Fields, Selected> = {
  -readonly [Name in keyof Selected & string]: MeasureValue<Fields, Selected[Name]>
}

interface GroupState {
  readonly request: AggregateRequest
  readonly groups: readonly GroupResult[]
  readonly measures: readonly MeasureResult[]
  readonly condition: Condition | undefined
  readonly wanted: readonly WantedOrder[]
  readonly limit: number | undefined
}

/**
 * Groups of a fan-out, and their computed values. Each method returns a new query; nothing is read before `all`.
 *
 * @example
 * const busiest = db.fanOut(Request).groupBy('status').select({ rows: { count: true } }).orderBy('rows', 'desc').limit(3)
 * for (const { status, rows } of await busiest.all()) console.log(status, rows)
 */
export class GroupQuery<Groups, Values> {
  readonly #state: GroupState

  private constructor(state: GroupState) {
    refuseExtraArguments(GroupQuery, 'groupBy', GROUP_QUERY_ARGUMENTS)
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
   * Only groups whose measures match: a filter as in `where`, which filters the rows. Further calls narrow the result.
   *
   * @throws {IsothermError} `INVALID_QUERY` for an unknown measure, and without measures; `INVALID_VALUE` for a value of
   * another type
   */
  having(having: Where<Values>): GroupQuery<Groups, Values> {
    const { measures, condition } = this.#state
    if (measures.length === 0 && Object.keys(having ?? {}).length > 0) {
      throw invalidQuery(
        this.#state.request.table.layout,
        'has groups without measures, so that having has nothing to compare.',
        'Name a measure: select({ rows: { count: true } }). Filter by a property with where, before groupBy.',
      )
    }
    return this.#with({ condition: both(condition, compileWhere(this.#layout(measures), having)) })
  }

  /**
   * The order, most significant first: by measures, or by grouped properties. Ties are broken by the grouped properties,
   * ascending, which are also the default order.
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

  /** The result as a table whose key is the grouped properties. */
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

const BEFORE_GROUP_BY = 'Give filters and options before groupBy: .where({ … }).options({ … }).groupBy(…)'

const GROUP_QUERY_ARGUMENTS: MethodArguments<GroupQuery<object, object>> = {
  sync: { having: ['a filter'], orderBy: ['name', 'direction'], limit: ['limit'] },
  async: { all: [] },
  fix: `${BEFORE_GROUP_BY}; choose groups by .having({ … }), .orderBy(…) and .limit(…).`,
}

/** A fan-out grouped by properties: choose next what is computed for each group. */
export class GroupedFanOut<Fields, Property extends PropertyOf<Fields>> {
  readonly #request: AggregateRequest
  readonly #groups: readonly GroupResult[]

  /** @internal */
  constructor(request: AggregateRequest, properties: readonly Property[]) {
    refuseExtraArguments(GroupedFanOut, 'groupBy', GROUPED_FAN_OUT_ARGUMENTS)
    const { table, driver } = request
    const { layout } = table
    if (new Set(properties).size !== properties.length)
      throw invalidQuery(layout, `is grouped by ${properties.join(', ')}.`, 'Name each property once.')
    let column = 0
    this.#groups = properties.map((property) => {
      const group = groupResult({ table, lacks: driver.lacks }, property, column)
      column += group.columns.length
      return group
    })
    this.#request = request
  }

  /** How many rows each group has, the most frequent first. */
  async count(): Promise<(Pick<Row<Fields>, Property & keyof Row<Fields>> & { count: number })[]> {
    const counted = await this.select({ count: { count: true } })
      .orderBy('count', 'desc')
      .all()
    return counted as never
  }

  /**
   * The computed values of each group, under names that you choose. `select({})` computes nothing: it returns each
   * combination of values once, as SQL's `SELECT DISTINCT` does.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a name that is taken, and for an aggregate that the property does not
   * support; `INVALID_OPTION` for a value that is not an object.
   * @example
   * await db.fanOut(Request).groupBy('status')
   *   .select({ rows: { count: true }, bytes: { sum: 'bytes' }, slowest: { max: 'seconds' } })
   *   .having({ rows: { gte: 10 } })
   *   .orderBy('bytes', 'desc')
   *   .limit(5)
   *   .all() // [{ status: 200n, rows: 9126, bytes: 73120934n, slowest: 1.25 }, …]
   */
  select<const Selected extends Measures<Fields>>(
    measures: Selected,
  ): GroupQuery<Pick<InputOf<Fields>, Property & keyof InputOf<Fields>>, MeasureValues<Fields, Selected>> {
    checkArgument('groupBy.select', 'measures', MEASURES, measures)
    const { table, driver } = this.#request
    const taken = this.#groups.map(({ field }) => field.column.property)
    const first = this.#groups.flatMap(({ columns }) => columns).length
    const results = Object.entries(measures).map(([name, options], at) => {
      if (taken.includes(name) || RESERVED.includes(name)) {
        throw invalidQuery(
          table.layout,
          `cannot have a measure named ${name}.`,
          taken.includes(name)
            ? 'A property that it is grouped by has that name: choose another one in select({ … }).'
            : 'The name is reserved: choose another one.',
        )
      }
      const [compute, property] = this.#computationOf(name, options)
      return measureResult({ table, lacks: driver.lacks }, compute, property, {
        property: name,
        column: first + at,
      })
    })
    return GroupQuery.over(this.#request, this.#groups, results)
  }

  #computationOf(name: string, options: object): readonly [Computation, string | undefined] {
    const entries = typeof options === 'object' && options !== null ? Object.entries(options) : []
    const [[compute, property] = []] = entries as [string, unknown][]
    if (entries.length === 1 && compute === 'count' && property === true) return ['count', undefined]
    if (entries.length === 1 && isOfProperty(compute) && typeof property === 'string')
      return [compute, property]
    throw invalidQuery(
      this.#request.table.layout,
      `has no valid measure for ${name}.`,
      `Write { count: true }, or one of ${OF_PROPERTY.join(', ')} with a property: { sum: 'bytes' }.`,
    )
  }
}

const MEASURES = recordOf(anything, 'measures by the names of their results')

const OF_PROPERTY = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const satisfies Computation[]

function isOfProperty(compute: string | undefined): compute is (typeof OF_PROPERTY)[number] {
  return (OF_PROPERTY as readonly (string | undefined)[]).includes(compute)
}

/** Names that mean something else in a filter, or in an object. */
const RESERVED: readonly string[] = ['AND', 'OR', 'NOT', '__proto__']

const GROUPED_FAN_OUT_ARGUMENTS: MethodArguments<GroupedFanOut<object, never>> = {
  sync: { select: ['measures'] },
  async: { count: [] },
  fix: `${BEFORE_GROUP_BY}.`,
}
