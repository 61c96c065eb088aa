import { type OptionKinds, bigint, checkArgument, checkOptions, text } from '@isotherm/core/adapter'
import { SQL, entityKind, sql } from 'drizzle-orm'
import { skipRange } from '../../arguments.js'

export interface SpannerSequenceOptions {
  /** The first counter value, before its bits are reversed. Default: 1. */
  readonly startWith?: bigint
  /** Values (as handed out) that are passed over, both ends included. */
  readonly skipRange?: readonly [bigint, bigint]
}

const SEQUENCE_NAME = text("'InvoiceNumber'")
const SEQUENCE_OPTIONS: OptionKinds<SpannerSequenceOptions> = { startWith: bigint, skipRange }

/** A bit-reversed sequence, which several columns may draw from. */
export class SpannerSequence {
  static readonly [entityKind]: string = 'SpannerSequence'
  readonly name: string
  readonly schema: string | undefined
  readonly options: SpannerSequenceOptions

  constructor(name: string, schema: string | undefined, options: SpannerSequenceOptions) {
    checkArgument('spannerSequence', 'name', SEQUENCE_NAME, name)
    checkOptions('spannerSequence', SEQUENCE_OPTIONS, options)
    this.name = name
    this.schema = schema
    this.options = options
  }

  /**
   * The next value, as SQL: for a column's default, or in a read-write transaction.
   *
   * @example
   * const invoiceNumbers = spannerSequence('InvoiceNumber')
   * number: int64().notNull().default(invoiceNumbers.next()),
   */
  next(): SQL<bigint> {
    return new NextValue(this)
  }
}

/** The next value of a sequence: SQL that has not forgotten which. */
export class NextValue extends SQL<bigint> {
  static override readonly [entityKind]: string = 'SpannerNextValue'
  readonly sequence: SpannerSequence

  constructor(sequence: SpannerSequence) {
    const name = sql.identifier(sequence.name)
    const qualified =
      sequence.schema === undefined ? sql`${name}` : sql`${sql.identifier(sequence.schema)}.${name}`
    super(sql`GET_NEXT_SEQUENCE_VALUE(SEQUENCE ${qualified})`.queryChunks)
    this.sequence = sequence
  }
}

/** A sequence whose values are stored apart, since their bits are reversed. For a key of one table see `bitReversedId`. */
export function spannerSequence(name: string, options: SpannerSequenceOptions = {}): SpannerSequence {
  return new SpannerSequence(name, undefined, options)
}
