import type { Schema } from '@isotherm/core/engine'
import type { SecondaryIndex } from '@isotherm/core/engine'
import { refuseTypes, unsupportedModel } from '@isotherm/core/tools'
import { googleSqlType } from '../types.js'
import { refuseChangeStream, refuseTable } from '../../ddl/ddl-rules.js'
import { layoutsByName } from '@isotherm/core/tools'
import type { PhysicalColumn, TableLayout } from '@isotherm/core/engine'

// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#create_change_stream
const MAX_STREAM_NAME = 118

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for what a schema asks for and GoogleSQL does not have. */
export function refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void {
  const byName = layoutsByName(layouts)
  for (const layout of layouts) {
    refuseTypes(layout.table.name, layout.columns, googleSqlType)
    refuseTable(byName, layout)
    for (const column of layout.columns) refuseVirtual(layout, column)
    for (const index of layout.table.indexes) refuseNullOrder(layout.table.name, index)
  }
  for (const stream of schema.changeStreams) {
    refuseChangeStream(byName, stream)
    if (stream.name.length > MAX_STREAM_NAME) {
      throw unsupportedModel(
        stream.name,
        `has a name of ${stream.name.length} characters.`,
        `A change stream has one of up to ${MAX_STREAM_NAME}.`,
      )
    }
  }
}

/**
 * The PostgreSQL dialect takes one: the documentation's own example is `VARCHAR(2)`.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to
 */
function refuseVirtual({ table }: TableLayout, { name, type, made }: PhysicalColumn): void {
  if (made?.by !== 'generated' || made.stored) return
  const hasLength =
    type.kind === 'uuid'
      ? type.storage !== 'native'
      : (type.kind === 'string' || type.kind === 'bytes') && type.length !== 'max'
  if (!hasLength) return
  throw unsupportedModel(
    table.name,
    `has the column ${name}, which is computed when it is read and has a length.`,
    "Leave its length out, or store it: it can be a string of length 'max' only.",
  )
}

/** NULL is the lowest value, and an index cannot say otherwise. */
function refuseNullOrder(table: string, { name, parts }: SecondaryIndex): void {
  for (const { property, order, nulls } of parts) {
    const where = order === 'asc' ? 'first' : 'last'
    if (nulls === undefined || nulls === where) continue
    throw unsupportedModel(
      table,
      `is ${order}, nulls ${nulls}, in the index ${name}: GoogleSQL has NULL ${where} there.`,
      'Leave `nulls` out.',
      property,
    )
  }
}
