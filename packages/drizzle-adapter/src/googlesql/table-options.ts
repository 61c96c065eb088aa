import type { ExpectedLoad, LintException } from '@isotherm/core'
import { entityKind, type Column } from 'drizzle-orm'

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

/**
 * Lets the database delete a row so many days after the time in one of its columns.
 *
 * @example
 * rowDeletionPolicy(t.createdAt, { days: 30 })
 */
export function rowDeletionPolicy(column: Column, options: { readonly days: number }): RowDeletionPolicy {
  return new RowDeletionPolicy(column, options.days)
}

/** The load that a table is made for. */
export class LoadExpectation {
  static readonly [entityKind]: string = 'SpannerLoadExpectation'
  readonly load: ExpectedLoad

  constructor(load: ExpectedLoad) {
    this.load = load
  }
}

/** The load that the table is made for: what the linter and the advice on shard counts reckon with. */
export function expectedLoad(load: ExpectedLoad): LoadExpectation {
  return new LoadExpectation(load)
}

export interface LintExceptionOptions {
  readonly rule: string
  /** Limits the exception to one column, or to the index of this name. Default: the whole table. */
  readonly on?: Column | string
  /** For whoever reads the table next. */
  readonly reason: string
}

/** A lint rule that does not apply to a table. */
export class TableLintException {
  static readonly [entityKind]: string = 'SpannerLintException'
  readonly rule: LintException['rule']
  readonly on: Column | string | undefined
  readonly reason: string

  constructor({ rule, on, reason }: LintExceptionOptions) {
    this.rule = rule
    this.on = on
    this.reason = reason
  }
}

/**
 * A lint rule that does not apply to the table, and why.
 *
 * @example
 * lintException({ rule: 'monotonic-index', on: 'events_by_time', reason: 'ten rows a day' })
 */
export function lintException(options: LintExceptionOptions): TableLintException {
  return new TableLintException(options)
}
