import type { Finding } from '@isotherm/core'
import type { Output } from './output.js'

/** Prints what the linter has found, each with its way out. */
export function printFindings(findings: readonly Finding[], output: Output): void {
  const { bad, dim, name, warning } = output.style
  for (const { severity, table, column, index, rule, message, fix } of findings) {
    const place = [table, column ?? index].filter((part) => part !== undefined).join('.')
    const paint = severity === 'error' ? bad : warning
    output.line(`${paint(severity)} ${name(place)} ${dim(rule)}`)
    output.line(`  ${message}`)
    output.line(`  ${fix}`)
    output.line()
  }
}

/** `2 errors, 1 warning`. */
export function countText(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  return `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}`
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
