import { IsothermError } from '@isotherm/core'

// Operators of PostgreSQL's that Drizzle has helpers for and Spanner does not know. A helper's text stands between two
// values, so it is a piece of its own and looking it up costs next to nothing.

const OURS = "from '@isotherm/drizzle-adapter/postgresql'"
const DISTANCES = 'Use spanner.cosine_distance, spanner.euclidean_distance or spanner.dot_product in sql``.'

const ALTERNATIVES: ReadonlyMap<string, readonly [operator: string, fix: string]> = new Map([
  [' ilike ', ['ILIKE', `Import ilike ${OURS}: it compares in lower case.`]],
  [' not ilike ', ['NOT ILIKE', `Import notIlike ${OURS}: it compares in lower case.`]],
  [' <-> ', ['<->', DISTANCES]],
  [' <=> ', ['<=>', DISTANCES]],
  [' <#> ', ['<#>', DISTANCES]],
  [' <+> ', ['<+>', DISTANCES]],
  [' <~> ', ['<~>', DISTANCES]],
  [' <%> ', ['<%>', DISTANCES]],
])

/**
 * Refuses what only PostgreSQL itself knows, before the database does.
 *
 * @throws {IsothermError} `UNSUPPORTED`, naming what there is instead.
 */
export function refuseForeignOperator(text: string): void {
  const found = ALTERNATIVES.get(text)
  if (!found) return
  throw new IsothermError('UNSUPPORTED', `Spanner has no operator ${found[0]}.`, { fix: found[1] })
}
