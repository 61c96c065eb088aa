import { IsothermError } from '@isotherm/core'

// Operators that Drizzle has helpers for and GoogleSQL does not know. A helper's text stands between two values, so it is a
// piece of its own and looking it up costs next to nothing.

const OURS = "from '@isotherm/drizzle-adapter'"

const ALTERNATIVES: ReadonlyMap<string, readonly [what: string, fix: string]> = new Map([
  [' ilike ', ['ILIKE', `Import ilike ${OURS}: it compares in lower case.`]],
  [' not ilike ', ['NOT ILIKE', `Import notIlike ${OURS}: it compares in lower case.`]],
  [' @> ', ['the operator @>', `Import arrayContains ${OURS}, which is ARRAY_INCLUDES_ALL.`]],
  [' <@ ', ['the operator <@', `Import arrayContained ${OURS}, which is ARRAY_INCLUDES_ALL.`]],
  [' && ', ['the operator &&', `Import arrayOverlaps ${OURS}, which is ARRAY_INCLUDES_ANY.`]],
  [' <-> ', ['the operator <->', `Import l2Distance ${OURS}, which is EUCLIDEAN_DISTANCE.`]],
  [' <=> ', ['the operator <=>', `Import cosineDistance ${OURS}, which is COSINE_DISTANCE.`]],
  [' <#> ', ['the operator <#>', `Import innerProduct ${OURS}, which is DOT_PRODUCT.`]],
  [' <+> ', ['the operator <+>', 'Write the sum over UNNEST(column) WITH OFFSET in sql``.']],
  [' <~> ', ['the operator <~>', 'Write it with BIT_COUNT and BIT_XOR in sql``.']],
  [' <%> ', ['the operator <%>', 'Write it over UNNEST(column) in sql``.']],
])

/**
 * Refuses a helper of Drizzle's that makes another database's SQL, before the database does.
 *
 * @throws {IsothermError} `UNSUPPORTED`, naming the helper that there is instead.
 */
export function refuseForeignOperator(text: string): void {
  const found = ALTERNATIVES.get(text)
  if (!found) return
  throw new IsothermError('UNSUPPORTED', `GoogleSQL has no ${found[0].replace(/^the /, '')}.`, {
    fix: found[1],
  })
}
