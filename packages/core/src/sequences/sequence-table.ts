import { defineTable } from '../model/define-table.js'
import type { TableModel } from '../model/model.js'

/** What the table of sequences is called where nobody says otherwise. */
export const SEQUENCES = 'sequences'

export interface SequenceTableRow {
  readonly name: string
  /** The number that is handed out next. */
  readonly nextValue: bigint
}

/**
 * The table in which sequences are counted: a row each, `name` and `next_value`. Give it to `defineSchema` with the others.
 *
 * @example
 * export const schema = defineSchema([Invoice, sequenceTable()])
 */
export function sequenceTable(name = SEQUENCES): TableModel<SequenceTableRow> & { readonly name: string } {
  return defineTable(name, (t) => ({
    name: t.string({ length: 128 }).key(),
    nextValue: t.int64({ name: 'next_value' }),
  }))
}
