import { MAX_NAME } from '../generated-name.js'
import type { Report } from './report.js'

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9_]*$/

/** Tables, indexes, sequences and views share one name space, in which upper and lower case are the same. */
export class Names {
  readonly #owners = new Map<string, string>()

  claim(name: string, owner: string, report: Report, column?: string): void {
    checkQualified(name, report, column)
    // What is no text has been reported.
    if (typeof name !== 'string') return
    const folded = name.toLowerCase()
    const other = this.#owners.get(folded)
    if (other === undefined) this.#owners.set(folded, owner)
    else
      report(
        `has the same name as ${other}.`,
        `Rename ${owner}: names differ by more than upper and lower case.`,
        column,
      )
  }
}

/** A name that may stand in a named schema: `sales.Order`. */
function checkQualified(name: string, report: Report, column?: string): void {
  const parts = typeof name === 'string' ? name.split('.') : [name]
  if (parts.length > 2) {
    report(
      `has the name ${JSON.stringify(name.slice(0, 140))}, with more than one dot.`,
      "One dot parts the named schema from the name: 'sales.Order'.",
      column,
    )
    return
  }
  for (const part of parts) checkIdentifier(part, report, column)
}

/** Somebody without a compiler may pass anything. */
function shown(name: unknown): string {
  return String(name).slice(0, 140)
}

export function checkIdentifier(name: string, report: Report, column?: string): void {
  if (typeof name === 'string' && name.length <= MAX_NAME && IDENTIFIER.test(name)) return
  report(
    `has the name ${JSON.stringify(shown(name))}, which not every database takes.`,
    `A name starts with a letter and has up to ${MAX_NAME} letters, digits and underscores.`,
    column,
  )
}
