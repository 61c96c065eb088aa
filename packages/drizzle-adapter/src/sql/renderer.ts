import { type WireType, isComposite } from '@isotherm/core/adapter'
import {
  Column,
  Name,
  Param,
  Placeholder,
  SQL,
  type SQLChunk,
  StringChunk,
  Subquery,
  Table,
  View,
  is,
  isSQLWrapper,
} from 'drizzle-orm'
import { IsothermError } from '@isotherm/core'
import {
  type BuiltQuery,
  type PlacedSource,
  inlinesValues,
  isAlias,
  isSelectionField,
  nameOf,
  schemaOf,
  viewConfigOf,
} from '../drizzle-internals.js'
import { typedPlaceholder } from '../session/typed-placeholder.js'
import { refuseCapturedField } from './fields.js'
import {
  FromSource,
  NameHidden,
  ScopedSql,
  SourceLabel,
  SourceNames,
  hasColumnNamed,
  qualifiedNameOf,
} from './sources.js'
import { WithSubqueries } from './condition.js'

/** How many parameters a statement may have. Source: https://cloud.google.com/spanner/quotas#query-limits */
export const MAX_PARAMETERS = 950

/** A column's values, on their way. */
export interface ArrayItems {
  readonly type: WireType
  encode(value: unknown): unknown
  readonly castForm?: CastItems
}

/** Another form of values, from which the database makes them: for those whose `encode` returns an expression. */
interface CastItems {
  readonly type: WireType
  accept(value: unknown): unknown
  cast(parameter: SQLChunk): SQL
}

/** The values of a column, as they are sent. */
export interface ArrayParameter {
  readonly type: WireType
  readonly items: readonly unknown[]
  /** Makes an item the column's value, where it is of another type. */
  readonly cast?: (item: SQLChunk) => SQL
}

/**
 * Rows as one array parameter for each column, since a statement may have only a limited number of parameters. Undefined if
 * that is not possible: there are no arrays of arrays, and an array's item cannot be a default or an expression.
 *
 * @param isSql whether the database computes the value
 */
export function arraysOf(
  columns: readonly (ArrayItems | undefined)[],
  rows: readonly (readonly unknown[])[],
  isSql: (value: unknown) => boolean,
): readonly ArrayParameter[] | undefined {
  const arrays: ArrayParameter[] = []
  for (const [at, column] of columns.entries()) {
    if (!column || isComposite(column.type)) return undefined
    const items: unknown[] = []
    let castForm: CastItems | undefined
    for (const row of rows) {
      const value = row[at]
      if (value === undefined || isSql(value) || is(value, Placeholder)) return undefined
      const item = value === null ? null : column.encode(value)
      if (is(item, SQL)) {
        if (!column.castForm) return undefined
        castForm = column.castForm
      }
      items.push(item)
    }
    arrays.push(castForm ? castItems(castForm, rows, at) : { type: arrayOf(column.type), items })
  }
  return arrays
}

function castItems(
  { type, accept, cast }: CastItems,
  rows: readonly (readonly unknown[])[],
  at: number,
): ArrayParameter {
  return { type: arrayOf(type), items: rows.map((row) => (row[at] === null ? null : accept(row[at]))), cast }
}

// In Drizzle, `inArray(column, values)` is a list of parameters, and a statement may have only a limited number of them.
// One array parameter has room for all values, and the text of the statement does not depend on their number.

export type Membership = 'in' | 'not in'

/** How a dialect sends lists. */
interface ListDialect {
  /** The encoding of an encoder's values; undefined if it has no type. */
  encodingOf(encoder: unknown): ArrayItems | undefined
  /** Whether a value can be looked for in an array of these. */
  takesArrayOf(type: WireType): boolean
}

/** An array in a list's place: its items as they are sent, or a placeholder for all of them. */
interface ListParameter {
  readonly value: unknown
  readonly type: WireType | undefined
  /** Casts an item to the compared type, if its type differs. */
  readonly cast?: (item: SQL) => SQL
}

const IN = /^\s*(not\s+)?in\s*$/i

/** The membership that an operator tests with the list after it; undefined for other operators. */
function membershipOf(chunk: SQLChunk | undefined): Membership | undefined {
  const found = is(chunk, StringChunk) ? IN.exec(chunk.value.join('')) : null
  return found ? (found[1] === undefined ? 'in' : 'not in') : undefined
}

/** Whether a piece is not an operator and no value to come, whatever is beside it. */
function isPlain(chunk: SQLChunk | undefined): boolean {
  return chunk instanceof Column || chunk instanceof SQL || chunk instanceof Param || chunk instanceof Name
}

/** Whether a piece is text that is not an operator before a list: such a list is none of these. */
function isTextAlone(chunk: SQLChunk | undefined, next: SQLChunk | undefined): boolean {
  if (!(chunk instanceof StringChunk)) return false
  return next === undefined || next instanceof Column || next instanceof SQL || next instanceof Name
}

