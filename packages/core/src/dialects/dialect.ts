import { IsothermError } from '../errors.js'
import type { Schema } from '../model/schema.js'
import type { DialectName, SqlDialect } from '../model/sql-expression.js'
import type { Table } from '../model/table.js'
import type { CqlCapabilities, CqlTarget } from './cql/capabilities.js'
import type { CqlDdlSyntax } from './cql/ddl-syntax.js'
import type { CqlStatements } from './cql/statement.js'
import type { DdlSyntax } from './ddl/statements.js'
import type { TableLayout } from './layout.js'
import type { Statements } from './statement.js'
import type { ValueRules } from './values.js'
import type { WireType } from './wire.js'

export type { DialectName } from '../model/sql-expression.js'

/** Where NULL stands when ascending. */
export type NullOrder = 'lowest' | 'highest'

/** All that tells one database's language from another's. */
export interface Dialect {
  readonly name: DialectName
  readonly nulls: NullOrder
  /** Whether NaN equals itself and is more than any number, rather than nothing to compare with. */
  readonly nanIsValue: boolean
  /** How values are checked and ordered. */
  readonly values: ValueRules
  /** How much one commit takes. */
  readonly commit: CommitLimit
  /** Statements and DDL in SQL. Absent: the engine is read by keys and ranges, and written by mutations, only. */
  readonly sql?: SqlParts
  /** Present: `cql`, with what its target has. */
  readonly cql?: CqlParts
  /** @param schema for tables that share one in the database; absent: the table stands alone */
  layout(table: Table, schema?: Pick<Schema, 'tables' | 'userTypes'>): TableLayout
  /** The statements that make the schema, in the order in which they must run. */
  ddl(schema: Schema, layouts: readonly TableLayout[]): string[]
  /** @throws {IsothermError} `UNSUPPORTED` for what a schema asks for and the dialect does not have. */
  refuseUnsupported(schema: Schema, layouts: readonly TableLayout[]): void
}

/** So many mutations, wherever their rows lie; or so many rows of one partition. */
export type CommitLimit = { readonly mutations: number } | { readonly partition: true; readonly rows: number }

/** A dialect whose engine runs statements. */
export interface SqlParts {
  readonly name: SqlDialect
  readonly statements: Statements
  /** How the dialect spells what makes a schema, and what changes it. */
  readonly ddlSyntax: DdlSyntax
  /** How many parameters one statement may have. */
  readonly maxParameters: number
  /** Whether a returning statement can be trusted with generated columns, or they have to be read back. */
  readonly returnsGenerated: boolean
  /** A type as DDL has it: `STRING(36)`, `varchar(36)`. */
  sqlType(type: WireType): string
}

/** What only CQL has. */
export interface CqlParts {
  readonly target: CqlTarget
  readonly has: CqlCapabilities
  readonly statements: CqlStatements
  readonly ddlSyntax: CqlDdlSyntax
}

/**
 * The statements of a dialect that has them.
 *
 * @param what asks for them, as the subject of a sentence: `An aggregate by statement`
 * @param instead what does the same without them, as a sentence. Default: another database
 * @throws {IsothermError} `UNSUPPORTED` naming what wanted SQL.
 */
export function sqlOf(
  dialect: Dialect,
  what: string,
  instead = 'Use a driver of Cloud Spanner for it.',
): SqlParts {
  if (dialect.sql) return dialect.sql
  throw new IsothermError('UNSUPPORTED', `${what} wants SQL, and ${dialect.name} has none.`, {
    fix: instead,
  })
}

/** @throws {IsothermError} `UNSUPPORTED` naming what wanted mutations that lie anywhere in one commit. */
export function mutationsPerCommit({ name, commit }: Dialect, what: string): number {
  if ('mutations' in commit) return commit.mutations
  throw new IsothermError('UNSUPPORTED', `${what} writes several partitions at once, and ${name} cannot.`, {
    fix: 'Use a driver of Cloud Spanner for it.',
  })
}
