import type { LintedDialect, Rule } from '@isotherm/core/tools'
import type { Column } from '@isotherm/core/engine'
import type { Table } from '@isotherm/core/engine'
import type { SqlText } from '@isotherm/core/tools'
import { defaultText, generatedText } from '@isotherm/core/tools'
import { callsIn, integerOf, remainderOf, soleCall } from '@isotherm/core/tools'

const SIGNED_HASH = 'farm_fingerprint'
const SMALLEST_INT64 = '-9223372036854775808'

/**
 * A shard that is the remainder of a signed hash, as printed in the documentation: half of all rows get a negative
 * one, and a reader of 0 to N-1 never sees them. A shard that a model declares as `signed` is left alone: its range
 * is known.
 *
 * @param shard SQL of a shard that is right; undefined: of any number of shards
 *
 * Source: https://cloud.google.com/spanner/docs/reference/standard-sql/mathematical_functions#mod, whose result has
 * the sign of the dividend, and
 * https://cloud.google.com/spanner/docs/reference/standard-sql/hash_functions#farm_fingerprint
 */
export function signedShard(shard: (shards: number | undefined) => string): Rule {
  return {
    name: 'spanner/signed-shard',
    severity: 'error',
    check(table, report, { dialect }) {
      for (const column of table.columns) {
        const text = choosesSplit(table, column) ? textOf(column, dialect) : undefined
        if (!text) continue
        const raw = rawRemainder(text)
        if (raw) {
          const range =
            raw.shards === undefined ? 'below 0 as well' : `from ${1 - raw.shards} to ${raw.shards - 1}`
          report({
            column: column.property,
            message:
              `${column.property} is the remainder of a signed hash and runs ${range}: half of all rows have a ` +
              'negative shard, which a reader of shards from 0 misses.',
            fix:
              `Take the absolute value of the remainder: ${shard(raw.shards)}. The key of a table that exists ` +
              'cannot change: declare its shard with signed: true, and all of its values are read.',
          })
        }
        if (absoluteHash(text)) {
          report({
            column: column.property,
            severity: 'warning',
            message:
              `${column.property} takes the absolute value of a hash, which the smallest 64-bit integer ` +
              `(${SMALLEST_INT64}) does not have: a row with that hash cannot be written.`,
            fix: `Take the remainder first, and then its absolute value: ${shard(undefined)}.`,
          })
        }
      }
    },
  }
}

function textOf(column: Column, dialect: LintedDialect): SqlText | undefined {
  if (column.source?.kind === 'shard' && column.source.signed) return undefined
  return generatedText(column, dialect) ?? defaultText(column, dialect)
}

/** The whole expression is `MOD(hash, N)`. Anything around it, ABS above all, may make the value positive. */
function rawRemainder(text: SqlText): { shards: number | undefined } | undefined {
  const remainder = remainderOf(text)
  if (!remainder || soleCall(remainder.dividend)?.name !== SIGNED_HASH) return undefined
  return { shards: integerOf(remainder.divisor) }
}

function absoluteHash(text: SqlText): boolean {
  return callsIn(text, new Set(['abs'])).some(
    ({ args }) => args[0] && soleCall(args[0])?.name === SIGNED_HASH,
  )
}

/** Whether a column decides where rows or the entries of an index lie: a part of the key, or an index's first. */
function choosesSplit(table: Table, column: Column): boolean {
  if (column.inherited) return false
  return (
    table.primaryKey.some((part) => part.property === column.property) ||
    table.indexes.some((index) => !index.shard && index.parts[0]?.property === column.property)
  )
}