/** The values of one column as an array; undefined where they cannot be one: an expression cannot be an item. */
function listOfValues(list: readonly unknown[], dialect: ListDialect): ListParameter | undefined {
  const encoder = is(list[0], Param) ? list[0].encoder : undefined
  const encoding = encoder && dialect.encodingOf(encoder)
  if (!encoding || !dialect.takesArrayOf(encoding.type)) return undefined
  const items: unknown[] = []
  for (const param of list) {
    if (!is(param, Param) || param.encoder !== encoder || is(param.value, Placeholder)) return undefined
    const item = param.value === null ? null : encoding.encode(param.value)
    if (is(item, SQL)) return undefined
    items.push(item)
  }
  return { value: items, type: arrayOf(encoding.type) }
}

/**
 * A placeholder for a whole list; undefined for any other list.
 *
 * @param before what is looked up in the list
 * @throws {IsothermError} `UNSUPPORTED_QUERY` for a column whose values cannot be looked up in an array.
 */
function listToCome(
  list: SQLChunk | undefined,
  before: SQLChunk | undefined,
  dialect: ListDialect,
): ListParameter | undefined {
  const placeholder = is(list, Param) ? list.value : list
  if (!is(placeholder, Placeholder)) return undefined
  const encoder = is(list, Param) ? list.encoder : is(before, Column) ? before : undefined
  const encoding = encoder && dialect.encodingOf(encoder)
  if (!encoding) return { value: placeholder, type: undefined }
  if (!dialect.takesArrayOf(encoding.type)) throw noArray(placeholder, encoder, encoding.type)
  const { castForm } = encoding
  const encode = castForm?.accept ?? encoding.encode
  const mapToDriverValue = (value: unknown): unknown => itemsOf(value, placeholder, encode)
  const type = arrayOf(castForm?.type ?? encoding.type)
  return {
    value: new Param(placeholder, { mapToDriverValue }),
    type,
    ...(castForm && { cast: castForm.cast }),
  }
}

function arrayOf(of: WireType): WireType {
  return { kind: 'array', of } as WireType
}

/**
 * The items of a list, encoded. Where encoding makes an expression of an item, returns the first one: the caller refuses
 * it.
 */
function itemsOf(list: unknown, { name }: Placeholder, encode: ArrayItems['encode']): unknown {
  if (!Array.isArray(list)) {
    throw new IsothermError(
      'INVALID_VALUE',
      `The placeholder ${JSON.stringify(name)} stands for a list of values, but was given a value that is not an array.`,
      { fix: `Pass an array: execute({ ${name}: […] }).` },
    )
  }
  const items: unknown[] = list.map((each: unknown) => (each === null ? null : encode(each)))
  return items.find((item) => is(item, SQL)) ?? items
}

function noArray({ name }: Placeholder, encoder: unknown, { kind }: WireType): IsothermError {
  const what = is(encoder, Column) ? `${encoder.name}, of type ${kind},` : `A value of type ${kind}`
  return new IsothermError(
    'UNSUPPORTED_QUERY',
    `${what} cannot be compared with an array, which the placeholder ${JSON.stringify(name)} stands for.`,
    { fix: `Give the list a placeholder for each value: [sql.placeholder('${name}1'), …].` },
  )
}

/**
 * SQL as text. It does the same as `SQL.toQuery`, in one pass and for Spanner: each parameter has its type; NULL without a
 * type is a literal; and where `WITH` is not allowed, which is anywhere but at the beginning of a query, its subqueries are
 * written where they are used. The dialects override methods for their own syntax.
 */
export abstract class Renderer implements ListDialect {
  protected text = ''
  readonly #params: unknown[] = []
  readonly #types: (WireType | undefined)[] = []
  readonly #sources: PlacedSource[] = []
  /** Subqueries of `with` that are written out where they are used. */
  readonly #inPlace = new Set<string>()
  protected readonly columnName: (column: Column) => string
  /** Subqueries of `with` that stand before the statement, by their names in lower case. */
  readonly #before = new Set<string>()
  protected readonly names: SourceNames
  /** Whether values are written into the text. */
  #literals = false

  /** @param columnsHideSources whether a column's name hides the sources of the queries around */
  constructor(columnName: (column: Column) => string, columnsHideSources: boolean) {
    this.columnName = columnName
    this.names = new SourceNames(
      columnsHideSources ? (source, name) => hasColumnNamed(source, name, columnName) : undefined,
    )
  }

