import { IsothermError } from '../errors.js'
import {
  COMMIT_TIMESTAMP,
  type Field,
  type PhysicalColumn,
  type TableLayout,
  type Wire,
  generatedFrom,
} from '../layout/layout.js'
import { bitReverse } from '../keys/bit-reverse.js'
import type { AnyCounter } from '../model/bindings.js'
import { isTimeOrderedUuid } from '../keys/uuid.js'
import {
  BucketWindow,
  type Filler,
  checkInputs,
  derivedFill,
  derivedFrom,
  fillerOf,
  lookedForIn,
  noRow,
  partOfParent,
  shownBucket,
  shownDerived,
  unknownProperty,
  valueIn,
} from './fill.js'
import type { PlainRow } from '../engine/codec.js'
import type { Limits } from '../engine/retries.js'
import { sameKey } from '../engine/row-writes.js'
import { isPlainObject } from '../options.js'

/** Numbers that were taken from the application's counters for the rows of one insert. */
export class Supplies {
  readonly #numbers: ReadonlyMap<Field, readonly bigint[]>
  readonly #used = new Map<Field, number>()

  constructor(numbers: ReadonlyMap<Field, readonly bigint[]>) {
    this.#numbers = numbers
  }

  /** The next number for a field, as it is stored. */
  next(field: Field): bigint | undefined {
    const at = this.#used.get(field) ?? 0
    this.#used.set(field, at + 1)
    return this.#numbers.get(field)?.[at]
  }
}

interface CountedField {
  readonly field: Field
  readonly counter: AnyCounter
  /** The numbers are stored with their bits reversed. */
  readonly reversed: boolean
  readonly isKey: boolean
}

export interface SupplyOptions {
  /** The transaction that writes the rows, if there is one. */
  readonly transaction?: object | undefined
  /** For keys only: what else is left out stays as it is in the database. */
  readonly partial?: boolean
  /** The limits of the call that writes the rows. Numbers that come later are lost. Default: none. */
  readonly limits?: Limits | undefined
}

/** Takes numbers for all rows of an insert at once, so that none of them waits for its own. */
export class CounterSupplies {
  readonly #table: string
  readonly #counted: readonly CountedField[]

  constructor({ table, fields, key }: TableLayout) {
    this.#table = table.name
    this.#counted = fields.flatMap((field) => {
      if (field.fill.by !== 'counter') return []
      const { counter, reversed } = field.fill
      return [{ field, counter, reversed, isKey: key.some((part) => part.field === field) }]
    })
  }

  /**
   * @throws {IsothermError} `UNSUPPORTED_WRITE` for a counter whose numbers belong to a transaction, outside of a transaction;
   * `TIMEOUT`, `CANCELLED`.
   */
  for(
    rows: readonly Readonly<Record<string, unknown>>[],
    { transaction, partial = false, limits }: SupplyOptions = {},
  ): Promise<Supplies> | undefined {
    const counted = partial ? this.#counted.filter(({ isKey }) => isKey) : this.#counted
    if (counted.length === 0 || !Array.isArray(rows)) return undefined
    const work = () => supplied(counted, rows as readonly Readonly<Record<string, unknown>>[], transaction)
    if (!limits) return work()
    const columns = counted.map(({ field }) => `${this.#table}.${field.column.property}`)
    return limits.within(`The numbers for ${columns.join(', ')}`, work)
  }
}

async function supplied(
  counted: readonly CountedField[],
  rows: readonly Readonly<Record<string, unknown>>[],
  transaction: object | undefined,
): Promise<Supplies> {
  const numbers = new Map<Field, readonly bigint[]>()
  for (const { field, counter, reversed } of counted) {
    const { property } = field.column
    const missing = rows.filter((row) => row?.[property] === undefined).length
    const taken = missing === 0 ? [] : await take(counter, missing, property, transaction)
    if (taken.length < missing) {
      throw new IsothermError(
        'INVALID_VALUE',
        `The counter of ${property} gave ${taken.length} numbers instead of ${missing}.`,
        { fix: 'Return as many numbers as requested from take, or throw.', column: property },
      )
    }
    numbers.set(
      field,
      taken.map((number) => stored(number, property, reversed)),
    )
  }
  return new Supplies(numbers)
}

