import {
  IsothermError,
  type KeyRange,
  type PhysicalColumn,
  type PhysicalKeyPart,
  type TableLayout,
  type Wire,
  cellsExpire,
  staticColumns,
  storedTable,
} from '@isotherm/core/engine'
import type { CqlCapabilities } from './capabilities.js'
import {
  CqlWriter,
  type Slice,
  type SliceShape,
  type Template,
  backwards,
  columnList,
  equals,
  parametersOf,
  shapeOf,
  slicesOf,
  withinSlice,
} from './clauses.js'
import { quote } from './identifier.js'
import { ROW_MARKER_COLUMN } from './fold.js'
import type { CqlRead, CqlStatements } from './statement.js'
import { expiringColumns, requiredColumns } from './whole-rows.js'
import { writeStatements } from './write-statements.js'

/** The maximum of `LIMIT`. */
const MAX_ROWS = 2 ** 31 - 1

/** The data that all reads of the same columns of one table share. */
interface Selection {
  readonly layout: TableLayout
  readonly partition: readonly PhysicalColumn[]
  readonly clustering: readonly PhysicalKeyPart[]
  readonly clusteringColumns: readonly PhysicalColumn[]
  readonly partitionNames: ReadonlySet<string>
  readonly head: string
  readonly columns: readonly PhysicalColumn[]
  readonly requestedCount: number
  readonly present: readonly number[]
  readonly required: readonly number[]
  /** The rest of expired rows may be stored between its rows. */
  readonly expires: boolean
  /** By the shape of the request. */
  readonly templates: Map<string, Template>
}

function readStatements({
  tupleRelations,
}: Pick<CqlCapabilities, 'tupleRelations'>): Pick<CqlStatements, 'get' | 'range'> {
  const byLayout = new WeakMap<TableLayout, WeakMap<readonly PhysicalColumn[], Selection>>()

  const selectionOf = (layout: TableLayout, columns: readonly PhysicalColumn[]): Selection => {
    let byColumns = byLayout.get(layout)
    if (!byColumns) byLayout.set(layout, (byColumns = new WeakMap()))
    let selection = byColumns.get(columns)
    if (!selection) byColumns.set(columns, (selection = newSelection(layout, columns)))
    return selection
  }

  return {
    get(layout, columns, key) {
      const selection = selectionOf(layout, columns)
      return readOf(
        selection,
        templateOf(selection, 'get', () => getTemplate(selection)),
        key,
      )
    },

    range(layout, columns, range, limit, reversed) {
      const selection = selectionOf(layout, columns)
      const { partition, clustering } = selection
      const within = ofOnePartition(layout, range)
      if (within.prefix.includes(null)) return []
      // The limit is left out if there is at most one row, or if it exceeds what CQL allows. Where rows expire, the rest of
      // expired rows would count as rows, so the pages of the answer end the read instead.
      if (clustering.length === 0 || (limit !== undefined && limit > MAX_ROWS) || selection.expires)
        limit = undefined
      const slices = slicesOf(clustering, within.range, { tuples: tupleRelations, reversed })
      return slices.map((slice) => {
        const shape = `${nameOf(slice)}${limit === undefined ? '' : ' limit'}${reversed ? ' reversed' : ''}`
        const template = templateOf(selection, shape, () =>
          sliceTemplate(selection, partition, shapeOf(slice), limit !== undefined, reversed),
        )
        return readOf(selection, template, valuesOf(within.prefix, slice, limit))
      })
    },
  }
}

function newSelection(layout: TableLayout, requestedColumns: readonly PhysicalColumn[]): Selection {
  const { key, partition = key.length, stored } = layout
  const columnsOfKey = key.map(({ column }) => column)
  // Static columns are NULL where the partition holds other rows only, and clustering columns where it holds no other rows:
  // of one without any there still comes what is static. Beside that CQL finds no row by its key, unless more is requested.
  const expiring = expiringColumns(layout)
  const isBeside = stored?.as === 'rows beside static' || staticColumns(layout).size > 0
  const witnesses = [
    // Where rows expire, the marker does so with the insert, whatever has been written since.
    ...(stored?.as === 'static' && expiring.length === 0 ? [ROW_MARKER_COLUMN] : []),
    ...(isBeside ? columnsOfKey.slice(partition, partition + 1) : []),
    ...expiring,
  ]
  const beside = witnesses.filter((column) => !requestedColumns.some(({ name }) => name === column.name))
  const columns = beside.length > 0 ? [...requestedColumns, ...beside] : requestedColumns
  const positionOf = (column: PhysicalColumn): number => columns.findIndex(({ name }) => name === column.name)
  return {
    layout,
    partition: columnsOfKey.slice(0, partition),
    clustering: key.slice(partition),
    clusteringColumns: columnsOfKey.slice(partition),
    partitionNames: new Set(columnsOfKey.slice(0, partition).map(({ name }) => name)),
    head: `SELECT ${columnList(columns)} FROM ${quote(storedTable(layout))} WHERE `,
    columns,
    requestedCount: requestedColumns.length,
    present: witnesses.map(positionOf),
    required: cellsExpire(layout.table)
      ? []
      : requiredColumns(layout)
          .map(positionOf)
          .filter((at) => at >= 0),
    expires: expiring.length > 0,
    templates: new Map(),
  }
}

