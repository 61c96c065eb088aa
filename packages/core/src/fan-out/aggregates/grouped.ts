import type { InputOf, PropertyOf, Row } from '../../model/row.js'
import type { AggregateRequest } from './aggregate.js'
import type { Measures, MeasureValues } from './aggregate-types.js'
import { GroupQuery } from './group-query.js'
import { invalidQuery } from '../invalid-query.js'
import { groupResult, measureResult, type Computation, type GroupResult } from './measure.js'

/** A fan-out grouped by properties: what is asked of each group comes next. */
export class GroupedFanOut<Fields, Property extends PropertyOf<Fields>> {
  readonly #request: AggregateRequest
  readonly #groups: readonly GroupResult[]

  /** @internal */
  constructor(request: AggregateRequest, properties: readonly Property[]) {
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
   * What is computed of each group, under names of one's own.
   *
   * @throws {IsothermError} `INVALID_QUERY` for a name that is taken, and for what cannot be computed of a property.
   * @example
   * await db.fanOut(Request).groupBy('status')
   *   .select({ rows: { count: true }, bytes: { sum: 'bytes' }, slowest: { max: 'seconds' } })
   *   .having({ rows: { gte: 10 } })
   *   .orderBy('bytes', 'desc')
   *   .limit(5)
   *   .all() // [{ status: 200n, rows: 9126, bytes: 73120934n, slowest: 1.25 }, …]
   */
  select<const Asked extends Measures<Fields>>(
    measures: Asked,
  ): GroupQuery<Pick<InputOf<Fields>, Property & keyof InputOf<Fields>>, MeasureValues<Fields, Asked>> {
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
            : 'The name has a meaning of its own: choose another.',
        )
      }
      const [compute, property] = this.#asked(name, options)
      return measureResult({ table, lacks: driver.lacks }, compute, property, {
        property: name,
        column: first + at,
      })
    })
    return GroupQuery.over(this.#request, this.#groups, results)
  }

  #asked(name: string, options: object): readonly [Computation, string | undefined] {
    const entries = typeof options === 'object' && options !== null ? Object.entries(options) : []
    const [[compute, property] = []] = entries as [string, unknown][]
    if (entries.length === 1 && compute === 'count' && property === true) return ['count', undefined]
    if (entries.length === 1 && isOfProperty(compute) && typeof property === 'string')
      return [compute, property]
    throw invalidQuery(
      this.#request.table.layout,
      `does not know what to compute as ${name}.`,
      `Write { count: true }, or one of ${OF_PROPERTY.join(', ')} with a property: { sum: 'bytes' }.`,
    )
  }
}

const OF_PROPERTY = ['countDistinct', 'sum', 'avg', 'min', 'max'] as const satisfies Computation[]

function isOfProperty(compute: string | undefined): compute is (typeof OF_PROPERTY)[number] {
  return (OF_PROPERTY as readonly (string | undefined)[]).includes(compute)
}

/** Names that mean something else in a filter, or in an object. */
const RESERVED: readonly string[] = ['AND', 'OR', 'NOT', '__proto__']
