import { lint, type Dialect, type Finding, type Schema, type TableSchema } from '@isotherm/core'
import type { LintConfig } from '../config/config.js'

/** The reason in suppressions for objects that existed before Isotherm was used. */
export const ADOPTED = 'adopted: the database had it before Isotherm'

interface LintTarget {
  readonly dialect: Dialect
  readonly severity?: LintConfig['severity']
}

/** The findings because of which every migration of these tables would be refused. */
export function lintErrors(schema: Schema, { dialect, severity }: LintTarget): readonly Finding[] {
  const options = { dialect, ...(severity && { severity }) }
  return lint(schema, options).filter((finding) => finding.severity === 'error')
}

/**
 * The same schema with a suppression for each finding: the baseline of a database that existed before Isotherm. It is in the
 * models, so that lint, generate, push and compileDdl all use it; a finding that is not in it is still an error, and an
 * suppression whose finding is gone is reported as unused.
 */
export function adoptFindings(schema: Schema, findings: readonly Finding[]): Schema {
  return { ...schema, tables: schema.tables.map((table) => withSuppressions(table, findings)) }
}

function withSuppressions(table: TableSchema, findings: readonly Finding[]): TableSchema {
  const known = new Set([
    ...[...table.indexes, ...table.foreignKeys].map(({ name }) => name),
    ...table.columns.map(({ property }) => property),
  ])
  const suppressions = new Map(
    findings
      .filter((finding) => finding.table === table.name)
      .map(({ rule, index, column }) => {
        const on = [index, column].find((name) => name !== undefined && known.has(name))
        const suppression = { rule, ...(on !== undefined && { on }), reason: ADOPTED }
        return [`${rule}\n${on ?? ''}`, suppression] as const
      }),
  )
  return { ...table, suppressions: [...table.suppressions, ...suppressions.values()] }
}
