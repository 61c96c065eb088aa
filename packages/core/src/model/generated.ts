import { shardCountOf } from './key.js'
import { type Table, columnOf } from './table.js'
import { createHash } from 'node:crypto'

/**
 * The shard that limits how many rows a table can have: its own key parts are only shards and time buckets, and the columns
 * that this shard hashes are not among them, so rows whose hashes agree are one row. Undefined if there is no such shard.
 * The inherited parts of a child count as given: then its own shards limit the rows of each parent.
 */
export function cappingShard(
  table: Pick<Table, 'columns' | 'primaryKey'>,
): { readonly property: string; readonly shards: number; readonly of: readonly string[] } | undefined {
  const own = table.primaryKey.flatMap(({ property }) => columnOf(table, property) ?? [])
  const made = own.filter(({ inherited }) => !inherited)
  if (!made.every(({ source }) => source?.kind === 'shard' || source?.kind === 'time-bucket'))
    return undefined
  for (const { property, source } of made) {
    if (source?.kind !== 'shard' || source.strategy !== 'hash' || source.of.length === 0) continue
    const outside = source.of.filter((name) => !table.primaryKey.some((part) => part.property === name))
    if (outside.length > 0) return { property, shards: shardCountOf(source), of: outside }
  }
  return undefined
}

/**
 * Why the documentation does not allow these columns in a generated key column; undefined where it does. The emulator is
 * less strict, so nothing would say so before production.
 *
 * Source: https://cloud.google.com/spanner/docs/generated-column/how-to#primary-key-generated-column
 */
export function generatedKeyObstacle(
  table: Pick<Table, 'columns' | 'primaryKey'>,
  of: readonly string[],
): string | undefined {
  const columns = of.flatMap((property) => columnOf(table, property) ?? [])
  const outsideKey = columns.filter(
    ({ property }) => !table.primaryKey.some((part) => part.property === property),
  )
  if (outsideKey.length > 1) {
    return `it may read one column outside the key, not ${outsideKey.map(({ property }) => property).join(' and ')}`
  }
  const [only] = outsideKey
  if (only && (only.source || only.default !== undefined))
    return `${only.property} has a default, and is not in the key`
  const commit = columns.find(({ source }) => source?.kind === 'timestamp' && source.from === 'commit')
  if (commit) return `${commit.property} is a commit timestamp`
  const computed = columns.find(
    ({ generated, source }) => generated || source?.kind === 'shard' || source?.kind === 'hash',
  )
  if (computed) return `${computed.property} is generated itself`
  const split = columns.find(
    ({ type }) => type.kind === 'uuid' && (type.storage === 'int64-pair' || type.storage === 'bytes'),
  )
  if (split) return `${split.property} is stored as numbers or bytes, which SQL cannot convert back to text`
  return undefined
}

/** The longest name that a database takes. */
export const MAX_NAME = 128

/**
 * The longest generated name: Spanner's PostgreSQL dialect silently cuts longer names, and a name is generated before the
 * dialect is known.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/postgresql/lexical#identifiers_and_quoted_identifiers
 */
export const MAX_GENERATED_NAME = 63

/**
 * A name made from others, joined by `_`. A name that would be too long is cut and ends in a hash of the whole, so that two
 * long names do not become the same. The named schema of a table is left out of it.
 */
export function generatedName(...parts: readonly string[]): string {
  return shortened(parts.map((part) => part.slice(part.indexOf('.') + 1)).join('_'))
}

/**
 * The name of a table's constraint. Constraints of all named schemas share one name space, and cannot have a named schema
 * of their own, so the table's is a part of the name.
 */
export function constraintName(table: string, ...parts: readonly string[]): string {
  return shortened([table.replace('.', '_'), ...parts].join('_'))
}

function shortened(name: string): string {
  if (name.length <= MAX_GENERATED_NAME) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_GENERATED_NAME - hash.length - 1)}_${hash}`
}
