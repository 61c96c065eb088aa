import type { Dialect, Finding, Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { Project } from '../project/project.js'
import { type Output, counted, printFindings } from '../terminal/output.js'

/**
 * Refuses a schema that would cause a hotspot, or that the database would refuse. Warnings are for `isotherm lint`.
 *
 * @throws {CommandError} `REFUSED`, after the findings were printed.
 */
export async function lintFirst(
  schema: Schema,
  dialect: Dialect,
  project: Project,
  output: Output,
): Promise<void> {
  const errors = await lintErrors(schema, dialect, project)
  if (errors.length === 0) return
  printFindings(errors, output)
  throw new CommandError('REFUSED', `Lint failed: ${counted(errors.length, 'error')}.`, {
    fix: 'Fix them, or suppress them with a reason: suppress: [{ rule, reason }] in the options of the table, suppress({ rule, reason }) of a Drizzle table.',
    details: { findings: errors },
  })
}

/** The lint errors for which a migration of the schema would be refused. */
export async function lintErrors(
  schema: Schema,
  dialect: Dialect,
  { settings }: Project,
): Promise<readonly Finding[]> {
  const { lint } = await import('@isotherm/core')
  const findings = lint(schema, { dialect, severity: settings.lint.severity })
  return findings.filter(({ severity }) => severity === 'error')
}
