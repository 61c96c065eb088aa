import {
  type ColumnValue,
  IsothermError,
  type Mutation,
  type PhysicalColumn,
  type TableLayout,
  type Wire,
  staticColumns,
  storedTable,
  known,
} from '@isotherm/core/engine'
import {
  type Condition,
  CqlWriter,
  type Template,
  type UsingPositions,
  columnList,
  equals,
  onlyIf,
  parametersOf,
  using,
} from './clauses.js'
import { quote } from './identifier.js'
import { ROW_MARKER_COLUMN } from './fold.js'
import { expiringColumns, requiredColumns } from './whole-rows.js'
import type { CqlStatement, CqlStatements, WriteClauses } from './statement.js'

/**
 * A cache by name, limited in size: the oldest entry is dropped, and made again when it is needed.
 */
export class Recent<T> {
  readonly #max: number
  readonly #made = new Map<string, T>()

  constructor(max: number) {
    this.#max = max
  }

  get(name: string, make: () => T): T {
    let value = this.#made.get(name)
    if (value !== undefined) return value
    value = make()
    if (this.#made.size >= this.#max) {
      for (const first of this.#made.keys()) {
        this.#made.delete(first)
        break
      }
    }
    this.#made.set(name, value)
    return value
  }
}

/**
 * How many statement texts of one table are kept. There may be one for each set of columns that an application changes
 * together.
 */
const MAX_TEXTS = 500

/** The data that all writes of one table share. */
interface WrittenTable {
  readonly layout: TableLayout
  readonly table: string
  readonly key: readonly PhysicalColumn[]
  readonly keyNames: ReadonlySet<string>
  readonly partition: ReadonlySet<string>
  readonly columns: ReadonlyMap<string, PhysicalColumn>
  /** Its columns are static in a partition that it shares, where a marker says that there is a row. */
  readonly isStatic: boolean
  /** Of some columns, one value for a whole partition. */
  readonly statics: ReadonlySet<string>
  /** The columns without which a row has expired. */
  readonly expiring: readonly PhysicalColumn[]
  /** Those that have a value in each row. */
  readonly required: readonly PhysicalColumn[]
  /** By the shape of the write. */
  readonly templates: Recent<Template>
}

/** All of a write but its values. */
interface Shape {
  readonly op: 'insert' | 'update' | 'delete'
  readonly columns: readonly string[]
  /** Names of columns to be compared; those that have to be NULL separately. */
  readonly condition?: Existence | { readonly same: readonly string[]; readonly none: readonly string[] }
  /** Names of columns outside the key by which the row is found: their values come last. Absent: none. */
  readonly found?: readonly string[]
  /** Those of which it holds NULL. Absent: none. */
  readonly foundNull?: readonly string[]
  /** The column that shows that a row exists which is found by NULL alone. Absent: the row is asked for without a comparison. */
  readonly proof?: string
  readonly ttlSeconds: boolean
  readonly writeTime: boolean
}

type Compared = Readonly<Record<string, Wire>>
type Existence = 'EXISTS' | 'NOT EXISTS'

