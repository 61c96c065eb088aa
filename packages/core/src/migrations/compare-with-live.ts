import type { Schema } from '../model/schema.js'
import { diffSchemas, type DiffOptions, type SchemaDiff } from './diff-schemas.js'

/**
 * What a live database lacks, or has too much of, of what is expected: the changes that would make it that. It has drifted
 * where there are any changes or refusals.
 *
 * Expressions are compared as far as the database's rewriting lets them be: in the PostgreSQL dialect, one that differs in
 * its parentheses or casts only is taken for the same. Left out is what an engine may not give back: the filters of
 * indexes where it tells of none, which columns are hidden, and how clients compute shards and hashes, but for the range of
 * the shards.
 *
 * @param live what `introspect` has read
 * @throws {IsothermError} `UNSUPPORTED` for an expression that is given for other dialects only.
 * @example
 * const live = await introspect({ driver })
 * const { changes, refusals } = compareWithLive(schema, live, { dialect: driver.dialect })
 */
export function compareWithLive(
  expected: Schema,
  live: Schema,
  options: Pick<DiffOptions, 'dialect' | 'target' | 'ignore'>,
): SchemaDiff {
  return diffSchemas(live, expected, { ...options, live: true })
}
