import { type ColumnType, IsothermError, type ScalarType, type SqlDialectRuntime } from '@isotherm/core'
import {
  type Cells,
  type ColumnCodec,
  type Parameter,
  type ResultColumn,
  type ResultSet,
  type ResultType,
  type Statement,
  type Wire,
  type WireType,
  columnCodec,
} from '@isotherm/core/adapter'
import { DrizzleQueryError, Param, Placeholder, SQL, is } from 'drizzle-orm'
import type { BuiltQuery } from '../drizzle-internals.js'
import { put } from './rows.js'
import type { WithCacheConfig } from 'drizzle-orm/cache/core/types'

/** The parameters of one execution. */
type BindParameters = (values?: Readonly<Record<string, unknown>>) => readonly Parameter[]

/** A parameter whose value is known only when the statement runs. */
interface Slot {
  readonly at: number
  readonly parameter: string
  readonly placeholder: string
  readonly encode: ((value: unknown) => unknown) | undefined
  readonly type: WireType | undefined
}

/**
 * The plan of a statement's parameters, made once: known values are encoded now. The parameters are named `p1`, `p2` …,
 * which GoogleSQL writes `@p1` and PostgreSQL `$1`.
 *
 * A value with a column is sent in the column's type. Any other value has the type of its JavaScript value: a `bigint` or a
 * whole number is an INT64, another number a FLOAT64, text a STRING, a `Date` a TIMESTAMP, a `Buffer` BYTES.
 *
 * @throws {IsothermError} `INVALID_VALUE` for a value whose type is unknown.
 */
export function compileParameters({ params, types }: BuiltQuery, dialect: SqlDialectRuntime): BindParameters {
  const slots: Slot[] = []
  const fixed = params.map((param, at): Parameter | undefined => {
    const name = `p${at + 1}`
    const type = types[at]
    const slot = slotOf(param, at, name, type)
    if (!slot) return type ? { name, type, value: param as Wire } : untyped(name, param, dialect)
    slots.push(slot)
    return undefined
  })
  if (slots.length === 0) return () => fixed as readonly Parameter[]
  return (values = {}) => {
    const bound = fixed.slice()
    for (const slot of slots) bound[slot.at] = filled(slot, values, dialect)
    return bound as readonly Parameter[]
  }
}

function slotOf(param: unknown, at: number, parameter: string, type: WireType | undefined): Slot | undefined {
  if (is(param, Placeholder)) return { at, parameter, placeholder: param.name, encode: undefined, type }
  if (!is(param, Param) || !is(param.value, Placeholder)) return undefined
  const { encoder, value } = param
  return { at, parameter, placeholder: value.name, encode: (input) => encoder.mapToDriverValue(input), type }
}

function filled(
  slot: Slot,
  values: Readonly<Record<string, unknown>>,
  dialect: SqlDialectRuntime,
): Parameter {
  const { parameter: name, placeholder, encode, type } = slot
  const input = Object.hasOwn(values, placeholder) ? values[placeholder] : undefined
  if (input === undefined) {
    throw new IsothermError('INVALID_VALUE', `The placeholder ${JSON.stringify(placeholder)} has no value.`, {
      fix: `Pass it: execute({ ${placeholder}: … }).`,
    })
  }
  const value = input === null || !encode ? input : encode(input)
  if (is(value, SQL)) {
    throw new IsothermError(
      'INVALID_VALUE',
      `The placeholder ${JSON.stringify(placeholder)} would become SQL, but the statement is already built.`,
      { fix: 'Put the expression into the statement itself.' },
    )
  }
  return type ? { name, type, value: value as Wire } : untyped(name, value, dialect)
}

const SCALARS = {
  int64: { kind: 'int64' },
  float64: { kind: 'float64' },
  string: { kind: 'string', length: 'max' },
  bool: { kind: 'bool' },
  timestamp: { kind: 'timestamp' },
  bytes: { kind: 'bytes', length: 'max' },
} as const satisfies Record<string, ScalarType>