function templateOf({ templates }: Selection, shape: string, make: () => Template): Template {
  let template = templates.get(shape)
  if (!template) templates.set(shape, (template = make()))
  return template
}

function getTemplate({ layout, head, partitionNames }: Selection): Template {
  const writer = new CqlWriter()
  const where = equals(
    writer,
    layout.key.map(({ column }) => column),
  ).join(' AND ')
  return writer.template(head + where + onceOnly(layout), partitionNames)
}

function sliceTemplate(
  { layout, head, clustering, clusteringColumns, partitionNames }: Selection,
  partition: readonly PhysicalColumn[],
  shape: SliceShape,
  limited: boolean,
  reversed: boolean,
): Template {
  const writer = new CqlWriter()
  const where = withinSlice(writer, partition, clusteringColumns, shape)
  const order = reversed && clustering.length > 0 ? backwards(clustering) : ''
  const limit = limited ? ` LIMIT ${writer.parameter('limit', { kind: 'int32' })}` : onceOnly(layout)
  return writer.template(head + where + order + limit, partitionNames)
}

/** Static columns come with each row of the partition. */
function onceOnly({ stored }: TableLayout): string {
  return stored?.as === 'static' ? ' LIMIT 1' : ''
}

function readOf(
  { layout, columns, requestedCount, present, required }: Selection,
  template: Template,
  values: readonly Wire[],
): CqlRead {
  return {
    text: template.text,
    parameters: parametersOf(template, values),
    idempotent: true,
    kind: 'read',
    routing: template.routing,
    columns,
    requestedCount,
    present,
    required,
    layout,
  }
}

/** Slices of one name have one text. */
function nameOf({ equal, lower, upper }: Slice): string {
  const from = lower ? ` ${lower.open ? '>' : '>='}${lower.wires.length}` : ''
  const to = upper ? ` ${upper.open ? '<' : '<='}${upper.wires.length}` : ''
  return `${equal.length}${from}${to}`
}

function valuesOf(
  prefix: readonly Wire[],
  { equal, lower, upper }: Slice,
  limit: number | undefined,
): Wire[] {
  return [
    ...prefix,
    ...equal,
    ...(lower?.wires ?? []),
    ...(upper?.wires ?? []),
    ...(limit === undefined ? [] : [limit]),
  ]
}

/** The values of the partition key, and what the range says of the columns behind. */
function ofOnePartition(
  { key, partition = key.length, table }: TableLayout,
  range: KeyRange,
): { readonly prefix: readonly Wire[]; readonly range: KeyRange } {
  const prefix = range.start.slice(0, partition)
  const isOne =
    prefix.length === partition &&
    range.end.length >= partition &&
    prefix.every((wire, at) => JSON.stringify(wire) === JSON.stringify(range.end[at]))
  if (!isOne) {
    throw new IsothermError('UNSUPPORTED_QUERY', `A range of ${table.name} covers several partitions.`, {
      fix: `Give ${key
        .slice(0, partition)
        .map(({ field }) => field.column.property)
        .join(', ')}, the same at both ends.`,
      table: table.name,
    })
  }
  return {
    prefix,
    range: { ...range, start: range.start.slice(partition), end: range.end.slice(partition) },
  }
}

export type { CqlRead, CqlStatement, CqlStatements, WriteClauses } from './statement.js'

/** @param has what the dialect has */
export function cqlStatements(has: Pick<CqlCapabilities, 'tupleRelations'>): CqlStatements {
  return { ...readStatements(has), ...writeStatements() }
}
