import { entityKind, is, type Subquery } from 'drizzle-orm'
import { SpannerDialect, type SpannerDialectConfig } from '../dialect.js'
import type { Fields } from '../../sql/fields.js'
import { refuseDistinctOn } from '../../sql/refused.js'
import { SelectBuilder } from './select.js'
import type { SelectFn } from './select.types.js'
import { makeWith, type WithBuilder } from './with.js'

/** Builds selects that nobody runs: for views, and for `insert().select()`. */
export class QueryBuilder {
  static readonly [entityKind]: string = 'SpannerQueryBuilder'
  readonly #dialect: SpannerDialect
  readonly $with: WithBuilder
  readonly select: SelectFn<false>
  readonly selectDistinct: SelectFn<false>
  /** @throws {IsothermError} `UNSUPPORTED` always. */
  readonly selectDistinctOn: typeof refuseDistinctOn = refuseDistinctOn

  constructor(dialect?: SpannerDialect | SpannerDialectConfig) {
    this.#dialect = is(dialect, SpannerDialect) ? dialect : new SpannerDialect(dialect)
    this.$with = makeWith(() => this)
    this.select = this.#starting(false, [])
    this.selectDistinct = this.#starting(true, [])
  }

  /** Selects that have subqueries before them, made by `$with`. */
  with(...subqueries: Subquery[]): {
    readonly select: SelectFn<false>
    readonly selectDistinct: SelectFn<false>
    readonly selectDistinctOn: typeof refuseDistinctOn
  } {
    return {
      select: this.#starting(false, subqueries),
      selectDistinct: this.#starting(true, subqueries),
      selectDistinctOn: refuseDistinctOn,
    }
  }

  #starting(distinct: boolean, subqueries: readonly Subquery[]): SelectFn<false> {
    const start = (fields?: Fields): SelectBuilder =>
      new SelectBuilder({ fields, distinct, dialect: this.#dialect, session: undefined, with: subqueries })
    return start as never
  }
}
