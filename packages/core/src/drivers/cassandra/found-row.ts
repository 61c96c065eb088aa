import type { types } from 'cassandra-driver'
import { IsothermError } from '../../errors.js'
import type { Cells, Mutation } from '../../database/driver.js'
import type { PhysicalColumn } from '../../dialects/layout.js'
import { columnsDecoder } from './values.js'

// What a conditional write answers: whether it has written, and else what stood against it. That is the row for `IF NOT
// EXISTS`, the compared columns for others, and nothing at all where there is no row, whatever is static beside it.

/** The name of the column that says so. */
const APPLIED = '[applied]'

export function isApplied({ rows }: types.ResultSet): boolean {
  return rows?.[0]?.[APPLIED] === true
}

/** The columns of the row that stood against the write; undefined where the answer does not have all of them. */
export function foundCells(
  { rows, columns }: types.ResultSet,
  asked: readonly PhysicalColumn[],
  statics: ReadonlySet<string>,
): Cells | undefined {
  if (columns.length === 1 && !asked.some(({ name }) => statics.has(name))) return asked.map(() => null)
  const told = new Set(columns.map(({ name }) => name))
  return asked.every(({ name }) => told.has(name)) ? columnsDecoder(asked)(rows[0]!) : undefined
}

/** @param at the place of the row among the mutation's */
export function refused(mutation: Mutation, at: number): IsothermError {
  const { op, table } = mutation
  const key = keyText(mutation, at)
  return op === 'insert'
    ? new IsothermError('ALREADY_EXISTS', `${table} has a row with ${key} already.`, {
        fix: 'Use upsert for rows that may be there.',
        table,
      })
    : new IsothermError('NOT_FOUND', `${table} has no row with ${key}.`, {
        fix: 'Insert it; or use upsert for rows that may not be there.',
        table,
      })
}

function keyText(mutation: Mutation, at: number): string {
  const { layout, op } = mutation
  const parts = layout!.key.map(({ column: { name } }, part) => {
    const wire =
      op === 'delete' ? mutation.keys[at]![part] : mutation.rows[at]![mutation.columns.indexOf(name)]
    return `${name} = ${JSON.stringify(wire)}`
  })
  return parts.join(', ')
}
