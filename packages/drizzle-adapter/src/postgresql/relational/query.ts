import { entityKind, type SQL } from 'drizzle-orm'
import type { RelationalConfig, RelationalNode } from '../../relational/plan.js'
import { RelationalReadQuery, type RelationalSetup } from '../../relational/read-query.js'
import { relationalRowMapper } from '../../relational/rows.js'
import { relationalSchemaOf } from '../../relational/schema.js'
import type { PreparedQuery } from '../../session/prepared.js'
import type { Session } from '../../session/session.js'
import type { SpannerPgDialect } from '../dialect.js'
import { columnDecoder } from '../prepared.js'
import { nestedIdentity, readNested } from './read.js'
import { levelSql } from './sql.js'

/** `db.query`: a builder for each table. */
export function relationalQueries(
  given: Readonly<Record<string, unknown>> | undefined,
  dialect: SpannerPgDialect,
  session: Session,
): unknown {
  if (!given) return {}
  const schema = relationalSchemaOf(given)
  return Object.fromEntries(
    Object.entries(schema.tables).map(([name, table]) => [
      name,
      new RelationalQueryBuilder({ schema, table, dialect, session }),
    ]),
  )
}

/** Reads rows of one table, and rows of others that belong to them: `db.query.users`. */
export class RelationalQueryBuilder {
  static readonly [entityKind]: string = 'SpannerPgRelationalQueryBuilder'
  readonly #setup: RelationalSetup<SpannerPgDialect>

  constructor(setup: RelationalSetup<SpannerPgDialect>) {
    this.#setup = setup
  }

  /** Rows, in the order that is asked for. */
  findMany(config: RelationalConfig = {}): SpannerPgRelationalQuery {
    return new SpannerPgRelationalQuery(this.#setup, config, false)
  }

  /** The first row; undefined where there is none. */
  findFirst(config: RelationalConfig = {}): SpannerPgRelationalQuery {
    return new SpannerPgRelationalQuery(this.#setup, config, true)
  }
}

/**
 * A relational query. Spanner's PostgreSQL has no LATERAL, so that each table is read by a statement of its own, by the keys
 * of the rows around it; all of them as of one moment.
 */
export class SpannerPgRelationalQuery extends RelationalReadQuery<unknown, SpannerPgDialect> {
  static override readonly [entityKind]: string = 'SpannerPgRelationalQuery'

  /** What the statements of the other tables are depends on what it gives. */
  protected override build(plan: RelationalNode): SQL {
    return levelSql(plan, [])
  }

  override _prepare(): PreparedQuery<unknown> {
    const { session, dialect } = this.setup
    const plan = this.plan()
    const map = relationalRowMapper(plan, columnDecoder)
    const meta = this.metaOf(plan)
    if (plan.relations.length === 0) return session.prepare(this.built(plan), meta, map)
    return session.prepareReads({
      meta,
      query: () => this.toSQL(),
      identity: (values) => nestedIdentity(plan, dialect, values),
      read: (run, values) => readNested(plan, run, dialect, values),
      map,
    })
  }
}