type Inferable = keyof typeof SCALARS

const codecs = new Map<string, ColumnCodec>()

function codecFor(kind: Inferable, isArray: boolean, dialect: SqlDialectRuntime): ColumnCodec {
  const key = `${dialect.name} ${kind} ${isArray}`
  let codec = codecs.get(key)
  if (!codec) {
    const of = SCALARS[kind]
    const type: ColumnType = isArray ? { kind: 'array', of } : of
    codecs.set(key, (codec = columnCodec(type, dialect)))
  }
  return codec
}

function untyped(name: string, value: unknown, dialect: SqlDialectRuntime): Parameter {
  const isArray = Array.isArray(value)
  const codec = codecFor(isArray ? kindOfItems(name, value) : kindOf(name, value), isArray, dialect)
  return { name, type: codec.type, value: codec.encode(value) }
}

function kindOf(name: string, value: unknown): Inferable {
  switch (typeof value) {
    case 'bigint':
      return 'int64'
    case 'number':
      // A number beyond 2^53 is not an exact integer, so it is not sent as one.
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int64' : 'float64'
    case 'string':
      return 'string'
    case 'boolean':
      return 'bool'
    default:
      if (value instanceof Date) return 'timestamp'
      if (value instanceof Uint8Array) return 'bytes'
      throw withoutType(name, value === null ? 'NULL' : `a value of type ${typeof value}`)
  }
}

function kindOfItems(name: string, items: readonly unknown[]): Inferable {
  const kinds = new Set(items.filter((item) => item !== null).map((item) => kindOf(name, item)))
  const [kind] = kinds
  if (kind === undefined) throw withoutType(name, 'an array without values')
  if (kinds.size === 1) return kind
  const isNumeric = items.every((item) => item === null || typeof item === 'number')
  if (isNumeric) return 'float64'
  throw withoutType(name, `an array of ${[...kinds].join(' and ')}`)
}

function withoutType(name: string, what: string): IsothermError {
  return new IsothermError('INVALID_VALUE', `The parameter ${name} is ${what}, which has no type.`, {
    fix: 'Give it a column’s type with sql.param(value, column), or write NULL into the SQL.',
  })
}

/** The result of `db.execute`: rows by column name, and for a DML statement the number of affected rows. */
export type RawResult<Row = Record<string, unknown>> = Row[] & { readonly rowCount: number | undefined }

/** Turns a cell into what a row shows; undefined where that is the same. */
type Show = ((cell: unknown) => unknown) | undefined

/**
 * Rows of a statement that nothing is known of. A column without a name is called by its position: `_0`. A STRUCT is an object,
 * and a JSON document is parsed.
 */
function rawRows({ columns, rows, rowCount }: ResultSet, dialect: SqlDialectRuntime): RawResult {
  const toObject = objectOf(columns, dialect)
  // Not enumerable, so that the result is an array like any other.
  return Object.defineProperty(rows.map(toObject), 'rowCount', { value: rowCount }) as RawResult
}

function objectOf(
  columns: readonly ResultColumn[],
  dialect: SqlDialectRuntime,
): (cells: readonly unknown[]) => Record<string, unknown> {
  const shown = columns.map(({ name, type }, at) => ({ name: name || `_${at}`, show: showOf(type, dialect) }))
  return (cells) => {
    const row: Record<string, unknown> = {}
    let at = 0
    for (const { name, show } of shown) {
      const cell = cells[at++]
      put(row, name, cell === null || !show ? cell : show(cell))
    }
    return row
  }
}

function showOf(type: ResultType, dialect: SqlDialectRuntime): Show {
  switch (type.kind) {
    case 'json': {
      const { decode } = columnCodec({ kind: 'json' }, dialect)
      return decode
    }
    case 'struct':
      return objectOf(type.fields, dialect) as Show
    case 'array': {
      const show = showOf(type.of, dialect)
      return show && ((items) => (items as unknown[]).map((item) => (item === null ? null : show(item))))
    }
    default:
      return undefined
  }
}

