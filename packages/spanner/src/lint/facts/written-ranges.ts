import { type Column, type Schema, type Table, columnOf } from '@isotherm/core/engine'
import { type KeyPart, type LintedDialect, findTable, growthOf, valuesOf } from '@isotherm/core/tools'

/**
 * In how many key ranges the inserts at one time are written, at most: as many as the parts before the growing one have
 * values. Undefined if a part before it has unlimited values, or none grows: then Spanner can split wherever the load is.
 */
export function writtenRanges(
  table: Table,
  parts: readonly KeyPart[],
  dialect: LintedDialect,
): number | undefined {
  let keyRanges = 1
  let stands = false
  for (const { property } of parts) {
    const column = columnOf(table, property)
    const growth = column && growthOfColumn(table, column, dialect)
    if (growth === 'grows') return keyRanges
    if (growth === 'stands') stands = true
    const values = growth === 'stands' ? 1 : column && valuesOf(table, column, dialect)
    if (values === undefined) return undefined
    keyRanges *= values
  }
  return stands ? keyRanges : undefined
}

/** How many combinations of these parts take rows at one time, if the newest do; undefined without a bound. */
export function combinations(
  table: Table,
  parts: readonly KeyPart[],
  dialect: LintedDialect,
): number | undefined {
  let found = 1
  for (const { property } of parts) {
    const column = columnOf(table, property)
    const values = column && (growthOfColumn(table, column, dialect) ? 1 : valuesOf(table, column, dialect))
    if (values === undefined) return undefined
    found *= values
  }
  return found
}

/** A date stands still for a day, in which the parts after it decide. */
function growthOfColumn(
  table: Table,
  column: Column,
  dialect: LintedDialect,
): 'grows' | 'stands' | undefined {
  const kind = growthOf(table, column, dialect)?.kind
  if (kind === 'grows' && column.type.kind === 'date') return 'stands'
  return kind === 'hint' ? undefined : kind
}

export function childrenOf(schema: Schema, table: Table): Table[] {
  return schema.tables.filter((other) => other.parent?.table === table.name)
}

/** From the parent up to the root. */
export function ancestorsOf(schema: Schema, table: Table): Table[] {
  const above: Table[] = []
  for (let next = parentOf(schema, table); next && !above.includes(next); next = parentOf(schema, next)) {
    above.push(next)
  }
  return above
}

export function parentOf(schema: Schema, table: Table): Table | undefined {
  return table.parent && findTable(schema, table.parent.table)
}

/** Every table whose rows are in the same trees as this table's, itself included. */
export function treeOf(schema: Schema, table: Table): Table[] {
  const root = ancestorsOf(schema, table).at(-1) ?? table
  return withDescendants(schema, root)
}

function withDescendants(schema: Schema, table: Table): Table[] {
  return [table, ...childrenOf(schema, table).flatMap((child) => withDescendants(schema, child))]
}
