import { staticColumns } from '../dialects/cql/static-columns.js'
import type { TableLayout } from '../dialects/layout.js'
import type { Wire } from '../dialects/wire.js'
import { IsothermError } from '../errors.js'
import type { Mutation } from './driver.js'

interface Given {
  readonly wire: string
  readonly place: number
}

/** Takes note of one row: the key of its partition, and its place among the rows that the caller gave. */
export type NoteStatics = (row: readonly Wire[], partition: string, place: number) => void

/**
 * What one call writes into the cells that a partition has once. Written at one moment, the larger of two values stays, whichever
 * was meant: so all rows of a partition have to give the same.
 */
export class StaticValues {
  readonly #table: string
  readonly #columns: ReadonlySet<string>
  readonly #given = new Map<string, Given>()

  constructor(layout: TableLayout) {
    this.#table = layout.table.name
    this.#columns = staticColumns(layout)
  }

  /**
   * For the rows of one mutation; undefined where it writes no such cell. What it gives throws `INVALID_VALUE` for a value
   * that another row of the partition contradicts.
   */
  of(mutation: Mutation): NoteStatics | undefined {
    if (this.#columns.size === 0 || mutation.op === 'delete') return undefined
    const { columns, op } = mutation
    const written = columns.flatMap((column, at) => (this.#columns.has(column) ? [{ column, at }] : []))
    if (written.length === 0) return undefined
    return (row, partition, place) => {
      for (const { column, at } of written) {
        const wire = row[at]!
        // An insert leaves its NULLs out.
        if (op === 'insert' && wire === null) continue
        const name = JSON.stringify([partition, column])
        const [own, first] = [JSON.stringify(wire), this.#given.get(name)]
        if (first === undefined) this.#given.set(name, { wire: own, place })
        else if (first.wire !== own) throw this.#contradiction(column, first.place, place)
      }
    }
  }

  #contradiction(column: string, first: number, second: number): IsothermError {
    return new IsothermError(
      'INVALID_VALUE',
      `Rows ${first} and ${second} of ${this.#table} give ${column} two values, and their partition has it once.`,
      {
        fix: 'Give it the same value in all rows of a partition, or in one of them; or write them one after the other.',
        table: this.#table,
        column,
      },
    )
  }
}