async function take(
  counter: AnyCounter,
  count: number,
  property: string,
  transaction: object | undefined,
): Promise<readonly bigint[]> {
  if ('takeIn' in counter) {
    if (transaction) return counter.takeIn(transaction, count)
    throw new IsothermError(
      'UNSUPPORTED_WRITE',
      `${property} is a number that is taken in the transaction of the insert, but this insert is not in a transaction.`,
      { fix: 'Insert in a transaction: db.transaction((tx) => tx.insert(…)).', column: property },
    )
  }
  if (counter.take) return counter.take(count)
  const numbers: bigint[] = []
  while (numbers.length < count) numbers.push(await counter.next())
  return numbers
}

function stored(number: unknown, property: string, reversed: boolean): bigint {
  if (typeof number === 'bigint' && number >= 0n && number < 2n ** 63n)
    return reversed ? bitReverse(number) : number
  throw new IsothermError('INVALID_VALUE', `The counter of ${property} gave ${String(number)}.`, {
    fix: 'A counter has to return bigints from 0 to 2^63 - 1.',
    column: property,
  })
}

/** How an insert makes and checks one field of a row; compiled once per table. */
export class FieldRules {
  readonly field: Field
  readonly property: string
  /** The client makes the value where a row leaves it out. */
  readonly isMade: boolean
  /** The value is a shard, or follows from other values of the row. */
  readonly isDerived: boolean
  /** A key that begins with a UUID, or a UUID declared as v4: a UUID that contains a clock would cause a hotspot. */
  readonly refusesClockUuids: boolean
  /** The properties that the value follows from. */
  readonly sources: readonly string[]
  readonly #layout: TableLayout
  readonly #filler: Filler | undefined
  readonly #window: BucketWindow | undefined

  constructor(layout: TableLayout, field: Field) {
    const { fill, column } = field
    this.#layout = layout
    this.#filler = fillerOf(field)
    this.#window = fill.by === 'bucket' ? new BucketWindow(fill.source) : undefined
    this.field = field
    this.property = column.property
    this.isMade = this.#filler !== undefined || fill.by === 'counter'
    const isDerived = fill.by === 'shard' || fill.by === 'hash' || fill.by === 'bucket'
    this.isDerived = isDerived
    this.sources = isDerived ? derivedFrom(fill) : []
    this.refusesClockUuids =
      column.source?.kind === 'uuid-v4' || (column.type.kind === 'uuid' && layout.key[0]?.field === field)
  }

