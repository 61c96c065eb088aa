import { IsothermError } from '@isotherm/core'
import { entityKind, type SQL } from 'drizzle-orm'
import { columnsOf, nameOf } from '../../drizzle-internals.js'
import { givenRow } from '../../sql/given-row.js'
import type { Fields } from '../../sql/fields.js'
import { WriteQuery, type WriteSetup } from './write.js'

/** An update that does not know its values yet. */
export class UpdateBuilder {
  static readonly [entityKind]: string = 'SpannerUpdateBuilder'
  readonly #setup: WriteSetup

  constructor(setup: WriteSetup) {
    this.#setup = setup
  }

  /** @throws {IsothermError} `INVALID_QUERY` where there is nothing to set, or no such column. */
  set(values: Fields): UpdateQuery {
    const columns = columnsOf(this.#setup.table)
    const given = Object.keys(values).filter((property) => values[property] !== undefined)
    const unknown = given.find((property) => !Object.hasOwn(columns, property))
    if (unknown !== undefined) {
      throw new IsothermError('INVALID_QUERY', `${nameOf(this.#setup.table)} has no column ${unknown}.`, {
        fix: `It has ${Object.keys(columns).join(', ')}.`,
      })
    }
    if (given.length === 0) {
      throw new IsothermError('INVALID_QUERY', 'There are no values to set.', {
        fix: 'Give set at least one value that is not undefined.',
      })
    }
    return new UpdateQuery(this.#setup, givenRow(this.#setup.table, values))
  }
}

export class UpdateQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerUpdate'
  protected readonly kind = 'update'
  protected readonly hasOwnValues: boolean
  readonly #set: Fields
  #where: SQL | undefined

  constructor(setup: WriteSetup, set: Fields) {
    super(setup)
    this.#set = set
    this.hasOwnValues = Object.entries(columnsOf(setup.table)).some(
      ([property, column]) => column.onUpdateFn !== undefined && set[property] === undefined,
    )
  }

  where(where: SQL | undefined): this {
    this.#where = where
    return this
  }

  /** @throws {IsothermError} `UNSUPPORTED` always: programs without a compiler may try. */
  from(): never {
    throw new IsothermError('UNSUPPORTED', 'An UPDATE of Spanner reads no other table in FROM.', {
      fix: 'Set a column to a subquery, and name the rows with inArray or exists in where.',
    })
  }

  protected build(): SQL {
    const { table, dialect, with: subqueries } = this.setup
    return dialect.buildUpdate({
      with: subqueries,
      table,
      set: this.#set,
      where: this.#where,
      ...(this.returned && { returning: this.returned }),
      ...(this.hint && { statementHint: this.hint }),
    })
  }
}
