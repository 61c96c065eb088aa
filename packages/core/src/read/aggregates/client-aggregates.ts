import { type PlainRow, rowCodec, wiresOf } from '../../engine/codec.js'
import type { Field, TableLayout } from '../../layout/layout.js'
import {
  type AggregateQuery,
  type AggregateRequest,
  type Computation,
  DECIMALS,
  WHOLE_NUMBERS,
  chosen,
  fieldsOf,
} from './measure.js'
import type { CompiledTable } from '../../rows/compiled-table.js'
import { spanned } from '../../observability/spans.js'
import { invalidQuery } from '../plan/order.js'
import { clusteringFields } from '../plan/key-ranges.js'
import { clockOf } from '../plan/buckets.js'
import { Planner } from '../plan/plan.js'
import { scanRows } from '../run/client-sort.js'
import { Execution, ExecutionReport } from '../run/execution.js'
import type { FanOutRequest } from '../plan/request.js'

/** The state of one measure of one group. */
interface Accumulator {
  /** A value that is not NULL. */
  add(value: unknown): void
  /** The value in the result's row. */
  result(): unknown
}

/**
 * Makes the accumulators of a measure, one for each group.
 *
 * @param source the aggregated field; undefined where rows are counted
 * @param keep called for each value that has to be kept in memory
 */
function accumulators(compute: Computation, source: Field | undefined, keep: () => void): () => Accumulator {
  switch (compute) {
    case 'count':
      return counter
    case 'countDistinct':
      return () => distinct(source!, keep)
    case 'min':
      return () => extreme(source!, 1)
    case 'max':
      return () => extreme(source!, -1)
    case 'sum':
    case 'avg': {
      const { kind } = source!.column.type
      if (WHOLE_NUMBERS.includes(kind)) return () => wholeNumbers(compute)
      return DECIMALS.includes(kind) ? () => decimals(compute) : () => floats(compute)
    }
  }
}

function counter(): Accumulator {
  let count = 0
  return {
    add: () => void count++,
    result: () => count,
  }
}

function distinct(source: Field, keep: () => void): Accumulator {
  const seen = new Set<string>()
  return {
    add(value) {
      const text = JSON.stringify(wiresOf(source, value))
      if (seen.has(text)) return
      seen.add(text)
      keep()
    },
    result: () => seen.size,
  }
}

function extreme(source: Field, sign: 1 | -1): Accumulator {
  let found: unknown = null
  return {
    add(value) {
      if (found === null || sign * source.compare(value, found) < 0) found = value
    },
    result: () => found,
  }
}

function wholeNumbers(compute: 'sum' | 'avg'): Accumulator {
  let sum = 0n
  let count = 0
  return {
    add(value) {
      sum += BigInt(value as bigint | number)
      count++
    },
    result() {
      if (count === 0) return null
      if (compute === 'sum') return sum
      // By itself the sum may have more digits than a number keeps.
      const of = BigInt(count)
      return Number(sum / of) + Number(sum % of) / count
    },
  }
}

/** Adds floats in the order in which the rows come, as engines do: the rounding errors may differ each time. */
function floats(compute: 'sum' | 'avg'): Accumulator {
  let sum = 0
  let count = 0
  return {
    add(value) {
      sum += value as number
      count++
    },
    result() {
      if (count === 0) return null
      return compute === 'sum' ? sum : sum / count
    },
  }
}

/** How many digits after the point an average of decimals has at least. */
const AVERAGE_DIGITS = 9

function decimals(compute: 'sum' | 'avg'): Accumulator {
  let units = 0n
  let digits = 0
  let count = 0
  return {
    add(value) {
      const [whole = '', fraction = ''] = (value as string).split('.')
      const more = fraction.length - digits
      if (more > 0) {
        units *= 10n ** BigInt(more)
        digits += more
      }
      units += BigInt(whole + fraction.padEnd(digits, '0'))
      count++
    },
    result() {
      if (count === 0) return null
      if (compute === 'sum') return decimalText(units, digits)
      const shown = Math.max(digits, AVERAGE_DIGITS)
      return decimalText(rounded(units * 10n ** BigInt(shown - digits), BigInt(count)), shown)
    },
  }
}

/** A quotient, its half rounded away from zero. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const half = dividend < 0n ? -divisor : divisor
  return (2n * dividend + half) / (2n * divisor)
}

/** Without zeros that say nothing. */
function decimalText(units: bigint, digits: number): string {
  const all = String(units < 0n ? -units : units).padStart(digits + 1, '0')
  const point = all.length - digits
  const fraction = all.slice(point).replace(/0+$/, '')
  const text = fraction === '' ? all.slice(0, point) : `${all.slice(0, point)}.${fraction}`
  return units < 0n ? `-${text}` : text
}

/** How many groups, and different values to count, are kept in memory at most. */
const MAX_KEPT = 1_000_000

/**
 * Makes the groups in the client, from rows that are read with only the necessary columns. Rows are not kept in memory,
 * groups are.
 *
 * @throws {IsothermError} `INVALID_QUERY` for more groups than fit into memory.
 */
export async function clientAggregates(
  request: AggregateRequest,
  query: AggregateQuery,
): Promise<PlainRow[]> {
  const { driver, tables, telemetry, condition, options } = request
  const fanOutRequest: FanOutRequest = { ...EVERY_ROW, condition }
  const inputs = { now: clockOf(request.table.layout), seed: 0 }
  const plan = new Planner(request.table, fanOutRequest, driver, inputs).first()
  if (plan.strategy === 'nothing') return []
  const table = narrowed(request.table, plan.clientFilter ? request.condition : undefined, query)
  const groups = new Groups(table.layout, query)
  const target = { telemetry, system: driver.system, table: table.layout.table.name }
  await spanned(target, 'aggregate', async () => {
    const execution = new Execution(
      { driver, tables, telemetry },
      table,
      plan,
      options,
      new ExecutionReport(),
    )
    let failure: unknown
    try {
      await execution.begin()
      await scanRows(execution, plan, (rows) => {
        for (const row of rows) groups.add(row)
        execution.report.hold(-rows.length)
        return true
      })
    } catch (error) {
      failure = error
      throw error
    } finally {
      execution.end(failure)
    }
  })
  return chosen(groups.rows(), query, table)
}

const EVERY_ROW = {
  order: [],
  after: undefined,
  limit: undefined,
  forced: 'client-sort',
  index: undefined,
  apart: false,
  consistentPages: false,
  includes: [],
  lookAhead: 0,
} as const satisfies Partial<FanOutRequest>

/** The table with the aggregated and filtered columns, and those that say where a read goes on. */
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
    if (++this.#kept <= MAX_KEPT) return
    throw invalidQuery(
      this.#layout,
      `would be grouped in memory, in more than ${MAX_KEPT} groups and different values.`,
      'Narrow the filter, or group by fewer values.',
    )
  }
}
