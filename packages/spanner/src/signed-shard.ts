import { IsothermError, type TableLayout } from '@isotherm/core/engine'

/** The remainder of a signed hash, without an expression around it that would make it positive. */
const SIGNED = /^\s*mod\s*\(\s*(?:spanner\.)?farm_fingerprint\s*\(/i

/**
 * A shard that is declared as the remainder of a signed hash: half of all rows have a negative one, which no read of the shards
 * from 0 on finds.
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/mathematical_functions#mod, whose result has the sign of
 * the dividend.
 *
 * @throws {IsothermError} `UNSUPPORTED_MODEL`
 */
export function refuseSignedShards({ table, key }: TableLayout): void {
  for (const { field, column } of key) {
    const { source, property } = field.column
    if (source?.kind !== 'shard' || source.signed || column.made?.by !== 'generated') continue
    if (!SIGNED.test(column.made.expression)) continue
    throw new IsothermError(
      'UNSUPPORTED_MODEL',
      `${table.name}.${property} is the remainder of a signed hash: half of all rows have a negative shard, where no fan-out looks.`,
      {
        fix: 'Declare its shard with signed: true, and all of its values are read. Of a new table, take the absolute value of the remainder.',
        table: table.name,
        column: property,
      },
    )
  }
}
