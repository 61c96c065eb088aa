import type { SchemaFinding } from '../../errors.js'
import type { Table } from '../table.js'

/** Takes down one thing that is wrong with a table. */
export type Report = (message: string, fix: string, column?: string) => void

export function reportTo(findings: SchemaFinding[], table: string): Report {
  return (message, fix, column) => {
    findings.push({ table, message, fix, ...(column !== undefined && { column }) })
  }
}

export function propertiesOf(table: Table): string {
  return table.columns.map((column) => column.property).join(', ')
}