  /** Another one of the same kind. */
  protected abstract another(): Renderer
  protected abstract quoteName(name: string): string
  /** @param at from 1 */
  protected abstract parameterAt(at: number): string
  /** @param type of a value that is as it is sent; undefined for one as the user gave it */
  protected abstract literal(value: unknown, type: WireType | undefined): string
  /** @throws {IsothermError} `UNSUPPORTED_QUERY` for an operator of other databases. */
  protected abstract refuseForeign(text: string): void
  /** The table before a column. */
  protected abstract tableOfColumn(table: Table): string
  protected abstract param(param: Param): void
  abstract encodingOf(encoder: unknown): ArrayItems | undefined
  abstract takesArrayOf(type: WireType): boolean
  /** The operator that tests whether a value is in the array after it, up to its opening parenthesis. */
  protected abstract arrayOperator(membership: Membership): string

  render(sql: SQL): BuiltQuery {
    try {
      this.write(sql)
    } catch (error) {
      if (!(error instanceof NameHidden)) throw error
      this.names.avoid(error)
      this.#beginAgain()
      return this.render(sql)
    }
    return { sql: this.text, params: this.#params, types: this.#types, sources: this.#sources }
  }

  #beginAgain(): void {
    this.text = ''
    this.#params.length = 0
    this.#types.length = 0
    this.#sources.length = 0
    this.#inPlace.clear()
    this.#before.clear()
    this.#literals = false
  }

  protected write(chunk: unknown): void {
    if (chunk === undefined) return
    if (typeof chunk !== 'object' || chunk === null) return this.value(chunk)
    // Most chunks are direct instances of a class; instances of a subclass, or of another copy of Drizzle, are detected
    // below, which takes longer.
    switch (chunk.constructor) {
      case StringChunk:
        return this.#string((chunk as StringChunk).value)
      case Param:
        return this.param(chunk as Param)
      case SQL:
        return this.sql(chunk as SQL)
      case Name:
        this.text += this.quoteName((chunk as Name).value)
        return
      case Array:
        return this.#list(chunk as readonly unknown[])
      default:
        return this.other(chunk)
    }
  }

  /** A piece of another class than the usual ones. */
  protected other(chunk: object): void {
    if (is(chunk, Column)) return this.column(chunk)
    if (chunk instanceof ScopedSql) return this.#scoped(chunk)
    if (chunk instanceof FromSource) return this.#from(chunk)
    if (chunk instanceof SourceLabel) {
      this.text += this.quoteName(this.names.textOf(chunk.source) ?? chunk.label)
      return
    }
    if (chunk instanceof WithSubqueries) return this.#with(chunk)
    if (is(chunk, StringChunk)) return this.#string(chunk.value)
    if (is(chunk, Name)) {
      this.text += this.quoteName(chunk.value)
      return
    }
    if (is(chunk, SQL)) return this.sql(chunk)
    if (is(chunk, Table)) {
      this.#noteSource(chunk)
      this.text += this.qualified(nameOf(chunk), isAlias(chunk) ? undefined : schemaOf(chunk))
      return
    }
    if (is(chunk, View)) {
      this.#noteSource(chunk)
      const { name, schema, isAlias } = viewConfigOf(chunk)
      this.text += this.qualified(name, isAlias ? undefined : schema)
      return
    }
    if (is(chunk, Param)) return this.param(chunk)
    if (is(chunk, Placeholder)) return this.parameter(chunk, undefined)
    if (is(chunk, SQL.Aliased)) {
      if (isSelectionField(chunk)) refuseCapturedField(this.names, chunk.fieldAlias, this.columnName)
      this.text += this.quoteName(chunk.fieldAlias)
      return
    }
    if (is(chunk, Subquery)) return this.#subquery(chunk)
    if (isSQLWrapper(chunk)) return this.#wrapped(chunk.getSQL(), chunk.shouldOmitSQLParens?.() === true)
    this.value(chunk)
  }

