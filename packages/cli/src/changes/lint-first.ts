import type { Schema } from '@isotherm/core'
import { CommandError } from '../command-error.js'
import type { Language } from '../project/language.js'
import type { Project } from '../project/project.js'
import { counted, printFindings } from '../terminal/findings.js'
import type { Output } from '../terminal/output.js'

/**
 * Lets no schema pass that would run hot, or that the database would refuse. Warnings are for `isotherm lint`.
 *
 * @throws {CommandError} `REFUSED`, after the findings were printed.
 */
export async function lintFirst(
  schema: Schema,
  language: Language,
  project: Project,
  output: Output,
): Promise<void> {
  const { lint } = await import('@isotherm/core')
  const findings = lint(schema, { ...language, severity: project.settings.lint.severity })
  const errors = findings.filter((finding) => finding.severity === 'error')
  if (errors.length === 0) return
  printFindings(errors, output)
  throw new CommandError('REFUSED', `The models would not do well: ${counted(errors.length, 'error')}.`, {
    fix: 'Mend them, or say why they are meant: except: [{ rule, reason }] in the options of the table, lintException({ rule, reason }) of a Drizzle table.',
    details: { findings: errors },
  })
}
