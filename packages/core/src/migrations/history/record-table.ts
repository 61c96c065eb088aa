import { rowCodec, keyWires, type PlainRow, type RowCodec } from '../../database/codec.js'
import type { Cells, Mutation, ReadRequest } from '../../database/driver.js'
import type { Dialect } from '../../dialects/dialect.js'
import type { TableLayout } from '../../dialects/layout.js'
import { COMMIT_TIMESTAMP, type Wire } from '../../dialects/wire.js'
import type { Table } from '../../model/table.js'

/** In a timestamp's place: the moment of the commit, in the database's clock. */
export const AT_COMMIT = Symbol('the moment of the commit')

/** The rows of a table in which the migrator keeps its records, one column a field. */
export class RecordTable<Row extends object> {
  readonly #layout: TableLayout
  readonly #codec: RowCodec

  constructor(table: Table, dialect: Dialect) {
    this.#layout = dialect.layout(table)
    this.#codec = rowCodec(this.#layout.fields)
  }

  /** A read of all rows, or of those with these keys. */
  request(keys?: readonly Partial<Row>[]): ReadRequest {
    return {
      layout: this.#layout,
      columns: this.#codec.columns,
      ...(keys && { keys: keys.map((key) => keyWires(this.#layout, key as PlainRow)) }),
    }
  }

  decode(cells: Cells): Row {
    return this.#codec.decode(cells) as Row
  }

  /** Writes rows that have the same fields; with `upsert`, the fields that are left out stay as they are. */
  write(op: 'upsert' | 'update', rows: readonly Stamped<Row>[]): Mutation {
    const fields = this.#layout.fields.filter(({ column }) => column.property in rows[0]!)
    return {
      op,
      table: this.#layout.table.name,
      layout: this.#layout,
      columns: fields.map(({ column }) => column.name),
      rows: rows.map((row) =>
        fields.map((field): Wire => {
          const value: unknown = row[field.column.property as keyof Row]
          if (value === AT_COMMIT) return COMMIT_TIMESTAMP
          return value === null ? null : field.physical[0]!.encode(field.accept(value))
        }),
      ),
    }
  }

  delete(keys: readonly Partial<Row>[]): Mutation {
    return {
      op: 'delete',
      table: this.#layout.table.name,
      layout: this.#layout,
      keys: keys.map((key) => keyWires(this.#layout, key as PlainRow)),
    }
  }
}

/** Fields of a row; a moment may be that of the commit. */
export type Stamped<Row> = {
  readonly [Property in keyof Row]?: Row[Property] | typeof AT_COMMIT
}
