import { MAX_INTERLEAVE_DEPTH } from '../key.js'
import { columnOf, type Table } from '../table.js'
import type { Report } from './report.js'

export function checkParent(table: Table, tables: readonly Table[], report: Report): void {
  const parent = table.parent && tables.find((other) => other.name === table.parent?.table)
  if (!parent) return
  parent.primaryKey.forEach((part, place) => {
    const own = table.primaryKey[place]
    const column = columnOf(table, part.property)
    if (own?.property === part.property && column?.inherited) return
    if (column && !column.inherited) {
      report(
        `repeats the key part of its parent ${parent.name}.`,
        `Declare it as @ParentKey() ${part.property}: its name, type and order are the parent's.`,
        part.property,
      )
    } else if (!column) {
      report(
        `is a key part of the parent ${parent.name} that the child does not have.`,
        `Add @ParentKey() ${part.property}, before the child's own key parts.`,
        part.property,
      )
    } else {
      report(
        `is key part ${place + 1} of the parent ${parent.name}, but not of the child.`,
        "A child's key starts with its parent's key, in the same order.",
        part.property,
      )
    }
  })
  if (table.primaryKey.length <= parent.primaryKey.length) {
    report(
      `has no key part of its own after those of its parent ${parent.name}.`,
      'Add one: the rows of one parent need it to differ.',
    )
  }
  let depth = 1
  let above: Table | undefined = parent
  const seen = new Set<Table>([table])
  while (above && !seen.has(above)) {
    seen.add(above)
    depth += 1
    const next: string | undefined = above.parent?.table
    above = next === undefined ? undefined : tables.find((other) => other.name === next)
  }
  if (depth > MAX_INTERLEAVE_DEPTH) {
    report(`is level ${depth} of its row tree.`, `A row tree has at most ${MAX_INTERLEAVE_DEPTH} levels.`)
  }
}
