import type { CompiledTable } from '../database/compiled-table.js'
import type { Cells, Driver, ReadOptions } from '../database/driver.js'
import type { Condition } from '../dialects/condition.js'
import type { Field } from '../dialects/layout.js'
import type { WireType } from '../dialects/wire.js'
import { canBeKey, describeType } from '../model/column-type.js'
import { tableConstraints, isImpossible } from './constraints.js'
import { invalidQuery } from './invalid-query.js'
import { shardCount, shardsToRead } from './shards.js'

export interface AggregateRequest {
  readonly driver: Driver
  readonly table: CompiledTable
  readonly condition: Condition | undefined
  readonly options: ReadOptions
}

const COUNT: WireType = { kind: 'int64' }

/** One statement over the shards that can match: the database counts, and a number comes back. */
async function countBy(
  { driver, table, condition, options }: AggregateRequest,
  groups: readonly Field[],
): Promise<Cells[]> {
  const { layout, dialect } = table
  const constraints = tableConstraints(layout, condition, dialect)
  const shards = shardsToRead(layout, layout, constraints)
  if (shards?.length === 0 || isImpossible(constraints)) return []
  const statement = dialect.statements.count(
    {
      layout,
      order: [],
      ...(shards && shards.length !== shardCount(layout) && { shards }),
      ...(condition && { condition }),
    },
    groups,
  )
  const types = [...groups.flatMap((field) => field.physical.map((column) => column.type)), COUNT]
  return driver.query(statement, types, options)
}

export async function countRows(request: AggregateRequest): Promise<number> {
  const [row] = await countBy(request, [])
  return Number(row?.[0] ?? 0)
}

/** A fan-out grouped by one property. */
export class GroupedFanOut<Group> {
  readonly #request: AggregateRequest
  readonly #field: Field

  /** @internal */
  constructor(request: AggregateRequest, property: string) {
    const { layout } = request.table
    const field = layout.byProperty.get(property)
    if (!field) {
      const properties = [...layout.byProperty.keys()].join(', ')
      throw invalidQuery(
        layout,
        `has no property ${JSON.stringify(property)} to group by.`,
        `Choose from ${properties}.`,
      )
    }
    if (!canBeKey(field.column.type)) {
      const type = describeType(field.column.type)
      throw invalidQuery(
        layout,
        `cannot be grouped by ${property}, of type ${type}.`,
        'Group by another property.',
      )
    }
    this.#request = request
    this.#field = field
  }

  /** How many rows each value has, the most frequent first. */
  async count(): Promise<(Group & { count: number })[]> {
    const field = this.#field
    const groups = (await countBy(this.#request, [field])).map((cells) => ({
      [field.column.property]: field.join ? field.join(cells, 0) : cells[0],
      count: Number(cells.at(-1)),
    }))
    return groups.sort((a, b) => b.count - a.count) as (Group & { count: number })[]
  }
}
