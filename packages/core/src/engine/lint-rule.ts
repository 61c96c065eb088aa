import type { Schema } from '../model/schema.js'
import type { Suppression, Table } from '../model/table.js'
import type { LexicalSyntax } from '../tokens/lexical-syntax.js'

export type Severity = 'error' | 'warning' | 'off'

/** A finding of a rule: machine-readable, and complete enough to act on. */
export interface Finding {
  readonly rule: string
  readonly severity: Exclude<Severity, 'off'>
  readonly table: string
  readonly column?: string
  readonly index?: string
  /** The problem, and its reason. */
  readonly message: string
  /** The fix. */
  readonly fix: string
  /** The page that explains the rule, in the repository. */
  readonly link: string
}

export type Report = (found: {
  readonly message: string
  readonly fix: string
  readonly column?: string
  readonly index?: string
  /**
   * For findings that are less certain than the rule: they stay a warning if the rule is an error, and never become an
   * error.
   */
  readonly severity?: 'warning' | undefined
}) => void

type SchemaReport = (found: {
  /** The table that is read, or all that is known about the position. */
  readonly table: string
  readonly column?: string
  readonly message: string
  readonly fix: string
}) => void

/** A statement that an application, or a migration, runs. */
export interface LintStatement {
  /** The location, for messages: `migrations/20261122_first/migration.cql`. */
  readonly name: string
  readonly text: string
}

/**
 * The part of a dialect that a rule reads: how to read the SQL of a schema. The engine gives a rule everything else that it
 * needs when it makes the rule.
 */
export interface LintedDialect {
  readonly name: string
  readonly lexicalSyntax: LexicalSyntax
  /** Present: a schema may hold SQL for this dialect. */
  readonly sql?: object
}

export interface RuleContext {
  readonly schema: Schema
  readonly dialect: LintedDialect
}

interface SchemaContext extends RuleContext {
  /**
   * Compiles the DDL of the whole schema, and discards it.
   *
   * @throws {IsothermError} what the dialect refuses, mostly `UNSUPPORTED_MODEL`
   */
  compile(): void
}

/** One thing that a schema should not be. Most rules look at one table at a time. */
export interface Rule {
  /** With the prefix of its engine, `engine/rule`, unless several engines share it. */
  readonly name: string
  /**
   * `error`: the table certainly becomes a hotspot, or the database refuses it, or reads miss rows. `warning`: advice, and
   * findings that rest on an assumption.
   */
  readonly severity: Exclude<Severity, 'off'>
  /** The rule is about hotspots, rather than about what the database refuses or what is expensive. */
  readonly hotspot?: true
  /** It runs functions of the models, which may take long: `lint` waits for it, and where a schema is refused only a rule of severity `error` runs them. */
  readonly runsFunctions?: true
  check?(table: Table, report: Report, context: RuleContext): void
  /** Looks at the schema as a whole. Not asked where DDL is compiled next. */
  checkSchema?(report: SchemaReport, context: SchemaContext): void
  /** Looks at one statement of the schema's users. */
  checkStatement?(statement: LintStatement, report: SchemaReport): void
  /** Checks a suppression of a rule that has checked the table and has no finding that the suppression covers. */
  checkUnusedSuppression?(table: Table, suppression: Suppression, report: Report): void
}

/** The rules that are run for a dialect. */
export interface EngineLint {
  /** The prefix of the engine's own rules. All dialects of one engine have the same, and the same rules of that prefix. */
  readonly engine: string
  /** All of them, in the order in which findings are listed. */
  readonly rules: readonly Rule[]
}
