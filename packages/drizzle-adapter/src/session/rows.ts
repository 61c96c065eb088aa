import { Column, SQL, Subquery, type Table, is } from 'drizzle-orm'
import { decoderOf, nameInResults, originalNameOf, schemaOf } from '../drizzle-internals.js'
import { type Cells, itemAt } from '@isotherm/core/adapter'
import { SpannerColumn } from '../googlesql/columns/common.js'

/** The name of a table for the cache and for mutations: its name in the database, with its schema's. */
export function nameInCache(table: Table): string {
  const schema = schemaOf(table)
  return schema === undefined ? originalNameOf(table) : `${schema}.${originalNameOf(table)}`
}

/** Sets a property of an object, whatever its name: `__proto__` needs special treatment. */
export function put(row: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(row, name, { value, enumerable: true, writable: true, configurable: true })
  } else {
    row[name] = value
  }
}

/** One field of a selection, and where in the row it goes. */
export interface SelectedField {
  readonly path: readonly string[]
  readonly field: Column | SQL | SQL.Aliased | Subquery
}

/** Decodes a cell. It is never called with NULL. */
export interface CellDecoder {
  decode(cell: unknown): unknown
}

/** One property of a row: a cell, or an object of cells. */
interface Property {
  readonly name: string
  readonly at: number
  readonly decoder: CellDecoder | undefined
  readonly object: ObjectPlan | undefined
}

interface ObjectPlan {
  readonly properties: readonly Property[]
  /** Cells that are all NULL where a join has found no row; undefined where it always finds one. */
  readonly missing: readonly number[] | undefined
}

/**
 * How a statement's cells become rows, compiled once per statement. The objects of a table that a join may miss are null
 * where all their columns are NULL.
 *
 * @param joinsNotNullable by a table's name: whether each row has a row of it. Undefined: no joins.
 * @param decoderFor reads the columns of a dialect whose own decoders expect other cells than Isotherm's
 */
export function rowMapper(
  fields: readonly SelectedField[],
  joinsNotNullable: Readonly<Record<string, boolean>> | undefined,
  decoderFor: (column: Column) => CellDecoder = columnDecoder,
): (cells: Cells) => Record<string, unknown> {
  const plan = planOf(fields, 0, joinsNotNullable ?? {}, decoderFor)
  return (cells) => read(plan, cells)
}

type RowMapper = ReturnType<typeof rowMapper>

const mappers = new WeakMap<readonly SelectedField[], RowMapper>()

/** The same for all columns of a table without joins, made once. @param fields what `flattenTable` returned */
export function tableRowMapper(fields: readonly SelectedField[]): RowMapper {
  let mapper = mappers.get(fields)
  if (!mapper) mappers.set(fields, (mapper = rowMapper(fields, undefined)))
  return mapper
}

interface PlacedField extends SelectedField {
  readonly at: number
}

function planOf(
  fields: readonly (SelectedField & { readonly at?: number })[],
  depth: number,
  joins: Readonly<Record<string, boolean>>,
  decoderFor: (column: Column) => CellDecoder,
): ObjectPlan {
  const groups = new Map<string, PlacedField[]>()
  fields.forEach((each, index) => {
    const name = itemAt(each.path, depth)
    const placed = { ...each, at: each.at ?? index }
    const group = groups.get(name)
    if (group) group.push(placed)
    else groups.set(name, [placed])
  })
  const properties = [...groups].map(([name, group]): Property => {
    const inner = group.filter(({ path }) => path.length > depth + 1)
    // As in an object, the last of two values with one name stays.
    const { at, field } = itemAt(group, -1)
    return inner.length === group.length
      ? { name, at, decoder: undefined, object: planOf(inner, depth + 1, joins, decoderFor) }
      : { name, at, decoder: fieldDecoder(field, decoderFor), object: undefined }
  })
  return { properties, missing: depth === 1 ? missingIn(fields as readonly PlacedField[], joins) : undefined }
}

function missingIn(
  fields: readonly PlacedField[],
  joins: Readonly<Record<string, boolean>>,
): readonly number[] | undefined {
  const tables = new Set<string>()
  const columns: number[] = []
  for (const { at, path, field } of fields) {
    if (path.length !== 2 || !is(field, Column)) continue
    tables.add(nameInResults(field.table))
    columns.push(at)
  }
  const [table, ...others] = tables
  return table !== undefined && others.length === 0 && joins[table] === false ? columns : undefined
}

/** The decoder of a selected field's value; undefined if there is none. */
export function fieldDecoder(
  field: SelectedField['field'],
  decoderFor: (column: Column) => CellDecoder,
): CellDecoder | undefined {
  if (is(field, Column)) return decoderFor(field)
  if (is(field, Subquery)) {
    const [only, ...others] = Object.values(field._.selectedFields)
    return others.length === 0 && only ? fieldDecoder(only as SelectedField['field'], decoderFor) : undefined
  }
  const decoder = decoderOf(is(field, SQL) ? field : field.sql)
  if (decoder === IDENTITY) return undefined
  if (is(decoder, Column)) return decoderFor(decoder)
  return { decode: (cell) => decoder.mapFromDriverValue(cell) }
}

/** The decoder of expressions to which no decoder was given. */
const IDENTITY = decoderOf(new SQL([]))

/** A column's own decoder. The decoder of an alias is a proxy, which would be called for every cell. */
export function columnDecoder(column: Column): CellDecoder {
  const isPlain =
    is(column, SpannerColumn) && column.mapFromDriverValue === SpannerColumn.prototype.mapFromDriverValue
  return isPlain ? column.codec : { decode: (cell) => column.mapFromDriverValue(cell) }
}

function read({ properties }: ObjectPlan, cells: Cells): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const { name, at, decoder, object } of properties) {
    if (object) {
      put(row, name, isMissing(object, cells) ? null : read(object, cells))
    } else {
      const cell = cells[at]
      put(row, name, cell === null || !decoder ? cell : decoder.decode(cell))
    }
  }
  return row
}

function isMissing({ missing }: ObjectPlan, cells: Cells): boolean {
  if (!missing) return false
  for (const at of missing) {
    if (cells[at] !== null) return false
  }
  return true
}
