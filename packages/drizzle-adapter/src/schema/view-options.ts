import { IsothermError } from '@isotherm/core'
import type { BuiltQuery } from '../drizzle-internals.js'
import type { DeclaredView } from './table-kind.js'

/** @throws {IsothermError} `UNSUPPORTED` for a query with a placeholder. */
export function viewSql(name: string, { sql, params }: BuiltQuery): string {
  if (params.length === 0) return sql
  throw new IsothermError('UNSUPPORTED', `The view ${name} has a placeholder in its query.`, {
    fix: 'Write the value itself: a view takes no parameters.',
  })
}

/** Views, each after those that it reads. */
export function viewsInOrder(views: readonly DeclaredView[]): DeclaredView[] {
  const sorted = new Set<DeclaredView>()
  const add = (view: DeclaredView, above: readonly object[]): void => {
    if (above.includes(view)) return
    for (const other of views) if (other !== view && reads(view.sql, other.name)) add(other, [...above, view])
    sorted.add(view)
  }
  for (const view of views) add(view, [])
  return [...sorted]
}

/** Whether a query has a view after FROM or JOIN, with quotes around its name or without. */
function reads(query: string, view: string): boolean {
  const name = view
    .split('.')
    .map((part) => `["\`]?${part}["\`]?`)
    .join('\\.')
  return new RegExp(`\\b(?:from|join)(?:@\\{[^}]*\\})?\\s+${name}(?![\\w\`".])`, 'i').test(query)
}