export function writeStatements(): Pick<CqlStatements, 'write' | 'writeIf' | 'add'> {
  const byLayout = new WeakMap<TableLayout, WrittenTable>()

  const writtenTable = (layout: TableLayout): WrittenTable => {
    let table = byLayout.get(layout)
    if (!table) byLayout.set(layout, (table = newWrittenTable(layout)))
    return table
  }

  return {
    write(mutation, clauses) {
      const table = writtenTable(layoutOf(mutation))
      const check = checkOf(mutation, clauses.conditional)
      const { found = [] } = mutation.op === 'update' ? mutation : {}
      // Without a check nothing is compared: all of them are written, or none.
      const isNull = ({ value }: ColumnValue): boolean => value === null && check !== undefined
      const held = found.filter((each) => !isNull(each))
      const none = found.filter(isNull).map(({ column }) => column.name)
      const shape = {
        ...shapeOf(table, mutation, check, clauses),
        found: held.map(({ column }) => column.name),
        foundNull: none,
      }
      if (check === undefined && held.length > 0) refusePart(table, shape)
      // NULL is also what a row holds that does not exist.
      const proofs = none.length > 0 && held.length === 0 && !isMarked(table) ? proofsOf(table, none) : []
      const [template, ...others] = [...proofs, undefined].map((proof) =>
        templateOf(table, proof === undefined ? shape : { ...shape, proof }),
      )
      const kind = shape.condition ? 'conditional' : 'write'
      const options = optionsOf(clauses, held.length > 0)
      const more = [...options, ...held.map(({ value }) => value)]
      return rowsOf(mutation).map((row) => {
        const values = more.length === 0 ? row : [...row, ...more]
        const instead = others.map((other) => statementOf(other, kind, values))
        return { ...statementOf(template!, kind, values), ...(instead.length > 0 && { instead }) }
      })
    },

    writeIf(mutation, condition, clauses) {
      const [row, ...more] = rowsOf(mutation)
      if (!row || more.length > 0) throw manyRows(mutation)
      const table = writtenTable(layoutOf(mutation))
      const shape = shapeOf(table, mutation, condition ?? existence(mutation), clauses)
      const compared = Object.values(condition ?? {}).filter((wire) => wire !== null)
      return statementOf(templateOf(table, shape), 'conditional', [
        ...row,
        clauses.ttlSeconds ?? null,
        null,
        ...compared,
      ])
    },

    add(layout, key, amounts) {
      const table = writtenTable(layout)
      const columns = [...amounts.keys()]
      const name = `add ${columns.map((column) => column.name).join('\0')}`
      const template = table.templates.get(name, () => addTemplate(table, columns))
      return statementOf(template, 'counter', [...Array.from(amounts.values(), String), ...key])
    },
  }
}

function newWrittenTable(layout: TableLayout): WrittenTable {
  const key = layout.key.map(({ column }) => column)
  const names = key.map(({ name }) => name)
  return {
    layout,
    table: quote(storedTable(layout)),
    key,
    keyNames: new Set(names),
    partition: new Set(names.slice(0, layout.partition)),
    columns: new Map([...layout.columns, ROW_MARKER_COLUMN].map((column) => [column.name, column])),
    isStatic: layout.stored?.as === 'static',
    statics: staticColumns(layout),
    expiring: expiringColumns(layout),
    required: requiredColumns(layout),
    templates: new Recent(MAX_TEXTS),
  }
}

/** @throws {IsothermError} `UNSUPPORTED_WRITE` for a table that no model has: its key is not known here. */
function layoutOf({ layout, table }: Mutation): TableLayout {
  if (layout) return layout
  throw new IsothermError('UNSUPPORTED_WRITE', `${table} cannot be written without its model.`, {
    fix: 'Write it through the database that was opened with its schema.',
    table,
  })
}

function rowsOf(mutation: Mutation): readonly (readonly Wire[])[] {
  return mutation.op === 'delete' ? mutation.keys : mutation.rows
}

/** The condition of a checked write: an insert must not find the row, an update must. */
function checkOf(mutation: Mutation, check: boolean): Existence | undefined {
  if (!check || mutation.op === 'delete' || mutation.op === 'upsert') return undefined
  if (mutation.op === 'update') return 'EXISTS'
  return mutation.fresh ? undefined : 'NOT EXISTS'
}

function existence({ op }: Mutation): Existence {
  return op === 'insert' || op === 'upsert' ? 'NOT EXISTS' : 'EXISTS'
}

function shapeOf(
  { key }: WrittenTable,
  mutation: Mutation,
  precondition: Existence | Compared | undefined,
  { ttlSeconds, writeTime }: Partial<WriteClauses>,
): Shape {
  const condition = typeof precondition === 'object' ? comparedOf(precondition) : precondition
  const isUpdate = mutation.op === 'update' || (mutation.op !== 'delete' && typeof condition === 'object')
  return {
    op: mutation.op === 'delete' ? 'delete' : isUpdate ? 'update' : 'insert',
    columns: mutation.op === 'delete' ? key.map(({ name }) => name) : mutation.columns,
    ...(condition && { condition }),
    ttlSeconds: ttlSeconds !== undefined && mutation.op !== 'delete',
    writeTime: writeTime !== undefined,
  }
}

