import type { Schema, TableSchema } from '@isotherm/core'

/** Tells of two tables whether each refers to the other, perhaps by way of others. */
export function circlesOf({ tables }: Schema): (table: string, other: string) => boolean {
  const direct = new Map(tables.map((table) => [table.name, referredBy(table)]))
  const reached = new Map<string, ReadonlySet<string>>()
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const known = reached.get(start)
    if (known) return known
    const seen = new Set(direct.get(start))
    // A set that grows is walked to its end.
    for (const next of seen) for (const each of direct.get(next) ?? []) seen.add(each)
    reached.set(start, seen)
    return seen
  }
  return (table, other) => reachedFrom(table).has(other) && reachedFrom(other).has(table)
}

function referredBy({ name, parent, foreignKeys, indexes }: TableSchema): readonly string[] {
  const named = [
    ...(parent ? [parent.table] : []),
    ...foreignKeys.map(({ table }) => table),
    ...indexes.flatMap(({ interleaveIn }) => interleaveIn ?? []),
  ]
  return named.filter((table) => table !== name)
}