  /**
   * The value for a row that leaves it out; it need not be checked.
   *
   * @param row the values that it is made from, accepted
   * @throws {IsothermError} `INVALID_VALUE` if a value that it follows from is missing, or if no bucket scan would find the
   * row.
   */
  make(row: PlainRow, position: number, supplies: Supplies | undefined): unknown {
    if (!this.#filler) return supplies?.next(this.field)
    if (this.isDerived) this.#checkSources(row, position)
    const made = this.#filler(row)
    if (this.#window) this.#checkBucket(made, position)
    return made
  }

  /** A given value, checked. @throws {IsothermError} `INVALID_VALUE` for a value that the column does not accept. */
  accept(value: unknown, position: number): unknown {
    const { table } = this.#layout
    const { field } = this
    if (value === null) {
      if (field.column.nullable) return null
      throw new IsothermError(
        'INVALID_VALUE',
        `${table.name}.${field.column.property} has no value in row ${position}, and cannot be NULL.`,
        {
          fix: partOfParent(this.#layout, field) ?? 'Give it a value.',
          table: table.name,
          column: field.column.property,
        },
      )
    }
    const accepted = field.accept(value)
    if (field.storesNoNan && Number.isNaN(accepted))
      throw this.#invalid('does not accept NaN: it is in the key.', 'Use another number.')
    if (this.refusesClockUuids && isTimeOrderedUuid(accepted as string)) {
      throw this.#invalid(
        `takes a UUID v4, not the v${(accepted as string)[14]} ${String(accepted)}.`,
        'Its high bits are a timestamp, so such keys are written next to each other. Use crypto.randomUUID(), or leave it out.',
      )
    }
    return accepted
  }

  /** A given shard or hash must be the one that reads will look in. */
  checkDerived(row: PlainRow, value: unknown, position: number): void {
    const { field } = this
    if (derivedFill(field)) this.#checkSources(row, position)
    const elsewhere = lookedForIn(field, value, row)
    if (elsewhere === undefined) {
      if (this.#window) this.#checkBucket(value, position)
      return
    }
    const { table } = this.#layout
    throw new IsothermError(
      'INVALID_VALUE',
      `${table.name}.${field.column.property} of row ${position} is ${shownDerived(value)}, but reads would look in ${elsewhere}.`,
      { fix: 'Leave it out.', table: table.name, column: field.column.property },
    )
  }

  /** A bucket scan goes no further than the model's window says, so a row outside of it would not be found. */
  #checkBucket(bucket: unknown, position: number): void {
    const outside = this.#window?.outside(bucket as string | Date)
    if (!outside) return
    throw this.#invalid(
      `of row ${position} lies in ${shownBucket(bucket)}, ${outside.side} ${outside.bound}, where a scan does not find it.`,
      outside.side === 'before'
        ? 'Declare an earlier `since`, in every process that reads the table.'
        : 'Check the time, or declare more buckets with `ahead`.',
    )
  }

  /** The client cannot hash values that the database makes. */
  #checkSources(row: PlainRow, position: number): void {
    for (const property of this.sources) {
      if (row[property] !== undefined) continue
      throw this.#invalid(
        `of row ${position} is hashed into the key, but is missing: the database would compute it.`,
        'Give it a value.',
        property,
      )
    }
  }

  #invalid(what: string, fix: string, column = this.property): IsothermError {
    const { name } = this.#layout.table
    return new IsothermError('INVALID_VALUE', `${name}.${column} ${what}`, { fix, table: name, column })
  }
}

/** Rows that name the same columns: one mutation, or one statement. */
export interface RowGroup {
  readonly columns: readonly PhysicalColumn[]
  readonly rows: Wire[][]
  /** For each row, its index among the rows that were given. */
  readonly positions: number[]
  /** The fields whose values the database makes for these rows, which only a statement tells. */
  readonly made: readonly Field[]
  /** Their keys have UUIDs that were made just now: no row can be there. */
  readonly fresh?: true
}

export interface PreparedInsert {
  /** The rows to hand back: accepted, and filled in with what the client makes. */
  readonly rows: PlainRow[]
  readonly groups: RowGroup[]
  /** Commit timestamps to fill in once they are known: the row's index and the property. */
  readonly awaitsCommit: readonly { readonly position: number; readonly property: string }[]
}

interface Step {
  readonly rules: FieldRules
  readonly field: Field
  readonly property: string
  readonly isKey: boolean
  /** Whether the made value is certainly not the key of another row: an engine without transactions needs to know that. */
  readonly isUnique: boolean
  readonly columns: readonly PhysicalColumn[]
  /** An engine without defaults and NOT NULL would take a new row without it. */
  readonly staysNull: boolean
}

type PlainInput = Readonly<Record<string, unknown>>

/** Whether each row has a value in it, outside the key. A counter is zero until it is added to. */
function isRequired({ key }: TableLayout, field: Field): boolean {
  const { nullable, type } = field.column
  return !nullable && type.kind !== 'counter' && !key.some((part) => part.field === field)
}

const INSERT_OR_UPDATE = 'insert for new rows, update for those that exist.'

/** Turns rows to insert into mutations or statements; compiled once per table. */
export class InsertPlan {
  readonly #layout: TableLayout
  /** Shards are filled in last, but keep the position of their declaration. */
  readonly #blank: Readonly<PlainRow>
  readonly #steps: readonly Step[]
  readonly #counters: CounterSupplies

