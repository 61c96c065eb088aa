import { columnOf, type Table } from './table.js'

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
  if (split) return `${split.property} is stored as numbers or bytes, whose text SQL does not give back`
  return undefined
}
