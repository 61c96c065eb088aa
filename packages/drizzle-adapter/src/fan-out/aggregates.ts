import { type FanOutQuery, IsothermError } from '@isotherm/core'
import { Column, SQL, type SQLChunk, is } from 'drizzle-orm'
import { decoderOf, withChunks } from '../drizzle-internals.js'
import { fromCore, valueType } from '../keys/column-values.js'
import { type SelectedField, rowMapper } from '../session/rows.js'
import type { FanOutSource } from './source.js'
import { type Token, tokensOf } from '../sql/tokens.js'

/** Something that the database computes of the rows of a group. */
export interface Measure {
  readonly compute: 'count' | 'sum' | 'avg' | 'min' | 'max'
  /** Undefined for a count of rows. */
  readonly column: Column | undefined
}

/** Where a field's value is found in what comes back. */
interface ReadField {
  readonly selected: SelectedField
  readonly name: string
  readonly measure: Measure | undefined
}

interface Order {
  readonly name: string
  readonly direction: 'asc' | 'desc'
}

/** A select of aggregates, as a fan-out computes it. */
export interface Aggregation {
  /** Properties that rows are grouped by. Empty: all rows are one group. */
  readonly groups: readonly string[]
  readonly measures: ReadonlyMap<string, Measure>
  readonly fields: readonly ReadField[]
  readonly order: readonly Order[]
  readonly limit: number | undefined
}

export interface AggregateSelect {
  readonly source: FanOutSource
  readonly selected: readonly SelectedField[]
  readonly groupBy: readonly unknown[]
  readonly orderBy: readonly unknown[]
  readonly limit: number | undefined
}

/** Whether a select is one of groups or aggregates, rather than of rows. */
export function isAggregation({ selected, groupBy }: AggregateSelect): boolean {
  return groupBy.length > 0 || selected.some(({ field }) => measureOf(termTokens(field)) !== undefined)
}

/** @throws {IsothermError} `UNSUPPORTED_QUERY` for aggregates that a fan-out does not compute in the same way as the database. */
export function aggregationOf({ source, selected, groupBy, orderBy, limit }: AggregateSelect): Aggregation {
  const groups = groupBy.map((term) => {
    if (is(term, Column)) return source.propertyOf(term)
    throw refused(source, 'a group by an expression', 'Group by columns of the table.')
  })
  const measures = new Map<string, Measure>()
  const nameOf = (tokens: readonly Token[], what: string): string => {
    const [first, ...others] = tokens
    if (first?.kind === 'column' && others.length === 0) {
      const property = source.propertyOf(first.column)
      if (groups.includes(property)) return property
      throw refused(source, `${what} ${property}, which it is not grouped by`, 'Add it to groupBy().')
    }
    const measure = measureOf(tokens)
    if (!measure) throw refused(source, `${what}, which is not an aggregate that it knows`, KNOWN)
    refuseInexact(measure, source)
    // No property has such a name.
    const name = `#${measures.size}`
    measures.set(name, measure)
    return name
  }
  const fields = selected.map((each): ReadField => {
    const name = nameOf(termTokens(each.field), `the field ${each.path.join('.')}`)
    const measure = measures.get(name)
    if (measure) refuseDecoder(measure, each.field, source)
    return { selected: each, name, measure }
  })
  const order = orderBy.map((term): Order => {
    const tokens = termTokens(term)
    const isDescending = isWord(tokens.at(-1), 'desc')
    const by = isDescending || isWord(tokens.at(-1), 'asc') ? tokens.slice(0, -1) : tokens
    return { name: nameOf(by, 'an order by'), direction: isDescending ? 'desc' : 'asc' }
  })
  return { groups, measures, fields, order, limit }
}

const KNOWN =
  'It takes count(), sum(column), avg(column), min(column) and max(column) of drizzle-orm. Await the select itself, which the database runs over all shards.'

