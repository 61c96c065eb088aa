import { entityKind, type SQL } from 'drizzle-orm'
import { WriteQuery } from './write.js'

export class DeleteQuery extends WriteQuery {
  static override readonly [entityKind]: string = 'SpannerDelete'
  protected readonly kind = 'delete'
  protected readonly hasOwnValues = false
  #where: SQL | undefined

  where(where: SQL | undefined): this {
    this.#where = where
    return this
  }

  protected build(): SQL {
    const { table, dialect, with: subqueries } = this.setup
    return dialect.buildDelete({
      with: subqueries,
      table,
      where: this.#where,
      ...(this.returned && { returning: this.returned }),
      ...(this.hint && { statementHint: this.hint }),
    })
  }
}
