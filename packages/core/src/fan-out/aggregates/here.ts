import { rowCodec, wiresOf, type PlainRow } from '../../database/codec.js'
import type { CompiledTable } from '../../database/compiled-table.js'
import type { Field, TableLayout } from '../../dialects/layout.js'
import { spanned } from '../../observability/operation-span.js'
import { invalidQuery } from '../invalid-query.js'
import { clusteringFields } from '../planning/key-ranges.js'
import { planFanOut } from '../planning/plan.js'
import { Reading } from '../reading/reading.js'
import { RunReport } from '../reading/report.js'
import { scanLanes } from '../reading/scan.js'
import type { FanOutRequest } from '../request.js'
import { accumulators, type Accumulator } from './accumulators.js'
import { chosen, fieldsOf, type AggregateQuery, type AggregateRequest } from './aggregate-query.js'

/** How many groups, and different values to count, are kept in memory at most. */
const MOST_KEPT = 1_000_000

/**
 * Groups that are made here, of rows that are read with no more columns than it takes. Rows are not kept, groups are.
 *
 * @throws {IsothermError} `INVALID_QUERY` for more groups than are kept in memory.
 */
export async function aggregatedHere(request: AggregateRequest, query: AggregateQuery): Promise<PlainRow[]> {
  const { driver, condition, options } = request
  const asked: FanOutRequest = { ...EVERY_ROW, condition }
  const plan = planFanOut(request.table, asked, driver)
  if (plan.strategy === 'nothing') return []
  const table = narrowed(request.table, plan.filteredHere ? request.condition : undefined, query)
  const groups = new Groups(table.layout, query)
  const target = { system: driver.system, table: table.layout.table.name }
  await spanned(target, 'aggregate', async () => {
    const reading = new Reading({ driver }, table, asked, plan, options, new RunReport())
    let failure: unknown
    try {
      await scanLanes(reading, reading.lanes!.lanes.groups, (rows) => {
        for (const row of rows) groups.add(row)
        reading.report.hold(-rows.length)
        return true
      })
    } catch (error) {
      failure = error
      throw error
    } finally {
      reading.end(failure)
    }
  })
  return chosen(groups.rows(), query, table)
}

const EVERY_ROW = {
  order: [],
  after: undefined,
  limit: undefined,
  forced: 'sort-here',
  index: undefined,
  apart: false,
  pinned: false,
  includes: [],
  lookAhead: 0,
} as const satisfies Partial<FanOutRequest>

/** The table with what is computed of and filtered by, and what says where a read goes on. */
function narrowed(
  table: CompiledTable,
  condition: AggregateRequest['condition'],
  { groups, measures }: AggregateQuery,
): CompiledTable {
  const { layout } = table
  const wanted = new Set<Field | undefined>([
    ...[...groups, ...measures].map(({ source }) => source),
    ...(condition ? fieldsOf(condition) : []),
    ...clusteringFields(layout).map(({ field }) => field),
  ])
  const fields = layout.fields.filter((field) => wanted.has(field))
  // A row is a row even where nothing of it is wanted.
  return { ...table, codec: rowCodec(fields.length > 0 ? fields : [layout.key[0]!.field]) }
}

interface Group {
  /** A row of it, for the values that it is grouped by. */
  readonly first: PlainRow | undefined
  readonly computed: readonly Accumulator[]
}

class Groups {
  readonly #layout: TableLayout
  readonly #query: AggregateQuery
  readonly #makers: readonly (() => Accumulator)[]
  readonly #byKey = new Map<string, Group>()
  #kept = 0

  constructor(layout: TableLayout, query: AggregateQuery) {
    this.#layout = layout
    this.#query = query
    this.#makers = query.measures.map(({ compute, source }) =>
      accumulators(compute, source, () => this.#keep()),
    )
    // Of no groups there is one, though it has no rows.
    if (query.groups.length === 0) this.#add('', undefined)
  }

  add(row: PlainRow): void {
    const { groups, measures } = this.#query
    const key = groups.length === 0 ? '' : this.#keyOf(row)
    const { computed } = this.#byKey.get(key) ?? this.#add(key, row)
    for (let at = 0; at < measures.length; at++) {
      const { source } = measures[at]!
      const value = source ? row[source.column.property] : row
      if (value !== null) computed[at]!.add(value)
    }
  }

  rows(): PlainRow[] {
    const { groups, measures } = this.#query
    return [...this.#byKey.values()].map(({ first, computed }) => {
      const row: PlainRow = {}
      for (const { field, source } of groups) row[field.column.property] = first![source.column.property]
      for (const [at, { field }] of measures.entries()) row[field.column.property] = computed[at]!.result()
      return row
    })
  }

  #keyOf(row: PlainRow): string {
    return JSON.stringify(
      this.#query.groups.map(({ source }) => {
        const value = row[source.column.property]
        return value === null ? null : wiresOf(source, value)
      }),
    )
  }

  #add(key: string, first: PlainRow | undefined): Group {
    const group = { first, computed: this.#makers.map((make) => make()) }
    this.#byKey.set(key, group)
    this.#keep()
    return group
  }

  #keep(): void {
    if (++this.#kept <= MOST_KEPT) return
    throw invalidQuery(
      this.#layout,
      `would be grouped in memory, in more than ${MOST_KEPT} groups and different values.`,
      'Narrow the filter, or group by fewer values.',
    )
  }
}
