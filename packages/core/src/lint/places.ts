import type { Column } from '../model/column.js'
import { shardBounds, type KeyPart } from '../model/key.js'
import type { DialectName } from '../model/sql-expression.js'
import { columnOf, type Table } from '../model/table.js'
import { growthOf } from './growth.js'

/**
 * In how many places the inserts of one moment land, at most: as many as the parts before the growing one have values.
 * Undefined where a part before it has values without end, or none grows: there Spanner can split wherever the load is.
 */
export function placesOf(table: Table, parts: readonly KeyPart[], dialect: DialectName): number | undefined {
  let places = 1
  let stands = false
  for (const { property } of parts) {
    const column = columnOf(table, property)
    const pace = column && paceOfColumn(table, column, dialect)
    if (pace === 'grows') return places
    if (pace === 'stands') stands = true
    const values = pace === 'stands' ? 1 : column && valuesOf(column)
    if (values === undefined) return undefined
    places *= values
  }
  return stands ? places : undefined
}

/** How many combinations of these parts take rows at one moment, if the newest do; undefined where that has no bound. */
export function combinations(
  table: Table,
  parts: readonly KeyPart[],
  dialect: DialectName,
): number | undefined {
  let found = 1
  for (const { property } of parts) {
    const column = columnOf(table, property)
    const values = column && (paceOfColumn(table, column, dialect) ? 1 : valuesOf(column))
    if (values === undefined) return undefined
    found *= values
  }
  return found
}

/** A date stands still for a day, in which the parts after it decide. */
function paceOfColumn(table: Table, column: Column, dialect: DialectName): 'grows' | 'stands' | undefined {
  const kind = growthOf(table, column, dialect)?.kind
  if (kind === 'grows' && column.type.kind === 'date') return 'stands'
  return kind === 'hint' ? undefined : kind
}

/** How many values a column can have, where its declaration bounds them to a few. */
export function valuesOf({ source, type, nullable }: Column): number | undefined {
  if (source?.kind === 'shard') {
    const { lowest, highest } = shardBounds(source)
    return highest - lowest + 1
  }
  return type.kind === 'bool' ? 2 + (nullable ? 1 : 0) : undefined
}
