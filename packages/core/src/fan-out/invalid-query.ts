import { IsothermError } from '../errors.js'
import type { TableLayout } from '../dialects/layout.js'

export function invalidQuery({ table }: TableLayout, what: string, fix: string): IsothermError {
  return new IsothermError('INVALID_QUERY', `${table.name} ${what}`, { fix, table: table.name })
}
