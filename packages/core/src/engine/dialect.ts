import type { Statement, Statements } from '../layout/statement.js'
import type { TableLayout, Wire, WireType } from '../layout/layout.js'
import type { SchemaDiffer } from './schema-change.js'
import type { EngineLint } from './lint-rule.js'
import { VERSION } from '../copies.js'
import { IsothermError } from '../errors.js'
import type { Schema } from '../model/schema.js'
import type { SqlDialectName } from '../model/sql-dialects.js'
import type { Table } from '../model/table.js'
import { checkArgument, kind, required } from '../options.js'
import type { LexicalSyntax } from '../tokens/lexical-syntax.js'
import type { DdlSyntax } from '../ddl/syntax.js'
import type { ValueRules } from '../layout/values.js'

/** What introspection reads: the catalogue by statements, and the database's own DDL. */
export interface CatalogReader {
  query(statement: Statement, types: readonly WireType[]): Promise<readonly (readonly unknown[])[]>
  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` where the engine does not keep its schema as statements. */
  ddl(): Promise<readonly string[]>
  /**
   * Called for each disagreement between the catalogue and the DDL, and for what the DDL leaves out, with how it was
   * resolved.
   */
  note?(text: string): void
  /** Which of several keyspaces is read, where an engine has them. */
  readonly keyspace?: string
}

/** The position of NULL in ascending order. */
export type NullOrder = 'lowest' | 'highest'

/** The part of a dialect that runs: all that a driver and an opened database need of it. */
export interface DialectRuntime {
  /** The stored and displayed name: `googlesql`. Two parts with one name belong to one dialect. */
  readonly name: string
  /** How its text is read. */
  readonly lexicalSyntax: LexicalSyntax
  readonly nulls: NullOrder
  /** Whether NaN equals itself and is more than any number, rather than nothing to compare with. */
  readonly nanIsValue: boolean
  /** How values are checked and ordered. */
  readonly values: ValueRules
  /** Statements in SQL. Absent: the engine is read by keys and ranges, and written by mutations, only. */
  readonly sql?: SqlRuntimeParts
  /** @param schema for tables that share one in the database; absent: the table stands alone */
  layout(table: Table, schema?: Pick<Schema, 'tables' | 'userTypes'>): TableLayout
  /**
   * Refuses to open a table if reads would miss some of its rows. Absent: there are no such tables.
   *
   * @throws {IsothermError} `UNSUPPORTED_FEATURE`
   */
  refuseUnread?(layout: TableLayout): void
}

/**
 * All that tells one database's language from another's: the part that runs, and the tools that judge, make, read and compare
 * schemas. An engine exports it: `googlesql`.
 */
export interface Dialect extends DialectRuntime {
  /** Finds models that cause hotspots, that the database refuses, or that are expensive. */
  readonly lint: EngineLint
  readonly sql?: SqlParts
  /** The statements that make the schema, in the order in which they must run. */
  ddl(schema: Schema, layouts: readonly TableLayout[]): string[]
  /** How its schemas are compared and changed. Absent: as those of SQL, by `sql.ddlSyntax`. */
  readonly differ?: SchemaDiffer
  /** Reads the schema of a live database from its catalogue. */
  introspect(reader: CatalogReader): Promise<Schema>
  /** @throws {IsothermError} `UNSUPPORTED_FEATURE` for a feature of the schema that the dialect does not have. */
  refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void
}

/** The part that runs of a dialect whose SQL a schema may hold, and whose engine runs statements. */
export interface SqlDialectRuntime extends DialectRuntime {
  readonly name: SqlDialectName
  readonly sql: SqlRuntimeParts
}

/** A dialect whose SQL a schema may hold, and whose engine runs statements. */
export interface SqlDialect extends Dialect {
  readonly name: SqlDialectName
  readonly sql: SqlParts
}

/** The runtime parts that only dialects of engines with statements have. */
export interface SqlRuntimeParts {
  readonly statements: Statements
  /** How many parameters one statement may have. */
  readonly maxParameters: number
  /** Whether a returning statement can be trusted with generated columns, or they have to be read back. */
  readonly returnsGenerated: boolean
  /** SQL for the schema of names without one, as `information_schema` has it. */
  readonly currentNamespace: string
  /** A type as DDL has it: `STRING(36)`, `varchar(36)`. */
  sqlType(type: WireType): string
}

/** The parts that only dialects of engines with statements have. */
export interface SqlParts extends SqlRuntimeParts {
  /** The syntax that creates and changes a schema. */
  readonly ddlSyntax: DdlSyntax
  /** Whether the database gives an expression back as it was written, or in its own words. */
  readonly keepsExpressions: boolean
  /** The fix for a key that is to change where rows cannot be moved to another one while applications write. */
  readonly withoutReshard?: string
  /** A value as DDL writes it. */
  literal(value: Wire, type: WireType): string
}

/**
 * Marks a dialect, with the seam that its package was made for. Not enumerable: a copy of a dialect is not one.
 */
const DIALECT_MARK = Symbol.for('isotherm.dialect')

/** Raise it with a change of the seam that an engine made for an earlier version of this package would not fit. */
const SEAM = 1

interface Seam {
  readonly seam: number
  /** The version of this package with which the dialect was made. */
  readonly version: string
}

function seamOf(value: unknown): Seam | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return Object.getOwnPropertyDescriptor(value, DIALECT_MARK)?.value as Seam | undefined
  } catch {
    // A proxy may throw whatever it is asked.
    return undefined
  }
}

/**
 * Freezes the runtime part of a dialect and registers it, so that functions accept it. For packages of engines, which
 * export what it returns.
 *
 * @example
 * export const sqliteRuntime = defineRuntime<SqlDialectRuntime>({ name: 'sqlite', lexicalSyntax, … })
 */
export function defineRuntime<Own extends DialectRuntime>(runtime: Own): Own {
  const seam: Seam = { seam: SEAM, version: VERSION }
  Object.defineProperty(runtime, DIALECT_MARK, { value: seam })
  return Object.freeze(runtime)
}

/**
 * Freezes a dialect and registers it, so that functions accept it. For packages of engines, which export what it returns.
 *
 * @example
 * export const sqlite = defineDialect<SqlDialect>({ ...sqliteRuntime, lint, ddl, … })
 */
export function defineDialect<Own extends Dialect>(dialect: Own): Own {
  return defineRuntime(dialect)
}

/** Whether the value is a dialect, or its runtime part. */
export function isRuntime(value: unknown): value is DialectRuntime {
  return seamOf(value)?.seam === SEAM
}

export function isDialect(value: unknown): value is Dialect {
  return isRuntime(value) && 'ddl' in value
}

/** Whether both are of one dialect: the part of it that runs, which a driver has, or all of it. */
export function sameDialect(one: DialectRuntime, other: DialectRuntime): boolean {
  return one.name === other.name
}

const EXPORTED = ', as the package of an engine exports it: '

function fixFor(value: unknown): string {
  const { version } = seamOf(value) ?? {}
  if (version !== undefined && !isRuntime(value))
    return `a dialect whose package uses this version of @isotherm/core, ${VERSION}: this one uses ${version}. npm ls @isotherm/core lists the copies`
  if (isRuntime(value)) return `the whole dialect${EXPORTED}this is only the part of it that runs`
  return looksLikeDialect(value)
    ? `the dialect object itself${EXPORTED}this is a copy of one`
    : `a dialect${EXPORTED}the object, not its name`
}

const RUNTIME = kind(fixFor, isRuntime)
const DIALECT = kind(fixFor, isDialect)
const DIALECTS = kind(
  (value) =>
    Array.isArray(value) && value.length > 0 ? fixFor(value.find((each) => !isDialect(each))) : fixFor(value),
  (value) => isDialect(value) || (Array.isArray(value) && value.length > 0 && value.every(isDialect)),
)

/** Whether an object was made of a dialect. */
function looksLikeDialect(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'lexicalSyntax' in value &&
    'layout' in value
  )
}

/** The option `dialect` of a call that has no driver. */
export const dialectOption = required(DIALECT)

/** The option `dialect` of a call that has a driver: its dialect, or all that its database may speak. */
export const dialectsOption = required(DIALECTS)

/** @throws {IsothermError} `INVALID_OPTION` for a value that is not a dialect. */
export function checkDialect(call: string, value: unknown): asserts value is Dialect {
  checkArgument(call, 'dialect', DIALECT, value)
}

/** Checks a dialect whose runtime part alone is used. @throws {IsothermError} `INVALID_OPTION` for any other value. */
export function checkRuntime(call: string, value: unknown): asserts value is DialectRuntime {
  checkArgument(call, 'dialect', RUNTIME, value)
}

/**
 * Chooses the dialect that a database speaks among the dialects of a call.
 *
 * @param driver which knows its dialect
 * @throws {IsothermError} `INVALID_OPTION` naming both, if the database speaks none of them.
 */
export function spokenDialect(
  call: string,
  { dialect, name: engine }: { readonly dialect: DialectRuntime; readonly name: string },
  dialectOption: Dialect | readonly Dialect[],
): Dialect {
  const dialects = 'name' in dialectOption ? [dialectOption] : dialectOption
  const found = dialects.find((each) => sameDialect(each, dialect))
  if (found) return found
  const names = dialects.map(({ name }) => name).join(' and ')
  throw new IsothermError(
    'INVALID_OPTION',
    `${call}: the database of ${engine} has the dialect ${dialect.name}, but the option dialect is ${names}.`,
    {
      fix: `Pass the dialect ${dialect.name}, or a list of the dialects that the database may have.`,
    },
  )
}

export function hasSql(dialect: Dialect): dialect is SqlDialect
export function hasSql(dialect: DialectRuntime): dialect is SqlDialectRuntime
export function hasSql(dialect: DialectRuntime): boolean {
  return dialect.sql !== undefined
}

const USE_SQL = 'Use an engine that runs SQL.'

/**
 * The statements of a dialect that has them, and if it is a whole one, the syntax of its DDL.
 *
 * @param what asks for them, as the subject of a sentence: `An aggregate by statement`
 * @param instead what does the same without them, as a sentence. Default: another database
 * @throws {IsothermError} `UNSUPPORTED_FEATURE` naming what wanted SQL.
 */
export function sqlOf<Parts extends SqlRuntimeParts>(
  { name, sql }: { readonly name: string; readonly sql?: Parts },
  what: string,
  instead = USE_SQL,
): Parts {
  if (sql) return sql
  throw new IsothermError('UNSUPPORTED_FEATURE', `${what} needs SQL, which ${name} does not have.`, {
    fix: instead,
  })
}
