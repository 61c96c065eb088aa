import type { Schema } from '../../model/schema.js'
import type { SecondaryIndex } from '../../model/secondary-index.js'
import { unsupported } from '../ddl/refusal.js'
import { refuseChangeStream, refuseTable } from '../ddl/rules.js'
import { layoutsByName } from '../ddl/statements.js'
import type { TableLayout } from '../layout.js'

// Source: https://cloud.google.com/spanner/docs/reference/standard-sql/data-definition-language#create_change_stream
const MAX_STREAM_NAME = 118

/** @throws {IsothermError} `UNSUPPORTED` for what a schema asks for and GoogleSQL does not have. */
export function refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void {
  const byName = layoutsByName(layouts)
  for (const layout of layouts) {
    refuseTable(byName, layout)
    for (const index of layout.table.indexes) refuseNullOrder(layout.table.name, index)
  }
  for (const stream of schema.changeStreams) {
    refuseChangeStream(byName, stream)
    if (stream.name.length > MAX_STREAM_NAME) {
      throw unsupported(
        stream.name,
        `has a name of ${stream.name.length} characters.`,
        `A change stream has one of up to ${MAX_STREAM_NAME}.`,
      )
    }
  }
}

/** NULL is the lowest value, and an index cannot say otherwise. */
function refuseNullOrder(table: string, { name, parts }: SecondaryIndex): void {
  for (const { property, order, nulls } of parts) {
    const where = order === 'asc' ? 'first' : 'last'
    if (nulls === undefined || nulls === where) continue
    throw unsupported(
      table,
      `is ${order}, nulls ${nulls}, in the index ${name}: GoogleSQL has NULL ${where} there.`,
      'Leave `nulls` out.',
      property,
    )
  }
}