function comparedOf(compared: Compared): Exclude<Shape['condition'], string | undefined> {
  const names = Object.keys(compared)
  return {
    same: names.filter((name) => compared[name] !== null),
    none: names.filter((name) => compared[name] === null),
  }
}

/** Behind the values of a row, in this order: see `positionsOf`. @param held whether others follow */
function optionsOf({ ttlSeconds, writeTime }: WriteClauses, held: boolean): Wire[] {
  if (ttlSeconds === undefined && writeTime === undefined && !held) return []
  return [ttlSeconds ?? null, writeTime === undefined ? null : String(writeTime)]
}

function positionsOf({ columns, ttlSeconds, writeTime }: Shape): UsingPositions {
  return {
    ...(ttlSeconds && { ttlSeconds: columns.length }),
    ...(writeTime && { writeTime: columns.length + 1 }),
  }
}

function templateOf(table: WrittenTable, shape: Shape): Template {
  const { op, columns, condition, found = [], foundNull = [], proof, ttlSeconds, writeTime } = shape
  const conditionText =
    typeof condition === 'object' || found.length + foundNull.length > 0
      ? JSON.stringify([condition, found, foundNull, proof])
      : (condition ?? '')
  const name = `${op}${ttlSeconds ? ' ttl' : ''}${writeTime ? ' at' : ''} ${conditionText} ${columns.join('\0')}`
  return table.templates.get(name, () => newTemplate(table, shape))
}

function newTemplate(table: WrittenTable, shape: Shape): Template {
  if (shape.op === 'delete') return deleteTemplate(table, shape)
  // Of static columns no insert can say that they must not be there yet: their partition may well be.
  const isUpdate = shape.op === 'update' || (table.isStatic && shape.condition !== undefined)
  return isUpdate ? updateTemplate(table, shape) : insertTemplate(table, shape)
}

function insertTemplate(table: WrittenTable, shape: Shape): Template {
  const writer = new CqlWriter()
  const columns = shape.columns.map((name) => known(table.columns, name))
  const values = columns.map((column, at) => writer.valueOf(column, at))
  // The marker goes behind the key, as in the definition.
  const marker = table.isStatic ? columns.findLastIndex(({ name }) => table.keyNames.has(name)) + 1 : -1
  if (marker >= 0) {
    columns.splice(marker, 0, ROW_MARKER_COLUMN)
    values.splice(marker, 0, 'true')
  }
  return writer.template(
    `INSERT INTO ${table.table} (${columnList(columns)}) VALUES (${values.join(', ')})` +
      onlyIf(writer, conditionOf(table, shape)) +
      using(writer, positionsOf(shape)),
    table.partition,
  )
}

interface Assigned {
  readonly column: PhysicalColumn
  readonly position: number
}

function updateTemplate(table: WrittenTable, shape: Shape): Template {
  const writer = new CqlWriter()
  const key: Assigned[] = []
  const changed: Assigned[] = []
  for (const [position, name] of shape.columns.entries()) {
    const side = table.keyNames.has(name) ? key : changed
    side.push({ column: known(table.columns, name), position })
  }
  if (writesFound(table, shape)) {
    for (const [at, name] of (shape.found ?? []).entries())
      changed.push({ column: known(table.columns, name), position: positionOfFound(shape, at) })
  }
  // A row that has to be there has its marker; another one comes to be by this.
  const marks = table.isStatic && shape.condition !== 'EXISTS'
  const options = using(writer, positionsOf(shape))
  const set = [...(marks ? [`${quote(ROW_MARKER_COLUMN.name)} = true`] : []), ...assigned(writer, changed)]
  if (set.length === 0) throw nothingToWrite(table)
  // CQL takes no row's key where all that changes is static.
  const isOfRow = key.length > table.partition.size
  const isStatic = isOfRow && changed.every(({ column }) => table.statics.has(column.name))
  const asksForRow = isStatic && dependsOnRow(table, shape.condition)
  if (asksForRow) {
    const column = columnOfRow(table)
    set.push(`${quote(column.name)} = ${writer.unset(column)}`)
  }
  const found = isStatic && !asksForRow ? key.filter(({ column }) => table.partition.has(column.name)) : key
  const where = assigned(writer, found).join(' AND ')
  return writer.template(
    `UPDATE ${table.table}${options} SET ${set.join(', ')} WHERE ${where}` +
      onlyIf(writer, conditionOf(table, shape)),
    table.partition,
  )
}