/** The kind of a statement: `query` reads, `dml` writes rows, `ddl` changes the schema. */
export type StatementKind = 'query' | 'dml' | 'ddl'

/** Spaces, comments, hints and parentheses, which may stand before a statement's first word. */
const BEFORE = /^(?:\s|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|@\{[^}]*\}|\()+/

const DML = new Set(['INSERT', 'UPDATE', 'DELETE'])
const DDL = new Set(['CREATE', 'ALTER', 'DROP', 'RENAME', 'GRANT', 'REVOKE', 'ANALYZE'])

/** A statement's kind, from its first word: in neither dialect can DML stand behind a WITH. */
function statementKind(text: string): StatementKind {
  const word = /^\w+/.exec(text.replace(BEFORE, ''))?.[0].toUpperCase() ?? ''
  return DML.has(word) ? 'dml' : DDL.has(word) ? 'ddl' : 'query'
}

/** A statement that is run any number of times: its text, its parameters' plan and its rows' mapping are made once. */
export interface PreparedQuery<Result> {
  /** @param values of the placeholders, by name */
  execute(values?: Record<string, unknown>): Promise<Result>
  getQuery(): { readonly sql: string; readonly params: unknown[] }
}

/** The result of a write without `returning`. */
export interface WriteResult {
  /** How many rows it touched. */
  readonly rowCount: number
}

export interface QueryMeta {
  readonly kind: 'select' | 'insert' | 'update' | 'delete' | 'raw'
  /** The tables that it reads or writes, for messages. */
  readonly tables: readonly string[]
  /** The argument of `$withCache`. */
  readonly cache?: WithCacheConfig | undefined
  /** Converts the rows into the result: for example to the first row. Default: all rows. */
  readonly result?: (rows: readonly unknown[]) => unknown
}

/** The call that a query was made by, for messages: `insert(orders)`. */
export function calledBy({ kind, tables }: QueryMeta): () => string {
  return () => (kind === 'raw' ? 'execute' : `${kind}(${tables.join(', ')})`)
}

/** Runs prepared statements. */
export interface Runner {
  readonly dialect: SqlDialectRuntime
  /** Runs a call of the user's. */
  call<T>(what: () => string, work: () => Promise<T>): Promise<T>
  run(prepared: Runnable, statement: Statement): Promise<ResultSet>
  /** The tables whose cached rows a write makes stale, by name; none without a cache. */
  tablesForCache(written: Runnable): readonly string[]
}

/** A prepared statement, ready to be executed. */
export interface Runnable {
  readonly meta: QueryMeta
  readonly kind: StatementKind
  /** Whether it is DML that gives no rows back. */
  readonly isPlainWrite: boolean
  readonly query: BuiltQuery
  statement(values?: Readonly<Record<string, unknown>>): Statement
}

/** A prepared statement in a session. */
export class Prepared<Result> implements PreparedQuery<Result>, Runnable {
  readonly meta: QueryMeta
  readonly kind: StatementKind
  /** The runner that it was built with; only this runner may run it. */
  readonly runner: Runner
  readonly query: BuiltQuery
  readonly #map: ((cells: Cells) => unknown) | undefined
  #bind: BindParameters | undefined

  constructor(
    runner: Runner,
    query: BuiltQuery,
    meta: QueryMeta,
    map: ((cells: Cells) => unknown) | undefined,
  ) {
    this.runner = runner
    this.query = query
    this.meta = meta
    this.#map = map
    this.kind = meta.kind === 'raw' ? statementKind(query.sql) : meta.kind === 'select' ? 'query' : 'dml'
  }

  get isPlainWrite(): boolean {
    return this.kind === 'dml' && this.meta.kind !== 'raw' && !this.#map
  }

