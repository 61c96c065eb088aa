import { type PhysicalColumn, type Schema, type TableLayout, describeType } from '@isotherm/core/engine'
import { type Layouts, columnsOf, layoutsByName, refuseTypes, unsupportedModel } from '@isotherm/core/tools'
import { postgresqlType } from '../sql/types.js'
import { refuseNames } from './names.js'

/** @throws {IsothermError} `UNSUPPORTED_MODEL` for what a schema asks for and PostgreSQL does not have. */
export function refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void {
  const byName = layoutsByName(layouts)
  for (const layout of layouts) {
    refuseTypes(layout.table.name, layout.columns, postgresqlType)
    refuseColumns(layout)
    refuseKey(layout)
    refuseIndexes(layout)
    refuseRows(layout)
    refuseReferences(layout, byName)
  }
  refuseNames(schema, layouts)
  for (const { name, skipRange } of schema.sequences) if (skipRange) throw withoutSkipRange(name)
  const [stream] = schema.changeStreams
  if (stream) {
    throw unsupportedModel(
      stream.name,
      'is a change stream, which PostgreSQL does not have.',
      'Leave it out of the schema for PostgreSQL.',
    )
  }
}

function withoutSkipRange(object: string, column?: string): Error {
  return unsupportedModel(
    object,
    'has a skipRange, which the sequences of PostgreSQL do not have.',
    'Remove skipRange.',
    column,
  )
}

function refuseColumns({ table, columns }: TableLayout): void {
  for (const { name, made } of columns) {
    if (made?.by === 'generated' && !made.stored) {
      throw unsupportedModel(
        table.name,
        'is a virtual generated column, which PostgreSQL supports only since version 18, with other limits.',
        'Make it stored.',
        name,
      )
    }
    if (made?.by === 'identity' && made.skipRange) throw withoutSkipRange(table.name, name)
  }
}

function refuseKey({ table, key }: TableLayout): void {
  for (const { field, column } of key) {
    if (!column.nullable) continue
    throw unsupportedModel(
      table.name,
      'is a key part that may be NULL.',
      'A primary key in PostgreSQL cannot hold NULL: remove nullable.',
      field.column.property,
    )
  }
}

function refuseIndexes({ table, indexes }: TableLayout): void {
  for (const { index, key } of indexes) {
    const part = key.find(({ column }) => column.type.kind === 'json' || column.type.kind === 'array')
    if (!part) continue
    throw unsupportedModel(
      table.name,
      `of type ${describeType(part.column.type)} is in the index ${index.name}.`,
      'Index another column.',
      part.field.column.property,
    )
  }
}

function refuseRows(layout: TableLayout): void {
  const { table } = layout
  if (table.rowDeletion) {
    throw unsupportedModel(
      table.name,
      'deletes old rows, which PostgreSQL does not do.',
      'Remove rowDeletion, and delete them from the application.',
    )
  }
  for (const { name, columns, enforced } of table.foreignKeys) {
    if (enforced === false) {
      throw unsupportedModel(
        table.name,
        `has the foreign key ${name} with enforced: false.`,
        'PostgreSQL enforces all of them: remove enforced: false.',
      )
    }
    const column = columnsOf(layout, columns).find(
      ({ type }) => type.kind === 'json' || type.kind === 'array',
    )
    if (!column) continue
    throw unsupportedModel(
      table.name,
      `has the foreign key ${name} over ${column.name}, of type ${describeType(column.type)}.`,
      'Refer to columns of other types.',
    )
  }
}

/**
 * Elsewhere a foreign key brings its own index of what it refers to.
 *
 * Source: https://www.postgresql.org/docs/current/ddl-constraints.html#DDL-CONSTRAINTS-FK
 */
function refuseReferences({ table }: TableLayout, layouts: Layouts): void {
  for (const { name, table: other, references } of table.foreignKeys) {
    const referred = layouts.get(other)
    if (!referred) continue
    const wanted = namesOf(columnsOf(referred, references))
    if (uniqueIn(referred).some((columns) => namesOf(columns) === wanted)) continue
    throw unsupportedModel(
      table.name,
      `has the foreign key ${name}, which refers to columns of ${other} that are neither its whole key (${namesOf(referred.key.map(({ column }) => column)).replaceAll(',', ', ')}) nor those of a unique index: ${references.join(', ')}.`,
      `Declare a unique index of ${other} over them.`,
    )
  }
}

/** The columns of which no two rows of a table have the same values, in each way that a foreign key may rely on. */
function uniqueIn(layout: TableLayout): readonly (readonly PhysicalColumn[])[] {
  const ofIndexes = layout.indexes.flatMap(({ index: { unique, notNull, nullFiltered, parts } }) => {
    const columns = columnsOf(
      layout,
      parts.map(({ property }) => property),
    )
    const isPartial = notNull.length > 0 || (nullFiltered && columns.some(({ nullable }) => nullable))
    return unique && !isPartial ? [columns] : []
  })
  return [layout.key.map(({ column }) => column), ...ofIndexes]
}

function namesOf(columns: readonly PhysicalColumn[]): string {
  return columns
    .map(({ name }) => name)
    .toSorted()
    .join()
}
