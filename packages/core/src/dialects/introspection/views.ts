import type { View } from '../../model/schema.js'
import { foldName } from '../../sql/fold.js'
import { tablePaths } from '../../sql/query-sources.js'
import { tokenize } from '../../sql/tokenize.js'
import type { CatalogView } from './catalog.js'
import type { IntrospectedDialect } from './dialect.js'

/**
 * Views in an order in which they can be made: each after those that it reads, otherwise by name. What a query reads is told
 * from its text, in which a name may mean something else; then the order of the database's own DDL decides.
 */
export function viewsOf(views: readonly CatalogView[], dialect: IntrospectedDialect): View[] {
  const left = new Map(views.map((view) => [view, new Set(tableNames(view.query, dialect))]))
  const sorted: View[] = []
  while (left.size > 0) {
    const waiting = [...left.keys()]
    const ready = waiting.find(
      (view) =>
        !waiting.some((other) => other !== view && left.get(view)!.has(foldName(other.name, dialect.name))),
    )
    const next = ready ?? waiting.reduce((a, b) => (b.position < a.position ? b : a))
    left.delete(next)
    sorted.push({ name: next.name, query: { [dialect.name]: next.query }, security: next.security })
  }
  return sorted
}

/** The names that stand where a table may stand. */
function tableNames(query: string, { name, defaultSchema }: IntrospectedDialect): string[] {
  return tablePaths(tokenize(query, name)).map((path) =>
    foldName((path[0] === defaultSchema ? path.slice(1) : path).join('.'), name),
  )
}
