import {
  type OptionKinds,
  anything,
  checkArgument,
  checkOptions,
  either,
  flag,
  recordOf,
  required,
  text,
  wholeNumber,
} from '@isotherm/core/adapter'
import { type Column, type Table, entityKind } from 'drizzle-orm'
import { column, onDelete, table } from '../../arguments.js'
import type { Workload, Suppression } from '@isotherm/core'

export interface InterleaveOptions {
  /** What becomes of the rows when their parent's row is deleted. Default: `no action`, which refuses the deletion. */
  readonly onDelete?: 'cascade' | 'no action'
  /** `false`: a row may be there without its parent's row. Default: true. */
  readonly requireParent?: boolean
}

const INTERLEAVE_OPTIONS: OptionKinds<InterleaveOptions> = { onDelete, requireParent: flag }

/** The parent in whose rows a table's rows live. */
export class Interleaving {
  static readonly [entityKind]: string = 'SpannerInterleaving'
  readonly parent: Table
  readonly onDelete: 'cascade' | 'no action'
  readonly requireParent: boolean

  constructor(parent: Table, { onDelete = 'no action', requireParent = true }: InterleaveOptions) {
    this.parent = parent
    this.onDelete = onDelete
    this.requireParent = requireParent
  }
}

/**
 * Keeps a table's rows in the rows of its parent, whose key its own key starts with: see `parentKey`.
 *
 * @example
 * interleaveIn(customers, { onDelete: 'cascade' })
 */
export function interleaveIn(parent: Table, options: InterleaveOptions = {}): Interleaving {
  checkArgument('interleaveIn', 'parent', table, parent)
  checkOptions('interleaveIn', INTERLEAVE_OPTIONS, options)
  return new Interleaving(parent, options)
}

/** Lets the database delete rows some days after the time in one of their columns. */
export class RowDeletionPolicy {
  static readonly [entityKind]: string = 'SpannerRowDeletionPolicy'
  readonly column: Column
  readonly days: number

  constructor(column: Column, days: number) {
    this.column = column
    this.days = days
  }
}

const ROW_DELETION: OptionKinds<{ readonly days: number }> = { days: required(wholeNumber(0)) }

/**
 * Lets the database delete a row this many days after the time in one of its columns.
 *
 * @example
 * rowDeletionPolicy(t.createdAt, { days: 30 })
 */
export function rowDeletionPolicy(time: Column, options: { readonly days: number }): RowDeletionPolicy {
  checkArgument('rowDeletionPolicy', 'column', column, time)
  checkOptions('rowDeletionPolicy', ROW_DELETION, options)
  return new RowDeletionPolicy(time, options.days)
}

/** The load that a table is made for. */
export class TableWorkload {
  static readonly [entityKind]: string = 'SpannerLoadExpectation'
  readonly load: Workload

  constructor(load: Workload) {
    this.load = load
  }
}

/** The load that the table is made for: the linter and the advice on shard counts compute with it. */
export function workload(load: Workload): TableWorkload {
  // `toSchema` checks its contents, with the table.
  checkArgument('workload', 'load', recordOf(anything), load)
  return new TableWorkload(load)
}

interface SuppressionOptions {
  readonly rule: string
  /** Limits the suppression to one column, or to the index of this name. Default: the whole table. */
  readonly on?: Column | string
  /** For the next reader of the table. */
  readonly reason: string
}

const SUPPRESSION: OptionKinds<SuppressionOptions> = {
  rule: required(text("'monotonic-index'")),
  on: either('a column, or the name of an index', column, text("'events_by_time'")),
  reason: required(text("'ten rows a day'")),
}

/** A lint rule that does not apply to a table. */
export class TableSuppression {
  static readonly [entityKind]: string = 'SpannerSuppression'
  readonly rule: Suppression['rule']
  readonly on: Column | string | undefined
  readonly reason: string

  constructor({ rule, on, reason }: SuppressionOptions) {
    this.rule = rule
    this.on = on
    this.reason = reason
  }
}

/**
 * A lint rule that does not apply to the table, and why.
 *
 * @example
 * suppress({ rule: 'monotonic-index', on: 'events_by_time', reason: 'ten rows a day' })
 */
export function suppress(options: SuppressionOptions): TableSuppression {
  checkOptions('suppress', SUPPRESSION, options)
  return new TableSuppression(options)
}