  constructor(layout: TableLayout) {
    this.#layout = layout
    this.#blank = Object.fromEntries(layout.fields.map(({ column }) => [column.property, undefined]))
    const steps = layout.fields.map((field): Step => ({
      rules: new FieldRules(layout, field),
      field,
      property: field.column.property,
      isKey: layout.key.some((part) => part.field === field),
      isUnique: layout.partition !== undefined && isUniqueKey(layout, field),
      columns: field.physical.filter((column) => column.written),
      staysNull: layout.partition !== undefined && isRequired(layout, field),
    }))
    // Derived values come last: the values that they follow from must have been filled in before.
    this.#steps = [
      ...steps.filter(({ rules }) => !rules.isDerived),
      ...steps.filter(({ rules }) => rules.isDerived),
    ]
    this.#counters = new CounterSupplies(layout)
  }

  /** Numbers for the rows that need some of the application's counters; undefined, without a wait, where none do. */
  supply(inputs: readonly PlainInput[], options?: SupplyOptions): Promise<Supplies> | undefined {
    return this.#counters.for(inputs, options)
  }

  /**
   * @param partial leave out fields that were not given, as an upsert does: an existing row keeps them
   * @throws {IsothermError} `INVALID_VALUE` naming the row's index and the column; nothing has been written then.
   */
  prepare(inputs: readonly PlainInput[], partial = false, supplies?: Supplies): PreparedInsert {
    checkInputs(this.#layout, 'row', inputs)
    const rows: PlainRow[] = []
    const groups = new Map<string, RowGroup>()
    const awaitsCommit: { position: number; property: string }[] = []
    // Rows of one call mostly name the same columns, so the last group is tried before the map.
    let last: { readonly omitted: string; readonly fresh: boolean; readonly group: RowGroup } | undefined

    for (let position = 0; position < inputs.length; position++) {
      const { row, wires, omitted, fresh } = this.#row(
        inputs[position] as PlainInput,
        position,
        partial,
        supplies,
        awaitsCommit,
      )
      rows.push(row)
      if (last?.omitted !== omitted || last.fresh !== fresh) {
        const name = fresh ? `${omitted}fresh` : omitted
        const group = groups.get(name) ?? this.#group(omitted, partial, fresh)
        groups.set(name, group)
        last = { omitted, fresh, group }
      }
      last.group.rows.push(wires)
      last.group.positions.push(position)
    }
    if (partial) refuseTwice(this.#layout, rows)
    return { rows, groups: [...groups.values()], awaitsCommit }
  }

  /** One row: accepted, filled in, and as it is stored. `omitted` tells which steps wrote nothing. */
  #row(
    input: PlainInput,
    position: number,
    partial: boolean,
    supplies: Supplies | undefined,
    awaitsCommit: { position: number; property: string }[],
  ) {
    const row: PlainRow = partial ? {} : { ...this.#blank }
    // A list that grows takes twice the memory that it needs.
    const wires = new Array<Wire>(this.#layout.columns.length)
    let width = 0
    let omitted = ''
    let fresh = false
    let named = 0
    for (let at = 0; at < this.#steps.length; at++) {
      const step = this.#steps[at]!
      const { rules, field, property } = step
      const value = valueIn(input, property)
      let accepted: unknown
      if (value !== undefined) {
        named++
        // A row that was read can be upserted as it is: its generated key is not written.
        if (step.columns.length === 0 && !rules.isDerived && !(partial && step.isKey))
          throw this.#generated(property)
        if (partial && field.column.immutable && !step.isKey) throw this.#immutable(property)
        accepted = rules.accept(value, position)
        if (rules.isDerived) rules.checkDerived(row, accepted, position)
      } else if (field.fill.by === 'commit-timestamp') {
        awaitsCommit.push({ position, property })
        wires[width++] = COMMIT_TIMESTAMP
        continue
      } else if (field.fill.by === 'database' || (partial && !step.isKey)) {
        if (partial && step.staysNull) throw this.#leftOut(step.field, position)
        omitted += `${at},`
        continue
      } else if (rules.isMade) {
        accepted = rules.make(row, position, supplies)
        fresh ||= step.isUnique
      } else {
        // A misspelt property, or something else than a row, is named before the value that is missing for it.
        if (!field.column.nullable) this.#refuseUnknown(input, position, undefined)
        accepted = rules.accept(null, position)
      }
      row[property] = accepted
      for (const column of step.columns) wires[width++] = accepted === null ? null : column.encode(accepted)
    }
    this.#refuseUnknown(input, position, named)
    wires.length = width
    return { row, wires, omitted, fresh }
  }

  #group(omitted: string, partial: boolean, fresh: boolean): RowGroup {
    const left = new Set(omitted.split(',').slice(0, -1).map(Number))
    return {
      columns: this.#steps.filter((_, at) => !left.has(at)).flatMap((step) => step.columns),
      rows: [],
      positions: [],
      made: this.#steps.flatMap((step, at) =>
        left.has(at) && step.field.fill.by === 'database' && this.#isMade(step, partial) ? [step.field] : [],
      ),
      ...(fresh && { fresh }),
    }
  }

  /** An upsert leaves out what a row may have already, and a key that the database generates from the rest. */
  #isMade({ isKey, columns }: Step, partial: boolean): boolean {
    return partial ? isKey && columns.length > 0 : true
  }

  /**
   * @param named how many known properties were given, undefined where they have not been counted: of a plain object, if that
   *   is all of them, there is nothing to look for
   */
  #refuseUnknown(input: PlainInput, position: number, named: number | undefined): void {
    const plain = isPlainObject(input)
    const properties = Object.keys(input)
    if (
      !plain &&
      !(named ?? Object.keys(this.#blank).some((property) => valueIn(input, property) !== undefined))
    )
      throw noRow(this.#layout, input, position)
    if (plain && properties.length === named) return
    for (const property of properties) {
      if (!this.#layout.byProperty.has(property)) {
        throw unknownProperty(this.#layout.table.name, property, this.#layout)
      }
    }
  }

  #generated(property: string): IsothermError {
    return this.#invalid('is generated by the database.', 'Leave it out.', property)
  }

  #immutable(property: string): IsothermError {
    return this.#invalid(
      'is immutable, and an upsert could change it in a row that exists.',
      `Use ${INSERT_OR_UPDATE}`,
      property,
    )
  }

  #leftOut({ column: { property, immutable } }: Field, position: number): IsothermError {
    return this.#invalid(
      `of row ${position} is not given: an upsert of a new row would leave it NULL, which it cannot be.`,
      immutable
        ? `It is immutable, so rows of this table cannot be upserted: use ${INSERT_OR_UPDATE}`
        : `Give it; or use ${INSERT_OR_UPDATE}`,
      property,
    )
  }

  #invalid(what: string, fix: string, column?: string): IsothermError {
    const { name } = this.#layout.table
    const where = column === undefined ? name : `${name}.${column}`
    return new IsothermError('INVALID_VALUE', `${where} ${what}`, {
      fix,
      table: name,
      ...(column !== undefined && { column }),
    })
  }
}

