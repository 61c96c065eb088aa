import type { PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { WriteResult } from '../session/prepared.js'
import type { RawResult } from '../session/raw-rows.js'

/** What `db.execute` gives: rows by column name. What a write without `returning` gives: how many rows it touched. */
export interface SpannerPgQueryResultHKT extends PgQueryResultHKT {
  readonly type: [this['row']] extends [never] ? WriteResult : RawResult<this['row']>
}
