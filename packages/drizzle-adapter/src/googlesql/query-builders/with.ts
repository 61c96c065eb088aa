import { IsothermError } from '@isotherm/core'
import { is, SQL, type WithSubquery, type ColumnsSelection, type SQLWrapper } from 'drizzle-orm'
import { type Fields } from '../../sql/fields.js'
import { withSubqueryOf } from '../sql/selection.js'
import { isSelect } from './select.js'
import type { AnySelect, SelectFn, WithSubqueryWithSelection } from './select.types.js'

/** What the callback of `$with(…).as` builds with. */
interface Selects {
  readonly select: SelectFn<false>
  readonly selectDistinct: SelectFn<false>
}

/** `$with('name').as(query)`. */
export interface WithBuilder {
  <Alias extends string>(
    alias: Alias,
  ): {
    as<Selection extends ColumnsSelection>(
      query: AnySelect<Selection> | ((qb: Selects) => AnySelect<Selection>),
    ): WithSubqueryWithSelection<Selection, Alias>
  }
  <Alias extends string, Selection extends ColumnsSelection>(
    alias: Alias,
    selection: Selection,
  ): { as(query: SQL | ((qb: Selects) => SQL)): WithSubqueryWithSelection<Selection, Alias> }
}

/** @param builder what a callback builds with */
export function makeWith(builder: () => Selects): WithBuilder {
  const start = (alias: string, selection?: Fields) => ({
    as(source: SQLWrapper | ((qb: Selects) => SQLWrapper)): WithSubquery {
      const query = typeof source === 'function' ? source(builder()) : source
      return subquery(alias, query, selection)
    },
  })
  return start as never
}

function subquery(alias: string, query: SQLWrapper, selection: Fields | undefined): WithSubquery {
  const isKnown = isSelect(query)
  if (!isKnown && !is(query, SQL)) {
    throw new IsothermError(
      'UNSUPPORTED',
      `${alias} is no query: Spanner has no writes within a statement.`,
      {
        fix: 'Run the write first, with returning, and use what it gives.',
      },
    )
  }
  return isKnown
    ? withSubqueryOf(query.getSQL(), selection ?? query.getSelectedFields(), alias, query.usedTables())
    : withSubqueryOf(query, selection ?? {}, alias, [])
}
