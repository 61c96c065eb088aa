import type { Schema } from '../model/schema.js'
import type { CqlTarget } from '../model/cql-target.js'
import type { DialectName } from '../model/sql-expression.js'
import type { Table } from '../model/table.js'
import type { Engine } from './engine.js'

export type Severity = 'error' | 'warning' | 'off'

/** What a rule found: machine-readable, and complete enough to act on. */
export interface Finding {
  readonly rule: string
  readonly severity: Exclude<Severity, 'off'>
  readonly table: string
  readonly column?: string
  readonly index?: string
  /** What is wrong, and why. */
  readonly message: string
  /** What to do about it. */
  readonly fix: string
  /** The page that explains the rule, in the repository. */
  readonly link: string
}

export type Report = (found: {
  readonly message: string
  readonly fix: string
  readonly column?: string
  readonly index?: string
  /** For what is less certain than the rule: it stays a warning where the rule is an error, and never becomes one. */
  readonly severity?: 'warning' | undefined
}) => void

/** A statement that an application, or a migration, runs. */
export interface LintStatement {
  /** Where it stands, for messages: `migrations/20261122_first/migration.cql`. */
  readonly name: string
  readonly text: string
}

export type StatementReport = (found: {
  /** The table that is read, or whatever is known of the place. */
  readonly table: string
  readonly message: string
  readonly fix: string
}) => void

export interface RuleContext {
  readonly schema: Schema
  readonly dialect: DialectName
  /** Whose CQL; undefined for other dialects. */
  readonly target?: CqlTarget | undefined
}

/** One thing that a schema should not be. A rule looks at one table at a time. */
export interface Rule {
  readonly name: string
  /**
   * `error`: the table surely runs hot, or the database refuses it, or rows are lost to readers. `warning`: advice, and
   * whatever rests on an assumption.
   */
  readonly severity: Exclude<Severity, 'off'>
  /** It is about heat, rather than about what the database refuses or what is dear. */
  readonly heat?: true
  /** Where it means something. Absent: on every engine. */
  readonly engines?: readonly Engine[]
  check(table: Table, report: Report, context: RuleContext): void
  /** Looks at one statement of the schema's users. Absent: it is about tables only. */
  checkStatement?(statement: LintStatement, report: StatementReport): void
}
