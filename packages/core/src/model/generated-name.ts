import { createHash } from 'node:crypto'

/** The longest name that a database takes. */
export const MAX_NAME = 128

/**
 * The longest name that is made up here: Spanner's PostgreSQL dialect cuts longer ones without a word, and a name is made
 * before the dialect is known.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical#identifiers_and_quoted_identifiers
 */
export const MAX_GENERATED_NAME = 63

/**
 * A name made of others, joined by `_`. One that would be too long is cut and ends in a hash of the whole, so that two
 * long names do not become the same. The named schema of a table is left out of it.
 */
export function generatedName(...parts: readonly string[]): string {
  return shortened(parts.map((part) => part.slice(part.indexOf('.') + 1)).join('_'))
}

/**
 * The name of a table's constraint. Those of all named schemas share one name space, and have no named schema of their
 * own, so the table's is a part of the name.
 */
export function constraintName(table: string, ...parts: readonly string[]): string {
  return shortened([table.replace('.', '_'), ...parts].join('_'))
}

function shortened(name: string): string {
  if (name.length <= MAX_GENERATED_NAME) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_GENERATED_NAME - hash.length - 1)}_${hash}`
}
