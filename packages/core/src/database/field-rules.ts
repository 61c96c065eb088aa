import type { Field, TableLayout } from '../dialects/layout.js'
import { IsothermError } from '../errors.js'
import { isTimeOrderedUuid } from '../keys/uuid-v4.js'
import { shardBounds } from '../model/key.js'
import { BucketWindow, shownBucket } from './bucket-fill.js'
import type { PlainRow } from './codec.js'
import type { Supplies } from './counter-supplies.js'
import { derivedFill, derivedValue } from './derived.js'
import { fillerOf, type Filler } from './fill.js'

/** What an insert makes of one field of a row, and what it refuses; compiled once per table. */
export class FieldRules {
  readonly field: Field
  readonly property: string
  /** The client makes the value where a row leaves it out. */
  readonly isMade: boolean
  /** The value is a shard, or follows from other values of the row. */
  readonly isDerived: boolean
  /** A key that begins with a UUID, or a UUID declared as v4: one made from a clock would run hot. */
  readonly refusesClockUuids: boolean
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
    this.isDerived = fill.by === 'shard' || fill.by === 'hash' || fill.by === 'bucket'
    this.refusesClockUuids =
      column.source?.kind === 'uuid-v4' || (column.type.kind === 'uuid' && layout.key[0]?.field === field)
  }

  /** The properties that the value follows from. */
  get sources(): readonly string[] {
    const { fill } = this.field
    if (fill.by === 'bucket') return [fill.source.of]
    return fill.by === 'shard' || fill.by === 'hash' ? fill.source.of : []
  }

  /**
   * The value for a row that leaves it out; needs no checking.
   *
   * @param row what it is made of, accepted
   * @throws {IsothermError} `INVALID_VALUE` where something that it follows from is not there, or where no walk from bucket
   * to bucket would come by.
   */
  make(row: PlainRow, place: number, supplies: Supplies | undefined): unknown {
    if (!this.#filler) return supplies?.next(this.field)
    if (this.isDerived) this.#checkSources(row, place)
    const made = this.#filler(row)
    if (this.#window) this.#checkBucket(made, place)
    return made
  }

  /** A value that was given, checked. @throws {IsothermError} `INVALID_VALUE` for one that the column does not take. */
  accept(value: unknown, place: number): unknown {
    const { table } = this.#layout
    const { field } = this
    if (value === null) {
      if (field.column.nullable) return null
      throw new IsothermError(
        'INVALID_VALUE',
        `${table.name}.${field.column.property} of row ${place} has no value, and takes no NULL.`,
        { fix: 'Give it a value.', table: table.name, column: field.column.property },
      )
    }
    const accepted = field.accept(value)
    if (field.storesNoNan && Number.isNaN(accepted))
      throw this.#invalid('takes no NaN: it is in the key.', 'Use another number.')
    if (this.refusesClockUuids && isTimeOrderedUuid(accepted as string)) {
      throw this.#invalid(
        `takes a UUID v4, not the v${(accepted as string)[14]} ${String(accepted)}.`,
        'Its high bits are a clock, so such keys are written side by side. Use crypto.randomUUID(), or leave it out.',
      )
    }
    return accepted
  }

  /** A shard, or a hash, that was given must be the one that reads will look in. */
  checkDerived(row: PlainRow, given: unknown, place: number): void {
    const { field } = this
    const derived = derivedFill(field)
    if (derived) this.#checkSources(row, place)
    const expected = derived && derivedValue(derived, row)
    if (expected === undefined ? isShard(field, given) : field.compare(given, expected) === 0) {
      if (this.#window) this.#checkBucket(given, place)
      return
    }
    const { table } = this.#layout
    throw new IsothermError(
      'INVALID_VALUE',
      `${table.name}.${field.column.property} of row ${place} is ${shown(given)}, where reads would look in ` +
        `${expected === undefined ? shardsOf(field) : shown(expected)}.`,
      { fix: 'Leave it out.', table: table.name, column: field.column.property },
    )
  }

  /** Whoever reads from bucket to bucket goes no further than the model says. */
  #checkBucket(bucket: unknown, place: number): void {
    const outside = this.#window!.outside(bucket as string | Date)
    if (!outside) return
    throw this.#invalid(
      `of row ${place} lies in ${shownBucket(bucket)}, ${outside.side} ${outside.bound}, where no walk would find it.`,
      outside.side === 'before'
        ? 'Declare an earlier `since`, in every process that reads the table.'
        : 'See whether the time is right, or declare more buckets with `ahead`.',
    )
  }

  /** What the database makes is not there to be hashed here. */
  #checkSources(row: PlainRow, place: number): void {
    const missing = this.sources.find((property) => row[property] === undefined)
    if (missing === undefined) return
    throw this.#invalid(
      `of row ${place} is hashed into the key, and was left out for the database to make.`,
      'Give it a value.',
      missing,
    )
  }

  #invalid(what: string, fix: string, column = this.property): IsothermError {
    const { name } = this.#layout.table
    return new IsothermError('INVALID_VALUE', `${name}.${column} ${what}`, { fix, table: name, column })
  }
}

function isShard({ fill }: Field, given: unknown): boolean {
  if (fill.by !== 'shard') return true
  const { lowest, highest } = shardBounds(fill.source)
  return (given as bigint) >= lowest && (given as bigint) <= highest
}

function shardsOf({ fill }: Field): string {
  if (fill.by !== 'shard') return ''
  const { lowest, highest } = shardBounds(fill.source)
  return `${lowest} to ${highest}`
}

function shown(value: unknown): string {
  if (value instanceof Date) return shownBucket(value)
  return Buffer.isBuffer(value) ? value.toString('hex') : String(value)
}
