import { describeType } from '@isotherm/core/engine'
import type { Schema } from '@isotherm/core/engine'
import { columnsOf } from '@isotherm/core/tools'
import { refuseTypes, unsupportedModel } from '@isotherm/core/tools'
import { spannerPostgreSqlType } from '../types.js'
import { refuseChangeStream, refuseTable } from '../../ddl/ddl-rules.js'
import { layoutsByName } from '@isotherm/core/tools'
import type { PhysicalColumn, TableLayout } from '@isotherm/core/engine'

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for what a schema asks for and Spanner's PostgreSQL dialect does not have. */
export function refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void {
  const byName = layoutsByName(layouts)
  for (const layout of layouts) {
    refuseTypes(layout.table.name, layout.columns, spannerPostgreSqlType)
    refuseTable(byName, layout)
    refuseNames(layout)
    refuseKey(layout)
    refuseIndexes(layout)
    refuseForeignKeys(layout)
  }
  for (const { name } of [...schema.sequences, ...schema.views, ...schema.changeStreams])
    refuseName(name, name)
  for (const name of schema.namespaces) refuseName(name, name)
  for (const stream of schema.changeStreams) refuseChangeStream(byName, stream)
}

// Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical#identifiers_and_quoted_identifiers
const MAX_NAME = 63

/** Longer names are cut silently, and two of them may become one. */
function refuseName(object: string, name: string): void {
  const longest = name.split('.').reduce((max, part) => Math.max(max, part.length), 0)
  if (longest <= MAX_NAME) return
  throw unsupportedModel(
    object,
    `has the name ${name} of ${longest} characters.`,
    `Spanner's PostgreSQL dialect truncates names after ${MAX_NAME} characters: use a shorter one.`,
  )
}

function refuseNames({ table, columns }: TableLayout): void {
  // Names that the database makes up are its own business.
  const constraints = [...table.checks, ...table.foreignKeys].filter(({ unnamed }) => !unnamed)
  const named = [table, ...columns, ...(table.opaqueColumns ?? []), ...table.indexes, ...constraints]
  for (const { name } of named) refuseName(table.name, name)
}

/** Source: https://cloud.google.com/spanner/docs/reference/postgresql/data-types */
function cannotBeKey({ type }: PhysicalColumn): boolean {
  return type.kind === 'numeric' || type.kind === 'float32' || type.kind === 'json' || type.kind === 'array'
}

function refuseKey({ table, key }: TableLayout): void {
  for (const { field, column, order } of key) {
    const { property } = field.column
    if (column.nullable) {
      throw unsupportedModel(
        table.name,
        'is a key part that may be NULL.',
        "A primary key in Spanner's PostgreSQL dialect cannot hold NULL: remove nullable.",
        property,
      )
    }
    if (cannotBeKey(column)) {
      throw unsupportedModel(
        table.name,
        `is a key part of type ${describeType(column.type)}.`,
        "No key in Spanner's PostgreSQL dialect has that type: choose another column.",
        property,
      )
    }
    // The layout has put a mirror in its place.
    if (order === 'desc') throw new Error(`The key part ${table.name}.${property} descends.`)
  }
}

function refuseIndexes({ table, indexes }: TableLayout): void {
  for (const { index, key } of indexes) {
    const part = key.find(({ column }) => cannotBeKey(column))
    if (!part) continue
    throw unsupportedModel(
      table.name,
      `of type ${describeType(part.column.type)} is in the index ${index.name}.`,
      "No index in Spanner's PostgreSQL dialect has a part of that type: store it instead, or index another column.",
      part.field.column.property,
    )
  }
}

/** Source: https://cloud.google.com/spanner/docs/foreign-keys/overview */
function refuseForeignKeys(layout: TableLayout): void {
  const { table } = layout
  for (const { name, columns, enforced } of table.foreignKeys) {
    if (enforced === false) {
      throw unsupportedModel(
        table.name,
        `has the foreign key ${name} with enforced: false.`,
        "Spanner's PostgreSQL dialect enforces all of them: remove enforced: false.",
      )
    }
    const column = columnsOf(layout, columns).find(cannotBeKey)
    if (!column) continue
    throw unsupportedModel(
      table.name,
      `has the foreign key ${name} over ${column.name}, of type ${describeType(column.type)}.`,
      "No foreign key in Spanner's PostgreSQL dialect has that type: refer to other columns.",
    )
  }
}
