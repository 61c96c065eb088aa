import type { Condition, Statement } from '../layout/statement.js'
import {
  type Field,
  type PhysicalColumn,
  type TableLayout,
  type Wire,
  generatedFrom,
  generatedOutsideKey,
  hashedOutsideKey,
  keyFields,
} from '../layout/layout.js'
import { type PlainRow, keyWires, rowCodec, wireOfCell, wiresOf } from '../engine/codec.js'
import type { SqlDialectRuntime } from '../engine/dialect.js'
import type {
  Cells,
  MadeCells,
  Mutation,
  RowWrite,
  TransactionContext,
  WriteInTransactionOptions,
} from '../engine/driver.js'
import { IsothermError } from '../errors.js'
import { HalfWritten, fillIn, missingRow, shownKey } from '../engine/row-writes.js'

// How an engine with SQL writes rows in a transaction: by statements, which the transaction's own reads see, and which
// return the values that the database made.

/** The calls of a transaction for statements and reads. */
type Calls = Omit<TransactionContext, 'write'>

type Insertion = Extract<RowWrite, { readonly op: 'insert' | 'update' | 'upsert' }>

/** The rows of a write that core has prepared, and what the database has made of them so far. */
class Rows {
  readonly write: Insertion
  readonly layout: TableLayout
  readonly columns: readonly PhysicalColumn[]
  readonly made: MadeCells[] = []
  /** For each of `made`, which row it is of. */
  readonly #madeAt: number[] = []
  #rows: readonly PlainRow[] | undefined

  constructor(write: Insertion) {
    this.write = write
    this.layout = layoutOf(write)
    const byName = columnsByName(this.layout)
    this.columns = write.columns.map((name) => byName.get(name)!)
  }

