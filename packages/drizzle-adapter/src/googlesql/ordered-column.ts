import { IsothermError } from '@isotherm/core'
import { Column, is, SQL, StringChunk } from 'drizzle-orm'
import { SpannerColumn } from './columns/common.js'

/** A column of a key or an index, or `asc(column)`, `desc(column)`, `column.asc()`, `column.desc()`. */
export type OrderedColumnInput = SpannerColumn | SQL

export interface OrderedColumn<Columns extends Column = SpannerColumn> {
  readonly column: Columns
  readonly order: 'asc' | 'desc'
  /** Where NULL stands. Undefined: where the dialect's order has it. */
  readonly nulls?: 'first' | 'last' | undefined
}

/** @throws {IsothermError} `UNSUPPORTED` for any other expression. */
export function orderedColumn(part: OrderedColumnInput): OrderedColumn {
  if (is(part, SpannerColumn)) return { column: part, order: 'asc' }
  const { column, order } = columnInOrder(part)
  if (is(column, SpannerColumn)) return { column, order }
  throw notAColumn()
}

/** What `asc(column)` or `desc(column)` says. @throws {IsothermError} `UNSUPPORTED` for any other expression. */
export function columnInOrder(part: unknown): OrderedColumn<Column> {
  const chunks = is(part, SQL) ? part.queryChunks : []
  const column = chunks.find((chunk) => is(chunk, Column))
  const words = chunks
    .filter((chunk) => is(chunk, StringChunk))
    .map(({ value }) => value.join(''))
    .join('')
    .trim()
    .toLowerCase()
  if (column && chunks.length <= 3 && /^(asc|desc)?$/.test(words)) {
    return { column, order: words === 'desc' ? 'desc' : 'asc' }
  }
  throw notAColumn()
}

function notAColumn(): IsothermError {
  return new IsothermError(
    'UNSUPPORTED',
    'A key or an index on Spanner is made of columns, not of expressions.',
    {
      fix: 'Declare a column with generatedAlwaysAs(…), and index that; desc(column) turns the order.',
    },
  )
}