/** Whether an update writes what its row is found by: in a row that may not exist, the key and these have to agree. */
function writesFound(table: WrittenTable, shape: Shape): boolean {
  if (table.expiring.length > 0 || shape.condition !== undefined) return isRenewed(table, shape)
  const { keyNames, statics } = table
  return shape.columns.some((name) => !keyNames.has(name) && !statics.has(name))
}

/**
 * Whether an update gives a row that expires all of its life: what the row is found by is then written once more, as it is.
 * Beside a part of the row it would expire by itself, and the row with it.
 */
function isRenewed({ expiring }: WrittenTable, { columns, found = [] }: Shape): boolean {
  const isWritten = ({ name }: PhysicalColumn): boolean => columns.includes(name)
  return (
    expiring.some(isWritten) && expiring.every((column) => isWritten(column) || found.includes(column.name))
  )
}

/** Behind the values of the columns and those of the options. */
function positionOfFound({ columns }: Shape, at: number): number {
  return columns.length + 2 + at
}

function dependsOnRow({ statics }: WrittenTable, condition: Shape['condition']): boolean {
  if (typeof condition !== 'object') return condition !== undefined
  return [...condition.same, ...condition.none].some((name) => !statics.has(name))
}

/** A column that belongs to the row itself, outside of its key. */
function columnOfRow({ layout, keyNames, statics }: WrittenTable): PhysicalColumn {
  const column = layout.columns.find(({ name }) => !keyNames.has(name) && !statics.has(name))
  if (column) return column
  const { name } = layout.table
  throw new IsothermError(
    'UNSUPPORTED_WRITE',
    `An update of static fields alone cannot check whether a row of ${name} exists.`,
    {
      fix: 'Pass { conditional: false }: static fields belong to the whole partition. Or use upsert.',
      table: name,
    },
  )
}

function assigned(writer: CqlWriter, values: readonly Assigned[]): string[] {
  return equals(
    writer,
    values.map(({ column }) => column),
    values.map(({ position }) => position),
  )
}

function deleteTemplate(table: WrittenTable, shape: Shape): Template {
  const writer = new CqlWriter()
  const options = using(writer, positionsOf(shape))
  const where = equals(
    writer,
    table.key,
    table.key.map((_, at) => at),
  ).join(' AND ')
  return writer.template(
    `DELETE FROM ${table.table}${options} WHERE ${where}` + onlyIf(writer, conditionOf(table, shape)),
    table.partition,
  )
}

function addTemplate(table: WrittenTable, columns: readonly PhysicalColumn[]): Template {
  const writer = new CqlWriter()
  const added = columns.map(
    (column) => `${quote(column.name)} = ${quote(column.name)} + ${writer.valueOf(column)}`,
  )
  const where = equals(writer, table.key).join(' AND ')
  return writer.template(`UPDATE ${table.table} SET ${added.join(', ')} WHERE ${where}`, table.partition)
}

/** A row of static columns exists if its marker is set; a row that may expire exists if it has its required columns. */
function conditionOf(table: WrittenTable, shape: Shape): Condition | undefined {
  const { condition } = shape
  switch (condition) {
    case undefined:
      return undefined
    case 'EXISTS':
      return conditionOfRow(table, shape)
    case 'NOT EXISTS':
      return table.isStatic
        ? [ROW_MARKER_COLUMN, ...table.expiring].map((column) => ({ column, is: 'NULL' }))
        : condition
    default: {
      const { same, none } = condition
      return [
        ...same.map((name, at) => ({
          column: known(table.columns, name),
          is: { position: positionOfFound(shape, at) },
        })),
        ...none.map((name) => ({ column: known(table.columns, name), is: 'NULL' as const })),
      ]
    }
  }
}