  /** Copies for callers that read the rows: when the transaction runs again, it begins with the rows that were given. */
  get rows(): readonly PlainRow[] {
    if (!this.#rows) {
      const rows = valuesOf(this.write).map((row) => ({ ...row }))
      this.made.forEach((made, at) => fillIn(rows[this.#madeAt[at]!]!, made))
      this.#rows = rows
    }
    return this.#rows
  }

  complete(
    at: number,
    fields: readonly Field[],
    columns: readonly PhysicalColumn[],
    cells: readonly unknown[],
  ): void {
    const made = { position: this.write.positions![at]!, fields, columns, cells }
    if (this.#rows) fillIn(this.#rows[at]!, made)
    this.made.push(made)
    this.#madeAt.push(at)
  }

  get isMade(): boolean {
    return (this.write.made?.length ?? 0) > 0
  }
}

const namedColumns = new WeakMap<TableLayout, ReadonlyMap<string, PhysicalColumn>>()

/** Once for a table: each of its updates is a write. */
function columnsByName(layout: TableLayout): ReadonlyMap<string, PhysicalColumn> {
  let byName = namedColumns.get(layout)
  if (!byName) {
    byName = new Map(layout.columns.map((column) => [column.name, column]))
    namedColumns.set(layout, byName)
  }
  return byName
}

/** There is one: only core's own writes become statements. */
function layoutOf(write: RowWrite): TableLayout {
  return write.layout!
}

function valuesOf(write: RowWrite): readonly PlainRow[] {
  return write.values!
}

/** Whether core has prepared a write, so that it can become statements. */
export function isPrepared({ layout, values, positions }: RowWrite): boolean {
  return layout !== undefined && values !== undefined && positions !== undefined
}

/** Finds generated key parts by the rest of the key and by the columns that they follow from, a statement for each row. */
async function completeKeys(
  context: Calls,
  { sql }: SqlDialectRuntime,
  target: Rows,
  positions: readonly number[],
  unknown: readonly Field[],
): Promise<void> {
  const { layout } = target
  const codec = rowCodec(layout.fields)
  const sources = unknown.flatMap((field) => generatedFrom(field) ?? [])
  const inKey = new Set(keyFields(layout))
  const known = layout.fields.filter(
    (field) => !unknown.includes(field) && (inKey.has(field) || sources.includes(field.column.property)),
  )
  for (const at of positions) {
    const row = target.rows[at]!
    const of = known.map((field): Condition => {
      const value = row[field.column.property]
      return value === null
        ? { kind: 'null', field }
        : { kind: 'compare', field, op: 'eq', value, wires: wiresOf(field, value) }
    })
    const statement = sql.statements.select({ layout, condition: { kind: 'and', of }, order: [], limit: 1 })
    const [cells] = await context.query(statement, codec.types)
    if (cells) target.complete(at, unknown, codec.columns, cells)
  }
}

/** Inserts by statement, and tells what the database made. */
async function insertReturning(
  context: Calls,
  dialect: SqlDialectRuntime,
  target: Rows,
  made: readonly Field[],
): Promise<void> {
  const { layout, write } = target
  const { statements, maxParameters } = dialect.sql
  const { returned, readBack, unknownKey } = returnsOf(dialect, layout, made)
  const returning = returned.flatMap((field) => field.physical)
  const types = returning.map((column) => column.type)
  // If the database makes every column of a row, the insert still has to name one.
  const columns = target.columns.length > 0 ? target.columns : [firstWritten(layout)]
  const perStatement = Math.max(1, Math.floor(maxParameters / columns.length))
  for (let from = 0; from < write.rows.length; from += perStatement) {
    const wires = write.rows.slice(from, from + perStatement)
    const positions = wires.map((_, at) => from + at)
    const statement = statements.insert(layout, columns, wires, returning)
    if (returning.length === 0) await context.execute([statement])
    else {
      const answers = await context.returning(statement, types)
      if (answers.length !== wires.length) throw answeredOtherwise(layout, wires.length, answers.length)
      answers.forEach((cells, at) => target.complete(from + at, returned, returning, cells))
    }
    if (unknownKey.length > 0) await completeKeys(context, dialect, target, positions, unknownKey)
    if (readBack.length > 0) await completeByRead(context, target, positions, readBack)
  }
}

function answeredOtherwise({ table }: TableLayout, sent: number, answered: number): IsothermError {
  return new IsothermError(
    'DATABASE',
    `An insert of ${sent} rows into ${table.name} returned ${answered} rows: it is unknown which value belongs to which row.`,
    { fix: 'Insert with returning: false, and read the rows by what is known of them.', table: table.name },
  )
}

function firstWritten(layout: TableLayout): PhysicalColumn {
  return (
    layout.key.map((part) => part.column).find((column) => column.written) ??
    layout.columns.find((column) => column.written)!
  )
}

/** How what the database made comes back: with the statement, or by reading the rows afterwards. */
function returnsOf(
  { sql: { returnsGenerated } }: SqlDialectRuntime,
  layout: TableLayout,
  made: readonly Field[],
) {
  // A key that waits for its commit timestamp finds nothing yet.
  const waits = layout.key.some(({ field }) => field.fill.by === 'commit-timestamp')
  const needsRead = made.filter(
    (field) => !returnsGenerated && !waits && field.physical.some((column) => !column.written),
  )
  const inKey = new Set(layout.key.map((part) => part.field))
  /** To be known before anything can be read by key. */
  const unknownKey = needsRead.filter((field) => inKey.has(field) && generatedFrom(field))
  const readBack = needsRead.filter((field) => !inKey.has(field))
  const obscure = needsRead.find((field) => inKey.has(field) && !unknownKey.includes(field))
  if (obscure && readBack.length > 0) {
    const { property } = obscure.column
    throw new IsothermError(
      'UNSUPPORTED_WRITE',
      `Rows of ${layout.table.name} cannot be returned: only the database computes ${property}, which is needed to find them.`,
      { fix: 'Insert them with { returning: false }.', table: layout.table.name, column: property },
    )
  }
  return {
    returned: made.filter((field) => !unknownKey.includes(field) && !readBack.includes(field)),
    readBack,
    unknownKey,
  }
}

async function completeByRead(
  context: Calls,
  target: Rows,
  positions: readonly number[],
  fields: readonly Field[],
): Promise<void> {
  const { layout } = target
  // A commit timestamp cannot be read before the commit, so no more is read than is needed.
  const codec = rowCodec([...new Set([...keyFields(layout), ...fields])])
  const byKey = new Map<string, number>()
  const keys: (readonly Wire[])[] = []
  for (const at of positions) {
    const key = keyWires(layout, target.rows[at]!)
    keys.push(key)
    byKey.set(JSON.stringify(key), at)
  }
  for (const cells of await context.read({ layout, columns: codec.columns, keys })) {
    const at = byKey.get(JSON.stringify(keyWires(layout, codec.decode(cells))))
    if (at !== undefined) target.complete(at, fields, codec.columns, cells)
  }
}

/**
 * Changes rows by statement.
 *
 * @throws {IsothermError} `NOT_FOUND` where a row does not exist.
 */
async function updateByStatement(
  context: Calls,
  dialect: SqlDialectRuntime,
  targets: readonly Rows[],
): Promise<void> {
  const [first] = targets
  if (!first) return
  const { layout } = first
  const inKey = new Set(keyFields(layout).flatMap(({ physical }) => physical))
  const updates = targets.flatMap((target) => updateStatements(dialect, target, inKey))
  const counts = await context.execute(updates)
  const missing = counts.indexOf(0)
  if (missing < 0) return
  const key = targets.flatMap(({ write }) => valuesOf(write))[missing]!
  throw missingRow(layout.table.name, shownKey(key), { layout })
}

/** @param inKey the columns by which rows are found, which stay as they are */
function updateStatements(
  { sql }: SqlDialectRuntime,
  { layout, columns, write }: Rows,
  inKey: ReadonlySet<PhysicalColumn>,
): Statement[] {
  const changed = columns.flatMap((column, at) => (inKey.has(column) ? [] : [{ column, at }]))
  return valuesOf(write).map((row, position) => {
    const wires = write.rows[position]!
    const changes = changed.map(({ column, at }) => ({ column, value: wires[at]! }))
    return sql.statements.update(layout, changes, keyWires(layout, row), write.found)
  })
}

/** Inserts rows, or changes those that exist, by statement; returns what the database made. */
async function upsertByStatement(
  context: Calls,
  dialect: SqlDialectRuntime,
  targets: readonly Rows[],
): Promise<void> {
  // Without the key that the database makes, a row cannot be an existing one.
  for (const target of targets) {
    if (target.isMade) await insertReturning(context, dialect, target, target.write.made!)
  }
  const statements: Statement[] = []
  for (const target of targets) {
    if (target.isMade) continue
    const more = upsertStatements(dialect, target) ?? (await knowingWhichExist(context, dialect, target))
    for (const statement of more) statements.push(statement)
  }
  if (statements.length > 0) await context.execute(statements)
}

/** Undefined where the dialect has no statement that does both. */
function upsertStatements({ sql }: SqlDialectRuntime, target: Rows): Statement[] | undefined {
  const { layout, columns, write } = target
  if (wouldEmpty(target)) return undefined
  const perStatement = Math.max(1, Math.floor(sql.maxParameters / columns.length))
  const statements: Statement[] = []
  for (let from = 0; from < write.rows.length; from += perStatement) {
    const statement = sql.statements.upsert(layout, columns, write.rows.slice(from, from + perStatement))
    if (!statement) return undefined
    statements.push(statement)
  }
  return statements
}

/**
 * The emulator sets columns that such a statement leaves out to NULL, though they should keep their values: if there are
 * such columns, it is asked which rows exist (https://github.com/GoogleCloudPlatform/cloud-spanner-emulator/issues/303).
 */
function wouldEmpty({ layout, columns }: Rows): boolean {
  return layout.columns.some((column) => column.written && !columns.includes(column))
}

/** Reads which of the rows exist, in the same transaction: those are changed, the others inserted. */
async function knowingWhichExist(
  context: Calls,
  dialect: SqlDialectRuntime,
  target: Rows,
): Promise<Statement[]> {
  const { layout, columns, write, rows } = target
  const { statements } = dialect.sql
  const stored = await storedRows(context, dialect, [target])
  const keyColumns = new Set(layout.key.map((part) => part.column))
  return write.rows.flatMap((wires, at): Statement[] => {
    const row = rows[at]!
    if (!stored.has(row)) return [statements.insert(layout, columns, [wires], [])]
    const changes = columns.flatMap((column, position) =>
      keyColumns.has(column) ? [] : [{ column, value: wires[position] as Wire }],
    )
    return changes.length === 0 ? [] : [statements.update(layout, changes, keyWires(layout, row))]
  })
}

/** The existing rows, with their stored values of the codec's columns. Completes the keys of rows. */
async function storedRows(
  context: Calls,
  dialect: SqlDialectRuntime,
  targets: readonly Rows[],
): Promise<ReadonlyMap<PlainRow, Cells>> {
  const { layout } = targets[0]!
  const codec = rowCodec(layout.fields)
  for (const target of targets) await completeUnknownKeys(context, dialect, target)
  const known = targets.flatMap(({ rows }) => rows).filter((row) => !isUnknown(layout, row))
  if (known.length === 0) return new Map()
  const keys = known.map((row) => keyWires(layout, row))
  const byKey = new Map(known.map((row, at) => [JSON.stringify(keys[at]), row]))
  const stored = new Map<PlainRow, Cells>()
  for (const cells of await context.read({ layout, columns: codec.columns, keys })) {
    const row = byKey.get(JSON.stringify(keyWires(layout, codec.decode(cells))))
    if (row) stored.set(row, cells)
  }
  return stored
}

/** Only the database computes a part of some keys: it finds them by the rest, where there is such a row. */
async function completeUnknownKeys(context: Calls, dialect: SqlDialectRuntime, target: Rows): Promise<void> {
  const { layout, rows } = target
  const generated = keyFields(layout).filter((field) => field.fill.by === 'database')
  const unknown = rows.flatMap((row, at) => (isUnknown(layout, row) ? [at] : []))
  if (generated.length === 0 || unknown.length === 0) return
  const obscure = generated.find((field) => generatedFrom(field) === undefined)
  if (obscure) {
    const { property } = obscure.column
    throw new IsothermError(
      'UNSUPPORTED_WRITE',
      `Rows of ${layout.table.name} cannot be found without ${property}: only the database computes it.`,
      {
        fix: `Give ${property} as well, or insert and update the rows.`,
        table: layout.table.name,
        column: property,
      },
    )
  }
  await completeKeys(context, dialect, target, unknown, generated)
}

function isUnknown(layout: TableLayout, row: PlainRow): boolean {
  return keyFields(layout).some(({ column }) => row[column.property] === undefined)
}

/** The columns left out of a mutation that an engine without `write-beside-defaults` would fill in. */
export function filledIn({ columns, key }: TableLayout, named: readonly string[]): readonly PhysicalColumn[] {
  if (!key.some(({ column }) => isMade(column))) return []
  return columns.filter((column) => column.written && isMade(column) && !named.includes(column.name))
}

function isMade({ made }: PhysicalColumn): boolean {
  return made !== undefined && made.by !== 'commit-timestamp'
}

/**
 * Upserts rows by mutation if the engine would set left-out columns to their defaults: for existing rows, the mutation
 * names the stored values. By statement, the emulator would take time that grows with the square of the rows.
 *
 * @returns the keys of the rows that it has found
 */
export async function upsertKeepingDefaults(
  context: Calls,
  dialect: SqlDialectRuntime,
  writes: readonly RowWrite[],
): Promise<readonly MadeCells[]> {
  const targets = targetsOf(writes)
  const stored = await storedRows(context, dialect, targets)
  for (const { layout, write, rows } of targets) {
    const codec = rowCodec(layout.fields)
    const upsert = (columns: readonly string[], wires: readonly (readonly Wire[])[]): Mutation[] =>
      wires.length === 0 ? [] : [{ op: 'upsert', table: layout.table.name, layout, columns, rows: wires }]
    const kept = filledIn(layout, write.columns)
    context.buffer([
      ...upsert(
        write.columns,
        write.rows.filter((_, at) => !stored.has(rows[at]!)),
      ),
      ...upsert(
        [...write.columns, ...kept.map(({ name }) => name)],
        write.rows.flatMap((row, at) => {
          const cells = stored.get(rows[at]!)
          if (!cells) return []
          return [
            [...row, ...kept.map((column) => wireOfCell(column.type, cells[codec.columns.indexOf(column)]))],
          ]
        }),
      ),
    ])
  }
  return targets.flatMap(({ made }) => made)
}

/**
 * Updates rows by mutation that have to hold something outside their key: one read asks them all, and a mutation writes what the
 * database computes their keys from once more, as it is.
 *
 * @throws {IsothermError} `NOT_FOUND` if a row does not exist, or holds something else.
 */
export async function updateFound(
  context: Calls,
  writes: readonly RowWrite[],
): Promise<readonly MadeCells[]> {
  const targets = targetsOf(writes)
  const { layout } = targets[0]!
  const outside = hashedOutsideKey(layout).map((property) => layout.byProperty.get(property)!)
  const codec = rowCodec([...keyFields(layout), ...outside])
  const rows = targets.flatMap(({ write }) => valuesOf(write))
  const keys = new Map(rows.map((row) => [JSON.stringify(keyWires(layout, row)), keyWires(layout, row)]))
  const stored = new Map<string, PlainRow>()
  for (const cells of await context.read({ layout, columns: codec.columns, keys: [...keys.values()] })) {
    const row = codec.decode(cells)
    stored.set(JSON.stringify(keyWires(layout, row)), row)
  }
  for (const row of rows) {
    const there = stored.get(JSON.stringify(keyWires(layout, row)))
    if (!there || !outside.every((field) => isSame(field, there, row)))
      throw missingRow(layout.table.name, shownKey(row), { layout })
  }
  const generated = new Set(
    generatedOutsideKey(layout).flatMap((name) => layout.byProperty.get(name)!.physical),
  )
  context.buffer(
    targets.map(({ write }) => {
      const needed = (write.found ?? []).filter(({ column }) => generated.has(column))
      return {
        op: 'update',
        table: layout.table.name,
        layout,
        columns: [...write.columns, ...needed.map(({ column }) => column.name)],
        rows: write.rows.map((wires) => [...wires, ...needed.map(({ value }) => value)]),
      }
    }),
  )
  return []
}

function isSame({ column: { property }, compare }: Field, one: PlainRow, other: PlainRow): boolean {
  const [a, b] = [one[property], other[property]]
  return a === null || b === null ? a === b : compare(a, b) === 0
}

function targetsOf(writes: readonly RowWrite[]): readonly Rows[] {
  return writes.flatMap((write) => (write.op === 'delete' ? [] : [new Rows(write)]))
}

async function writeByStatement(
  context: Calls,
  dialect: SqlDialectRuntime,
  writes: readonly RowWrite[],
  returning: boolean,
): Promise<readonly MadeCells[]> {
  const of = (op: RowWrite['op']): readonly Rows[] => targetsOf(writes.filter((write) => write.op === op))
  const [inserts, updates, upserts] = [of('insert'), of('update'), of('upsert')]
  for (const target of inserts)
    await insertReturning(context, dialect, target, (returning && target.write.made) || [])
  await updateByStatement(context, dialect, updates)
  await upsertByStatement(context, dialect, upserts)
  const deletes = writes.flatMap((write) =>
    write.op === 'delete' ? write.keys.map((key) => dialect.sql.statements.delete(layoutOf(write), key)) : [],
  )
  if (deletes.length > 0) await context.execute(deletes)
  return [...inserts, ...upserts].flatMap(({ made }) => made)
}

/** `TransactionContext.write` of an engine with SQL. */
export class StatementWrites {
  readonly #calls: Calls
  readonly #dialect: SqlDialectRuntime
  readonly #half = new HalfWritten()

  /** @param calls of the transaction */
  constructor(calls: Calls, dialect: SqlDialectRuntime) {
    this.#calls = calls
    this.#dialect = dialect
  }

  async write(
    writes: readonly RowWrite[],
    { buffered = false, returning = true }: WriteInTransactionOptions = {},
  ): Promise<readonly MadeCells[]> {
    if (buffered) {
      this.#calls.buffer(writes)
      return []
    }
    // Each call counts for itself: others may be under way at the same time.
    const counted = new CountedCalls(this.#calls)
    try {
      return await writeByStatement(counted.calls, this.#dialect, writes, returning)
    } catch (cause) {
      if (counted.changes > 0) this.#half.note(cause)
      throw cause
    }
  }

  /** Before the commit. @throws {IsothermError} `CANCELLED` if a call has written only a part of its rows. */
  refuseHalfWritten(): void {
    this.#half.refuse()
  }
}

/** Counts what the calls of one write have changed. */
class CountedCalls {
  readonly calls: Calls
  changes = 0

  constructor(calls: Calls) {
    this.calls = {
      ...calls,
      returning: async (statement, types) => {
        const rows = await calls.returning(statement, types)
        this.changes += rows.length
        return rows
      },
      execute: async (statements) => {
        // Of several, some may have run before one is refused.
        this.changes += statements.length - 1
        const counts = await calls.execute(statements)
        this.changes += counts.reduce((sum, count) => sum + count, 0)
        return counts
      },
      buffer: (mutations) => {
        this.changes += mutations.length
        calls.buffer(mutations)
      },
    }
  }
}
