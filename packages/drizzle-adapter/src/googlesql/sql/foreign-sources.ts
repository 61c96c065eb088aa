import { IsothermError } from '@isotherm/core'
import { is, Table, View } from 'drizzle-orm'
import type { Source } from '../../sql/fields.js'
import { sourceName } from '../../sql/fields.js'
import { SpannerTable } from '../table.js'
import { SpannerViewBase } from '../view-base.js'

/**
 * The compiler takes any table of Drizzle's, whose columns would be read and written as another database has them.
 *
 * @throws {IsothermError} `UNSUPPORTED` for a table or a view that was not declared for GoogleSQL.
 */
export function refuseForeignSource(source: Source): void {
  const [declaredWith, isOwn] = is(source, View)
    ? ['spannerView', is(source, SpannerViewBase)]
    : ['spannerTable', !is(source, Table) || is(source, SpannerTable)]
  if (isOwn) return
  const name = sourceName(source)!
  throw new IsothermError(
    'UNSUPPORTED',
    `${name} is no ${declaredWith}, and the database is a GoogleSQL one.`,
    {
      fix: `Declare it with ${declaredWith}: '@isotherm/drizzle-adapter/postgresql' is for databases of the PostgreSQL dialect.`,
      table: name,
    },
  )
}
