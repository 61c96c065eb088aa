import { entityKind, SQL, StringChunk, sql } from 'drizzle-orm'

const DOT = new StringChunk('.')

/** A named field of a subquery, as the query around it sees it: always with the subquery's name before its own. */
export class SubqueryField<T = unknown> extends SQL.Aliased<T> {
  static override readonly [entityKind]: string = 'SpannerSubqueryField'

  readonly subquery: string

  constructor(subquery: string, name: string, decoder: { mapFromDriverValue(value: never): unknown }) {
    super(new SQL([sql.identifier(subquery), DOT, sql.identifier(name)]).mapWith(decoder), name)
    this.subquery = subquery
  }
}