  execute(values?: Record<string, unknown>): Promise<Result> {
    return this.runner.call(calledBy(this.meta), async () =>
      this.resultOf(await this.runner.run(this, this.statement(values))),
    )
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    return { sql: this.query.sql, params: [...this.query.params] }
  }

  statement(values?: Readonly<Record<string, unknown>>): Statement {
    // Not before: a statement may be built only to read its SQL, in which case nothing is refused.
    this.#bind ??= compileParameters(this.query, this.runner.dialect)
    return { text: this.query.sql, parameters: this.#bind(values) }
  }

  resultOf(result: ResultSet): Result {
    const { result: outcome } = this.meta
    const rows = this.#rowsOf(result)
    return (outcome && Array.isArray(rows) ? outcome(rows) : rows) as Result
  }

  #rowsOf(result: ResultSet): unknown {
    if (this.#map) return result.rows.map(this.#map)
    if (this.isPlainWrite) return { rowCount: result.rowCount ?? 0 } satisfies WriteResult
    return rawRows(result, this.runner.dialect)
  }
}

/** The values of a statement's parameters, for a logger, a cache and an error. */
export function valuesOf(parameters: readonly Parameter[]): unknown[] {
  return parameters.map(({ value }) => value)
}

/** An error of the database, in Drizzle's words; the error itself is its cause. */
export function queryError({ text, parameters }: Statement, error: unknown): DrizzleQueryError {
  if (error instanceof DrizzleQueryError) return error
  return new DrizzleQueryError(text, valuesOf(parameters), error as Error)
}

/**
 * The prepared statement of a builder's query, or that is one itself.
 *
 * @param where for messages: `The statement of db.partitioned`
 */
export function preparedIn(item: unknown, where: string): Prepared<unknown> {
  const candidate = item as { readonly _prepare?: () => unknown } | null | undefined
  const prepared = typeof candidate?._prepare === 'function' ? candidate._prepare() : candidate
  if (prepared instanceof Prepared) return prepared as Prepared<unknown>
  throw new IsothermError('INVALID_QUERY', `${where} is not a query of this database.`, {
    fix: 'Pass queries as they are built, without await: db.batch([db.insert(…).values(…), db.select().from(…)]).',
  })
}

/** Runs one of several reads of the same snapshot. */
export type RunRead = (statement: Statement) => Promise<ResultSet>

type Values = Readonly<Record<string, unknown>> | undefined

/** Reads that together are one result; one may depend on the result of another. */
export interface Reads {
  readonly meta: QueryMeta
  /** The first of them, for reading its SQL. */
  query(): { readonly sql: string; readonly params: readonly unknown[] }
  /** Everything that decides their result, as one statement: the key in a cache. */
  identity(values: Values): Statement
  /** The statements that it may be made of, without keys. */
  queries(): readonly BuiltQuery[]
  read(run: RunRead, values: Values): Promise<ResultSet>
  map(cells: Cells): unknown
}

/** Runs several reads. */
export interface ReadsRunner extends Pick<Runner, 'call'> {
  runReads(reads: Reads, values: Values): Promise<ResultSet>
}

/** Reads in a session. */
export class PreparedReads<Result> implements PreparedQuery<Result> {
  readonly reads: Reads
  /** The runner that it was built with; only this runner may run it. */
  readonly runner: ReadsRunner

  constructor(runner: ReadsRunner, reads: Reads) {
    this.runner = runner
    this.reads = reads
  }

  execute(values?: Record<string, unknown>): Promise<Result> {
    return this.runner.call(calledBy(this.reads.meta), async () =>
      this.resultOf(await this.runner.runReads(this.reads, values)),
    )
  }

  getQuery(): { readonly sql: string; readonly params: unknown[] } {
    const { sql, params } = this.reads.query()
    return { sql, params: [...params] }
  }

  resultOf({ rows }: ResultSet): Result {
    const { meta } = this.reads
    const mapped = rows.map((cells) => this.reads.map(cells))
    return (meta.result ? meta.result(mapped) : mapped) as Result
  }
}
