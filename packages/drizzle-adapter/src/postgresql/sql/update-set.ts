import { SQL, type Table } from 'drizzle-orm'
import { columnsOf } from '../../drizzle-internals.js'

/** What an update sets, as text and as it was given: `onConflictDoUpdate` has to look at it. */
export class UpdateSet extends SQL {
  /** By the properties of the table; of a column that `$onUpdate` makes, undefined. */
  readonly values: ReadonlyMap<string, unknown>

  constructor(text: SQL, table: Table, set: Readonly<Record<string, unknown>>) {
    super(text.queryChunks)
    const columns = Object.entries(columnsOf(table))
    this.values = new Map(
      columns
        .filter(([property, { onUpdateFn }]) => set[property] !== undefined || onUpdateFn !== undefined)
        .map(([property]) => [property, set[property]]),
    )
  }
}