/** Whether a marker shows that a row exists. It expires with the insert, and the row lives on by what updates have written. */
function isMarked({ isStatic, expiring }: WrittenTable): boolean {
  return isStatic && expiring.length === 0
}

/**
 * Columns that show that a row exists which is found by NULL: those that it must have, though one of them may have been added
 * since, or be what this update fills in. Without any, one that it may have.
 */
function proofsOf({ layout, required, keyNames, statics }: WrittenTable, found: readonly string[]): string[] {
  const isOther = ({ name }: PhysicalColumn): boolean => !found.includes(name)
  const sure = required.filter(isOther)
  const any = layout.columns.filter(({ name }) => !keyNames.has(name) && !statics.has(name)).filter(isOther)
  return (sure.length > 0 ? sure : any.slice(0, 1)).map(({ name }) => name)
}

function conditionOfRow(table: WrittenTable, shape: Shape): Condition {
  const { found = [], foundNull = [], proof } = shape
  const { columns, expiring } = table
  const holds = found.map((name, at) => ({
    column: known(columns, name),
    is: { position: positionOfFound(shape, at) },
  }))
  const notNull = (all: readonly PhysicalColumn[]) =>
    all.filter(({ name }) => !found.includes(name)).map((column) => ({ column, is: 'NOT NULL' as const }))
  const isThere = isMarked(table)
    ? [{ column: ROW_MARKER_COLUMN, is: 'true' as const }]
    : notNull(proof === undefined ? expiring : [known(columns, proof)])
  if (isThere.length + holds.length === 0) return 'EXISTS'
  return [
    ...isThere,
    ...holds,
    ...foundNull.map((name) => ({ column: known(columns, name), is: 'NULL' as const })),
  ]
}

function statementOf(template: Template, kind: CqlStatement['kind'], values: readonly Wire[]): CqlStatement {
  return {
    text: template.text,
    parameters: parametersOf(template, values),
    idempotent: kind === 'write',
    kind,
    routing: template.routing,
    ...(template.unset && { unset: template.unset }),
  }
}

function manyRows({ table }: Mutation): IsothermError {
  return new IsothermError('UNSUPPORTED_WRITE', `A conditional write of ${table} can have one row only.`, {
    fix: 'Write the rows one by one.',
    table,
  })
}

/**
 * An update without a check writes all that a row which expires must have, or nothing of it: a row that does not exist would
 * come to be without the columns that it is found by.
 *
 * @throws {IsothermError} `UNSUPPORTED_WRITE` for a part of it.
 */
function refusePart(table: WrittenTable, shape: Shape): void {
  const { expiring, layout } = table
  const { columns, found = [] } = shape
  if (!expiring.some(({ name }) => columns.includes(name)) || isRenewed(table, shape)) return
  const propertyOf = (name: string): string =>
    layout.fields.find(({ physical }) => physical.some((column) => column.name === name))!.column.property
  const needed = expiring.map(({ name }) => name).filter((name) => !found.includes(name))
  const all = [...new Set(needed.map(propertyOf))].join(', ')
  const lacking = propertyOf(needed.find((name) => !columns.includes(name))!)
  const of = propertyOf(found[0]!)
  throw new IsothermError(
    'UNSUPPORTED_WRITE',
    `Rows of ${layout.table.name} expire, and their key is computed from ${of}: an unconditional update of only some of the NOT NULL columns could leave a row without ${lacking}.`,
    {
      fix: `Give all of them (${all}) or none of them, or remove conditional: false and writeTime.`,
      table: layout.table.name,
      column: lacking,
    },
  )
}

function nothingToWrite({ layout: { table } }: WrittenTable): IsothermError {
  return new IsothermError('INVALID_VALUE', `An update of ${table.name} changes nothing but the key.`, {
    fix: 'Give the fields to change.',
    table: table.name,
  })
}
