import { IsothermError } from '@isotherm/core'
import { is, type Column, type Table } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { columnsOf, nameOf, originalOf, schemaOf } from '../drizzle-internals.js'
import { valueType } from '../keys/column-values.js'

/** The table of a select, as the select calls it. */
export class FanOutSource {
  /** Without its alias. */
  readonly table: Table
  readonly #alias: Table

  constructor(table: Table) {
    this.#alias = table
    this.table = originalOf(table)
  }

  get name(): string {
    return nameOf(this.table)
  }

  /** @throws {IsothermError} `INVALID_QUERY` for a column of another table, or of another alias. */
  propertyOf(column: Column): string {
    const isOurs =
      nameOf(column.table) === nameOf(this.#alias) && schemaOf(column.table) === schemaOf(this.table)
    const found =
      isOurs && Object.entries(columnsOf(this.table)).find(([, each]) => each.name === column.name)
    if (found) return found[0]
    throw new IsothermError(
      'INVALID_QUERY',
      `A fan-out over ${nameOf(this.#alias)} has no column ${nameOf(column.table)}.${column.name}.`,
      { fix: 'Use columns of the table, or of the alias, that is in from().', table: this.name },
    )
  }

  get isPostgreSql(): boolean {
    return is(this.table, PgTable)
  }

  isBool(column: Column): boolean {
    return valueType(column)?.kind === 'bool'
  }
}
