import type { Schema } from '../model/schema.js'
import type { Table } from '../model/table.js'

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
  /** The page that explains the rule. */
  readonly link: string
}

export type Report = (found: {
  readonly message: string
  readonly fix: string
  readonly column?: string
  readonly index?: string
}) => void

export interface RuleContext {
  readonly schema: Schema
  readonly dialect: string
}

/** One way of running hot. A rule looks at one table at a time. */
export interface Rule {
  readonly name: string
  readonly severity: Exclude<Severity, 'off'>
  check(table: Table, report: Report, context: RuleContext): void
}
