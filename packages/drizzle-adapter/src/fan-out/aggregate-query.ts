import { IsothermError, type FanOutQuery } from '@isotherm/core'
import { Column, is, SQL } from 'drizzle-orm'
import { decoderOf } from '../drizzle-internals.js'
import { fromCore, valueType } from '../keys/column-values.js'
import { rowMapper } from '../session/rows.js'
import type { Aggregation, Measure, ReadField } from './aggregates.js'
import type { FanOutSource } from './source.js'

type CoreQuery = FanOutQuery<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

/** Aggregates of a fan-out, in the place of rows. They come all at once: there are no pages of them. */
export class AggregateQuery {
  readonly #query: CoreQuery
  readonly #aggregation: Aggregation
  readonly #source: FanOutSource
  readonly #map: (cells: readonly unknown[]) => Record<string, unknown>

  /** @throws {IsothermError} `INVALID_QUERY` for what cannot be computed of a column. */
  constructor(query: CoreQuery, aggregation: Aggregation, source: FanOutSource) {
    this.#query = query
    this.#aggregation = aggregation
    this.#source = source
    this.#map = rowMapper(
      aggregation.fields.map(({ selected }) => selected),
      undefined,
      (column) => ({ decode: (value) => fromCore(column, value) }),
    )
    this.#asked()
  }

  async all(): Promise<Record<string, unknown>[]> {
    const { groups, fields } = this.#aggregation
    const found: readonly Row[] = await this.#asked().all()
    // Of no rows at all there is one group, too, where there is nothing to group by.
    const rows = groups.length === 0 && found.length === 0 ? [NOTHING] : found
    return rows.map((row) => this.#map(fields.map((field) => this.#cell(row[field.name], field))))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Record<string, unknown>, void, undefined> {
    yield* await this.all()
  }

  page(): Promise<never> {
    return Promise.reject(this.#noPages())
  }

  after(): never {
    throw this.#noPages()
  }

  count(): Promise<never> {
    return Promise.reject(
      this.#refused('is not counted', 'Await it, and take its length; or select count() without groupBy().'),
    )
  }

  explain(): never {
    throw this.#refused(
      'has no plan',
      'One statement computes it, over the shards that can match. Explain a fan-out of the rows.',
    )
  }

  #asked() {
    const { groups, measures, order, limit } = this.#aggregation
    const [first, ...others] = groups
    const grouped = first === undefined ? this.#query.totals() : this.#query.groupBy(first, ...others)
    const options = [...measures].map(([name, measure]) => [name, this.#options(measure)] as const)
    let asked = grouped.select(Object.fromEntries(options))
    for (const { name, direction } of order) asked = asked.orderBy(name, direction)
    return limit === undefined ? asked : asked.limit(limit)
  }

  #options({ compute, column }: Measure): { readonly count: true } {
    const options =
      compute === 'count' || !column ? { count: true } : { [compute]: this.#source.propertyOf(column) }
    return options as { readonly count: true }
  }

  /** A value as the select's own decoders expect it: as Isotherm has it for those of columns, as it is read for others. */
  #cell(value: unknown, { measure, selected: { field } }: ReadField): unknown {
    if (measure?.compute === 'count') return BigInt((value ?? 0) as number)
    if (value === undefined || value === null) return null
    if (!measure?.column || is(decoderOf(is(field, SQL.Aliased) ? field.sql : (field as SQL)), Column))
      return value
    if (measure.compute === 'avg' || valueType(measure.column)?.kind !== 'int64') return value
    const whole = value as bigint | number
    // PostgreSQL's sum of integers is a numeric.
    if (measure.compute === 'sum' && this.#source.isPostgreSql) return String(whole)
    return BigInt(whole)
  }

  #noPages(): IsothermError {
    return this.#refused(
      'has no pages',
      'Await it: its groups come all at once; limit(…) keeps the first of them.',
    )
  }

  #refused(what: string, fix: string): IsothermError {
    const { name } = this.#source
    return new IsothermError('UNSUPPORTED', `A fan-out of aggregates ${what}.`, { fix, table: name })
  }
}

const NOTHING: Row = {}