/**
 * For two upserts of one row in one call, their order would depend on the columns that each names, and on the engine.
 *
 * @throws {IsothermError} `INVALID_VALUE` naming both indexes.
 */
function refuseTwice(layout: TableLayout, rows: readonly PlainRow[]): void {
  if (rows.length < 2) return
  const positions = new Map<string, number>()
  for (const [position, row] of rows.entries()) {
    const key = knownKey(layout, row)
    const first = key === undefined ? undefined : positions.get(key)
    if (first !== undefined) throw sameKey(layout, first, position)
    if (key !== undefined) positions.set(key, position)
  }
}

/** As text; undefined where the database makes a part that the rest of the key does not tell. */
function knownKey({ key }: TableLayout, row: PlainRow): string | undefined {
  const parts: Wire[] = []
  for (const { field, column } of key) {
    const value = row[field.column.property]
    if (value !== undefined) parts.push(value === null ? null : column.encode(value))
    else if (generatedFrom(field) === undefined) return undefined
  }
  return JSON.stringify(parts)
}

/** A key part of the table's own that is a UUID of this process: that of a parent is one of a row that may be there. */
function isUniqueKey({ key }: TableLayout, field: Field): boolean {
  const { by } = field.fill
  return (
    (by === 'uuid-v4' || by === 'timeuuid') &&
    !field.column.inherited &&
    key.some((part) => part.field === field)
  )
}