/** A column, or an expression; a named expression counts as that expression, also inside another one. */
function termTokens(term: unknown): readonly Token[] {
  if (is(term, Column)) return [{ kind: 'column', column: term }]
  const sql = unaliased(term as SQLChunk)
  return is(sql, SQL) ? tokensOf(sql) : []
}

function unaliased(chunk: SQLChunk): SQLChunk {
  if (is(chunk, SQL.Aliased)) return chunk.sql
  return is(chunk, SQL) ? withChunks(chunk, chunk.queryChunks.map(unaliased)) : chunk
}

/** `count(*)`, `sum(column)` …; undefined for any other. */
function measureOf(tokens: readonly Token[]): Measure | undefined {
  const [first, open, of, close, ...others] = tokens
  if (first?.kind !== 'word' || others.length > 0 || !isWord(open, '(') || !isWord(close, ')'))
    return undefined
  const compute = COMPUTATIONS.find((each) => each === first.text)
  if (compute === 'count' && isWord(of, '*')) return { compute, column: undefined }
  return compute && of?.kind === 'column' ? { compute, column: of.column } : undefined
}

const COMPUTATIONS = ['count', 'sum', 'avg', 'min', 'max'] as const

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}

/** Where Isotherm computes another value than the database does by itself. */
function refuseInexact({ compute, column }: Measure, source: FanOutSource): void {
  if (!column) return
  const property = source.propertyOf(column)
  const kind = valueType(column)?.kind
  if (compute === 'count' && !column.notNull && !column.primary) {
    throw refused(
      source,
      `count(${property}), of a column that may be NULL`,
      `Count rows, with where(isNotNull(…)): a fan-out counts no values.`,
    )
  }
  if (source.isPostgreSql && compute === 'avg' && kind === 'int64') {
    throw refused(
      source,
      `avg(${property}), an average of integers`,
      'Take sum(…) and count(): the database returns more digits than a number can hold.',
    )
  }
  if (source.isPostgreSql && compute === 'sum' && kind === 'float32') {
    throw refused(source, `sum(${property}), of 32 bits`, 'Await the select itself.')
  }
}

/** A column reads its own values, least or greatest, and no others. */
function refuseDecoder(
  { compute, column }: Measure,
  field: SelectedField['field'],
  source: FanOutSource,
): void {
  const decoder = is(field, SQL.Aliased) ? decoderOf(field.sql) : is(field, SQL) && decoderOf(field)
  if (!is(decoder, Column)) return
  if ((compute === 'min' || compute === 'max') && column?.name === decoder.name) return
  throw refused(
    source,
    `${compute}(), read as ${decoder.name} is`,
    'Map it with a function: mapWith(Number).',
  )
}

function refused(source: FanOutSource, what: string, fix: string): IsothermError {
  return new IsothermError('UNSUPPORTED_QUERY', `A fan-out cannot have ${what}.`, { fix, table: source.name })
}

type CoreQuery = FanOutQuery<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

/** Aggregates of a fan-out, in place of rows. All of them are returned at once: there are no pages. */
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
    this.#groupQuery()
  }

  async all(): Promise<Record<string, unknown>[]> {
    const { groups, fields } = this.#aggregation
    const found: readonly Row[] = await this.#groupQuery().all()
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

  #groupQuery() {
    const { groups, measures, order, limit } = this.#aggregation
    const [first, ...others] = groups
    const grouped = first === undefined ? this.#query.totals() : this.#query.groupBy(first, ...others)
    const options = [...measures].map(([name, measure]) => [name, this.#options(measure)] as const)
    let query = grouped.select(Object.fromEntries(options))
    for (const { name, direction } of order) query = query.orderBy(name, direction)
    return limit === undefined ? query : query.limit(limit)
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
      'Await it: all groups are returned at once; limit(…) keeps the first ones.',
    )
  }

  #refused(what: string, fix: string): IsothermError {
    const { name } = this.#source
    return new IsothermError('UNSUPPORTED_QUERY', `A fan-out of aggregates ${what}.`, { fix, table: name })
  }
}

const NOTHING: Row = {}