  #string(parts: readonly string[]): void {
    for (const part of parts) {
      this.refuseForeign(part)
      this.text += part
    }
  }

  protected sql(sql: SQL): void {
    const outer = this.#literals
    if (inlinesValues(sql)) this.#literals = true
    const { queryChunks } = sql
    for (let at = 0; at < queryChunks.length; at++) {
      const chunk = queryChunks[at]
      // Most pieces are neither an operator nor a value to come: their class says so before Drizzle is asked.
      if (isPlain(chunk) || isTextAlone(chunk, queryChunks[at + 1])) this.write(chunk)
      else if (this.#isInArray(queryChunks, at)) at++
      else this.write(typedPlaceholder(queryChunks, at))
    }
    this.#literals = outer
  }

  /** Writes `in` and the list behind it, where that list can be an array. */
  #isInArray(chunks: readonly SQLChunk[], at: number): boolean {
    const membership = membershipOf(chunks[at])
    if (!membership) return false
    const list = chunks[at + 1]
    if (Array.isArray(list) && this.#literals) return false
    const array = Array.isArray(list) ? listOfValues(list, this) : listToCome(list, chunks[at - 1], this)
    if (!array) return false
    this.text += this.arrayOperator(membership)
    if (array.cast) {
      this.text += 'array(select '
      this.write(array.cast(new SQL([new Name('item')])))
      this.text += ' from unnest('
    }
    this.parameter(array.value, array.type)
    this.text += array.cast ? `) as ${this.quoteName('item')}))` : ')'
    return true
  }

  #list(chunks: readonly unknown[]): void {
    this.text += '('
    chunks.forEach((chunk, at) => {
      if (at > 0) this.text += ', '
      this.write(chunk)
    })
    this.text += ')'
  }

  protected column(column: Column): void {
    const renamed = this.names.ofColumn(column)
    const table = renamed === undefined ? this.tableOfColumn(column.table) : this.quoteName(renamed)
    this.text += `${table}.${this.quoteName(this.columnName(column))}`
  }

  protected qualified(name: string, schema: string | undefined): string {
    return schema === undefined ? this.quoteName(name) : `${this.quoteName(schema)}.${this.quoteName(name)}`
  }

  #scoped(statement: ScopedSql): void {
    this.names.enter(statement)
    this.sql(statement)
    this.names.leave()
  }

  #from({ source, hint = '', isNamed }: FromSource): void {
    const qualified = qualifiedNameOf(source)
    if (qualified) {
      const { schema, original, name } = qualified
      if (schema === undefined) this.#refuseTakenName(original)
      const text = this.names.textOf(source) ?? name
      this.#noteSource(source as Table | View)
      this.text += this.qualified(original, schema) + hint
      if (isNamed || text !== original) this.text += ` ${this.quoteName(text)}`
    } else if (is(source, Subquery)) {
      this.#subquery(source, this.names.textOf(source))
    } else this.write(source)
  }

  /** Records the source that is named next. */
  #noteSource(source: Table | View | undefined): void {
    const query = is(source, View) ? viewConfigOf(source).query : undefined
    const viewQuery = query && ((): BuiltQuery => this.another().render(query))
    this.#sources.push({ at: this.text.length, source, ...(viewQuery && { viewQuery }) })
  }

  /** In FROM, a name is that of a subquery before the statement, if there is one of that name. */
  #refuseTakenName(table: string): void {
    if (!this.#before.has(table.toLowerCase())) return
    throw new IsothermError(
      'INVALID_QUERY',
      `The query reads the table ${table}, and has a subquery of that name in with.`,
      { fix: `Give the subquery another name: db.$with('${table}2').` },
    )
  }

  /** @param name its name in the text */
  #subquery({ _: { sql, alias, isWith } }: Subquery, name = alias): void {
    const isBefore = isWith && !this.#inPlace.has(alias)
    if (isBefore) {
      // Without a WITH, the name is that of a table or a view which nothing is known of.
      if (this.#before.has(alias.toLowerCase())) this.#noteSource(undefined)
      this.text += this.quoteName(alias)
    } else this.#wrapped(sql, false)
    if (!isBefore || name !== alias) this.text += ` ${this.quoteName(name)}`
  }

  #wrapped(sql: SQL, bare: boolean): void {
    if (bare) return this.write(sql)
    this.text += '('
    this.write(sql)
    this.text += ')'
  }

  #with(statement: WithSubqueries): void {
    const outer = this.#literals
    if (inlinesValues(statement)) this.#literals = true
    this.#withSubqueries(statement)
    this.#literals = outer
  }

  #withSubqueries({ subqueries, body, isDml }: WithSubqueries): void {
    // Only hints come before.
    if (!isDml && /^(?:@\{[^}]*\} )?$/.test(this.text)) {
      this.text += 'with '
      subqueries.forEach(({ _: { sql, alias } }, at) => {
        this.text += `${at > 0 ? ', ' : ''}${this.quoteName(alias)} as `
        this.#wrapped(sql, false)
        this.#before.add(alias.toLowerCase())
      })
      this.text += ' '
      // WITH is allowed only at the beginning of the text.
      return this.write(body)
    }
    const added = subqueries.map(({ _: { alias } }) => alias).filter((alias) => !this.#inPlace.has(alias))
    for (const alias of added) this.#inPlace.add(alias)
    this.write(body)
    for (const alias of added) this.#inPlace.delete(alias)
  }

  /** A value that is as it is sent. */
  protected typedValue(value: unknown, type: WireType): void {
    if (this.#literals) this.text += this.literal(value, type)
    else this.parameter(value, type)
  }

  /** A value whose type no column tells. */
  protected value(value: unknown): void {
    if (value === null) this.text += 'null'
    else if (this.#literals) this.text += this.literal(value, undefined)
    else this.parameter(value, undefined)
  }

  protected parameter(value: unknown, type: WireType | undefined): void {
    this.#params.push(value)
    this.#types.push(type)
    this.text += this.parameterAt(this.#params.length)
  }
}
